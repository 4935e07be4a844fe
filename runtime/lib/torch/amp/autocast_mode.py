"""`autocast`: whether operations compute in a lower precision. The engine has no lower precision yet."""


def is_autocast_enabled(device_type="cuda"):
    """False: autocast cannot be turned on here."""
    return False


def is_autocast_available(device_type):
    """False, for every device."""
    return False


class autocast:
    """`with autocast(...)`: here only with `enabled=False`, which changes nothing."""

    def __init__(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        if enabled:
            raise NotImplementedError("torch.autocast is part of PyTorch, but it is not available here yet")
        self.device = device_type

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False

    def __call__(self, func):
        return func
