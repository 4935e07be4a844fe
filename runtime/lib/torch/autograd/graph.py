"""Looking at and reaching into the graph: hooks over several tensors, saved tensors."""

import contextlib
from collections import namedtuple

from torch import _C
from torch.autograd.grad_mode import enable_grad
from torch.utils.hooks import RemovableHandle

Node = _C.Node
_disabled = []
_active = 0


class saved_tensors_hooks:
    """Inside, each tensor that an op saves goes through `pack_hook`; backward gets what `unpack_hook` makes of it."""

    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self):
        global _active
        if _disabled:
            raise RuntimeError(_disabled[-1])
        _C._push_saved_hooks(self.pack_hook, self.unpack_hook)
        _active += 1

    def __exit__(self, *exc):
        global _active
        _C._pop_saved_hooks()
        _active -= 1


class save_on_cpu(saved_tensors_hooks):
    """Keeps saved tensors in the CPU's memory, as copies, and gives them back on their device."""

    def __init__(self, pin_memory=False, device_type="cuda"):
        def pack(tensor):
            return tensor.device, tensor.cpu()

        def unpack(packed):
            device, tensor = packed
            return tensor.to(device)

        super().__init__(pack, unpack)


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message):
    """Inside, `saved_tensors_hooks` raises a RuntimeError with this message."""
    if _active:
        raise RuntimeError(error_message)
    _disabled.append(error_message)
    try:
        yield
    finally:
        _disabled.pop()


class _AllowMutation:
    """What `allow_mutation_on_saved_tensors` keeps: a copy of each saved tensor that was written to."""

    def __init__(self):
        self.copies = {}

    def clear(self):
        self.copies.clear()


@contextlib.contextmanager
def allow_mutation_on_saved_tensors():
    """Inside, tensors that ops saved may be written to in place: backward sees them as they were.

    PyTorch copies when the write comes; here each saved tensor is copied when it is saved.
    """
    state = _AllowMutation()
    with saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):
        yield state
    state.clear()


GradientEdge = namedtuple("GradientEdge", ["node", "output_nr", "ownership_token"], defaults=[None])


def get_gradient_edge(tensor):
    """Where `tensor`'s gradient goes: (node, which of its outputs)."""
    if not tensor.requires_grad:
        raise RuntimeError(
            "It is not possible to get the gradient edge for a Tensor that does not require gradients"
        )
    node = tensor.grad_fn
    if node is None:
        with enable_grad():
            node = tensor.view_as(tensor).grad_fn.next_functions[0][0]
    return GradientEdge(node, tensor.output_nr)


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
