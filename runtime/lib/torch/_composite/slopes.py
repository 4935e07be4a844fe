"""Leaky ReLU with a slope drawn for each element."""

from torch import _C
from torch._composite import one_node

_F = _C._functions


def _slopes(input, lower, upper, training, generator):
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    x = input.detach()
    slopes = _F.ones_like(x)
    if not training:
        return slopes.masked_fill(x <= 0, (lower + upper) / 2)
    if hasattr(input, "levels"):
        raise RuntimeError("vmap: we do not yet support aten::rrelu. Please file an issue")
    negative = x <= 0
    drawn = _F.empty(int(negative.sum()), dtype=_C.float64).uniform_(lower, upper, generator=generator)
    slopes[negative] = drawn.to(x.dtype)
    return slopes


def rrelu(input, lower=1.0 / 8, upper=1.0 / 3, training=False, generator=None):
    """x where it is positive, x times a slope between `lower` and `upper` elsewhere: drawn in training, else the middle."""
    slopes = _slopes(input, lower, upper, training, generator)
    return one_node("RreluWithNoiseBackward0", lambda x: x * slopes, input)


def rrelu_(input, lower=1.0 / 8, upper=1.0 / 3, training=False, generator=None):
    """`rrelu`, in place."""
    return input.mul_(_slopes(input, lower, upper, training, generator))
