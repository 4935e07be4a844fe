"""What programs touch of the compiler's own package: settings are taken and change nothing."""

from torch.compiler import allow_in_graph, assume_constant_result, disable, is_compiling, list_backends, reset
from torch.compiler import compile as optimize
from torch._dynamo.eval_frame import OptimizedModule

__all__ = ["OptimizedModule", "allow_in_graph", "assume_constant_result", "config", "disable", "graph_break",
           "is_compiling", "list_backends", "mark_dynamic", "mark_static", "optimize", "reset"]


class _Config:
    """Any setting may be set; it is kept."""

    suppress_errors = False
    cache_size_limit = 8
    recompile_limit = 8
    verbose = False

    def patch(self, *args, **kwargs):
        raise NotImplementedError("torch._dynamo.config.patch is part of PyTorch, but it is not available here")


config = _Config()


def graph_break(msg=""):
    """Where a compiled graph would end."""


def mark_dynamic(t, index, **kwargs):
    """That a size may change; nothing depends on it here."""


def mark_static(t, index=None):
    """That a size stays; nothing depends on it here."""


def explain(f, *args, **kwargs):
    """What would be compiled: nothing is."""
    raise NotImplementedError("torch._dynamo.explain is part of PyTorch, but nothing is compiled here")
