"""The CPU, as a device like others: one, without streams to wait for."""

from contextlib import contextmanager


class Stream:
    """A queue of work; everything runs at once."""

    def __init__(self, priority=-1):
        self.priority = priority

    def wait_stream(self, stream):
        """Nothing to wait for."""

    def record_event(self):
        """Nothing runs behind."""

    def wait_event(self, event):
        """Nothing to wait for."""


class Event:
    """A point in a queue of work."""

    def query(self):
        return True

    def record(self, stream=None):
        """Nothing runs behind."""

    def synchronize(self):
        """Nothing to wait for."""

    def wait(self, stream=None):
        """Nothing to wait for."""


_STREAM = Stream()


def is_available():
    return True


def is_initialized():
    return True


def device_count():
    return 1


def current_device():
    return "cpu"


def set_device(device):
    """There is one device."""


def synchronize(device=None):
    """Nothing runs behind; nothing to wait for."""


def current_stream(device=None):
    return _STREAM


@contextmanager
def stream(stream):
    """Work of the block goes to this stream, as all work does."""
    yield


StreamContext = stream


def get_capabilities():
    """What the processor can do is not known here."""
    return {}


def __getattr__(name):
    if name == "amp":
        import torch.cpu.amp as amp

        return amp
    raise AttributeError(f"module 'torch.cpu' has no attribute '{name}'")
