"""The accelerator: the GPU through WebGPU, where there is one."""

from torch import _C
from torch import _gpu


def is_available():
    return _gpu.is_available()


def device_count():
    return _gpu.device_count()


def current_accelerator(check_available=False):
    """The device's type, or None where there is none."""
    return _C.device("webgpu") if _gpu.is_available() else None


def _asked(f, absent=RuntimeError):
    def ask(device_index=None):
        if not _gpu.is_available():
            if absent is RuntimeError:
                raise RuntimeError("Cannot access accelerator device when none is available.")
            return absent()
        return f()

    ask.__name__, ask.__doc__ = f.__name__, f.__doc__
    return ask


def _zero():
    return 0


def _empty():
    from collections import OrderedDict

    return OrderedDict()


def _index():
    """0: there is one."""
    return 0


def set_device_index(device):
    """There is one device, number 0."""
    if device not in (0, None) or not _gpu.is_available():
        raise RuntimeError("Cannot access accelerator device when none is available.")


current_device_index = current_device_idx = _asked(_index)
synchronize = _asked(_gpu.synchronize)
memory_allocated = _asked(_gpu.memory_allocated, _zero)
max_memory_allocated = _asked(_gpu.max_memory_allocated, _zero)
memory_reserved = _asked(_gpu.memory_reserved, _zero)
max_memory_reserved = _asked(_gpu.max_memory_reserved, _zero)
memory_stats = _asked(_gpu.memory_stats, _empty)
reset_peak_memory_stats = reset_accumulated_memory_stats = _asked(_gpu.reset_peak_memory_stats)
get_memory_info = _asked(_gpu.mem_get_info)


def empty_cache():
    """Gives memory that is kept for later back to the device."""
    _gpu.empty_cache()
