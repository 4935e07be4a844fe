"""Fourier transforms: `torch.fft`."""

from torch import _C
from torch._composite import written

_F = _C._functions


def _float(x, complex=False):
    """Integers become floats; with `complex`, reals become complex."""
    if not (x.is_floating_point() or x.is_complex()):
        x = x.to(_C.get_default_dtype())
    if x.dtype in (_C.float16, _C.bfloat16):
        name = "Half" if x.dtype is _C.float16 else "BFloat16"
        raise NotImplementedError(f"Unsupported dtype {name}")
    if complex and not x.is_complex():
        x = x.to(_C.complex128 if x.dtype is _C.float64 else _C.complex64)
    return x


def _scaling(norm, forward):
    """The scaling that `norm` asks for, as the native functions number it: none, by the root of n, by n."""
    if norm not in (None, "backward", "ortho", "forward"):
        raise RuntimeError(f'Invalid normalization mode: "{norm}"')
    if norm == "ortho":
        return 1
    return 2 if (norm == "forward") == forward else 0


def _fit(x, sizes, dims):
    """`x` cut off or filled up with zeros to `sizes` along `dims`."""
    for n, d in zip(sizes, dims):
        if n == -1:
            continue
        have = x.size(d)
        if n < 1:
            raise RuntimeError(f"Invalid number of data points ({n}) specified")
        if n < have:
            x = x.narrow(d, 0, n)
        elif n > have:
            shape = list(x.shape)
            shape[d] = n - have
            x = _F.cat([x, _F.zeros(shape, dtype=x.dtype, device=x.device)], d)
    return x


def _one(x, n, dim):
    x = x if n is None else _fit(x, [n], [dim])
    if x.size(dim) < 1:
        raise RuntimeError(f"Invalid number of data points ({x.size(dim)}) specified")
    return x


def _real_only(name, x):
    if x.is_complex():
        kind = {_C.complex64: "ComplexFloat", _C.complex128: "ComplexDouble"}[x.dtype]
        raise TypeError(f"{name} expects a real input tensor, but got {kind}")
    return _float(x)


def fft(input, n=None, dim=-1, norm=None, *, out=None):
    """The discrete Fourier transform along `dim`."""
    x = _one(_float(input), n, dim)
    if x.is_complex():
        return written(_F._fft_c2c(x, [dim], _scaling(norm, True), True), out)
    return written(_F._fft_r2c(x, [dim], _scaling(norm, True), False), out)


def ifft(input, n=None, dim=-1, norm=None, *, out=None):
    """The inverse of `fft`."""
    x = _one(_float(input), n, dim)
    if x.is_complex():
        return written(_F._fft_c2c(x, [dim], _scaling(norm, False), False), out)
    return written(_F._fft_r2c(x, [dim], _scaling(norm, False), False).conj(), out)


def rfft(input, n=None, dim=-1, norm=None, *, out=None):
    """The first half of the transform of real numbers; the other half mirrors it."""
    x = _one(_real_only("rfft", input), n, dim)
    return written(_F._fft_r2c(x, [dim], _scaling(norm, True), True), out)


