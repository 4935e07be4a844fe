"""The modules of `torch.nn`, one kind a file. `torch.nn` has them all by name."""

import sys

from torch._missing import missing_text
from torch.nn.modules.module import Module

_SUBMODULES = frozenset(("attention", "rnn", "transformer"))


def __getattr__(name):
    import torch.nn

    if name in _SUBMODULES:
        path = "torch.nn.modules." + name
        __import__(path)
        return sys.modules[path]

    if not name.startswith("_") and hasattr(torch.nn, name):
        return getattr(torch.nn, name)
    raise AttributeError(missing_text("torch.nn.modules", name))
