"""Forward-mode derivatives: a tensor with a tangent carries its directional derivative through a computation.

The tangent of a result is found when it is asked for: the graph from the dual tensors to the result gives a backward
pass, and a backward pass through that one gives the directional derivative.
"""

from collections import namedtuple
from weakref import ref

from torch import _C
from torch.autograd.grad_mode import enable_grad

_F = _C._functions
Tensor = _C.Tensor
UnpackedDualTensor = namedtuple("UnpackedDualTensor", ["primal", "tangent"])
_level = None  # the level in use: PyTorch has one at a time, too


class _Level:
    def __init__(self):
        self.roots = {}  # the node of a tensor to differentiate by -> (that tensor, its tangent)
        self.duals = []
        self.plain = []  # what `unpack_dual` gave: without tangents, though the graph goes on behind them


def _node_of(t):
    if t.grad_fn is not None:
        return t.grad_fn
    return _reach(t).next_functions[0][0]


def _reach(t):
    with enable_grad():
        return t.view_as(t).grad_fn


def enter_dual_level():
    """Opens the level; gives its number."""
    global _level
    if _level is not None:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    _level = _Level()
    _C._set_forward_level(True)
    _show(True)
    return 0


def exit_dual_level(*, level=None):
    """Closes the level: tangents are gone."""
    global _level
    if _level is None:
        raise RuntimeError("Trying to exit a forward AD level that was not the last one that was created. "
                           "This is not supported.")
    _show(False)
    _C._set_forward_level(False)
    for dual in [d() for d in _level.duals]:
        if dual is not None and dual.grad_fn is not None and not _origin(dual)[1]:
            dual.detach_()
    _level = None


class dual_level:
    """A level for a block after `with`."""

    def __enter__(self):
        return enter_dual_level()

    def __exit__(self, *exc):
        exit_dual_level()


def make_dual(tensor, tangent, *, level=None):
    """`tensor` with `tangent`: what is computed from it has a tangent too."""
    if _level is None:
        raise RuntimeError("Trying to create a dual Tensor for forward AD but no level exists, make sure to "
                           "enter_dual_level() first.")
    if not (tensor.is_floating_point() or tensor.is_complex()):
        raise ValueError(f"Expected primal to be floating point or complex, but got: {tensor.dtype}")
    if not (tangent.is_floating_point() or tangent.is_complex()):
        raise ValueError(f"Expected tangent to be floating point or complex, but got: {tangent.dtype}")
    if tensor.size() != tangent.size():
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
            f"supported. Tensor is of size {list(tensor.size())} while the given forward gradient is of size "
            f"{list(tangent.size())}."
        )
    with enable_grad():
        root = tensor.view_as(tensor) if tensor.requires_grad else tensor.detach().requires_grad_()
        dual = root.clone()
    _level.roots[_node_of(root)] = (root, tangent)
    _level.duals.append(ref(dual))
    return dual


def unpack_dual(tensor, *, level=None):
    """(primal, tangent) of a tensor; the tangent is None where it has none."""
    if _level is None:
        return UnpackedDualTensor(tensor, None)
    used, others = _origin(tensor)
    if not used or any(t() is tensor for t in _level.plain):
        return UnpackedDualTensor(tensor, None)
    tangent = _push(tensor, [_level.roots[node] for node in used], others)
    if not others:
        return UnpackedDualTensor(tensor.detach(), tangent)
    with enable_grad():
        primal = tensor.view_as(tensor)
    _level.plain += [ref(primal), ref(tangent)]
    return UnpackedDualTensor(primal, tangent)


def _push(tensor, pairs, keep):
    with enable_grad():
        roots = tuple(r for r, _ in pairs)
        seed = _F.zeros_like(tensor.detach()).requires_grad_()
        back = _C._run_backward((tensor,), (seed,), True, True, roots, False, True)
        outs = [(g, t) for g, (_, t) in zip(back, pairs) if g is not None and g.requires_grad]
        if not outs:
            return _F.zeros_like(tensor.detach())
        grads, tangents = zip(*outs)
        tangents = tuple(t.to(g.dtype) for g, t in outs)
        tangent = _C._run_backward(grads, tangents, True, keep, (seed,), False, True)[0]
    if tangent is None:
        return _F.zeros_like(tensor.detach())
    return tangent if keep else tangent.detach()


def _origin(tensor):
    """What the graph of a tensor ends in: (the dual tensors it comes from, whether from others that require grad)."""
    if tensor.grad_fn is None:
        return (), tensor.requires_grad
    used, others, seen, stack = [], False, set(), [tensor.grad_fn]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if node in _level.roots:
            used.append(node)
            others = others or not _level.roots[node][0].is_leaf
            continue
        below = [n for n, _ in node.next_functions if n is not None]
        if not below and node.name().endswith("AccumulateGrad"):
            others = True
        stack.extend(below)
    return used, others


_plain_repr = None


def _show(on):
    """While a level is open, tensors print their tangents."""
    global _plain_repr
    if on:
        _plain_repr = Tensor.__repr__
        Tensor.__repr__ = _repr
        Tensor.__str__ = _repr
    else:
        Tensor.__repr__ = _plain_repr
        Tensor.__str__ = _plain_repr


def _repr(self, **kwargs):
    primal, tangent = unpack_dual(self)
    if tangent is None:
        return _plain_repr(self)
    text = _plain_repr(self if primal.requires_grad else primal)[:-1]
    tangent = f"tangent={tangent}"
    if len(text) - text.rfind("\n") + len(tangent) + 2 > _C._get_printoptions()["linewidth"]:
        return text + ",\n" + " " * len("tensor(") + tangent + ")"
    return text + ", " + tangent + ")"
