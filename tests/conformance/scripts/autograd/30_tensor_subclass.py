import torch


class Named(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print("called", func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})


class Plain(torch.Tensor):
    pass


x = torch.ones(2).as_subclass(Plain)
print(type(x + 1), type(torch.ones(2) * x), type(x.sum()), type(torch.stack([x, x])), type(x[0]), x)
y = torch.ones(2).as_subclass(Named)
torch.add(y, 1)
torch.ones(2) * y
y.mean()


class Diagonal:
    def __init__(self, n, value):
        self.n, self.value = n, value

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func is torch.mean:
            return args[0].value / args[0].n
        return NotImplemented


print(torch.mean(Diagonal(4, 2.0)))
torch.add(Diagonal(4, 2.0), 1)
