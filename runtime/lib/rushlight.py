"""What is of this implementation and not of PyTorch: how much memory tensors use, and how much they may.

Code that is to run elsewhere need not import this.
"""

from torch import _C
from torch._gpu import checked_budget as _checked_budget

__all__ = ["max_memory_allocated", "memory_allocated", "memory_budget", "reset_peak_memory_stats", "set_memory_budget"]


def memory_allocated():
    """Bytes that all tensors hold now, gradients and what backward needs included."""
    return _C._live_bytes()


def max_memory_allocated():
    """The most bytes that were held at once, since the start or the last `reset_peak_memory_stats`."""
    return _C._peak_bytes()


def reset_peak_memory_stats():
    """Counts the peak from now on."""
    _C._reset_peak_bytes()


def memory_budget():
    """The bytes that tensors may hold together, or None where only the machine sets a limit."""
    return _C._memory_budget()


def set_memory_budget(nbytes):
    """Lets tensors hold no more than `nbytes` together: past it, `torch.OutOfMemoryError`. None lifts the limit.

    In a lesson this shows what a small device would refuse, and what gradient accumulation or checkpointing saves.
    """
    _C._set_memory_budget(_checked_budget(nbytes))
