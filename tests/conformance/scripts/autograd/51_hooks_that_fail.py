import torch


def attempt(fn):
    try:
        print(fn())
    except Exception as error:
        print(type(error).__name__ + ":", error)


def hooked(hook):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    x.register_hook(hook)
    (x * 2).sum().backward()
    return x.grad


def wrong_size(grad):
    return torch.ones(3)


attempt(lambda: hooked(wrong_size))
attempt(lambda: hooked(lambda g: "a"))
attempt(lambda: hooked(lambda g: g.double()))
attempt(lambda: hooked(lambda g: g * 10))
a = torch.ones(3, requires_grad=True)
b = a.clone()
attempt(lambda: b.unbind()[0].add_(1))
attempt(lambda: b.split(1)[0].mul_(2))
with torch.no_grad():
    view = a.view(3)
attempt(lambda: view.add_(1))
attempt(lambda: torch.autograd.grad(a.sum(), "a"))
with torch.inference_mode():
    fixed = torch.ones(3)
attempt(lambda: fixed * a)
attempt(lambda: (fixed + a).sum())


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 2

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return 2 * x * grad


attempt(lambda: torch.func.vmap(Square.apply)(torch.ones(2)))
attempt(lambda: torch.func.grad(lambda t: Square.apply(t).sum())(torch.ones(2)))
attempt(lambda: torch.func.vmap(lambda t: t + torch.rand(1))(torch.ones(2)))
attempt(lambda: torch.func.grad(lambda t: t.sum())(3))
attempt(lambda: torch.autograd.functional.hessian(lambda x: x.sum(), torch.ones(2), strict=True))
