"""Functions of `torch` that are made of other functions, loaded when they are first used.

`one_node` is what makes such a function one step of the graph, as it is in PyTorch.
"""

import warnings

from torch import _C

Tensor = _C.Tensor
_warned = set()


def one_node(name, fn, *inputs, backward=None):
    """`fn(*inputs)` (tensors only) as a single node called `name`. Its gradient is that of the steps `fn` takes, or what
    `backward(inputs, grads)` says: one gradient or None for each input."""
    # Of what `vmap` maps over, the steps are done one by one.
    if not (_C.is_grad_enabled() and any([t.requires_grad for t in inputs])) or any([hasattr(t, "levels") for t in inputs]):
        return fn(*inputs)
    _C._set_grad_enabled(False)
    try:
        out = fn(*inputs)
    finally:
        _C._set_grad_enabled(True)
    if isinstance(out, Tensor):
        return _C._one_node(name, inputs, (out,), backward or _pull(fn))[0]
    return _C._one_node(name, inputs, tuple(out), backward or _pull(fn))


def _pull(fn):
    """The gradient of `fn` by walking through its steps once more."""
    def backward(inputs, grads):
        record = _C.is_grad_enabled()
        needs = [t.requires_grad for t in inputs]
        if not record:
            inputs = [t.detach().requires_grad_(need) for t, need in zip(inputs, needs)]
        _C._set_grad_enabled(True)
        try:
            out = fn(*inputs)
            outs = (out,) if isinstance(out, Tensor) else out
            pairs = [(o, g) for o, g in zip(outs, grads) if g is not None and o.requires_grad]
            if not pairs:
                return [None] * len(inputs)
            from torch.autograd import grad

            wanted = [t for t, need in zip(inputs, needs) if need]
            found = iter(grad([o for o, _ in pairs], wanted, [g for _, g in pairs], create_graph=record,
                              allow_unused=True))
        finally:
            _C._set_grad_enabled(record)
        return [next(found) if need else None for need in needs]

    return backward


def columns(x):
    """The same matrices, stored column after column, as LAPACK leaves them."""
    return x.mT.contiguous().mT


def named(name, **fields):
    """A tuple of `torch.return_types`."""
    return _C._named_result(name, tuple(fields), tuple(fields.values()))


def fills_out(fn):
    """`fn` with PyTorch's argument `out=`."""
    def function(*args, out=None, **kwargs):
        return written(fn(*args, **kwargs), out)

    function.__name__, function.__qualname__, function.__doc__ = fn.__name__, fn.__qualname__, fn.__doc__
    function.__wrapped__ = fn
    return function


def warn_once(text, level=3):
    """A warning that comes once in a program, as PyTorch's native ones do."""
    if text not in _warned:
        _warned.add(text)
        warnings.warn(text, stacklevel=level)


def written(result, out):
    """`result`, or `out` filled with it. Of several results, `out` is a tuple of as many tensors."""
    if out is None:
        return result
    if isinstance(result, Tensor):
        return out.resize_(result.shape).copy_(result)
    filled = [written(part, target) for part, target in zip(result, out)]
    return type(result)(filled)
