"""In-place functions of the module, and special functions."""
import torch

x = torch.tensor([-1.5, -0.2, 0.3, 2.0])
for name in ("abs_", "exp_", "sin_", "sigmoid_", "tanh_", "square_", "neg_", "floor_", "round_", "erf_", "trunc_"):
    y = x.clone()
    out = getattr(torch, name)(y)
    print(name, y, out is y)
print(torch.clamp_(x.clone(), -1, 1), torch.clip_(x.clone(), max=0.5), torch.nan_to_num_(torch.tensor([1.0, float("nan")])))
a, t = torch.tensor([0.5, 1.0, 2.0]), torch.tensor([0.2, 1.0, 5.0])
print(torch.special.gammainc(a, t), torch.special.gammaincc(a, t), torch.igamma(a, t))
print(torch.special.bessel_j0(t), torch.special.bessel_y1(t), torch.special.modified_bessel_k0(t))
print(torch.special.chebyshev_polynomial_t(t, 3), torch.special.hermite_polynomial_h(t, torch.tensor([0, 1, 2])))
print(torch.special.legendre_polynomial_p(torch.tensor([0.5, -0.25]), 4))
print(torch.special.laguerre_polynomial_l(t, 2))
leaf = torch.tensor([1.0], requires_grad=True)
try:
    torch.exp_(leaf)
except RuntimeError as e:
    print(e)
y = torch.sqrt_(leaf * 4)
print(y)
try:
    torch.exp_(torch.tensor([1]))
except RuntimeError as e:
    print(e)
