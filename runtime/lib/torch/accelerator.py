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
