# An op that writes over its own input keeps what its gradient needs; what others have saved is missed.
import torch
from torch import nn
import torch.nn.functional as F


def gradient(change):
    x = torch.tensor([-0.8, 0.2, 0.5, 0.9], requires_grad=True)
    h = x * 1
    same = change(h) is h
    h.sum().backward()
    return same, [round(v, 4) for v in x.grad.tolist()]


for name in "sin_ cos_ abs_ square_ erf_ sinh_ cosh_ atan_ tanh_ sigmoid_ exp_ relu_ neg_ zero_".split():
    print(name, gradient(lambda h: getattr(h, name)()))
print("clamp_", gradient(lambda h: h.clamp_(-0.5, 0.6)))
print("pow_", gradient(lambda h: h.pow_(3)))
print("fill_", gradient(lambda h: h.fill_(3.0)))
print("mul_", gradient(lambda h: h.mul_(torch.arange(4.0))))
print("masked_fill_", gradient(lambda h: h.masked_fill_(h > 0.3, 0.0)))
modules = [nn.ReLU(True), nn.ReLU6(True), nn.LeakyReLU(0.2, True), nn.ELU(1.0, True), nn.SELU(True), nn.SiLU(True),
           nn.Hardswish(True), nn.Hardtanh(-0.5, 0.5, True), nn.Threshold(0.3, 0.1, True), nn.Mish(True)]
for module in modules:
    print(module, gradient(module))

# As in convolutional networks that save memory: normalise, then an activation in place.
torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 4, 3, bias=False), nn.BatchNorm2d(4), nn.LeakyReLU(0.2, inplace=True),
                    nn.Conv2d(4, 2, 3), nn.ReLU6(inplace=True), nn.Flatten(), nn.Linear(8, 1))
x = torch.randn(3, 1, 6, 6)
loss = net(x).pow(2).mean()
loss.backward()
print(f"{loss.item():.4f}", [f"{p.grad.abs().sum():.4f}" for p in net.parameters()])

# A factor that learns, times a tensor that does not, in place.
w = torch.tensor([2.0, 3.0], requires_grad=True)
plain = torch.tensor([5.0, 7.0])
plain.mul_(w)
plain.sum().backward()
print(plain, w.grad)

# exp has saved its result, which is gone.
x = torch.ones(2, requires_grad=True)
y = x.exp()
y.clamp_(0.0, 1.0)
y.sum().backward()
