"""Intel's GPUs: there are none here."""

_NONE = "Torch not compiled with XPU enabled"


def is_available():
    return False


def is_initialized():
    return False


def is_bf16_supported(including_emulation=True):
    return False


def device_count():
    return 0


def empty_cache():
    """Nothing to empty."""


def manual_seed(seed):
    """Nothing to seed; accepted, as PyTorch does."""


def manual_seed_all(seed):
    """Nothing to seed; accepted, as PyTorch does."""


def memory_allocated(device=None):
    return 0


def max_memory_allocated(device=None):
    return 0


def memory_reserved(device=None):
    return 0


def _needs_xpu(*args, **kwargs):
    raise AssertionError(_NONE)


synchronize = current_device = get_device_name = get_device_properties = get_device_capability = _needs_xpu
set_device = current_stream = init = get_rng_state = set_rng_state = seed = mem_get_info = _needs_xpu
