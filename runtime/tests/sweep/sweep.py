# Every op on inputs of many shapes and layouts: its result, its gradients, and theirs, each as a few numbers, or what it
# raises. PyTorch's output of this program is `recorded.txt`: under each call one line for each set of shapes, and one more
# for a layout that does not give the same. "rough" names the layouts in which `gradcheck` does not hold.
import math
import re

import torch
from torch.autograd import grad, gradcheck

F, L, S = torch.nn.functional, torch.linalg, torch.special


def far(x):
    """A matrix far from singular."""
    return x + 3 * torch.eye(x.size(-1), dtype=x.dtype) if x.dim() > 1 else x


def spd(x):
    """A symmetric one, positive definite."""
    return x @ x.mT + 2 * torch.eye(x.size(-2), dtype=x.dtype) if x.dim() > 1 else x


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


def call(code, given):
    return eval(code, {"torch": torch, "F": F, "L": L, "S": S, "far": far, "spd": spd, **given})


def raised(e):
    return ["raises", type(e).__name__, *str(e).split("\n")[0][:200].split()]


def run(code, inputs, layout):
    """The result's numbers, those of its gradients, and those of the gradients of these."""
    given = {}
    for name, x in inputs.items():
        x = layout(x).detach()
        given[name] = x.requires_grad_() if x.is_floating_point() else x
    leaves = [x for x in given.values() if x.requires_grad]
    try:
        found = call(code, given)
    except Exception as e:
        return raised(e)
    tokens = brief(found)
    for depth in range(1 if any(name in code for name in ONCE) else 2):
        outs = [t for t in tensors(found) if t.requires_grad and (t.is_floating_point() or t.is_complex())]
        if not leaves or not outs:
            break
        try:
            found = grad(outs, leaves, [weights(t) for t in outs], create_graph=depth == 0, allow_unused=True)
        except (RuntimeError, NotImplementedError, IndexError) as e:
            tokens += ["d" * (depth + 1), type(e).__name__]
            break
        # A gradient that is zero everywhere may also be none at all.
        totals = [total(torch.zeros_like(x) if g is None else g) for g, x in zip(found, leaves)]
        if depth == 0 or any("!" in t or abs(float(t)) > 1e-9 for t in totals):
            tokens += ["d" * (depth + 1), *totals]
        found = [g for g in found if g is not None]
    return tokens


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


def checked(code, inputs, layout, whole):
    """Whether `gradcheck` holds, the layout being part of the function: for the whole Jacobian, or in one direction."""
    names = [name for name, x in inputs.items() if x.is_floating_point()]

    def function(*xs):
        out = call(code, {**inputs, **{name: layout(x) for name, x in zip(names, xs)}})
        return tuple(t for t in tensors(out) if t.requires_grad)

    def along(step):
        outs = function(*[inputs[name] + step * weights(inputs[name]) for name in names])
        outs = [torch.view_as_real(t.resolve_conj()) if t.is_complex() else t for t in outs]
        return sum((t * weights(t)).sum() for t in outs)

    start = [inputs[name].clone() for name in names] if whole else [torch.zeros((), dtype=torch.float64)]
    try:
        return gradcheck(function if whole else along, [x.requires_grad_() for x in start])
    except Exception:
        return False


def shown(shapes):
    return ",".join("x".join(map(str, shape)) or "-" for shape in shapes.values())


SEEN = {}


def sweep(code, specs, shapes, whole):
    """One call on inputs of these shapes, in all layouts. False when it raises."""
    if shown(shapes) in SEEN.setdefault(code, set()):
        return True
    SEEN[code].add(shown(shapes))
    left_out = LEFT_OUT.get(code, "").split()
    if shown(shapes) in left_out:
        return True
    inputs = {name: make((shapes[name], *spec[1:]), seed) for seed, (name, spec) in enumerate(specs.items())}
    dense = run(code, inputs, torch.clone)
    print("", shown(shapes) + ":", *dense)
    rough = []
    for layout in (torch.clone, transposed, spread, expanded):
        if layout.__name__ in left_out:
            continue
        found = dense if layout is torch.clone else run(code, inputs, layout)
        if not same(found, dense):
            print("", shown(shapes), layout.__name__ + ":", *found)
        if "d" in found and not checked(code, inputs, layout, whole and layout is torch.clone):
            rough.append(layout.__name__)
    if rough:
        print("", shown(shapes), "rough:", *rough)
    return "raises" not in dense


def vary(code, specs):
    """The call on its own shapes; with each size made zero; with all or one of the inputs 0-d; in five dimensions."""
    shapes = {name: spec[0] for name, spec in specs.items()}
    sweep(code, specs, shapes, True)
    for size in sorted({n for shape in shapes.values() for n in shape if n > 1}):
        sweep(code, specs, {name: tuple(0 if n == size else n for n in shape) for name, shape in shapes.items()}, False)
    sweep(code, specs, dict.fromkeys(shapes, ()), False)
    for name in shapes:
        sweep(code, specs, {**shapes, name: ()}, False)
    missing = 5 - max(map(len, shapes.values()))
    if missing > 0 and not sweep(code, specs, {name: (2, 1, 2, 1, 2)[:missing] + s for name, s in shapes.items()}, False):
        sweep(code, specs, {name: s + (2, 1, 2, 1, 2)[:missing] for name, s in shapes.items()}, False)


COVERED, LAST = set(), None
for code, specs, varied in CASES:
    COVERED.update(re.findall(r"\.(\w+)", code))
    if code != LAST:
        print(code)
    LAST = code
    if varied:
        vary(code, specs)
    else:
        sweep(code, specs, {name: spec[0] for name, spec in specs.items()}, True)
