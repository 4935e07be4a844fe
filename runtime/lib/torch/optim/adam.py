"""Adam and AdamW: steps scaled by running means of the gradient and of its square."""

from torch import _C
from torch.optim.optimizer import GradientStep, check, check_betas, check_lr, number

_F = _C._functions
Tensor = _C.Tensor
_adam_step = _C._nn._adam_step


class Adam(GradientStep):
    """m = β1 m + (1-β1) g; v = β2 v + (1-β2) g²; p -= lr * m̂ / (√v̂ + eps), m̂ and v̂ corrected for their start at 0."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False, *, foreach=None,
                 maximize=False, capturable=False, differentiable=False, fused=None, decoupled_weight_decay=False):
        check_lr(lr)
        loops = foreach and not capturable
        if loops and isinstance(lr, Tensor):
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        check(eps, "epsilon value")
        check_betas((betas[0], betas[1]))
        check(weight_decay, "weight_decay value")
        if isinstance(betas[0], float) != isinstance(betas[1], float):
            raise ValueError("betas must be either both floats or both Tensors")
        for i in (0, 1):
            if loops and isinstance(betas[i], Tensor):
                raise ValueError(f"betas[{i}] as a Tensor is not supported for capturable=False and foreach=True")
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
            "maximize": maximize, "foreach": foreach, "capturable": capturable, "differentiable": differentiable,
            "fused": fused, "decoupled_weight_decay": decoupled_weight_decay,
        })

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:
            for name, value in (("amsgrad", False), ("maximize", False), ("foreach", None), ("capturable", False),
                                ("differentiable", False), ("decoupled_weight_decay", False), ("fused", None)):
                group.setdefault(name, value)

    def _step_group(self, group):
        lr, eps, decay = number(group["lr"]), group["eps"], group["weight_decay"]
        beta1, beta2 = (number(b) for b in group["betas"])
        amsgrad, decoupled = group["amsgrad"], group["decoupled_weight_decay"]
        steps = []
        for param, grad, state in self._each(group, step=True, exp_avg=True, exp_avg_sq=True, max_exp_avg_sq=amsgrad):
            state["step"] += 1
            step = state["step"].item()
            if decay != 0:
                if decoupled:
                    param.mul_(1 - lr * decay)
                else:
                    grad = grad.add(param, alpha=decay)
            root = (1 - beta2 ** step) ** 0.5
            steps.append((param, grad, state["exp_avg"], state["exp_avg_sq"], root, -lr / (1 - beta1 ** step), state))
        if not steps:
            return
        params, grads, means, squares, roots, sizes, _ = (list(part) for part in zip(*steps))
        done = [False] * len(steps)
        if not amsgrad:
            # The same as below, in one pass.
            done = _adam_step(params, grads, means, squares, 1 - beta1, beta2, roots, eps, sizes)
        for (param, grad, mean, square, root, size, state), did in zip(steps, done):
            if did:
                continue
            mean.lerp_(grad, 1 - beta1)
            square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
            if amsgrad:
                largest = state["max_exp_avg_sq"]
                _F.maximum(largest, square, out=largest)
                square = largest
            param.addcdiv_(mean, (square.sqrt() / root).add_(eps), value=size)


class AdamW(Adam):
    """Adam with weight decay that shrinks the parameters directly, not through the gradient."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False, *,
                 maximize=False, foreach=None, capturable=False, differentiable=False, fused=None):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize,
                         capturable=capturable, differentiable=differentiable, fused=fused,
                         decoupled_weight_decay=True)

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True


AdamW.__module__ = "torch.optim.adamw"  # where PyTorch has it
