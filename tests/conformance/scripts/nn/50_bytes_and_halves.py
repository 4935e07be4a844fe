import torch
import torch.nn.functional as F

# Pictures of bytes are resized in whole numbers.
torch.manual_seed(0)
image = torch.randint(0, 256, (1, 1, 3, 4), dtype=torch.uint8)
for mode in ("nearest", "bilinear", "bicubic"):
    print(mode, F.interpolate(image, size=(4, 6), mode=mode))
try:
    F.interpolate(image.long(), size=(2, 2), mode="bilinear")
except NotImplementedError as e:
    print(e)

# Half types are rounded once at the end.
x, w, b = torch.randn(3, 4).bfloat16(), torch.randn(5, 4).bfloat16(), torch.randn(5).bfloat16()
print(F.linear(x, w, b))
print(torch.addcmul(x, x, x, value=0.3), torch.lerp(x, -x, 0.3), sep="\n")
print(F.layer_norm(x, (4,)), F.group_norm(x, 2), sep="\n")
print(F.conv1d(x[None], torch.randn(2, 3, 2).bfloat16(), torch.randn(2).bfloat16()))
print(torch.div(x, w[:3], rounding_mode="trunc"))
