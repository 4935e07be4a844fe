"""Which way `scaled_dot_product_attention` is computed. There is one way here, the plain one."""

from contextlib import contextmanager
from enum import IntEnum

import sys
import types

__all__ = ["SDPBackend", "sdpa_kernel", "WARN_FOR_UNFUSED_KERNELS"]
WARN_FOR_UNFUSED_KERNELS = False


class SDPBackend(IntEnum):
    """The ways there are in PyTorch."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4

    def __repr__(self):
        return f"<SDPBackend.{self.name}: {self.value}>"

    def __str__(self):
        return f"SDPBackend.{self.name}"


@contextmanager
def sdpa_kernel(backends, set_priority=False):
    """Allows only some ways. Attention gives the same numbers in each; without `MATH` among them there is none here."""
    if not isinstance(backends, (list, SDPBackend)):
        raise AssertionError("Backend must be an instance of SDPBackend or a list of SDPBackend instances")
    backends = [backends] if isinstance(backends, SDPBackend) else backends
    yield backends


def _flex_attention(*args, **kwargs):
    raise NotImplementedError("torch.nn.attention.flex_attention is part of PyTorch, but it is not available here")


def __getattr__(name):
    if name in ("flex_attention", "bias", "varlen"):
        module = types.ModuleType("torch.nn.attention." + name)
        module.flex_attention = module.create_block_mask = _flex_attention
        sys.modules[module.__name__] = module
        globals()[name] = module
        return module
    raise AttributeError(f"module 'torch.nn.attention' has no attribute '{name}'")
