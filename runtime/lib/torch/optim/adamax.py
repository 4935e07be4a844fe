"""Adamax: Adam with the largest gradient in place of the root mean square."""

from torch import _C
from torch.optim.optimizer import GradientStep, check, check_betas, check_lr, number

_F = _C._functions


class Adamax(GradientStep):
    """m = β1 m + (1-β1) g; u = max(β2 u, |g| + eps); p -= lr / (1 - β1^step) * m / u."""

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, foreach=None, *, maximize=False,
                 differentiable=False, capturable=False):
        check_lr(lr)
        check(eps, "epsilon value")
        check_betas(betas)
        check(weight_decay, "weight_decay value")
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
        })

    def _step_group(self, group):
        lr, eps, decay = number(group["lr"]), group["eps"], group["weight_decay"]
        beta1, beta2 = group["betas"]
        for param, grad, state in self._each(group, step=True, exp_avg=True, exp_inf=True):
            state["step"] += 1
            if decay != 0:
                grad = grad.add(param, alpha=decay)
            mean, largest = state["exp_avg"], state["exp_inf"]
            mean.lerp_(grad, 1 - beta1)
            _F.maximum(largest.mul_(beta2), grad.abs().add_(eps), out=largest)
            param.addcdiv_(mean, largest, value=-(lr / (1 - beta1 ** state["step"].item())))
