"""The modules of `torch.nn`, one kind a file. `torch.nn` has them all by name."""

from torch._missing import missing_text
from torch.nn.modules.module import Module

_SUBMODULES = ("activation", "attention", "batchnorm", "container", "conv", "dropout", "linear", "loss", "misc", "module",
               "norm", "padding", "pooling", "rnn", "sparse", "transformer", "lazy")


def __getattr__(name):
    import torch.nn

    if not name.startswith("_") and hasattr(torch.nn, name):
        return getattr(torch.nn, name)
    raise AttributeError(missing_text("torch.nn.modules", name))
