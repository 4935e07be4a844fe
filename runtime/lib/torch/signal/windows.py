"""Windows for signals, symmetric unless told. A periodic one (`sym=False`) is the symmetric one of a size more, without
its last element."""

import math

from torch import _C

__all__ = ["bartlett", "blackman", "cosine", "exponential", "gaussian", "general_cosine", "general_hamming", "hamming",
           "hann", "kaiser", "nuttall"]
_F = _C._functions


def _window(name, M, make, dtype, layout, device, requires_grad):
    """The window that `make(line)` gives, where `line(start, step)` are M places."""
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    if layout is not None and layout is not _C.strided:
        raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
    dtype = _C.get_default_dtype() if dtype is None else dtype
    if dtype not in (_C.float32, _C.float64):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {dtype}")
    if M < 2:
        result = _F.ones(M, dtype=dtype, device=device)
    else:
        def line(start, step, most=math.inf):
            return _F.linspace(start, min(most, start + (M - 1) * step), M, dtype=dtype, device=device)

        result = make(line)
    return result.requires_grad_() if requires_grad else result


def _periods(M, sym):
    """How many steps one period has."""
    return M - 1 if sym else M


def general_cosine(M, *, a, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """Cosines of 0, 1, 2, … periods, weighted with `a`, every second one subtracted."""
    if not isinstance(a, (list, tuple)):
        raise TypeError("Coefficients must be a list/tuple")
    if not a:
        raise ValueError("Coefficients cannot be empty")

    def make(line):
        k = line(0.0, 2 * math.pi / _periods(M, sym))
        signed = _F.tensor([-w if i % 2 else w for i, w in enumerate(a)], dtype=k.dtype, device=k.device)
        times = _F.arange(len(a), dtype=k.dtype, device=k.device)
        return (signed.unsqueeze(-1) * _F.cos(times.unsqueeze(-1) * k)).sum(0)

    return _window("general_cosine", M, make, dtype, layout, device, requires_grad)


def general_hamming(M, *, alpha=0.54, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """`alpha - (1 - alpha) cos`"""
    return general_cosine(M, a=[alpha, 1.0 - alpha], sym=sym, dtype=dtype, layout=layout, device=device,
                          requires_grad=requires_grad)


def hamming(M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """Hamming's window: a raised cosine that does not reach 0."""
    return general_hamming(M, sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)


def hann(M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """Hann's window: a raised cosine, 0 at its ends."""
    return general_hamming(M, alpha=0.5, sym=sym, dtype=dtype, layout=layout, device=device,
                           requires_grad=requires_grad)


def blackman(M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """Blackman's window: two cosines."""
    return general_cosine(M, a=[0.42, 0.5, 0.08], sym=sym, dtype=dtype, layout=layout, device=device,
                          requires_grad=requires_grad)


def nuttall(M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """Nuttall's window with the least side lobes: three cosines."""
    return general_cosine(M, a=[0.3635819, 0.4891775, 0.1365995, 0.0106411], sym=sym, dtype=dtype, layout=layout,
                          device=device, requires_grad=requires_grad)


def bartlett(M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """A triangle, 0 at its ends."""
    def make(line):
        return 1 - _F.abs(line(-1.0, 2 / _periods(M, sym)))

    return _window("bartlett", M, make, dtype, layout, device, requires_grad)


def cosine(M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """Half a period of the sine."""
    def make(line):
        step = math.pi / (M if sym else M + 1)
        return _F.sin(line(step / 2, step))

    return _window("cosine", M, make, dtype, layout, device, requires_grad)


def exponential(M, *, center=None, tau=1.0, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """`exp(-|x - center| / tau)`"""
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")

    def make(line):
        middle = _periods(M, sym) / 2 if center is None else center
        return _F.exp(-_F.abs(line(-middle / tau, 1 / tau)))

    return _window("exponential", M, make, dtype, layout, device, requires_grad)


def gaussian(M, *, std=1.0, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """`exp(-x ** 2 / (2 std ** 2))` around the middle"""
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")

    def make(line):
        step = 1 / (std * math.sqrt(2))
        return _F.exp(-line(-_periods(M, sym) / 2 * step, step) ** 2)

    return _window("gaussian", M, make, dtype, layout, device, requires_grad)


def kaiser(M, *, beta=12.0, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """Kaiser's window: a Bessel function over half a circle."""
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")

    def make(line):
        k = line(-beta, 2.0 * beta / _periods(M, sym), most=beta)
        top = _F.tensor(float(beta), dtype=k.dtype, device=k.device)
        return _F.i0(_F.sqrt(top * top - k * k)) / _F.i0(top)

    return _window("kaiser", M, make, dtype, layout, device, requires_grad)
