import torch


def attempt(fn):
    try:
        print(fn())
    except Exception as error:
        print(type(error).__name__ + ":", error)


one, two = torch.tensor([1]), torch.tensor([2])
attempt(lambda: torch.tensor([one, two]))
attempt(lambda: torch.tensor([torch.tensor(1.5), 2]))
attempt(lambda: torch.tensor([[torch.tensor(1)], [torch.tensor(2)]]))
attempt(lambda: torch.tensor([torch.tensor([1, 2]), torch.tensor([3, 4])]))
attempt(lambda: torch.tensor([torch.tensor([1.0, 2.0])]))
attempt(lambda: torch.stack([torch.tensor([1, 2]), torch.tensor([3, 4])]))
x = torch.tensor([1.9, -1.9, 300.5, float("inf"), float("nan"), 3e9])
print(x.int(), x.to(torch.int16), x.to(torch.int8), x.long())
print(1 << torch.tensor([1, 2]), 8 >> torch.tensor([1, 2]))
print((1,) + torch.zeros(2).shape, 2 * torch.Size([3]))
torch.manual_seed(0)
print(torch.rand(3, dtype=torch.float16), torch.rand(3, dtype=torch.bfloat16))
i = torch.arange(4)
i[i > 1] = torch.tensor(2.5)
print(i)
attempt(lambda: i.masked_fill(i > 1, float("-inf")))
attempt(lambda: torch.max(torch.ones(2, 2), 1, out=(torch.empty(0), torch.empty(0, dtype=torch.long))))
