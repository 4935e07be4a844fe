"""RMSprop: steps divided by a running root mean square of the gradient."""

from torch.optim.optimizer import GradientStep, check, check_lr, number


class RMSprop(GradientStep):
    """v = α v + (1-α) g²; p -= lr * g / (√v + eps)."""

    def __init__(self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False,
                 capturable=False, foreach=None, maximize=False, differentiable=False):
        check_lr(lr)
        check(eps, "epsilon value")
        check(momentum, "momentum value")
        check(weight_decay, "weight_decay value")
        check(alpha, "alpha value")
        super().__init__(params, {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
            "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable,
        })

    def _step_group(self, group):
        lr, alpha, eps, decay = number(group["lr"]), group["alpha"], group["eps"], group["weight_decay"]
        momentum, centered = group["momentum"], group["centered"]
        for param, grad, state in self._each(group, step=True, square_avg=True, momentum_buffer=momentum > 0,
                                             grad_avg=centered):
            state["step"] += 1
            if decay != 0:
                grad = grad.add(param, alpha=decay)
            square = state["square_avg"]
            square.mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
            if centered:
                mean = state["grad_avg"]
                mean.lerp_(grad, 1 - alpha)
                root = square.addcmul(mean, mean, value=-1).sqrt_()
            else:
                root = square.sqrt()
            root = root.add_(eps)
            if momentum > 0:
                buf = state["momentum_buffer"]
                buf.mul_(momentum).addcdiv_(grad, root)
                param.add_(buf, alpha=-lr)
            else:
                param.addcdiv_(grad, root, value=-lr)
