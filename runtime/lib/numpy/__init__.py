"""The package `numpy`, over the tensors of this engine: an array and the tensor made of it share their memory.

Start at `_array.py` (the class), `_ufunc.py` (functions of elements) and `_dtype.py` (which dtype becomes which).
"""



def __module_getattr__(module):
    """The `__getattr__` that every module of this package has unless it brings its own."""

    def __getattr__(name):
        if name.startswith("_"):
            raise AttributeError(f"module '{module}' has no attribute {name!r}")
        from numpy._missing import missing_text

        raise AttributeError(missing_text(module, name))

    return __getattr__


from numpy import _hub  # noqa: E402
from numpy._dtype import can_cast, dtype, finfo, iinfo, promote_types
from numpy._scalar import (
    bool_, bytes_, character, complex64, complex128, complexfloating, datetime64, flexible, float16, float32, float64,
    floating, generic, inexact, int8, int16, int32, int64, integer, isscalar, issubdtype, longdouble, number, object_,  # noqa: F401
    signedinteger, str_, timedelta64, uint8, uint16, uint32, uint64, unsignedinteger,
)
from numpy._make import array, asarray, frombuffer
from numpy._array import AxisError as _AxisError, ndarray
from numpy import _index
from numpy._ufunc import divmod_ as divmod, state as _error_state, ufunc, ufuncs as _ufuncs
from numpy._create import (
    arange, c_, diag, diag_indices, diag_indices_from, diagflat, empty, empty_like, eye, fromfunction, fromiter, full,
    full_like, geomspace, identity, index_exp, indices, linspace, logspace, meshgrid, mgrid, ogrid, ones, ones_like, r_,
    s_, tri, tril, tril_indices, triu, triu_indices, vander, zeros, zeros_like,
)
from numpy._shape import (
    append, array_split, atleast_1d, atleast_2d, atleast_3d, broadcast_arrays, broadcast_shapes, broadcast_to,
    column_stack, concat, concatenate, delete, diagonal, dstack, expand_dims, fill_diagonal, flip, fliplr, flipud,
    hsplit, hstack, insert, matrix_transpose, moveaxis, pad, permute_dims, put, put_along_axis, ravel, repeat, reshape,
    resize, roll, rollaxis, rot90, split, squeeze, stack, swapaxes, take, take_along_axis, tile, trace, transpose,
    vsplit, vstack,
)
from numpy._search import (
    argpartition, argsort, argwhere, bincount, choose, compress, copyto, diff, digitize, ediff1d, extract, flatnonzero,
    gradient, histogram, histogram2d, histogram_bin_edges, interp, intersect1d, isin, ix_, lexsort, median, nonzero,
    partition, percentile, piecewise, place, putmask, quantile, ravel_multi_index, searchsorted, select, setdiff1d,
    setxor1d, sort, trapezoid, union1d, unique, unique_values, unravel_index, where,
)
from numpy._reduce import (
    all, amax, amin, any, argmax, argmin, around, average, clip, count_nonzero, cumprod, cumsum, max, mean, min,
    nan_to_num, nanmax, nanmean, nanmin, nanprod, nanstd, nansum, nanvar, prod, ptp, round, std, sum, var,
)
from numpy._products import (
    convolve, corrcoef, correlate, cov, cross, dot, einsum, inner, kron, matmul, outer,
    tensordot, vdot,
)
from numpy._poly import (
    poly, poly1d, polyadd, polyder, polydiv, polyfit, polyint, polymul, polysub, polyval, roots,
)
from numpy._compare import (
    allclose, apply_along_axis, apply_over_axes, array_equal, array_equiv, frompyfunc, isclose, may_share_memory,
    ndenumerate, ndindex, nditer, shares_memory, vectorize,
)

globals().update(_ufuncs)
True_, False_ = bool_(True), bool_(False)
bool = bool_
byte, ubyte, short, ushort, intc, uintc = int8, uint8, int16, uint16, int32, uint32
int_ = intp = long = longlong = int64
uint = uintp = ulong = ulonglong = uint64
half, single, double = float16, float32, float64

pi = 3.141592653589793
e = 2.718281828459045
euler_gamma = 0.5772156649015329
inf = float("inf")
nan = float("nan")
newaxis = None
little_endian = True
__version__ = "2.4.6"


def asanyarray(a, dtype=None, order=None, **kwargs):
    """As `asarray`: there are no other classes of arrays here."""
    return asarray(a, dtype, order)


def ascontiguousarray(a, dtype=None, *, like=None):
    """An array whose elements lie row by row."""
    return asarray(atleast_1d(a), dtype, "C") if not isinstance(a, _index._Flipped) else a.copy()


def asfortranarray(a, dtype=None, *, like=None):
    return asarray(a, dtype).copy("F")


def require(a, dtype=None, requirements=None, *, like=None):
    return asarray(a, dtype)


def copy(a, order="K", subok=False):
    """A copy of its own memory."""
    return array(a)


def astype(x, dtype, /, *, copy=True, device=None):
    return x.astype(dtype, copy=copy)


def asarray_chkfinite(a, dtype=None, order=None):
    a = asarray(a, dtype)
    if not isfinite(a).all():  # noqa: F821
        raise ValueError("array must not contain infs or NaNs")
    return a


