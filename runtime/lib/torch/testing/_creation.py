"""`make_tensor`: a tensor of any dtype with drawn values."""

import math
import warnings

from torch import _C

_F = _C._functions
_MASKS = {_C.bool: (0, 2), _C.uint8: (0, 10)}


def _shape(args):
    if len(args) == 1 and not isinstance(args[0], int):
        return tuple(args[0])
    return tuple(args)


def _bounds(dtype, low, high):
    """The range to draw from, `high` left out: what was asked for, cut to what the dtype holds."""
    integral = not (dtype.is_floating_point or dtype.is_complex)
    default = _MASKS.get(dtype, (-9, 10) if integral else (-9, 9))
    low, high = default[0] if low is None else low, default[1] if high is None else high
    if any(isinstance(v, float) and math.isnan(v) for v in (low, high)):
        raise ValueError(f"`low` and `high` cannot be NaN, but got low={low!r} and high={high!r}")
    if low == high and not integral:
        warnings.warn(
            "Passing `low==high` to `torch.testing.make_tensor` for floating or complex types is deprecated since 2.1 "
            "and will be removed in 2.3. Use `torch.full(...)` instead.",
            FutureWarning, stacklevel=4,
        )
    elif low >= high:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    if dtype == _C.bool:
        return 0, 2
    if integral:
        info = _C.iinfo(dtype)
        return max(math.ceil(low), info.min), min(math.ceil(high), info.max + 1)
    info = _C.finfo(dtype)
    return max(low, info.min), min(high, info.max)


def make_tensor(*shape, dtype, device=None, low=None, high=None, requires_grad=False, noncontiguous=False,
                exclude_zero=False, memory_format=None):
    """Values between `low` and `high` (small numbers unless given), drawn with the global generator."""
    shape = _shape(shape)
    integral = not (dtype.is_floating_point or dtype.is_complex)
    if requires_grad and integral:
        raise ValueError(
            f"`requires_grad=True` is not supported for boolean and integral dtypes, but got dtype={dtype}"
        )
    if noncontiguous and memory_format is not None:
        raise ValueError(
            f"The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got noncontiguous="
            f"{noncontiguous} and memory_format={memory_format}"
        )
    noncontiguous = noncontiguous and math.prod(shape) > 1
    drawn = shape[:-1] + (2 * shape[-1],) if noncontiguous else shape
    low, high = _bounds(dtype, low, high)
    if integral:
        result = _F.randint(low, high, drawn, dtype=dtype, device=device)
    elif dtype.is_complex:
        result = _F.empty(drawn, dtype=dtype, device=device)
        _F.view_as_real(result).uniform_(low, high)
    else:
        result = _F.empty(drawn, dtype=dtype, device=device).uniform_(low, high)
    if noncontiguous:
        result = result[..., 1::2]
    elif memory_format is not None:
        result = result.clone(memory_format=memory_format)
    if exclude_zero:
        result[result == 0] = 1 if integral else _C.finfo(dtype).tiny
    return result.requires_grad_(requires_grad)
