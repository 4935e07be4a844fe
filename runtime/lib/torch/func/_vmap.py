"""`vmap`: a function of one example becomes a function of a batch.

It runs the function once for each example and stacks the results: the same numbers, in the time of a loop.
"""

from torch import _C
from torch.utils._pytree import tree_flatten, tree_unflatten

_F = _C._functions
Tensor = _C.Tensor
depth = 0  # how many are running


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    """A batched `func`. `in_dims`: which dimension of each input is the batch (None: the same for all)."""
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(
            f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}"
        )
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    def wrapped(*args, **kwargs):
        global depth
        leaves, spec = tree_flatten(args)
        dims = _leaf_dims(in_dims, args, leaves, func)
        size = _batch_size(leaves, dims)
        results = []
        for i in range(size):
            if randomness == "same":
                state = _C.default_generator.get_state()
            one = [x if d is None else x.select(d, i) for x, d in zip(leaves, dims)]
            first = _C.default_generator.get_state() if i == 0 and randomness == "error" else None
            named = {k: v.select(0, i) if isinstance(v, Tensor) else v for k, v in kwargs.items()}
            depth += 1
            try:
                results.append(func(*tree_unflatten(one, spec), **named))
            finally:
                depth -= 1
            if first is not None and not _F.equal(first, _C.default_generator.get_state()):
                raise RuntimeError(
                    "vmap: called random operation while in randomness error mode. Please either use the 'same' or "
                    "'different' randomness flags on vmap or perform the randomness operation out of vmap"
                )
            if randomness == "same" and i + 1 < size:
                _C.default_generator.set_state(state)
        return _stack(results, out_dims, func)

    return wrapped


def _name(func):
    return getattr(func, "__name__", repr(func))


def _leaf_dims(in_dims, args, leaves, func):
    if not args:
        raise ValueError(
            f"vmap({_name(func)})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap "
            "over a function with no inputs. The latter is unsupported."
        )
    if isinstance(in_dims, int):
        dims = [in_dims] * len(leaves)
    else:
        if not isinstance(in_dims, (tuple, list)) or len(in_dims) != len(args):
            raise ValueError(
                f"vmap({_name(func)}, in_dims={in_dims}, ...)(<inputs>): in_dims is not compatible with the structure "
                f"of inputs. in_dims has structure {in_dims} but inputs has {len(args)} positional arguments."
            )
        dims = []
        for d, arg in zip(in_dims, args):
            dims.extend(_spread(d, arg))
    result = []
    for d, x in zip(dims, leaves):
        if d is None or not isinstance(x, Tensor):
            if d is not None:
                raise ValueError(
                    f"vmap({_name(func)}, in_dims={in_dims}, ...)(<inputs>): Got in_dim={d} for an input but the "
                    f"input is of type {type(x)}. We cannot vmap over non-Tensor arguments, please use None as the "
                    "respective in_dim"
                )
            result.append(None)
            continue
        if d < -x.dim() or d >= x.dim():
            raise ValueError(
                f"vmap({_name(func)}, in_dims={in_dims}, ...)(<inputs>): Got in_dim={d} for some input, but that input "
                f"is a Tensor of dimensionality {x.dim()} so expected in_dim to satisfy "
                f"-{x.dim()} <= in_dim < {x.dim()}."
            )
        result.append(d % x.dim())
    return result


def _spread(d, arg):
    """The dims of one argument's leaves: one for all, or nested as the argument is."""
    if d is None or isinstance(d, int):
        return [d] * len(tree_flatten(arg)[0])
    result = []
    pairs = [(d[k], arg[k]) for k in arg] if isinstance(arg, dict) else zip(d, arg)
    for inner, part in pairs:
        result.extend(_spread(inner, part))
    return result


def _batch_size(leaves, dims):
    sizes = [x.size(d) for x, d in zip(leaves, dims) if d is not None]
    if not sizes:
        raise ValueError("vmap: at least one input must have a batch dimension (all in_dims are None)")
    if any(s != sizes[0] for s in sizes):
        raise ValueError(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} "
            "for the mapped dimension"
        )
    return sizes[0]


def _stack(results, out_dims, func):
    if not results:
        raise RuntimeError("vmap over a batch of size 0 is not available here")
    flat = [tree_flatten(r) for r in results]
    spec = flat[0][1]
    if out_dims is None or isinstance(out_dims, int):
        dims = [out_dims] * len(flat[0][0])
    else:
        dims = list(out_dims)
    columns = []
    for j, d in enumerate(dims):
        column = [leaves[j] for leaves, _ in flat]
        for x in column:
            if not isinstance(x, Tensor):
                raise ValueError(
                    f"vmap({_name(func)}, ...): `{_name(func)}` must only return Tensors, got type {type(x)}. "
                    "Did you mean to set out_dims= to None for output?"
                )
        columns.append(column[0] if d is None else _F.stack(column, d))
    return tree_unflatten(columns, spec)