def _half(x, n, dim):
    n = 2 * (x.size(dim) - 1) if n is None else n
    if n < 1:
        raise RuntimeError(f"Invalid number of data points ({n}) specified")
    return _fit(x, [n // 2 + 1], [dim]), n


def irfft(input, n=None, dim=-1, norm=None, *, out=None):
    """The inverse of `rfft`: `n` real numbers."""
    x, n = _half(_float(input, True), n, dim)
    return written(_F._fft_c2r(x, [dim], _scaling(norm, False), n), out)


def hfft(input, n=None, dim=-1, norm=None, *, out=None):
    """The real transform of a line of which the first half is given, the other mirrors it."""
    x, n = _half(_float(input, True), n, dim)
    return written(_F._fft_c2r(x.conj(), [dim], _scaling(norm, True), n), out)


def ihfft(input, n=None, dim=-1, norm=None, *, out=None):
    """The inverse of `hfft`."""
    x = _one(_real_only("ihfft", input), n, dim)
    return written(_F._fft_r2c(x, [dim], _scaling(norm, False), True).conj(), out)


def _sizes(x, s, dim):
    """The dimensions to transform, and their sizes (-1: as they are)."""
    if dim is not None:
        dims = [dim] if isinstance(dim, int) else list(dim)
        for d in dims:
            if x.dim() == 0:
                raise IndexError(f"Dimension specified as {d} but tensor has no dimensions")
            if not -x.dim() <= d < x.dim():
                raise IndexError(
                    f"Dimension out of range (expected to be in range of [{-x.dim()}, {x.dim() - 1}], but got {d})"
                )
        if len({d % x.dim() for d in dims}) != len(dims):
            raise RuntimeError("FFT dims must be unique")
        if s is not None and len(s) != len(dims):
            raise RuntimeError("When given, dim and shape arguments must have the same length")
    elif s is not None:
        if len(s) > x.dim():
            raise RuntimeError(
                f"Got shape with {len(s)} values but input tensor only has {x.dim()} dimensions."
            )
        dims = list(range(x.dim() - len(s), x.dim()))
    else:
        dims = list(range(x.dim()))
    return dims, [-1] * len(dims) if s is None else list(s)


def fftn(input, s=None, dim=None, norm=None, *, out=None):
    """The transform along several dimensions."""
    dims, sizes = _sizes(input, s, dim)
    x = _fit(_float(input, True), sizes, dims)
    return written(_F._fft_c2c(x, dims, _scaling(norm, True), True), out)


def ifftn(input, s=None, dim=None, norm=None, *, out=None):
    """The inverse of `fftn`."""
    dims, sizes = _sizes(input, s, dim)
    x = _fit(_float(input, True), sizes, dims)
    return written(_F._fft_c2c(x, dims, _scaling(norm, False), False), out)


def rfftn(input, s=None, dim=None, norm=None, *, out=None):
    """The transform of real numbers along several dimensions; half of the last one is kept."""
    x = _real_only("rfftn", input)
    dims, sizes = _sizes(x, s, dim)
    if not dims:
        raise RuntimeError("rfftn must transform at least one axis")
    return written(_F._fft_r2c(_fit(x, sizes, dims), dims, _scaling(norm, True), True), out)


def _last_half(input, s, dim):
    x = _float(input, True)
    dims, sizes = _sizes(x, s, dim)
    if not dims:
        raise RuntimeError("irfftn must transform at least one axis")
    n = sizes[-1] if sizes[-1] != -1 else 2 * (x.size(dims[-1]) - 1)
    if n < 1:
        raise RuntimeError(f"Invalid number of data points ({n}) specified")
    return _fit(x, sizes[:-1] + [n // 2 + 1], dims), dims, n


def irfftn(input, s=None, dim=None, norm=None, *, out=None):
    """The inverse of `rfftn`."""
    x, dims, n = _last_half(input, s, dim)
    return written(_F._fft_c2r(x, dims, _scaling(norm, False), n), out)


def hfftn(input, s=None, dim=None, norm=None, *, out=None):
    """`hfft` along the last, `fft` along the other dimensions."""
    x, dims, n = _last_half(input, s, dim)
    if len(dims) > 1:
        x = _F._fft_c2c(x, dims[:-1], _scaling(norm, True), True)
    return written(_F._fft_c2r(x.conj(), dims[-1:], _scaling(norm, True), n), out)


def ihfftn(input, s=None, dim=None, norm=None, *, out=None):
    """The inverse of `hfftn`."""
    x = _real_only("ihfftn", input)
    dims, sizes = _sizes(x, s, dim)
    x = _F._fft_r2c(_fit(x, sizes, dims), dims[-1:], _scaling(norm, False), True).conj()
    return written(_F._fft_c2c(x, dims[:-1], _scaling(norm, False), False) if len(dims) > 1 else x, out)


def _two(name, many):
    def function(input, s=None, dim=(-2, -1), norm=None, *, out=None):
        return many(input, s, dim, norm, out=out)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`{many.__name__}` along two dimensions."
    return function


fft2, ifft2 = _two("fft2", fftn), _two("ifft2", ifftn)
rfft2, irfft2 = _two("rfft2", rfftn), _two("irfft2", irfftn)
hfft2, ihfft2 = _two("hfft2", hfftn), _two("ihfft2", ihfftn)


def fftfreq(n, d=1.0, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    """The frequencies of the elements of an `fft` of `n` numbers at distance `d`."""
    places = _F.cat([_F.arange((n - 1) // 2 + 1), _F.arange(-(n // 2), 0)])
    result = written(places.to(dtype or _C.get_default_dtype()) * (1.0 / (n * d)), out)
    return result.requires_grad_() if requires_grad else result


def rfftfreq(n, d=1.0, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    """The frequencies of the elements of an `rfft` of `n` numbers at distance `d`."""
    result = written(_F.arange(n // 2 + 1).to(dtype or _C.get_default_dtype()) * (1.0 / (n * d)), out)
    return result.requires_grad_() if requires_grad else result


def _roll(x, dim, back):
    dims = list(range(x.dim())) if dim is None else [dim] if isinstance(dim, int) else list(dim)
    return _F.roll(x, [(x.size(d) + back) // 2 for d in dims], dims)


def fftshift(input, dim=None):
    """The frequency 0 moved to the middle."""
    return _roll(input, dim, 0)


def ifftshift(input, dim=None):
    """The inverse of `fftshift`."""
    return _roll(input, dim, 1)
