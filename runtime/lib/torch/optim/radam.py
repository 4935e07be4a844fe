"""RAdam: Adam that waits until its estimate of the variance can be trusted."""

from torch.optim.optimizer import GradientStep, check, check_betas, check_lr, number


class RAdam(GradientStep):
    """Momentum at first; Adam's scaling, rectified, once enough steps were seen."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, decoupled_weight_decay=False, *,
                 foreach=None, maximize=False, capturable=False, differentiable=False):
        check_lr(lr)
        check(eps, "epsilon value")
        check_betas(betas)
        check(weight_decay, "weight_decay value")
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "foreach": foreach, "capturable": capturable, "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        })

    def _step_group(self, group):
        lr, eps, decay = number(group["lr"]), group["eps"], group["weight_decay"]
        beta1, beta2 = group["betas"]
        for param, grad, state in self._each(group, step=True, exp_avg=True, exp_avg_sq=True):
            state["step"] += 1
            step = state["step"].item()
            if decay != 0:
                if group["decoupled_weight_decay"]:
                    param.mul_(1 - lr * decay)
                else:
                    grad = grad.add(param, alpha=decay)
            mean, square = state["exp_avg"], state["exp_avg_sq"]
            mean.lerp_(grad, 1 - beta1)
            square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
            correction = 1 - beta2 ** step
            corrected = mean / (1 - beta1 ** step)
            # How long the running average is, at last and now.
            longest = 2 / (1 - beta2) - 1
            length = longest - 2 * step * (beta2 ** step) / correction
            if length > 5.0:
                rect = ((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)) ** 0.5
                adaptive = (correction ** 0.5) / square.sqrt().add_(eps)
                param.add_(corrected * lr * adaptive * rect, alpha=-1.0)
            else:
                param.add_(corrected * lr, alpha=-1.0)
