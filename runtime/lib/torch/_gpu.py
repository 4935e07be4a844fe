"""What `torch.cuda`, `torch.webgpu` and `torch.accelerator` share: there is one GPU, or none."""

from torch import _C

_gpu = _C._gpu


def checked_budget(nbytes):
    """`nbytes` where it can be a memory budget: a number of bytes, or None."""
    if nbytes is not None and (not isinstance(nbytes, int) or isinstance(nbytes, bool) or nbytes < 0):
        raise ValueError(f"a memory budget is a number of bytes or None, got {nbytes!r}")
    return nbytes


def is_available():
    """Whether there is a GPU to compute on."""
    return _gpu.absence() is None


def device_count():
    """1 with a GPU, else 0."""
    return int(is_available())


def memory_allocated(device=None):
    """Bytes that tensors on the GPU hold now."""
    return _gpu.memory()[0]


def max_memory_allocated(device=None):
    """The most bytes that they held at once, since the start or the last `reset_peak_memory_stats`."""
    return _gpu.memory()[1]


def memory_reserved(device=None):
    """Bytes of all buffers that were taken from the device, in use or kept for later."""
    return _gpu.memory()[2]


max_memory_reserved = memory_reserved


def reset_peak_memory_stats(device=None):
    """Counts the peak from now on."""
    _gpu.reset_peak()


def memory_stats(device=None):
    """The counters that are kept, under PyTorch's names."""
    from collections import OrderedDict

    live, peak, reserved, buffers = _gpu.memory()
    return OrderedDict([
        ("active_bytes.all.current", live), ("active_bytes.all.peak", peak),
        ("allocated_bytes.all.current", live), ("allocated_bytes.all.peak", peak),
        ("allocation.all.current", buffers), ("reserved_bytes.all.current", reserved),
    ])


def empty_cache():
    """Gives memory that is kept for later back to the device."""
    _gpu.empty_cache()


def synchronize(device=None):
    """Waits until the device has done all that it was given."""
    _gpu.synchronize()


def mem_get_info(device=None):
    """Free and total bytes. A browser does not tell: total is the largest buffer, free what tensors leave of it."""
    total = _gpu.facts()[3]
    return max(0, total - _gpu.memory()[0]), total


def get_device_name(device=None):
    """The name by which the driver calls the GPU."""
    return _gpu.facts()[0]


class _Properties:
    """What is known of the GPU."""

    def __init__(self):
        self.name, self.api, self.software, self.total_memory = _gpu.facts()

    def __repr__(self):
        return (f"_DeviceProperties(name='{self.name}', api='{self.api}', software={self.software}, "
                f"total_memory={self.total_memory // (1 << 20)}MB)")


def get_device_properties(device=None):
    """Name, API, whether a processor does the work, and the largest buffer as `total_memory`."""
    return _Properties()


class Stream:
    """The queue of work on the GPU: there is one, and everything runs in its order."""

    def __init__(self, device=None, priority=0, **kwargs):
        self.device = device

    def synchronize(self):
        _gpu.synchronize()

    def query(self):
        return True

    def wait_stream(self, stream):
        """It is the same queue."""

    def wait_event(self, event):
        """What came before is done before."""

    def record_event(self, event=None):
        event = event or Event()
        event.record(self)
        return event


class Event:
    """A point in the queue, with its time."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False):
        self.time = None

    def record(self, stream=None):
        import time

        _gpu.synchronize()
        self.time = time.perf_counter()

    def synchronize(self):
        _gpu.synchronize()

    def query(self):
        return True

    def wait(self, stream=None):
        """What came before is done before."""

    def elapsed_time(self, end_event):
        """Milliseconds between two recorded events."""
        if self.time is None or end_event.time is None:
            raise RuntimeError("Both events must be recorded before calculating elapsed time.")
        return (end_event.time - self.time) * 1000


class StreamContext:
    """`with torch.cuda.stream(s):` there is one queue."""

    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        return None

    def __exit__(self, *exc):
        return False
