# Every op on inputs of many layouts: its result, its gradients, and theirs, each as a few numbers. PyTorch's output of
# this program is `recorded.txt`. What is laid out in another way must give the same; `gradcheck` must hold.
import math
import re

import torch
from torch.autograd import grad, gradcheck

F, L, S = torch.nn.functional, torch.linalg, torch.special


def make(spec, seed):
    """A tensor of fixed values: `(shape, low, high)`, integers with an "i" behind, truth values with a "b"."""
    shape, low, high, *kind = spec
    n = math.prod(shape)
    share = (torch.arange(n, dtype=torch.float64) * 0.6180339887498949 + 0.37 * seed + 0.1) % 1.0
    x = (low + (high - low) * share).reshape(shape)
    if kind == ["i"]:
        return x.floor().long()
    return x > (low + high) / 2 if kind == ["b"] else x


def transposed(x):
    order = list(range(x.dim()))[::-1]
    return x.permute(order).contiguous().permute(order)


def spread(x):
    """Every second element of something larger, not from its start on."""
    wide = torch.zeros([2 * s + 3 for s in x.shape] or [3], dtype=x.dtype)
    view = wide[tuple(slice(1, 1 + 2 * s, 2) for s in x.shape)] if x.dim() else wide[1]
    view.copy_(x)
    return view


def expanded(x):
    return x[:1].expand(x.shape) if x.dim() and x.size(0) > 1 else x


def tensors(value):
    if isinstance(value, torch.Tensor):
        return [value]
    return [t for v in value for t in tensors(v)] if isinstance(value, (tuple, list)) else []


def weights(t):
    """A cotangent: no two numbers alike."""
    w = torch.cos(torch.arange(t.numel(), dtype=torch.float64) + 0.5).reshape(t.shape)
    return torch.complex(w, w.flip(-1) if w.dim() else w).to(t.dtype) if t.is_complex() else w.to(t.dtype)


# PyTorch has no second derivative of these, or one that depends on the last bits.
ONCE = ("hardsigmoid", "frexp", "torch.std(x)", "torch.cumprod", "multi_margin", "multilabel_margin")


def real(t):
    x = t.detach()
    return (torch.view_as_real(x.resolve_conj()) if x.is_complex() else x).double().contiguous()


def total(t):
    """All elements as one number, each with a weight of its own."""
    x = real(t)
    finite = torch.where(x.isfinite(), x, torch.full_like(x, 3.0))
    return f"{(finite * weights(finite)).sum().item():.7g}" + "!" * (~x.isfinite()).sum().item()


def brief(value):
    if isinstance(value, (tuple, list)):
        return [part for v in value for part in brief(v)]
    if not isinstance(value, torch.Tensor):
        return [str(value).replace(" ", "")]
    most = f"{real(value).abs().max().item():.7g}" if value.numel() else "-"
    return ["x".join(map(str, value.shape)) or "-", str(value.dtype)[6:], total(value), most]


def run(code, inputs, layout):
    """The result's numbers, those of its gradients, and those of the gradients of these."""
    given = {}
    for name, x in inputs.items():
        x = layout(x).detach()
        given[name] = x.requires_grad_() if x.is_floating_point() else x
    leaves = [x for x in given.values() if x.requires_grad]
    found = eval(code, {"torch": torch, "F": F, "L": L, "S": S, **given})
    tokens, differentiable = brief(found), False
    for depth in range(1 if any(name in code for name in ONCE) else 2):
        outs = [t for t in tensors(found) if t.requires_grad and (t.is_floating_point() or t.is_complex())]
        if not leaves or not outs:
            break
        try:
            found = grad(outs, leaves, [weights(t) for t in outs], create_graph=depth == 0, allow_unused=True)
        except (RuntimeError, NotImplementedError) as e:
            tokens += ["d" * (depth + 1), type(e).__name__]
            break
        differentiable = True
        # A gradient that is zero everywhere may also be none at all.
        totals = [total(torch.zeros_like(x) if g is None else g) for g, x in zip(found, leaves)]
        if depth == 0 or any("!" in t or abs(float(t)) > 1e-9 for t in totals):
            tokens += ["d" * (depth + 1), *totals]
        found = [g for g in found if g is not None]
    return tokens, differentiable


def near(a, b):
    if a == b:
        return True
    try:
        a, b = float(a.rstrip("!")), float(b.rstrip("!"))
    except ValueError:
        return False
    return abs(a - b) <= 2e-6 * max(abs(a), abs(b)) + 1e-8


def same(one, other):
    return len(one) == len(other) and all(map(near, one, other))


def sweep(code, specs, expand, smooth):
    inputs = {name: make(spec, seed) for seed, (name, spec) in enumerate(specs.items())}
    named = code.replace(" ", "") + " " + ",".join("x".join(map(str, spec[0])) or "-" for spec in specs.values())
    dense, differentiable = run(code, inputs, torch.clone)
    print(named, *dense)
    for layout in (transposed, spread):
        found, _ = run(code, inputs, layout)
        if not same(found, dense):
            print("LAYOUT", named, layout.__name__, *found)
    if expand and any(x.dim() and x.size(0) > 1 for x in inputs.values()):
        print(named, "expanded", *run(code, inputs, expanded)[0])
    if smooth and differentiable:
        names = [name for name, x in inputs.items() if x.is_floating_point()]

        def function(*xs):
            out = eval(code, {"torch": torch, "F": F, "L": L, "S": S, **inputs, **dict(zip(names, xs))})
            return tuple(t for t in tensors(out) if t.requires_grad)

        try:
            gradcheck(function, [inputs[name].clone().requires_grad_() for name in names])
        except Exception as e:
            print("GRADCHECK", named, type(e).__name__, str(e)[:300].replace("\n", " "))


COVERED = set()
for code, specs, expand, smooth in CASES:
    COVERED.update(re.findall(r"\.(\w+)", code))
    try:
        sweep(code, specs, expand, smooth)
    except Exception as e:
        print("RAISES", code, specs, type(e).__name__, str(e).split("\n")[0])
