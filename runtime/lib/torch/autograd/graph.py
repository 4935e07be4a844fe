"""Looking at and reaching into the graph: hooks over several tensors, saved tensors."""

from torch import _C
from torch._missing import missing_text
from torch.utils.hooks import RemovableHandle

Node = _C.Node


def __getattr__(name):
    if name in ("saved_tensors_hooks", "save_on_cpu", "disable_saved_tensors_hooks"):
        raise AttributeError(f"torch.autograd.graph.{name} is part of PyTorch, but it is not available here yet")
    raise AttributeError(missing_text("torch.autograd.graph", name))


class GradientEdge(tuple):
    """A place in the graph: (node, which of its outputs)."""

    def __new__(cls, node, output_nr):
        return tuple.__new__(cls, (node, output_nr))

    node = property(lambda self: self[0])
    output_nr = property(lambda self: self[1])


def increment_version(tensor):
    """Marks tensors as changed in place, for the check that backward makes."""
    tensors = (tensor,) if isinstance(tensor, _C.Tensor) else tensor
    for t in tensors:
        with_grad = _C.is_grad_enabled()
        _C._set_grad_enabled(False)
        try:
            t.add_(0)
        finally:
            _C._set_grad_enabled(with_grad)


def register_multi_grad_hook(tensors, fn, *, mode="all"):
    """Calls `fn` when the gradients of all (or of the first) of `tensors` have been computed."""
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    tensors = list(tensors)
    seen = {}

    def make(i):
        def hook(grad):
            if mode == "any":
                if not seen:
                    seen[i] = grad
                    fn(grad)
                return
            seen[i] = grad
            if len(seen) == len(tensors):
                grads = [seen[k] for k in range(len(tensors))]
                seen.clear()
                fn(grads)

        return hook

    handles = [t.register_hook(make(i)) for i, t in enumerate(tensors)]
    return _ManyHandles(handles)


class _ManyHandles(RemovableHandle):
    def __init__(self, handles):
        self.handles = handles

    def remove(self):
        for handle in self.handles:
            handle.remove()