def shape(a):
    """Its shape."""
    return a.shape if hasattr(a, "shape") else asarray(a).shape


def ndim(a):
    """How many dimensions it has."""
    return a.ndim if hasattr(a, "ndim") else asarray(a).ndim


def size(a, axis=None):
    """How many elements it has."""
    a = asarray(a)
    return a.size if axis is None else a.shape[axis]


def result_type(*arrays_and_dtypes):
    """The dtype that operands are calculated in."""
    found = None
    for x in arrays_and_dtypes:
        if type(x) in (int, float):
            x = x
        elif not hasattr(x, "dtype") or isinstance(x, type):
            x = empty((), dtype(x))
        found = x if found is None else empty((), _hub.common(found, x))
    return asarray(found).dtype


def min_scalar_type(a):
    return asarray(a).dtype


def iterable(y):
    try:
        iter(y)
    except TypeError:
        return False
    return True


def isreal(x):
    return ones(shape(x), bool_) if shape(x) else True


def iscomplexobj(x):
    return False


def isrealobj(x):
    return True


def isposinf(x, out=None):
    return isinf(x) & (asarray(x) > 0)  # noqa: F821


def isneginf(x, out=None):
    return isinf(x) & (asarray(x) < 0)  # noqa: F821


def fix(x, out=None):
    return trunc(x)  # noqa: F821


def real(val):
    return asarray(val).real


def sinc(x):
    """sin(pi x) / (pi x)"""
    y = pi * where(asarray(x) == 0, 1.0e-20, x)
    return (sin(y) / y)[()]  # noqa: F821


def angle(z, deg=False):
    z = asarray(z)
    return where(z < 0, 180.0 if deg else pi, 0.0)[()]


class errstate:
    """How errors of floating point are told, inside a `with`."""

    def __init__(self, *, all=None, divide=None, over=None, under=None, invalid=None, call=None):
        self._new = {k: v if v is not None else all for k, v in
                     {"divide": divide, "over": over, "under": under, "invalid": invalid}.items()}

    def __enter__(self):
        self._old = dict(_error_state)
        _error_state.update({k: v for k, v in self._new.items() if v is not None})

    def __exit__(self, *exc):
        _error_state.update(self._old)

    def __call__(self, fn):
        def inner(*args, **kwargs):
            with errstate(**{k: v for k, v in self._new.items() if v is not None}):
                return fn(*args, **kwargs)

        return inner


def seterr(all=None, divide=None, over=None, under=None, invalid=None):
    """How errors of floating point are told."""
    old = dict(_error_state)
    for key, value in {"divide": divide, "over": over, "under": under, "invalid": invalid}.items():
        if value is not None or all is not None:
            _error_state[key] = value if value is not None else all
    return old


def geterr():
    return dict(_error_state)


def _array_getattr(self, name):
    from numpy._missing import ARRAY

    if name in ARRAY:
        raise AttributeError(f"ndarray.{name} is part of NumPy, but it is not available here yet")
    raise AttributeError(f"'numpy.ndarray' object has no attribute '{name}'")


ndarray.__getattr__ = _array_getattr
_LAZY = {**dict.fromkeys(("set_printoptions", "get_printoptions", "printoptions", "array2string", "array_repr",
                          "array_str", "format_float_positional", "format_float_scientific", "base_repr",
                          "binary_repr"), "numpy._print"),
         **dict.fromkeys(("save", "savez", "savez_compressed", "load", "loadtxt", "genfromtxt", "savetxt", "fromstring",
                          "fromfile"), "numpy._io")}
_SUBMODULES = frozenset(("random", "linalg", "testing", "lib", "exceptions", "typing"))
_GONE = {"float": "float", "int": "int", "object": "object", "str": "str", "complex": "complex"}


def __getattr__(name):
    if name in _SUBMODULES or name in _LAZY:
        from importlib import import_module

        if name in _SUBMODULES:
            return import_module("numpy." + name)
        value = globals()[name] = getattr(import_module(_LAZY[name]), name)
        return value
    from numpy._missing import missing_text

    if name in _GONE:
        raise AttributeError(
            f"module 'numpy' has no attribute '{name}'.\n`np.{name}` was a deprecated alias for the builtin `{name}`. "
            f"To avoid this error in existing code, use `{name}` by itself. Doing this will not modify any behavior and "
            "is safe. " + ("If you specifically wanted the numpy scalar type, use `np." + (
                {"float": "float64", "object": "object_", "str": "str_", "complex": "complex128"}.get(name, "int64"))
                + "` here." if name != "int" else "When replacing `np.int`, you may wish to use e.g. `np.int64` or "
                "`np.int32` to specify the precision. If you wish to review your current use, check the release note "
                "link for additional information.") +
            "\nThe aliases was originally deprecated in NumPy 1.20; for more details and guidance see the original "
            "release note at:\n    https://numpy.org/devdocs/release/1.20.0-notes.html#deprecations")
    raise AttributeError(missing_text("numpy", name))


def __dir__():
    return sorted(set(globals()) | _SUBMODULES | set(_LAZY))
