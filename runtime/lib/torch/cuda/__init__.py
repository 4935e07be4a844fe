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


class _Dummy:
    """A class of which there are no objects without CUDA."""

    def __init__(self, *args, **kwargs):
        raise RuntimeError(f"Tried to instantiate dummy base class {type(self).__name__}")


class Stream(_Dummy):
    """A queue of work on a CUDA device."""


class Event(_Dummy):
    """A point in such a queue."""


class CUDAGraph(_Dummy):
    """Work recorded to be repeated."""


class StreamContext:
    """`with torch.cuda.stream(s):` for no stream does nothing, as in PyTorch."""

    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        return None

    def __exit__(self, *exc):
        return False


class device(StreamContext):
    """`with torch.cuda.device(i):` does nothing where there are no devices."""

    def __init__(self, device):
        self.idx, self.prev_idx = device, -1


class device_of(device):
    """The device of a tensor, which is not a CUDA device."""


def stream(stream):
    """Work of the block goes to this stream."""
    return StreamContext(stream)


def memory_cached(device=None):
    return 0


def max_memory_cached(device=None):
    return 0


def memory_snapshot(mempool_id=None):
    return []


def get_rng_state_all():
    return []


def set_rng_state_all(new_states):
    """There are no devices to set."""


def get_arch_list():
    return []


def get_gencode_flags():
    return ""


def is_tf32_supported():
    return False


def is_current_stream_capturing():
    return False


default_generators = ()
has_magma = has_half = False
current_device = get_device_name = get_device_properties = get_device_capability = synchronize = set_device = _needs_cuda
mem_get_info = current_stream = default_stream = get_rng_state = set_rng_state = _needs_cuda
ipc_collect = initial_seed = set_stream = memory_summary = cudart = can_device_access_peer = _needs_cuda
set_per_process_memory_fraction = reset_max_memory_allocated = reset_max_memory_cached = _needs_cuda
reset_accumulated_memory_stats = get_sync_debug_mode = set_sync_debug_mode = utilization = temperature = _needs_cuda
power_draw = clock_rate = memory_usage = list_gpu_processes = make_graphed_callables = graph = _needs_cuda


_ELEMENTS = ("Float", "Double", "Half", "BFloat16", "Long", "Int", "Short", "Char", "Byte", "Bool")


def _legacy_type(name):
    def __new__(cls, *args, **kwargs):
        raise TypeError(f"type torch.cuda.{name} not available. {_NONE}.")

    return type(name, (), {"__new__": __new__, "__module__": "torch.cuda"})


def __getattr__(name):
    if name == "amp":
        import torch.cuda.amp as amp

        return amp
    if name.endswith("Tensor") and name[:-len("Tensor")] in _ELEMENTS:
        return _legacy_type(name)
    raise AttributeError(missing_text("torch.cuda", name))
