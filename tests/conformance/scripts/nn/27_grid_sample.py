import torch
import torch.nn.functional as F

torch.manual_seed(0)
x = torch.randn(1, 2, 4, 5)
g = torch.rand(1, 3, 3, 2) * 2.6 - 1.3
for mode in ("bilinear", "nearest"):
    for padding in ("zeros", "border", "reflection"):
        for corners in (True, False):
            y = F.grid_sample(x, g, mode=mode, padding_mode=padding, align_corners=corners)
            print(mode, padding, corners, y.sum(1))
volume = torch.arange(24.0).reshape(1, 1, 2, 3, 4)
print(F.grid_sample(volume, torch.zeros(1, 1, 1, 2, 3), align_corners=False))
theta = torch.tensor([[[0.5, 0.1, 0.2], [-0.1, 0.8, 0.0]]], requires_grad=True)
for corners in (True, False):
    print(F.affine_grid(theta, (1, 1, 2, 3), align_corners=corners).detach())
image = torch.randn(1, 1, 3, 4, requires_grad=True)
F.grid_sample(image, F.affine_grid(theta, image.shape, align_corners=False), align_corners=False).sum().backward()
print(theta.grad.round(decimals=2))
print(image.grad)
for wrong in (lambda: F.grid_sample(x, g.expand(2, 3, 3, 2), align_corners=False),
              lambda: F.grid_sample(x, torch.zeros(1, 2, 2, 3), align_corners=False),
              lambda: F.affine_grid(theta, (1, 1, 3), align_corners=False),
              lambda: F.affine_grid(theta, (1, 1, 3, 3, 3), align_corners=False)):
    try:
        wrong()
    except Exception as error:
        print(type(error).__name__, error)
