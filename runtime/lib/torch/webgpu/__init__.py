"""The GPU, by the name of the interface through which it is reached.

`fallbacks()` tells what was computed on the CPU although its tensors are on the GPU; `counts()` what the GPU was given.
"""

from torch import _C
from torch._gpu import (
    Event, Stream, StreamContext, device_count, empty_cache, get_device_name, get_device_properties, is_available,
    max_memory_allocated, max_memory_reserved, mem_get_info, memory_allocated, memory_reserved, memory_stats,
    reset_peak_memory_stats, synchronize,
)
from torch._gpu import checked_budget as _checked_budget

_gpu = _C._gpu


def why_not():
    """Why there is no GPU, or None when there is one."""
    return _gpu.absence()


def fallbacks():
    """How often which op was computed on the CPU although its tensors are on the GPU, by name."""
    return _gpu.fallbacks()


def reset_fallbacks():
    """Counts from none again."""
    _gpu.forget_fallbacks()


def counts():
    """What the GPU was given since the start: kernels launched, submissions, reads and bytes, kernels compiled."""
    names = ("launches", "submits", "reads", "bytes_read", "bytes_uploaded", "kernels")
    return dict(zip(names, _gpu.counts()))


def live_buffers():
    """How many buffers are in use."""
    return _gpu.memory()[3]


def set_memory_budget(nbytes):
    """Lets tensors on the GPU hold no more than `nbytes` together: past it, `torch.OutOfMemoryError`. None lifts it."""
    _gpu.set_budget(_checked_budget(nbytes))


def destroy():
    """Takes the device away, as a driver's reset does: to see what a program makes of that."""
    _gpu.destroy()


def current_device():
    """0: there is one."""
    return 0
