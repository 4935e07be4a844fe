"""The CPU, as a device like others."""


def is_available():
    return True


def device_count():
    return 1


def current_device():
    return "cpu"


def synchronize(device=None):
    """Nothing runs behind; nothing to wait for."""
