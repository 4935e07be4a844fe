"""NAdam: Adam with Nesterov momentum."""

from torch import _C
from torch.optim.optimizer import GradientStep, check, check_betas, check_lr, number

_F = _C._functions


class NAdam(GradientStep):
    """Adam whose step uses the momentum it will have next."""

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, momentum_decay=4e-3,
                 decoupled_weight_decay=False, *, foreach=None, maximize=False, capturable=False,
                 differentiable=False):
        check_lr(lr)
        check(eps, "epsilon value")
        check_betas(betas)
        check(weight_decay, "weight_decay value")
        check(momentum_decay, "momentum_decay value")
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay, "maximize": maximize, "foreach": foreach,
            "capturable": capturable, "differentiable": differentiable,
        })

    def _step_group(self, group):
        lr, eps, decay = number(group["lr"]), group["eps"], group["weight_decay"]
        (beta1, beta2), slowing = group["betas"], group["momentum_decay"]
        for param, grad, state in self._each(group, step=True, mu_product=True, exp_avg=True, exp_avg_sq=True):
            if state["step"].item() == 0:
                state["mu_product"] = _F.ones((), dtype=_C.float32)
            state["step"] += 1
            step = state["step"].item()
            if decay != 0:
                if group["decoupled_weight_decay"]:
                    param.mul_(1 - lr * decay)
                else:
                    grad = grad.add(param, alpha=decay)
            mu = beta1 * (1.0 - 0.5 * (0.96 ** (step * slowing)))
            mu_next = beta1 * (1.0 - 0.5 * (0.96 ** ((step + 1) * slowing)))
            state["mu_product"] *= mu
            product = state["mu_product"].item()
            mean, square = state["exp_avg"], state["exp_avg_sq"]
            mean.lerp_(grad, 1 - beta1)
            square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
            denom = square.div(1 - beta2 ** step).sqrt().add_(eps)
            param.addcdiv_(grad, denom, value=-lr * (1.0 - mu) / (1.0 - product))
            param.addcdiv_(mean, denom, value=(-lr * mu_next) / (1.0 - product * mu_next))
