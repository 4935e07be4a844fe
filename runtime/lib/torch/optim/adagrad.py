"""Adagrad: steps divided by the root of the sum of all squared gradients so far."""

from torch import _C
from torch.optim.optimizer import GradientStep, _counter, check, check_lr, number


class Adagrad(GradientStep):
    """s += g²; p -= lr / (1 + (step-1) * lr_decay) * g / (√s + eps)."""

    def __init__(self, params, lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10,
                 foreach=None, *, maximize=False, differentiable=False, fused=None):
        check_lr(lr)
        check(lr_decay, "lr_decay value")
        check(weight_decay, "weight_decay value")
        check(initial_accumulator_value, "initial_accumulator_value value")
        check(eps, "epsilon value")
        super().__init__(params, {
            "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "fused": fused,
        })
        for group in self.param_groups:
            for param in group["params"]:
                self.state[param] = {
                    "step": _counter(),
                    "sum": _C._functions.full_like(param.detach(), initial_accumulator_value),
                }

    def share_memory(self):
        """Nothing to do: there is one process."""

    def _step_group(self, group):
        lr, eps, decay = number(group["lr"]), group["eps"], group["weight_decay"]
        for param, grad, state in self._each(group):
            state["step"] += 1
            step = state["step"].item()
            if decay != 0:
                grad = grad.add(param, alpha=decay)
            total = state["sum"]
            total.addcmul_(grad, grad, value=1)
            param.addcdiv_(grad, total.sqrt().add_(eps), value=-lr / (1 + (step - 1) * group["lr_decay"]))
