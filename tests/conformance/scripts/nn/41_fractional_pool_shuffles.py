"""Fractional pooling, cubic sampling, shuffles and the randomized leaky ReLU."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(1)
x = torch.randn(1, 2, 6, 7, requires_grad=True)
pool = nn.FractionalMaxPool2d(2, output_size=(3, 4), return_indices=True)
y, places = pool(x)
print(y, places)
y.sum().backward()
print(x.grad[0, 0])
print(nn.FractionalMaxPool2d(2, output_ratio=0.5)(x).shape, nn.FractionalMaxPool3d(2, output_size=2)(torch.randn(1, 4, 4, 4)))
image = torch.arange(16.0).reshape(1, 1, 4, 4)
grid = torch.tensor([[[[0.1, -0.2], [0.5, 0.5]], [[-0.9, 0.9], [1.2, 0.0]]]])
for padding in ("zeros", "border", "reflection"):
    print(F.grid_sample(image, grid, mode="bicubic", padding_mode=padding, align_corners=False))
print(nn.PixelShuffle(2)(torch.arange(16.0).reshape(1, 4, 2, 2).requires_grad_()))
print(nn.ChannelShuffle(2)(torch.arange(8.0).reshape(1, 4, 2, 1)).flatten())
print(nn.PairwiseDistance()(torch.ones(2, 3), torch.zeros(2, 3)), nn.PairwiseDistance(p=1, keepdim=True)(torch.ones(2, 3), torch.zeros(2, 3)))
v = torch.tensor([-1.0, 2.0, -3.0, 0.0], requires_grad=True)
relu = nn.RReLU(0.1, 0.3)
out = relu(v)
print(out)
out.sum().backward()
print(v.grad, relu.eval()(v), torch.rrelu(v))
try:
    nn.FractionalMaxPool2d(2)
except ValueError as e:
    print(e)
