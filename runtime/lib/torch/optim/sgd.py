"""Stochastic gradient descent."""

from torch import _C
from torch.optim.optimizer import GradientStep, check, check_lr, number

_add_scaled = _C._nn._add_scaled


class SGD(GradientStep):
    """p -= lr * g. With momentum: v = momentum * v + (1 - dampening) * g; p -= lr * v."""

    def __init__(self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False,
                 foreach=None, differentiable=False, fused=None):
        check_lr(lr)
        check(momentum, "momentum value")
        check(weight_decay, "weight_decay value")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay, "nesterov": nesterov,
            "maximize": maximize, "foreach": foreach, "differentiable": differentiable, "fused": fused,
        })

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:
            for name, value in (("nesterov", False), ("maximize", False), ("foreach", None), ("differentiable", False),
                                ("fused", False)):
                group.setdefault(name, value)

    def _step_group(self, group):
        lr, momentum, decay = -number(group["lr"]), group["momentum"], group["weight_decay"]
        maximize = group["maximize"]
        params, grads = [], []
        for param in group["params"]:
            grad = param.grad
            if grad is None:
                continue
            if maximize:
                grad = -grad
            if decay != 0:
                grad = grad.add(param, alpha=decay)
            if momentum != 0:
                state = self.state[param]
                buf = state.get("momentum_buffer")
                if buf is None:
                    buf = state["momentum_buffer"] = grad.detach().clone()
                else:
                    buf.mul_(momentum).add_(grad, alpha=1 - group["dampening"])
                grad = grad.add(buf, alpha=momentum) if group["nesterov"] else buf
            params.append(param)
            grads.append(grad)
        # All in one pass; those that it could not do (another dtype, shared memory) one by one.
        for param, grad, done in zip(params, grads, _add_scaled(params, grads, lr)):
            if not done:
                param.add_(grad, alpha=lr)
