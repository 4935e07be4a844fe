import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.LazyConv2d(4, 3), nn.LazyBatchNorm2d(), nn.ReLU(), nn.Flatten(), nn.LazyLinear(2))
print(net)
print(net[0].weight, net.state_dict()["4.bias"])
try:
    net[4].weight.shape
except RuntimeError as e:
    print(e)
try:
    sum(p.numel() for p in net.parameters())
except ValueError as e:
    print(e)
out = net(torch.randn(2, 1, 6, 6))
print(out.shape, net)
print(sum(p.numel() for p in net.parameters()))
pool = nn.FractionalMaxPool2d(2, output_size=3, _random_samples=torch.tensor([[[0.2, 0.7]]]))
print(pool(torch.arange(36.0).view(1, 1, 6, 6)))
norm = nn.LazyInstanceNorm1d(affine=True)
print(norm(torch.randn(1, 3, 4)).shape, norm)
