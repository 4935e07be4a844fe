"""`vmap`: a function of one example becomes a function of a batch.

The function runs once, on tensors that stand for all examples (`_batched.py`).
"""

import functools

from torch import _C
from torch.func import _batched, _draws, _grad
from torch.func._batched import Batched, Level, active
from torch.utils._pytree import tree_flatten, tree_unflatten

_F = _C._functions
Tensor = _C.Tensor


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    """A batched `func`. `in_dims`: which dimension of each input is the batch (None: the same for all)."""
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(
            f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}"
        )
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def wrapped(*args, **kwargs):
        _check_out_dims(out_dims, func)
        leaves, dims, spec, size = _inputs(in_dims, args, func)
        if chunk_size is None or chunk_size >= size:
            return _run(func, leaves, dims, spec, size, out_dims, randomness, kwargs)
        parts = []
        for start in range(0, size, chunk_size):
            n = min(chunk_size, size - start)
            some = [x if d is None else x.narrow(d, start, n) for x, d in zip(leaves, dims)]
            parts.append(_run(func, some, dims, spec, n, out_dims, randomness, kwargs))
        return _joined(parts, out_dims)

    return wrapped


def _run(func, leaves, dims, spec, size, out_dims, randomness, kwargs):
    level = Level(len(active) + _grad._depth + 1, size, randomness)
    inside = [x if d is None else _batched.add_level(x, level.number, d) for x, d in zip(leaves, dims)]
    active.append(level)
    _C._push_torch_function_mode(_draws.Watch(level))
    try:
        output = func(*tree_unflatten(inside, spec), **kwargs)
    finally:
        _C._pop_torch_function_mode()
        active.pop()
    flat, out_spec = tree_flatten(output)
    results = []
    for x, d in zip(flat, _result_dims(out_dims, output, flat, out_spec, func)):
        results.append(_result(x, d, level, func))
    return tree_unflatten(results, out_spec)


def _result(x, dim, level, func):
    if not isinstance(x, Tensor):
        raise ValueError(
            f"vmap({_name(func)}, ...): `{_name(func)}` must only return Tensors, got type {type(x)}. "
            "Did you mean to set out_dims= to None for output?"
        )
    if level.number in _batched.levels_of(x):
        if dim is None:
            raise ValueError(
                f"vmap({_name(func)}, ...): `{_name(func)}` can not return a BatchedTensor when out_dim is None"
            )
        return _batched.take_level(x, level.number, dim)
    if dim is None:
        return x
    return x.unsqueeze(0).expand((level.size, *x.size())).movedim(0, dim)


def _joined(parts, out_dims):
    """Chunks joined along their batch dimensions."""
    columns, spec = [tree_flatten(p)[0] for p in parts], tree_flatten(parts[0])[1]
    dims = _spread(out_dims[0] if isinstance(out_dims, tuple) and spec.is_leaf() else out_dims, parts[0])
    joined = [c[0] if d is None else _F.cat(list(c), d) for c, d in zip(zip(*columns), dims)]
    return tree_unflatten(joined, spec)


def _name(func):
    if hasattr(func, "__name__"):
        return func.__name__
    if isinstance(func, functools.partial):
        return f"functools.partial({_name(func.func)}, ...)"
    return repr(func)


def _spread(d, tree):
    """The dims of a tree's leaves: one for all, or nested as the tree is. None where the nests differ."""
    if d is None or isinstance(d, int):
        return [d] * len(tree_flatten(tree)[0])
    if isinstance(d, dict):
        if type(tree) is not type(d) or set(tree) != set(d):
            return None
        pairs = [(d[k], tree[k]) for k in tree]
    elif isinstance(d, (tuple, list)):
        if type(tree) is not type(d) or len(tree) != len(d):
            return None
        pairs = list(zip(d, tree))
    else:
        return [d]
    found = []
    for inner, part in pairs:
        dims = _spread(inner, part)
        if dims is None:
            return None
        found.extend(dims)
    return found


def _inputs(in_dims, args, func):
    """The leaves of the arguments, the batch dimension of each, how they are nested, and the size of the batch."""
    called = f"vmap({_name(func)}, in_dims={in_dims}, ...)(<inputs>): "
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(
            f"{called}expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs, got: "
            f"{type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"vmap({_name(func)})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap "
            "over a function with no inputs. The latter is unsupported."
        )
    leaves, spec = tree_flatten(args)
    dims = _spread(in_dims, args)
    if dims is None:
        raise ValueError(
            f"{called}in_dims is not compatible with the structure of `inputs`. in_dims has structure "
            f"{tree_flatten(in_dims)[1]} but inputs has structure {spec}."
        )
    sizes = []
    for d, x in zip(dims, leaves):
        if d is None:
            continue
        if not isinstance(d, int):
            raise ValueError(
                f"{called}Got in_dim={d} for an input but in_dim must be either an integer dimension or None."
            )
        if not isinstance(x, Tensor):
            raise ValueError(
                f"{called}Got in_dim={d} for an input but the input is of type {type(x)}. We cannot vmap over non-Tensor "
                "arguments, please use None as the respective in_dim"
            )
        if not -x.dim() <= d < x.dim():
            raise ValueError(
                f"{called}Got in_dim={d} for some input, but that input is a Tensor of dimensionality {x.dim()} so expected "
                f"in_dim to satisfy -{x.dim()} <= in_dim < {x.dim()}."
            )
        sizes.append(x.size(d))
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if any(s != sizes[0] for s in sizes):
        raise ValueError(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} "
            "for the mapped dimension"
        )
    return leaves, dims, spec, sizes[0]


def _check_out_dims(out_dims, func):
    if all(d is None or isinstance(d, int) for d in tree_flatten(out_dims)[0]):
        return
    raise ValueError(
        f"vmap({_name(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python collection of ints "
        "representing where in the outputs the vmapped dimension should appear."
    )


def _result_dims(out_dims, output, flat, spec, func):
    if isinstance(output, Tensor):
        if isinstance(out_dims, tuple) and len(out_dims) == 1:
            return out_dims
        dims = [out_dims] if out_dims is None or isinstance(out_dims, int) else None
    else:
        dims = _spread(out_dims, output)
    if dims is None:
        raise ValueError(
            f"vmap({_name(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure of "
            f"`outputs`. out_dims has structure {tree_flatten(out_dims)[1]} but outputs has structure {spec}."
        )
    return dims
