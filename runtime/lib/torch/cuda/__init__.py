"""CUDA devices: there are none here, and the questions are answered so."""

from torch._C import OutOfMemoryError
from torch._missing import missing_text

_NONE = "Torch not compiled with CUDA enabled"


def is_available():
    """False."""
    return False


def device_count():
    """0."""
    return 0


def is_initialized():
    return False


def is_bf16_supported(including_emulation=True):
    return False


def init():
    raise AssertionError(_NONE)


def empty_cache():
    """Nothing to empty."""


def manual_seed(seed):
    """Nothing to seed; accepted, as PyTorch does."""


def manual_seed_all(seed):
    """Nothing to seed; accepted, as PyTorch does."""


def seed():
    """Nothing to seed."""


def seed_all():
    """Nothing to seed."""


def memory_allocated(device=None):
    return 0


def max_memory_allocated(device=None):
    return 0


def memory_reserved(device=None):
    return 0


def max_memory_reserved(device=None):
    return 0


def memory_stats(device=None):
    """Empty: there is no CUDA device."""
    from collections import OrderedDict

    return OrderedDict()


def reset_peak_memory_stats(device=None):
    raise AssertionError(_NONE)


def _needs_cuda(*args, **kwargs):
    raise AssertionError(_NONE)


current_device = get_device_name = get_device_properties = get_device_capability = synchronize = set_device = _needs_cuda
mem_get_info = current_stream = default_stream = get_rng_state = set_rng_state = _needs_cuda


def __getattr__(name):
    if name == "amp":
        import torch.cuda.amp as amp

        return amp
    raise AttributeError(missing_text("torch.cuda", name))
