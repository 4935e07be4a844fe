"""Arrays out of nothing: zeros, ranges, grids."""

from numpy import _hub
from numpy._array import ndarray, wrap
from numpy._dtype import FLOAT64, INT64, OBJECT, dtype as Dtype, promote_types
from numpy._host import functions as _F
from numpy._make import array, asarray
from numpy._scalar import generic
from torch import _C


def shape_of(shape):
    """A shape given as a number or a sequence of them."""
    sizes = [shape.__index__()] if hasattr(shape, "__index__") and not getattr(shape, "ndim", 0) else \
        [s.__index__() for s in shape]
    if any(s < 0 for s in sizes):
        raise ValueError("negative dimensions are not allowed")
    return sizes


def _filled(shape, dt, value):
    sizes = shape_of(shape)
    if dt._boxed:
        n = 1
        for s in sizes:
            n *= s
        blank = "" if dt.kind == "U" else b"" if dt.kind == "S" else value
        return _hub.boxed([blank] * n, sizes, dt)
    return wrap(_F.full(sizes, value, dtype=dt._td), dt)


def zeros(shape, dtype=float, order="C", *, device=None, like=None):
    """An array of zeros."""
    return _filled(shape, Dtype(dtype), 0)


def ones(shape, dtype=None, order="C", *, device=None, like=None):
    """An array of ones."""
    return _filled(shape, Dtype(dtype), 1)


def empty(shape, dtype=float, order="C", *, device=None, like=None):
    """An array whose elements nobody has set; here they are zeros."""
    dt = Dtype(dtype)
    return _filled(shape, dt, None if dt.kind == "O" else 0)


def full(shape, fill_value, dtype=None, order="C", *, device=None, like=None):
    """An array of one value."""
    value = asarray(fill_value, dtype)
    return _hub.broadcast_to(value, tuple(shape_of(shape))).copy()


def _kind(a, dtype):
    return Dtype(dtype) if dtype is not None else a._dt


def _shape_like(a, shape):
    return a.shape if shape is None else shape


def zeros_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """Zeros in the shape and dtype of `a`."""
    a = asarray(a)
    return zeros(_shape_like(a, shape), _kind(a, dtype))


def ones_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """Ones in the shape and dtype of `a`."""
    a = asarray(a)
    return ones(_shape_like(a, shape), _kind(a, dtype))


