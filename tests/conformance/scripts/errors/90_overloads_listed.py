import torch

x = torch.ones(2, 2)


def attempt(fn):
    try:
        print(fn())
    except Exception as error:
        print(type(error).__name__ + ":", error)


attempt(lambda: x.view("a"))
attempt(lambda: x.view(1.5, 2))
attempt(lambda: x.clamp("a"))
attempt(lambda: torch.where([True, 1], 1, 2))
attempt(lambda: torch.where(x > 0, 1))
attempt(lambda: torch.randint(5))
attempt(lambda: torch.randint(0, 5, 3))
attempt(lambda: torch.randint(5, 3))
attempt(lambda: torch.rand("a"))
attempt(lambda: torch.rand(2, 3, seed=1))
attempt(lambda: torch.linspace(0, 1))
attempt(lambda: torch.arange())
attempt(lambda: torch.normal(0, 1))
attempt(lambda: x.std(0, 1))
attempt(lambda: x.sort("a"))
attempt(lambda: torch.sum(x, foo=1))
attempt(lambda: x.transpose())
attempt(lambda: torch.unsqueeze(x))
attempt(lambda: x.abs(2))
attempt(lambda: x.abs(out=2))
attempt(lambda: torch.Tensor([1, 2], dtype=torch.int))
attempt(lambda: torch.Tensor([1], [2]))
attempt(lambda: [1, 2] + x)
attempt(lambda: (1, 2) + x)
attempt(lambda: torch.einsum("i-j", x))
attempt(lambda: torch.einsum("....ij", x))
attempt(lambda: torch.promote_types(torch.int, "a"))
