"""Adadelta: steps with the size of earlier steps."""

from torch.optim.optimizer import GradientStep, check, check_lr, number


class Adadelta(GradientStep):
    """v = ρ v + (1-ρ) g²; Δ = √(u + eps) / √(v + eps) * g; u = ρ u + (1-ρ) Δ²; p -= lr * Δ."""

    def __init__(self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0, foreach=None, *, capturable=False,
                 maximize=False, differentiable=False):
        check_lr(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        check(eps, "epsilon value")
        check(weight_decay, "weight_decay value")
        super().__init__(params, {
            "lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "capturable": capturable, "foreach": foreach, "differentiable": differentiable,
        })

    def _step_group(self, group):
        lr, rho, eps, decay = number(group["lr"]), group["rho"], group["eps"], group["weight_decay"]
        for param, grad, state in self._each(group, step=True, square_avg=True, acc_delta=True):
            state["step"] += 1
            if decay != 0:
                grad = grad.add(param, alpha=decay)
            square, steps = state["square_avg"], state["acc_delta"]
            square.mul_(rho).addcmul_(grad, grad, value=1 - rho)
            delta = steps.add(eps).sqrt_().div_(square.add(eps).sqrt_()).mul_(grad)
            steps.mul_(rho).addcmul_(delta, delta, value=1 - rho)
            param.add_(delta, alpha=-lr)
