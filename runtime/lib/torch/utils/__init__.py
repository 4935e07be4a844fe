"""Tools beside the tensors: data loading, checkpointing, hooks."""

from torch import _absent
from torch._missing import module_getattr

_SUBMODULES = frozenset(("data", "checkpoint", "hooks", "_pytree", "benchmark")) | _absent.UTILS


def set_module(obj, mod):
    """Says which module an object counts to."""
    if not isinstance(mod, str):
        raise TypeError("The mod argument should be a string")
    obj.__module__ = mod


def swap_tensors(t1, t2):
    """Exchanges what two tensors hold; both stay the same objects."""
    t1.data, t2.data = t2.data, t1.data


__getattr__ = module_getattr("torch.utils", _SUBMODULES)
