"""CUDA devices. There is no CUDA here: "cuda" is the GPU through WebGPU, and where there is none the questions are answered
as PyTorch answers them on a machine without."""

from torch import _C, _gpu
from torch._C import OutOfMemoryError
from torch._missing import missing_text

_NONE = "Torch not compiled with CUDA enabled"


def is_available():
    """Whether there is a GPU to compute on."""
    return _gpu.is_available()


def device_count():
    """1 with a GPU, else 0."""
    return _gpu.device_count()


def is_initialized():
    return _gpu.is_available()


def is_bf16_supported(including_emulation=True):
    """Half types are computed in float32 and rounded."""
    return _gpu.is_available()


def _needs_cuda(*args, **kwargs):
    raise AssertionError(_NONE)


def _with(f, otherwise=_needs_cuda):
    """`f` where there is a GPU."""
    def ask(*args, **kwargs):
        return f(*args, **kwargs) if _gpu.is_available() else otherwise(*args, **kwargs)

    ask.__name__, ask.__doc__ = getattr(f, "__name__", "ask"), f.__doc__
    return ask


def _nothing(*args, **kwargs):
    return None


def _zero(device=None):
    return 0


def _empty(device=None):
    from collections import OrderedDict

    return OrderedDict()


def manual_seed(seed):
    """Accepted. The GPU has no generator of its own: its numbers are those of `torch.manual_seed`."""


def manual_seed_all(seed):
    """As `manual_seed`."""


def seed():
    """As `manual_seed`."""


def seed_all():
    """As `manual_seed`."""


init = _with(_nothing)
empty_cache = _gpu.empty_cache
memory_allocated = memory_cached = _with(_gpu.memory_allocated, _zero)
max_memory_allocated = max_memory_cached = _with(_gpu.max_memory_allocated, _zero)
memory_reserved = _with(_gpu.memory_reserved, _zero)
max_memory_reserved = _with(_gpu.max_memory_reserved, _zero)
memory_stats = _with(_gpu.memory_stats, _empty)
reset_peak_memory_stats = reset_max_memory_allocated = reset_max_memory_cached = _with(_gpu.reset_peak_memory_stats)
synchronize = _with(_gpu.synchronize)
get_device_name = _with(_gpu.get_device_name)
get_device_properties = _with(_gpu.get_device_properties)
mem_get_info = _with(_gpu.mem_get_info)
current_device = _with(lambda: 0)
set_device = _with(_nothing)
get_device_capability = _with(lambda device=None: (8, 0))
current_stream = default_stream = _with(lambda device=None: _gpu.Stream(device))
get_rng_state = _with(lambda device="cuda": _C.default_generator.get_state())
initial_seed = _with(lambda: _C.default_generator.initial_seed())


def memory_summary(device=None, abbreviated=False):
    """The memory counters as text."""
    return "\n".join(f"{name}: {value}" for name, value in memory_stats().items())


def get_rng_state_all():
    return [get_rng_state()] if is_available() else []


def set_rng_state_all(new_states):
    """The GPU's numbers are the CPU's."""


class _Dummy:
    """A class of which there are no objects without CUDA."""

    def __init__(self, *args, **kwargs):
        raise RuntimeError(f"Tried to instantiate dummy base class {type(self).__name__}")


class CUDAGraph(_Dummy):
    """Work recorded to be repeated."""


def _or_dummy(cls):
    """The class where there is a GPU; one that refuses to have objects where there is none."""
    def __new__(new, *args, **kwargs):
        if not _gpu.is_available():
            raise RuntimeError(f"Tried to instantiate dummy base class {cls.__name__}")
        return object.__new__(new)

    return type(cls.__name__, (cls,), {"__new__": __new__, "__module__": "torch.cuda", "__doc__": cls.__doc__})


Stream, Event = _or_dummy(_gpu.Stream), _or_dummy(_gpu.Event)
StreamContext = _gpu.StreamContext


class device(StreamContext):
    """`with torch.cuda.device(i):` there is one device at most."""

    def __init__(self, device):
        self.idx, self.prev_idx = device, -1


class device_of(device):
    """The device of a tensor."""


def stream(stream):
    """Work of the block goes to this stream."""
    return StreamContext(stream)


def memory_snapshot(mempool_id=None):
    return []


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
set_rng_state = ipc_collect = set_stream = cudart = can_device_access_peer = _needs_cuda
set_per_process_memory_fraction = reset_accumulated_memory_stats = get_sync_debug_mode = set_sync_debug_mode = _needs_cuda
utilization = temperature = power_draw = clock_rate = memory_usage = list_gpu_processes = _needs_cuda
make_graphed_callables = graph = _needs_cuda


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
