"""Gradients through eigenvalues, factors, distances and transforms, checked against differences."""
import torch
import torch.nn.functional as F
from torch.autograd import gradcheck, gradgradcheck

torch.manual_seed(0)


def d(*shape):
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


square, tall = d(3, 3), d(4, 3)
checks = {
    "lu": (lambda a: torch.linalg.lu(a)[1:], tall),
    "lu_factor": (lambda a: torch.linalg.lu_factor(a)[0], square),
    "eigvals": (torch.linalg.eigvals, square),
    "eig": (lambda a: torch.linalg.eig(a)[1].abs(), square),
    "pdist": (torch.pdist, tall),
    "gradient": (lambda a: torch.gradient(a, edge_order=2), tall),
    "pixel_shuffle": (lambda a: torch.pixel_shuffle(a.reshape(1, 4, 1, 3), 2), tall),
    "rfft": (torch.fft.rfft, tall),
    "irfft": (lambda a: torch.fft.irfft(torch.complex(a, 2 * a)), tall),
    "polar": (lambda a: tuple(torch.linalg.polar(a)), square),
    "householder": (lambda a: torch.linalg.householder_product(a, a[0]), tall),
}
for name, (f, x) in checks.items():
    print(name, gradcheck(f, (x,)), gradgradcheck(f, (x,)))
print(gradcheck(lambda t: F.ctc_loss(t.log_softmax(2), torch.tensor([[1, 2], [2, 2]]), (5, 5), (2, 2)), (d(5, 2, 3),)))
print(torch.pdist(tall)[0].grad_fn.next_functions[0][0].name(), torch.linalg.eig(square)[1].grad_fn.name())
x = torch.tensor([0.3, 1.2], dtype=torch.float64, requires_grad=True)
print(gradcheck(lambda t: torch.special.gammainc(torch.tensor(2.0, dtype=torch.float64), t), (x,)))
