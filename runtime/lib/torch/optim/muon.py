"""Muon: steps for matrices whose momentum is made nearly orthogonal first."""

import math

from torch import _C
from torch.optim.optimizer import GradientStep, number

_F = _C._functions


def _rounded(left, right, alpha=1, added=None, beta=1):
    """alpha * left @ right + beta * added, in float32 and rounded to bfloat16 at the end."""
    product = left.float() @ right.float()
    if added is not None:
        product = product * alpha + added.float() * beta
    return product.to(_C.bfloat16)


def _orthogonal(grad, coefficients, steps, eps):
    """The nearest matrix with singular values near 1, by a few Newton-Schulz steps in bfloat16."""
    if steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if grad.dim() != 2:
        raise ValueError("Input tensor gradient must be a 2D matrix")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    tall = grad.size(0) > grad.size(1)
    x = grad.to(_C.bfloat16)
    x = x.T if tall else x
    x = x.div(x.norm().clamp(min=eps))
    for _ in range(steps):
        gram = _rounded(x, x.T)
        x = _rounded(_rounded(gram, gram, c, gram, b), x, 1, x, a)
    return x.T if tall else x


def _scale(lr, kind, shape):
    rows, columns = shape[:2]
    if kind is None or kind == "original":
        return lr * math.sqrt(max(1, rows / columns))
    if kind == "match_rms_adamw":
        return lr * 0.2 * math.sqrt(max(rows, columns))
    return lr


class Muon(GradientStep):
    """m = momentum * m + (1 - momentum) * g, made orthogonal; p -= lr * (that + weight_decay * p). Matrices only."""

    def __init__(self, params, lr=1e-3, weight_decay=0.1, momentum=0.95, nesterov=True,
                 ns_coefficients=(3.4445, -4.775, 2.0315), eps=1e-7, ns_steps=5, adjust_lr_fn=None):
        if isinstance(lr, _C.TensorBase) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        for value, name in ((lr, "Learning rate"), (momentum, "momentum"), (weight_decay, "weight decay")):
            if not 0.0 <= value:
                raise ValueError(f"{name} should be >= 0 but is: {value}")
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        super().__init__(params, {
            "lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov,
            "ns_coefficients": ns_coefficients, "eps": eps, "ns_steps": ns_steps, "adjust_lr_fn": adjust_lr_fn,
        })
        for group in self.param_groups:
            for param in group["params"]:
                if param.ndim != 2:
                    raise ValueError(
                        f"Muon only supports 2D parameters whereas we found a parameter with size: {param.size()}"
                    )

    def _step_group(self, group):
        lr, momentum = number(group["lr"]), group["momentum"]
        for param in group["params"]:
            grad = param.grad
            if grad is None:
                continue
            if param.is_complex():
                raise RuntimeError("Muon does not support complex parameters")
            state = self.state[param]
            if not state:
                state["momentum_buffer"] = _F.zeros_like(grad)
            buf = state["momentum_buffer"]
            buf.lerp_(grad, 1 - momentum)
            update = grad.lerp(buf, momentum) if group["nesterov"] else buf
            update = _orthogonal(update, group["ns_coefficients"], group["ns_steps"], group["eps"])
            param.mul_(1 - lr * group["weight_decay"])
            param.add_(update, alpha=-_scale(lr, group["adjust_lr_fn"], param.shape))
