"""Windows for signals, and `torch.range`."""

import math

from torch import _C
from torch._composite import warn_once, written

_F = _C._functions


def _window(name, length, periodic, make, dtype, out, device, requires_grad):
    """`make(x, n)` over x = 0, 1, …, n - 1; a periodic window is one shorter than the symmetric one it is cut from."""
    if isinstance(length, bool) or not isinstance(length, int):
        raise TypeError(
            f"{name}(): argument 'window_length' (position 1) must be int, not {type(length).__name__}"
        )
    if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
        kinds = {_C.int64: "long int", _C.int32: "int", _C.int16: "short int", _C.int8: "signed char",
                 _C.uint8: "unsigned char", _C.bool: "bool"}
        raise RuntimeError(
            f"{name} expects floating point dtypes, got: TensorOptions(dtype={kinds[dtype]}, device=cpu, "
            "layout=Strided (default), requires_grad=false (default), pinned_memory=false, memory_format=(nullopt))"
        )
    if length < 0:
        raise RuntimeError(f"{name} requires non-negative window_length, got window_length={length}")
    if length < 2:
        result = _F.ones(length, dtype=dtype, device=device)
    else:
        n = length + 1 if periodic else length
        result = make(_F.arange(n, dtype=dtype or _C.get_default_dtype(), device=device), n)[:length]
    result = written(result, out)
    return result.requires_grad_() if requires_grad else result


def hann_window(window_length, periodic=True, *, out=None, dtype=None, layout=None, device=None, pin_memory=False,
                requires_grad=False):
    """A raised cosine: 0 at the ends, 1 in the middle."""
    def make(x, n):
        return x.mul_(2 * math.pi / (n - 1)).cos_().mul_(-0.5).add_(0.5)

    return _window("hann_window", window_length, periodic, make, dtype, out, device, requires_grad)


def hamming_window(window_length, periodic=True, alpha=0.54, beta=0.46, *, out=None, dtype=None, layout=None,
                   device=None, pin_memory=False, requires_grad=False):
    """`alpha - beta cos(2 pi x / (n - 1))`"""
    def make(x, n):
        return x.mul_(2 * math.pi / (n - 1)).cos_().mul_(-beta).add_(alpha)

    return _window("hamming_window", window_length, periodic, make, dtype, out, device, requires_grad)


def blackman_window(window_length, periodic=True, *, out=None, dtype=None, layout=None, device=None, pin_memory=False,
                    requires_grad=False):
    """Blackman's window: two cosines."""
    def make(x, n):
        x = x.mul_(math.pi / (n - 1))
        return x.mul(4).cos_().mul_(0.08) - x.mul(2).cos_().mul_(0.5) + 0.42

    return _window("blackman_window", window_length, periodic, make, dtype, out, device, requires_grad)


def bartlett_window(window_length, periodic=True, *, out=None, dtype=None, layout=None, device=None, pin_memory=False,
                    requires_grad=False):
    """A triangle: 0 at the ends, 1 in the middle."""
    def make(x, n):
        x = x.mul_(2.0 / (n - 1))
        half = ((n - 1) >> 1) + 1
        x[half:] = 2 - x[half:]
        return x

    return _window("bartlett_window", window_length, periodic, make, dtype, out, device, requires_grad)


def kaiser_window(window_length, periodic=True, beta=12.0, *, out=None, dtype=None, layout=None, device=None,
                  pin_memory=False, requires_grad=False):
    """Kaiser's window: a Bessel function of half a circle."""
    def make(x, n):
        wide = x.double() * (2.0 / (n - 1)) - 1
        top = _F.i0(_F.tensor(float(beta), dtype=_C.float64))
        return (_F.i0(beta * (1 - wide * wide).clamp(min=0).sqrt()) / top).to(x.dtype)

    return _window("kaiser_window", window_length, periodic, make, dtype, out, device, requires_grad)


def range(start=0, end=None, step=1, *, out=None, dtype=None, layout=None, device=None, pin_memory=False,
          requires_grad=False):
    """Numbers from `start` to `end`, both included. Use `arange`."""
    if end is None:
        raise TypeError('range() missing 1 required positional arguments: "end"')
    warn_once(
        "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
        "Python's range builtin. Instead, use torch.arange, which produces values in [start, end)."
    )
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    dtype = dtype or (out.dtype if out is not None else _C.get_default_dtype())
    wide = _C.float64 if dtype.is_floating_point else _C.int64
    places = _F.arange(int((end - start) / step) + 1, dtype=wide)
    result = written((places * step + start).to(dtype), out)
    return result.requires_grad_() if requires_grad else result