def empty_like(prototype, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """An array of the shape and dtype of another."""
    a = asarray(prototype)
    return empty(_shape_like(a, shape), _kind(a, dtype))


def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """One value in the shape and dtype of `a`."""
    a = asarray(a)
    return asarray(full(_shape_like(a, shape), fill_value)).astype(_kind(a, dtype))


def arange(start=None, stop=None, step=None, dtype=None, *, device=None, like=None):
    """Numbers from `start` to before `stop`, `step` apart."""
    if start is None:
        start = 0
        if stop is None:
            raise TypeError("arange() requires stop to be specified.")
    elif stop is None:
        start, stop = 0, start
    step = 1 if step is None else step
    items = (start, stop, step)
    own = None
    for x in items:
        kind = x.dtype if isinstance(x, (generic, ndarray)) else FLOAT64 if type(x) is float else INT64
        own = kind if own is None else promote_types(own, kind)
    start, stop, step = (x.item() if hasattr(x, "item") else x for x in items)
    dt = own if dtype is None else Dtype(dtype)
    if step == 0:
        raise ZeroDivisionError("division by zero" if own.kind == "i" else "float division by zero")
    n = max(0, -int(-((stop - start) / step) // 1)) if own.kind == "f" else max(0, -(-(stop - start) // step))
    if own.kind == "f":
        # As NumPy fills: the distance is that of the first two.
        first, second = start, start + step
        if dt.kind == "i":
            first, second = int(first), int(second)
        delta = second - first
        if dt.kind == "f":
            t = _F.arange(n, dtype=_C.float64) * delta + first
            return wrap(t.to(dt._td), dt)
        t = _F.arange(n) * delta + first
    else:
        t = _F.arange(n) * step + start
    return wrap(_hub.convert(t, INT64, dt), dt)


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    """`num` numbers from `start` to `stop`, evenly spaced."""
    num = num.__index__()
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    div = num - 1 if endpoint else num
    begin, end = asarray(start) * 1.0, asarray(stop) * 1.0
    delta = end - begin
    dt = Dtype(dtype) if dtype is not None else asarray(delta)._dt
    steps = wrap(_F.arange(num, dtype=_C.float64), FLOAT64).reshape((-1,) + (1,) * asarray(delta).ndim)
    step = float("nan")
    if div > 0:
        step = delta / div
        if asarray(step == 0).any():
            y = steps / div * delta
        else:
            y = steps * step
    else:
        y = steps * delta
    y = y + begin
    if endpoint and num > 1:
        y[-1] = stop
    if axis != 0:
        y = _hub.moveaxis(y, 0, axis)
    if dt.kind in "iu":
        y = _hub.ufuncs["floor"](y)
    y = y.astype(dt, copy=False)
    return (y, step) if retstep else y


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """Numbers whose logarithms are evenly spaced."""
    y = _hub.ufuncs["power"](base, linspace(start, stop, num, endpoint))
    return y if dtype is None else y.astype(dtype)


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """Numbers each a constant multiple of the one before."""
    if start == 0 or stop == 0:
        raise ValueError("Geometric sequence cannot include zero")
    sign = -1.0 if start < 0 and stop < 0 else 1.0
    log10 = _hub.ufuncs["log10"]
    y = sign * logspace(log10(sign * start), log10(sign * stop), num, endpoint)
    if num > 0:
        y[0] = start
        if num > 1 and endpoint:
            y[-1] = stop
    return y if dtype is None else y.astype(dtype)


def eye(N, M=None, k=0, dtype=float, order="C", *, device=None, like=None):
    """Ones on a diagonal, zeros elsewhere."""
    M = N if M is None else M
    dt = Dtype(dtype)
    t = _F.zeros((N, M), dtype=dt._td)
    rows = [i for i in range(N) if 0 <= i + k < M]
    if rows:
        t[_F.tensor(rows), _F.tensor(rows) + k] = 1
    return wrap(t, dt)


def identity(n, dtype=None, *, like=None):
    """The square array with ones on its diagonal."""
    return eye(n, dtype=float if dtype is None else dtype)


def diag(v, k=0):
    """The diagonal of a matrix, or the matrix of a diagonal."""
    v = asarray(v)
    if v.ndim not in (1, 2):
        raise ValueError("Input must be 1- or 2-d.")
    return v._like(_F.diag(v._t, k).clone())


def diagflat(v, k=0):
    return diag(asarray(v).ravel(), k)


def tri(N, M=None, k=0, dtype=float, *, like=None):
    """Ones at and below a diagonal."""
    return tril(ones((N, N if M is None else M), dtype), k)


def tril(m, k=0):
    """The lower triangle."""
    m = asarray(m)
    return m._like(_F.tril(m._t, k))


def triu(m, k=0):
    """The upper triangle."""
    m = asarray(m)
    return m._like(_F.triu(m._t, k))


def diag_indices(n, ndim=2):
    """The places of a main diagonal, an array for each axis."""
    return (arange(n),) * ndim


def diag_indices_from(arr):
    """The places of an array's main diagonal."""
    if arr.ndim < 2:
        raise ValueError("input array must be at least 2-d")
    if len(set(arr.shape)) != 1:
        raise ValueError("All dimensions of input must be of equal length")
    return diag_indices(arr.shape[0], arr.ndim)


def tril_indices(n, k=0, m=None):
    return _hub.nonzero(tri(n, m, k, bool))


def triu_indices(n, k=0, m=None):
    return _hub.nonzero(~tri(n, m, k - 1, bool))


def vander(x, N=None, increasing=False):
    """Powers of `x` in columns."""
    x = asarray(x)
    powers = arange(len(x) if N is None else N)
    return _hub.ufuncs["power"](x[:, None], powers if increasing else powers[::-1])


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """Grids of coordinates."""
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    arrays = [asarray(x).ravel() for x in xi]
    n = len(arrays)
    out = []
    for i, a in enumerate(arrays):
        place = 1 - i if indexing == "xy" and n > 1 and i < 2 else i
        out.append(a.reshape([-1 if d == place else 1 for d in range(n)]))
    if not sparse:
        out = _hub.broadcast_arrays(*out)
    return tuple(o.copy() for o in out) if copy else tuple(out)


def indices(dimensions, dtype=int, sparse=False):
    """The positions of a grid along each axis."""
    return _hub.stack(meshgrid(*[arange(n) for n in dimensions], indexing="ij")).astype(dtype)


def fromfunction(function, shape, *, dtype=float, **kwargs):
    """What a function makes of the positions of a grid."""
    return function(*indices(shape, dtype), **kwargs)


def fromiter(iter, dtype, count=-1, *, like=None):
    """An array of what an iterator gives."""
    items = list(iter) if count < 0 else [x for x, _ in zip(iter, range(count))]
    return array(items, dtype)


class _Grid:
    """`np.mgrid`, `np.ogrid`"""

    def __init__(self, sparse):
        self._sparse = sparse

    def __getitem__(self, key):
        one = not isinstance(key, tuple)
        axes = []
        for s in (key,) if one else key:
            start = 0 if s.start is None else s.start
            if isinstance(s.step, complex):
                axes.append(linspace(start, s.stop, int(abs(s.step))))
            else:
                axes.append(arange(start, s.stop, s.step))
        if one:
            return axes[0]
        grids = meshgrid(*axes, indexing="ij", sparse=self._sparse)
        return grids if self._sparse else _hub.stack(grids)


class _Joined:
    """`np.r_`, `np.c_`"""

    def __init__(self, columns):
        self._columns = columns

    def __getitem__(self, key):
        parts = []
        for s in key if isinstance(key, tuple) else (key,):
            if isinstance(s, slice):
                start = 0 if s.start is None else s.start
                s = linspace(start, s.stop, int(abs(s.step))) if isinstance(s.step, complex) else \
                    arange(start, s.stop, s.step)
            parts.append(_hub.atleast_1d(asarray(s)))
        if self._columns:
            parts = [p[:, None] if p.ndim == 1 else p for p in parts]
        return _hub.concatenate(parts, -1 if self._columns else 0)


class _Key:
    """`np.s_`: a subscript as a value."""

    def __getitem__(self, key):
        return key


mgrid, ogrid, r_, c_, s_ = _Grid(False), _Grid(True), _Joined(False), _Joined(True), _Key()
index_exp = s_
_hub.zeros, _hub.full, _hub.dtype, _hub.arange = zeros, full, Dtype, arange
