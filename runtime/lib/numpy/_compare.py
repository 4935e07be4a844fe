"""Comparisons of whole arrays, and functions along axes."""

from numpy import _hub
from numpy._array import axis_of
from numpy._make import asarray


def isclose(a, b, rtol=1.e-5, atol=1.e-8, equal_nan=False):
    """Whether each pair is close."""
    a, b = asarray(a), asarray(b)
    a = a if a._dt.kind == "f" else a.astype(float)
    b = b if b._dt.kind == "f" else b.astype(float)
    finite = _hub.ufuncs["isfinite"](b)
    close = asarray((abs(a - b) <= atol + rtol * abs(b)) & finite | (a == b))
    if equal_nan:
        close = close | ((a != a) & (b != b))
    return close[()]


def allclose(a, b, rtol=1.e-5, atol=1.e-8, equal_nan=False):
    """Whether all are close."""
    return bool(asarray(isclose(a, b, rtol, atol, equal_nan)).all())


def array_equal(a1, a2, equal_nan=False):
    """Whether shapes and elements are the same."""
    a, b = asarray(a1), asarray(a2)
    if a.shape != b.shape:
        return False
    same = asarray(a == b)
    if equal_nan and a._dt.kind == "f":
        same = same | ((a != a) & (b != b))
    return bool(same.all())


def array_equiv(a1, a2):
    try:
        a, b = _hub.broadcast_arrays(a1, a2)
    except ValueError:
        return False
    return bool(asarray(a == b).all())


def shares_memory(a, b, max_work=None):
    """Whether two arrays lie in the same memory."""
    from torch import _C

    a, b = (x._forward if isinstance(x, _hub.flipped_class) else x._t for x in (asarray(a), asarray(b)))
    if _C._storage_id(a) != _C._storage_id(b) or not a.numel() or not b.numel():
        return False

    def places(t):
        import itertools

        at = {t.storage_offset()}
        for n, s in zip(t.size(), t.stride()):
            at = set(itertools.chain.from_iterable(range(p, p + n * s, s) if s else (p,) for p in at))
        return at

    return not places(a).isdisjoint(places(b))


may_share_memory = shares_memory


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """A function on each row along an axis."""
    a = asarray(arr)
    axis = axis_of(axis, a.ndim)
    m = _hub.moveaxis(a, axis, -1)
    rows = [asarray(func1d(r, *args, **kwargs)) for r in m.reshape(-1, m.shape[-1])]
    out = _hub.stack(rows)
    out = out.reshape(m.shape[:-1] + rows[0].shape)
    return _hub.moveaxis(out, -1, axis) if rows[0].ndim == 1 else out


def apply_over_axes(func, a, axes):
    a = asarray(a)
    for axis in (axes,) if isinstance(axes, int) else axes:
        value = asarray(func(a, axis))
        a = value if value.ndim == a.ndim else _hub.expand_dims(value, axis)
    return a


class vectorize:
    """A function of numbers as a function of arrays."""

    __module__ = "numpy"

    def __init__(self, pyfunc, otypes=None, doc=None, excluded=None, cache=False, signature=None):
        self.pyfunc, self._otypes = pyfunc, otypes
        self.__name__ = getattr(pyfunc, "__name__", "vectorize")

    def __call__(self, *args, **kwargs):
        arrays = _hub.broadcast_arrays(*[asarray(a) for a in args])
        rows = [self.pyfunc(*row, **kwargs) for row in zip(*(a.ravel() for a in arrays))]
        if rows and isinstance(rows[0], tuple):
            return tuple(asarray(list(c)).reshape(arrays[0].shape) for c in zip(*rows))
        dtype = None if self._otypes is None else self._otypes[0]
        out = asarray(rows, dtype).reshape(arrays[0].shape)
        return out


def frompyfunc(func, nin, nout):
    return vectorize(func, [object])


def ndenumerate(arr):
    """Each place and what is there."""
    import itertools

    a = asarray(arr)
    return zip(itertools.product(*map(range, a.shape)), a.ravel())


def ndindex(*shape):
    """The places of a shape."""
    import itertools

    shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
    return itertools.product(*map(range, shape))


class nditer:
    """Each element in turn."""

    __module__ = "numpy"

    def __init__(self, op, flags=(), op_flags=()):
        self._a = asarray(op)

    def __iter__(self):
        return iter([asarray(x) for x in self._a.ravel()])


def objects(fn, arrays):
    """A ufunc on texts or objects, one by one."""
    import operator

    from numpy._ufunc import _no_loop

    names = {"equal": operator.eq, "not_equal": operator.ne, "less": operator.lt, "less_equal": operator.le,
             "greater": operator.gt, "greater_equal": operator.ge, "add": operator.add, "subtract": operator.sub,
             "multiply": operator.mul, "divide": operator.truediv, "power": operator.pow, "negative": operator.neg,
             "absolute": abs, "remainder": operator.mod, "floor_divide": operator.floordiv, "maximum": max,
             "minimum": min}
    call, name = names.get(fn.__name__), fn.__name__
    texts = [a._dt.kind in "US" for a in arrays]
    comparing = fn._rule == "compare"
    if call is None or any(texts) and not (all(texts) and (comparing or name == "add")):
        if not (name in ("equal", "not_equal") or any(a._dt.kind == "O" for a in arrays) and call):
            raise _no_loop(fn, *(a._dt for a in arrays))
        if name in ("equal", "not_equal") and not any(a._dt.kind == "O" for a in arrays):
            raise _no_loop(fn, *(a._dt for a in arrays))
    arrays = _hub.broadcast_arrays(*arrays)
    flat = [call(*row) for row in zip(*(a.ravel().tolist() for a in arrays))]
    shape = arrays[0].shape
    if comparing:
        out = asarray([bool(x) for x in flat], bool).reshape(shape)
        return out if shape else out[()]
    out = asarray(flat) if all(texts) else _hub.boxed(flat, (len(flat),), _hub.OBJECT)
    out = out.reshape(shape)
    return out if shape else out[()]


_hub.objects = objects

