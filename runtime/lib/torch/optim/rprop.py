"""Rprop: only the sign of the gradient counts; each element has a step size of its own."""

from torch import _C
from torch.optim.optimizer import GradientStep, _counter, check_lr, number

_F = _C._functions


class Rprop(GradientStep):
    """Step sizes grow while the gradient keeps its sign, and shrink when it changes."""

    def __init__(self, params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), *, capturable=False, foreach=None,
                 maximize=False, differentiable=False):
        check_lr(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(params, {
            "lr": lr, "etas": etas, "step_sizes": step_sizes, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "capturable": capturable,
        })

    def _step_group(self, group):
        (shrink, grow), (smallest, largest) = group["etas"], group["step_sizes"]
        for param, grad, state in self._each(group):
            if not state:
                state["step"] = _counter()
                state["prev"] = _F.zeros_like(param)
                state["step_size"] = _F.full_like(grad, number(group["lr"]))
            state["step"] += 1
            prev, sizes = state["prev"], state["step_size"]
            sign = grad.mul(prev).sign()
            factor = _F.ones_like(sign).masked_fill_(sign.gt(0), grow).masked_fill_(sign.lt(0), shrink)
            sizes.mul_(factor).clamp_(smallest, largest)
            grad = grad.masked_fill(sign.lt(0), 0)
            param.addcmul_(grad.sign(), sizes, value=-1)
            prev.copy_(grad)
