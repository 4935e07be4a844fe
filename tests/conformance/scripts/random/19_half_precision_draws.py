import torch
from torch import nn

for dtype in (torch.float16, torch.bfloat16):
    torch.manual_seed(0)
    print(torch.rand(3, dtype=dtype), torch.randn(3, dtype=dtype))
    print(torch.randn(17, dtype=dtype))
    print(torch.empty(2, 2, dtype=dtype).uniform_(-9, 9))
    print(nn.Linear(2, 2, dtype=dtype).weight)
