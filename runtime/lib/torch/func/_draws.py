"""Random numbers inside `vmap`: refused, the same for all examples, or others for each."""

from torch import _C
from torch.utils._pytree import tree_flatten

_F = _C._functions
Tensor = _C.Tensor
_CREATE = ("rand", "randn", "randint", "randperm")
_LIKE = ("rand_like", "randn_like", "randint_like")
_DROPS = ("dropout", "alpha_dropout", "feature_dropout", "feature_alpha_dropout")
_IN_PLACE = ("normal_", "uniform_", "exponential_", "random_", "bernoulli_", "geometric_", "log_normal_", "cauchy_", "dropout_",
             "alpha_dropout_")
RANDOM = frozenset(_CREATE + _LIKE + _DROPS + _IN_PLACE + ("bernoulli", "normal", "poisson", "multinomial", "binomial", "rrelu"))


def is_random(name, args, kwargs):
    """Layers draw in training only."""
    if name in _DROPS or name in ("dropout_", "alpha_dropout_"):
        return bool(kwargs.get("train", args[2] if len(args) > 2 else True))
    if name == "rrelu":
        return bool(kwargs.get("training", args[3] if len(args) > 3 else False))
    return True


class Watch:
    """A mode of `__torch_function__`: random functions go through `draw`."""

    def __init__(self, level):
        self.level = level

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if name in RANDOM and is_random(name, args, kwargs):
            return draw(self.level, func, args, kwargs)
        # What reads an attribute asks no class again.
        return NotImplemented if name == "__get__" and types else func(*args, **kwargs)


def draw(level, func, args, kwargs):
    """The result of the random function `func` inside `level`."""
    from torch.func._batched import Batched, each, func_on, levels_of, together, wrap

    name = func.__name__
    if name == "rrelu":
        raise RuntimeError("vmap: we do not yet support aten::rrelu. Please file an issue")
    if level.randomness == "error":
        raise RuntimeError(
            "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
            "randomness flags on vmap or perform the randomness operation out of vmap"
        )
    leaves, spec = tree_flatten((args, kwargs))
    mine = any(level.number in levels_of(x) for x in leaves)
    if level.randomness == "same":
        return _same(level, func, name, args, kwargs) if mine else func(*args, **kwargs)
    if name in _IN_PLACE and not mine:
        raise RuntimeError(
            "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear like same "
            "randomness. If this is necessary for your usage, please file an issue with functorch."
        )
    if not mine:
        return _others(level, func, name, args, kwargs)
    levels, sizes = together(leaves)
    if name in _IN_PLACE:
        func(args[0].value, *args[1:], **kwargs)
        return args[0]
    tensors = [x for x in leaves if isinstance(x, Tensor)]
    if name == "multinomial" and (tensors[0].dim() != 1 or len(levels) > 1):
        return each(func, leaves, spec, levels, sizes)
    rank = max(x.dim() for x in tensors)
    values = []
    for x in leaves:
        if isinstance(x, Batched):
            value = x.value
            for k, other in enumerate(levels):
                if other not in x.levels:
                    value = value.unsqueeze(k)
            for _ in range(rank - x.dim()):
                value = value.unsqueeze(len(levels))
            x = value
        values.append(x)
    return wrap(func_on(func, values, spec), levels)


def _first(x, level):
    """The first example of a level."""
    from torch.func._batched import take_level

    return take_level(x, level.number, 0).select(0, 0)


def _same(level, func, name, args, kwargs):
    x, rest = args[0], args[1:]
    if name in _LIKE:
        return func(_first(x, level), *rest, **kwargs)
    if name in _IN_PLACE:
        return x.copy_(func(_first(x, level).clone(), *rest, **kwargs))
    if name in _DROPS:
        return x * func(_F.ones_like(_first(x, level)), *rest, **kwargs)
    raise RuntimeError(
        "Vmap does not currently support same randomness with a batched tensor input. Please file an issue with functorch"
    )


def _others(level, func, name, args, kwargs):
    """Other numbers for each example, from the same arguments."""
    from torch.func._batched import wrap

    n = level.size
    if name in ("rand", "randn") and not any(isinstance(a, Tensor) for a in args):
        size = kwargs.pop("size", None) or (args[0] if args and not isinstance(args[0], int) else args)
        return wrap(func((n, *size), **kwargs), (level.number,))
    if name == "randint" and args and isinstance(args[-1], (tuple, list)):
        return wrap(func(*args[:-1], (n, *args[-1]), **kwargs), (level.number,))
    if name in _LIKE or name in ("bernoulli", "poisson") or name in _DROPS:
        x = args[0]
        return wrap(func(x.expand((n, *x.size())), *args[1:], **kwargs), (level.number,))
    return wrap(_F.stack([func(*args, **kwargs) for _ in range(n)]), (level.number,))
