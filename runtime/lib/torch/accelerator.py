"""Accelerators: there is none here, and the questions are answered so."""


def is_available():
    return False


def device_count():
    return 0


def current_accelerator(check_available=False):
    """None: there is no accelerator."""
    return None


def current_device_index():
    raise RuntimeError("Cannot access accelerator device when none is available.")


def synchronize(device=None):
    raise RuntimeError("Cannot access accelerator device when none is available.")


def memory_allocated(device_index=None):
    """0: there is no accelerator. `rushlight.memory_allocated()` counts the CPU's tensors."""
    return 0


max_memory_allocated = memory_reserved = max_memory_reserved = memory_allocated


def memory_stats(device_index=None):
    """Empty: there is no accelerator."""
    from collections import OrderedDict

    return OrderedDict()


def empty_cache():
    """Nothing to empty."""


def _needs_accelerator(device_index=None):
    raise RuntimeError("Cannot access accelerator device when none is available.")


reset_peak_memory_stats = reset_accumulated_memory_stats = get_memory_info = _needs_accelerator
