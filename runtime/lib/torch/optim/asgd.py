"""Averaged stochastic gradient descent."""

from torch import _C
from torch.optim.optimizer import GradientStep, _counter, check, check_lr, number

_F = _C._functions


class ASGD(GradientStep):
    """Gradient descent with a falling rate; `state[p]["ax"]` is the average of the parameters since step `t0`."""

    def __init__(self, params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0, foreach=None, maximize=False,
                 differentiable=False, capturable=False):
        check_lr(lr)
        check(lambd, "lambd value")
        check(alpha, "alpha value")
        check(weight_decay, "weight_decay value")
        super().__init__(params, {
            "lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
        })

    def _step_group(self, group):
        lr, lambd, decay = number(group["lr"]), group["lambd"], group["weight_decay"]
        for param, grad, state in self._each(group):
            if not state:
                state["step"] = _counter()
                state["eta"] = _F.tensor(float(lr), dtype=_C.float32)
                state["mu"] = _F.ones((), dtype=_C.float32)
                state["ax"] = _F.zeros_like(param)
            state["step"] += 1
            step = state["step"].item()
            if decay != 0:
                grad = grad.add(param, alpha=decay)
            eta, mu, average = state["eta"].item(), state["mu"].item(), state["ax"]
            param.mul_(1 - lambd * eta)
            param.add_(grad, alpha=-eta)
            if mu != 1:
                average.add_(param.sub(average).mul_(mu))
            else:
                average.copy_(param)
            state["eta"].fill_(lr / ((1 + lambd * lr * step) ** group["alpha"]))
            state["mu"].fill_(1 / max(1, step - group["t0"]))
