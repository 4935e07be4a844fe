"""Tools beside the tensors: data loading, checkpointing, hooks."""

from torch._missing import module_getattr

__getattr__ = module_getattr(
    "torch.utils", frozenset(("data", "checkpoint", "hooks", "_pytree", "benchmark", "tensorboard", "model_zoo"))
)
