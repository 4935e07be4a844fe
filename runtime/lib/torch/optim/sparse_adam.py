"""Adam for sparse gradients, which are not here: `step` says so as PyTorch does for dense ones."""

from torch.optim.optimizer import GradientStep, check_betas


class SparseAdam(GradientStep):
    """Adam that changes only the rows a sparse gradient has."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, maximize=False):
        if not 0.0 < lr:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not 0.0 < eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        check_betas(betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})

    def _step_group(self, group):
        if any(p.grad is not None for p in group["params"]):
            raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")
