import torch
import torch.autograd.forward_ad as fwAD

primal = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
tangent = torch.tensor([[1.0, 0.0], [0.5, -1.0]])


def fn(x, y):
    return x ** 2 + y.sin()


with fwAD.dual_level():
    dual_input = fwAD.make_dual(primal, tangent)
    print(dual_input)
    print(fwAD.unpack_dual(dual_input).tangent is not None)
    dual_output = fn(dual_input, torch.ones(2, 2))
    print(fwAD.unpack_dual(dual_output))
    print(fwAD.unpack_dual(dual_output.sum()).tangent, dual_output.sum())
    print(fwAD.unpack_dual(torch.ones(2)))
    with torch.no_grad():
        print(fwAD.unpack_dual(dual_input @ dual_input).tangent)
    for bad in (torch.ones(3), torch.ones(2, 2, dtype=torch.int)):
        try:
            fwAD.make_dual(primal, bad) if bad.is_floating_point() else fwAD.make_dual(bad, tangent)
        except (RuntimeError, ValueError) as error:
            print(type(error).__name__, error)
    try:
        with fwAD.dual_level():
            pass
    except RuntimeError as error:
        print(error)
print(fwAD.unpack_dual(dual_output).tangent)
try:
    fwAD.make_dual(primal, tangent)
except RuntimeError as error:
    print(error)


class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.result = x.exp()
        return ctx.result

    @staticmethod
    def jvp(ctx, t):
        change = t * ctx.result
        del ctx.result
        return change


with fwAD.dual_level():
    out = Exp.apply(fwAD.make_dual(primal, tangent))
    print(fwAD.unpack_dual(out).tangent)
x = torch.randn(3, dtype=torch.double, requires_grad=True)
print(torch.autograd.gradcheck(Exp.apply, (x,), check_forward_ad=True, check_backward_ad=False,
                               check_undefined_grad=False, check_batched_grad=False))
out, change = torch.func.jvp(lambda a: a ** 3, (torch.tensor([1.0, 2.0]),), (torch.ones(2),))
print(out, change)
out, push = torch.func.linearize(torch.sin, torch.zeros(2))
print(out, push(torch.tensor([1.0, 2.0])))
