"""Adafactor: Adam's second moment kept as row and column means, so that it takes little memory."""

from torch import _C
from torch.optim.optimizer import GradientStep, _counter, number

_F = _C._functions


class Adafactor(GradientStep):
    """Steps by g / √v, their size bounded by `d`, their rate relative to the size of the parameter."""

    def __init__(self, params, lr=1e-2, beta2_decay=-0.8, eps=(None, 1e-3), d=1.0, weight_decay=0.0, *, foreach=None,
                 maximize=False):
        if isinstance(lr, _C.TensorBase) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not 0.0 <= lr:
            raise ValueError(f"Learning rate should be >= 0 but is: {lr}")
        if not 0.0 >= beta2_decay:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if eps[0] is not None and not 0.0 <= eps[0]:
            raise ValueError(f"epsilon1 should be >= 0 but is: {eps[0]}")
        if not 0.0 <= eps[1]:
            raise ValueError(f"epsilon2 should be >= 0 but is: {eps[1]}")
        if not 1.0 <= d:
            raise ValueError(f"Clipping threshold d should be >= 1 but is: {d}")
        if not 0.0 <= weight_decay:
            raise ValueError(f"weight_decay should be >= 0 but is: {weight_decay}")
        super().__init__(params, {
            "lr": lr, "beta2_decay": beta2_decay, "eps": eps, "d": d, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize,
        })

    def _step_group(self, group):
        lr, (eps1, eps2) = number(group["lr"]), group["eps"]
        for param in group["params"]:
            grad = param.grad
            if grad is None:
                continue
            if param.is_complex():
                raise RuntimeError("Adafactor does not support complex parameters")
            state = self.state[param]
            if not state:
                state["step"] = _counter()
                if grad.dim() > 1:
                    state["row_var"] = grad.new_zeros(tuple(grad.shape[:-1]) + (1,))
                    state["col_var"] = grad.new_zeros(tuple(grad.shape[:-2]) + (1, grad.size(-1)))
                else:
                    state["variance"] = _F.zeros_like(grad)
            if group["maximize"]:
                grad = -grad
            least = _C.finfo(param.dtype).eps if eps1 is None else eps1
            state["step"] += 1
            step = state["step"].item()
            fresh = step ** group["beta2_decay"]
            rate = max(eps2, param.norm(2).item() / param.numel() ** 0.5) * min(lr, 1 / step ** 0.5)
            if group["weight_decay"] != 0:
                param.mul_(1 - lr * group["weight_decay"])
            if grad.dim() > 1:
                rows, columns = state["row_var"], state["col_var"]
                rows.lerp_(_F.norm(grad, dim=-1, keepdim=True).square_().div_(grad.size(-1)), fresh)
                columns.lerp_(_F.norm(grad, dim=-2, keepdim=True).square_().div_(grad.size(-2)), fresh)
                variance = rows @ columns
                variance.div_(rows.mean(dim=-2, keepdim=True).clamp_(min=least))
            else:
                state["variance"].lerp_(grad.square(), fresh)
                variance = state["variance"].clone()
            update = variance.clamp_(min=least * least).rsqrt_()
            update.mul_(grad)
            size = max(1.0, update.norm(2).item() / (update.numel() ** 0.5 * group["d"]))
            param.add_(update, alpha=-rate / size)
