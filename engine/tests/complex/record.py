"""Record values and gradients of ops on complex tensors, for `complex.rs`.

    python record.py        (a Python that has torch)

A line is one case: the op by its schema's name, its arguments, the result, and the gradients of the loss
`sum(w * re(out) + v * im(out))` with respect to the float and complex arguments. Complex numbers are pairs.
"""

import json
import pathlib

import torch

torch.set_num_threads(1)
Z = torch.tensor([1 + 2j, 3 - 1j, -0.5 + 0.25j], dtype=torch.complex128)
W = torch.tensor([0.5 - 1j, 2 + 0.3j, -1.5j], dtype=torch.complex128)
X = torch.tensor([1.5, -2.0, 0.25], dtype=torch.float64)
M = torch.tensor([[1 + 2j, 0.5 + 0.1j, 0.2 + 1.3j], [0.1 + 1.1j, -2 + 0.3j, 0.5 - 0.5j], [3 + 0.2j, 1 - 1.2j, 0.3 + 2j]],
                 dtype=torch.complex128)
ONE = ("exp exp2 expm1 log log2 log10 log1p sqrt rsqrt reciprocal sin cos tan asin acos atan sinh cosh tanh asinh acosh "
       "atanh sigmoid square neg abs sgn angle conj real imag view_as_real sum mean prod isreal isnan logical_not").split()
TWO = "add.Tensor sub.Tensor mul.Tensor div.Tensor pow.Tensor_Tensor eq.Tensor ne.Tensor".split()


def pairs(t):
    t = t.detach().resolve_conj()
    values = torch.view_as_real(t).reshape(-1, 2).tolist() if t.is_complex() else t.reshape(-1).tolist()
    return {"dtype": str(t.dtype).removeprefix("torch."), "shape": list(t.shape), "values": values}


def case(name, fn, *args):
    leaves = [a.clone().requires_grad_() if isinstance(a, torch.Tensor) else a for a in args]
    out = fn(*leaves)
    line = {"op": name, "args": [pairs(a) if isinstance(a, torch.Tensor) else a for a in args], "out": pairs(out)}
    if out.requires_grad:
        n = torch.arange(out.numel(), dtype=torch.float64).reshape(out.shape)
        loss = ((out.real if out.is_complex() else out) * (1 + 0.5 * n)).sum()
        if out.is_complex():
            loss = loss + (out.imag * (0.75 - 0.25 * n)).sum()
        loss.backward()
        line["grads"] = [pairs(a.grad) for a in leaves if isinstance(a, torch.Tensor)]
    lines.append(json.dumps(line, separators=(",", ":")).replace("NaN", "null"))


lines = []
for name in ONE:
    case(name, getattr(torch, name), Z)
    case(name, getattr(torch, name), M[:2].t())
for name in TWO:
    fn = getattr(torch, name.split(".")[0])
    case(name, fn, Z, W)
    case(name, fn, Z, X)
    case(name, fn, X.abs(), Z)
    case(name, fn, M, Z)
case("mm", torch.mm, M, M)
case("mv", torch.mv, M, Z)
case("dot", torch.dot, Z, W)
case("vdot", torch.vdot, Z, W)
case("outer", torch.outer, Z, W)
case("complex", torch.complex, X, X * 2)
case("polar", torch.polar, X.abs(), X)
case("cumsum", torch.cumsum, Z, 0)
case("cumprod", torch.cumprod, Z, 0)
N = torch.linspace(-1, 2, 37, dtype=torch.float64)
for x in (Z, M, M.t(), N.to(torch.complex128) * (1 + 0.5j), torch.complex(N[:8], N[8:16])):
    for scaling, forward in ((0, True), (1, True), (2, False)):
        case("_fft_c2c", torch._fft_c2c, x, [x.dim() - 1], scaling, forward)
    case("_fft_c2r", torch._fft_c2r, x, [x.dim() - 1], 2, 2 * x.shape[-1] - 2)
    case("_fft_c2r", torch._fft_c2r, x, [x.dim() - 1], 0, 2 * x.shape[-1] - 1)
for x in (X, M.real, N, N[:6], N[:1]):
    case("_fft_r2c", torch._fft_r2c, x, [x.dim() - 1], 0, True)
    case("_fft_r2c", torch._fft_r2c, x, [x.dim() - 1], 1, False)
case("_fft_c2c", torch._fft_c2c, M, [0, 1], 0, True)
case("_fft_r2c", torch._fft_r2c, M.imag, [1, 0], 2, True)
case("_fft_c2r", torch._fft_c2r, M, [1, 0], 1, 4)
path = pathlib.Path(__file__).with_name("complex.jsonl")
path.write_text("\n".join(lines) + "\n")
print(len(lines), "cases")
