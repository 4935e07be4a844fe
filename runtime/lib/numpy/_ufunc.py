"""Ufuncs: functions of elements, with NumPy's rules for dtypes, broadcasting and results."""

import warnings

from numpy import _hub
from numpy._array import ndarray, result, wrap
from numpy._dtype import BOOL, FLOAT16, FLOAT32, FLOAT64, INT64, OBJECT, UINT8, _made, can_cast, limits, promote_types
from numpy._host import functions as _F
from numpy._make import asarray
from numpy._scalar import generic
from torch import _C

_WEAK = (int, float, bool)
_PLAIN = {bool: BOOL, int: INT64, float: FLOAT64}


class UFuncTypeError(TypeError):
    __module__ = "numpy._core._exceptions"


class _UFuncOutputCastingError(UFuncTypeError):
    __module__ = "numpy._core._exceptions"


class _UFuncNoLoopError(UFuncTypeError):
    __module__ = "numpy._core._exceptions"


_UFuncOutputCastingError.__name__ = _UFuncNoLoopError.__name__ = "UFuncTypeError"


def common(x1, x2):
    """The dtype two operands are calculated in; Python's own numbers adapt to the other operand."""
    weak1, weak2 = type(x1) in _WEAK, type(x2) in _WEAK
    if weak1 and weak2:
        return promote_types(_PLAIN[type(x1)], _PLAIN[type(x2)])
    if weak2:
        return _adapt(x1.dtype, x2)
    if weak1:
        return _adapt(x2.dtype, x1)
    return promote_types(x1.dtype, x2.dtype)


def _adapt(dt, number):
    if dt.byteorder == ">":
        dt = _made[dt._plain]
    kind = type(number)
    if kind is bool or dt.kind in "fO":
        return dt
    if kind is int:
        return INT64 if dt.kind == "b" else dt
    return FLOAT64 if dt.kind in "iub" else dt


def operand(x):
    """An operand: an array, a scalar, or one of Python's numbers as it is."""
    if isinstance(x, ndarray) or type(x) in _WEAK:
        return x
    if isinstance(x, generic):
        return x
    return asarray(x)


def tensor_of(x, dt, strict=True):
    """An operand's elements as `dt` keeps them."""
    if type(x) in _WEAK:
        if dt.kind in "iu" and type(x) is not float:
            low, high = limits(dt)
            if not low <= x <= high:
                if not strict:
                    return _F.tensor(x, dtype=_C.int64)
                raise OverflowError(f"Python integer {x} out of bounds for {dt.name}")
        return _F.tensor(x, dtype=dt._td)
    if isinstance(x, generic):
        return _F.tensor(x._v, dtype=dt._td)
    return x._t if x._dt is dt else _hub.convert(x._t, x._dt, dt)


def _shape_of(x):
    return tuple(x._t.size()) if isinstance(x, ndarray) else ()


def check_shapes(operands):
    """Raise where shapes do not go together."""
    shapes = [_shape_of(x) for x in operands]
    try:
        _hub.broadcast_shapes(*shapes)
    except ValueError:
        text = " ".join(_hub.shape_text(s) for s in shapes)
        raise ValueError(f"operands could not be broadcast together with shapes {text} ") from None


def _is_tensor(x):
    return isinstance(x, _C.Tensor)


class ufunc:
    """A function of elements."""

    __module__ = "numpy"

    def __init__(self, name, nin, call, rule, identity=None, nout=1):
        self.__name__, self.nin, self.nout, self.nargs = name, nin, nout, nin + nout
        self._call, self._rule, self.identity = call, rule, identity

    def __repr__(self):
        return f"<ufunc '{self.__name__}'>"

    def __call__(self, *args, out=None, where=True, dtype=None, casting="same_kind", subok=True, order="K"):
        if len(args) > self.nin:
            out = args[self.nin:] if len(args) > self.nin + 1 else args[self.nin]
            args = args[:self.nin]
        if len(args) != self.nin:
            raise TypeError(f"{self.__name__}() takes from {self.nin} to {self.nargs} positional arguments but "
                            f"{len(args)} were given")
        if isinstance(out, tuple) and len(out) == 1:
            out = out[0]
        tensors = any(map(_is_tensor, args))
        ops = [operand(a) for a in args]
        if any(isinstance(o, ndarray) and o._dt._boxed or isinstance(o, (str, bytes)) for o in ops):
            value = _hub.objects(self, [asarray(o) for o in ops])
        else:
            if self.nin > 1:
                check_shapes(ops)
            value = self._compute(ops, dtype)
        if out is not None:
            return self._store(value, out, where, casting)
        if where is not True:
            mask = asarray(where)
            value = _hub.where(mask, value, _hub.zeros((), getattr(value, "dtype", None)))
        if tensors:
            wrapped = [_F.from_numpy(v) if isinstance(v, ndarray) else _F.tensor(v)
                       for v in (value if isinstance(value, tuple) else (value,))]
            wrapped = [w.to(_C.uint8) if w.dtype == _C.bool and self._rule != "compare" else w for w in wrapped]
            return tuple(wrapped) if isinstance(value, tuple) else wrapped[0]
        return value

    def _compute(self, ops, dtype):
        if self.nin == 1:
            x = ops[0]
            if type(x) in _WEAK:
                x = asarray(x)
            dt = x.dtype
            if dt.byteorder == ">":
                dt = _made[dt._plain]
            work, out = _RULES[self._rule](dt, self)
            if dtype is not None:
                work = out = _hub.dtype(dtype)
            return _finish(self._call(tensor_of(x, work)), out, self, (x,))
        a, b = ops
        dt = common(a, b)
        work, out = _RULES[self._rule](dt, self)
        if dtype is not None:
            out = _hub.dtype(dtype)
            if self._rule != "compare":
                work = out
        strict = self._rule != "compare"
        return _finish(self._call(tensor_of(a, work, strict), tensor_of(b, work, strict)), out, self, (a, b))

    def _store(self, value, out, where, casting):
        if isinstance(out, tuple):
            return tuple(self._store(v, o, where, casting) if o is not None else v for v, o in zip(value, out))
        arr = asarray(value)
        if not can_cast(arr._dt, out._dt, casting):
            raise _UFuncOutputCastingError(f"Cannot cast ufunc '{self.__name__}' output from {arr._dt!r} to "
                                           f"{out._dt!r} with casting rule '{casting}'")
        if arr.shape != out.shape:
            full = _hub.broadcast_shapes(arr.shape, out.shape)
            if full != out.shape:
                raise ValueError(f"non-broadcastable output operand with shape {_hub.shape_text(out.shape)} doesn't "
                                 f"match the broadcast shape {_hub.shape_text(full)}")
        if where is not True:
            arr = _hub.where(where, arr, out)
        out[...] = arr
        return out

    # What every ufunc of two operands can do.
    def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
        a = asarray(array)
        plain = {"add": "sum", "multiply": "prod", "maximum": "amax", "minimum": "amin", "logical_and": "all",
                 "logical_or": "any"}.get(self.__name__)
        if plain is not None:
            return getattr(_hub, plain)(a, axis=axis, keepdims=keepdims, **({"dtype": dtype} if dtype else {}))
        parts = _hub.moveaxis(a, axis, 0)
        total = parts[0]
        for i in range(1, len(parts)):
            total = self(total, parts[i])
        return _hub.expand_dims(total, axis) if keepdims else total

    def accumulate(self, array, axis=0, dtype=None, out=None):
        a = asarray(array)
        if self.__name__ == "add":
            return _hub.cumsum(a, axis)
        if self.__name__ == "multiply":
            return _hub.cumprod(a, axis)
        if self.__name__ in ("maximum", "minimum"):
            run = _F.cummax if self.__name__ == "maximum" else _F.cummin
            return wrap(run(a._t, axis)[0], a._dt)
        rows, total = [], None
        for part in _hub.moveaxis(a, axis, 0):
            total = part if total is None else self(total, part)
            rows.append(total)
        return _hub.moveaxis(asarray(rows), 0, axis)

    def outer(self, a, b, **kwargs):
        a, b = asarray(a), asarray(b)
        return self(a.reshape(a.shape + (1,) * b.ndim), b, **kwargs)

    def at(self, a, indices, b=None):
        if self.nin == 1:
            a[indices] = self(a[indices])
            return
        index = indices if isinstance(indices, tuple) else (indices,)
        index = _hub.broadcast_arrays(*[asarray(i) for i in index])
        values = _hub.broadcast_to(asarray(b), index[0].shape + a.shape[len(index):])
        flat = [i.ravel().tolist() for i in index]
        if self.__name__ in ("add", "subtract") and len(flat) == 1 and a.ndim == 1 and a._dt is values._dt:
            given = values.ravel()._t
            a._t.index_add_(0, index[0].ravel()._t.to(_C.int64) % len(a), given if self.__name__ == "add" else -given)
            return
        for n, place in enumerate(zip(*flat)):
            a[place] = self(a[place], values.reshape((len(flat[0]),) + a.shape[len(index):])[n])

    def reduceat(self, array, indices, axis=0):
        a = _hub.moveaxis(asarray(array), axis, 0)
        ends = list(indices[1:]) + [len(a)]
        rows = [self.reduce(a[i:j]) if i < j else a[i] for i, j in zip(indices, ends)]
        return _hub.moveaxis(asarray(rows), 0, axis)


def _finish(value, out, fn, ops):
    if isinstance(value, tuple):
        return tuple(_finish(v, out, fn, ops) for v in value)
    if value.dtype != out._td:
        value = value.to(out._td)
    if fn._rule != "compare" and out.kind == "f" and fn.__name__ in _WATCHED:
        _warn(fn.__name__, value, ops)
    return result(value, out)


_WATCHED = {"divide", "log", "sqrt", "log2", "log10", "exp", "power", "reciprocal", "log1p", "arcsin", "arccos"}
state = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}


def _warn(name, value, ops):
    """The RuntimeWarnings of floating point."""
    if value.numel() > 100000 or _F.isfinite(value).all().item():
        return
    finite = all(type(o) in _WEAK or _F.isfinite(asarray(o)._t).all().item() for o in ops)
    if not finite:
        return
    kinds = []
    if _F.isinf(value).any().item():
        over = name in ("exp", "power") or name == "divide" and (asarray(ops[1])._t != 0).all().item()
        kinds.append(("over", "overflow") if over else ("divide", "divide by zero"))
    if _F.isnan(value).any().item():
        kinds.append(("invalid", "invalid value"))
    for key, text in kinds:
        message = f"{text} encountered in {name}"
        if type(ops[0]) is not ndarray and all(not isinstance(o, ndarray) for o in ops) and name in ("divide", "power"):
            message = f"{text} encountered in scalar {name}"
        if state[key] == "warn":
            warnings.warn(message, RuntimeWarning, stacklevel=5)
        elif state[key] == "raise":
            raise FloatingPointError(message)


def _no_loop(fn, *dts):
    return _UFuncNoLoopError(f"ufunc '{fn.__name__}' did not contain a loop with signature matching types "
                             f"({', '.join(repr(d.type) for d in dts)}) -> None")


def _wrong_input(fn):
    return TypeError(f"ufunc '{fn.__name__}' not supported for the input types, and the inputs could not be safely "
                     "coerced to any supported types according to the casting rule ''safe''")


def _same(dt, fn):
    if dt.kind == "b":
        if fn.__name__ == "subtract":
            raise TypeError("numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` "
                            "operator, or the logical_xor function instead.")
        if fn.__name__ == "negative":
            raise TypeError("The numpy boolean negative, the `-` operator, is not supported, use the `~` operator or "
                            "the logical_not function instead.")
        if fn.__name__ in ("power", "floor_divide", "remainder", "square", "fmod"):
            return _made["int8"], _made["int8"]
    return dt, dt


def _floating(dt, fn):
    if dt.kind == "f":
        return dt, dt
    out = {1: FLOAT16, 2: FLOAT32}.get(dt.itemsize, FLOAT64)
    return FLOAT64, out


def _divide(dt, fn):
    return (dt, dt) if dt.kind == "f" else (FLOAT64, FLOAT64)


def _compare(dt, fn):
    return dt, BOOL


def _rounding(dt, fn):
    return dt, dt


def _bits(dt, fn):
    if dt.kind == "f":
        raise _wrong_input(fn)
    return dt, dt


def _test(dt, fn):
    return dt, BOOL


_RULES = {"same": _same, "float": _floating, "divide": _divide, "compare": _compare, "round": _rounding,
          "bits": _bits, "test": _test, "logical": _test}


def _is_float(t):
    return t.dtype.is_floating_point


def _logical(t):
    return t if t.dtype == _C.bool else t != 0


def _add(a, b):
    return _F.logical_or(a, b) if a.dtype == _C.bool else _F.add(a, b)


def _multiply(a, b):
    return _F.logical_and(a, b) if a.dtype == _C.bool else _F.mul(a, b)


def _floor_divide(a, b):
    if _is_float(a):
        return _F.where(b == 0, a / b, _F.div(a, b, rounding_mode="floor")) if (b == 0).any().item() else \
            _F.div(a, b, rounding_mode="floor")
    zero = b == 0
    if zero.any().item():
        warnings.warn("divide by zero encountered in floor_divide", RuntimeWarning, stacklevel=6)
        return _F.where(zero, 0, _F.div(a, _F.where(zero, 1, b), rounding_mode="floor")).to(a.dtype)
    return _F.div(a, b, rounding_mode="floor")


def _remainder(a, b):
    if _is_float(a):
        return _F.remainder(a, b)
    zero = b == 0
    if zero.any().item():
        warnings.warn("divide by zero encountered in remainder", RuntimeWarning, stacklevel=6)
        return _F.where(zero, 0, _F.remainder(a, _F.where(zero, 1, b))).to(a.dtype)
    return _F.remainder(a, b)


def _power(a, b):
    if not _is_float(a):
        if b.numel() and b.min().item() < 0:
            raise ValueError("Integers to negative integer powers are not allowed.")
        return _F.pow(a, b)
    if b.dim() == 0:
        p = b.item()
        if p == 2:
            return a * a
        if p == 0.5:
            return _F.sqrt(a)
        if p == 1:
            return a.clone()
        if p == -1:
            return 1 / a
        # The engine multiplies small whole powers out, as PyTorch does; NumPy does not.
        b = b.expand(a.size()) if a.dim() else b
    return _F.pow(a, b)


def _abs(a):
    return a.clone() if a.dtype == _C.bool else _F.abs(a)


def _sign(a):
    return _F.where(_F.isnan(a), a, _F.sign(a)) if _is_float(a) else _F.sign(a)


def _modf(a):
    whole = _F.trunc(a)
    return _F.where(_F.isinf(a), _F.zeros_like(a), a - whole), whole


def _fmax(a, b):
    return _F.fmax(a, b)


def _gcd(a, b):
    return _F.gcd(a, b)


def _lcm(a, b):
    return _F.lcm(a, b)


def _whole(fn):
    return lambda a: fn(a) if _is_float(a) else a.clone()


def _heaviside(a, b):
    return _F.where(_F.isnan(a), a, _F.where(a == 0, b, (a > 0).to(a.dtype)))


def _spacing(a):
    return _F.nextafter(a, _F.full_like(a, float("inf"))) - a


_pi = 3.141592653589793
_TWO = {
    "add": (_add, "same", 0), "subtract": (_F.sub, "same", None), "multiply": (_multiply, "same", 1),
    "divide": (_F.div, "divide", None), "floor_divide": (_floor_divide, "same", None),
    "remainder": (_remainder, "same", None), "fmod": (_F.fmod, "same", None), "power": (_power, "same", None),
    "maximum": (_F.maximum, "same", None), "minimum": (_F.minimum, "same", None), "fmax": (_F.fmax, "same", None),
    "fmin": (_F.fmin, "same", None), "equal": (_F.eq, "compare", None), "not_equal": (_F.ne, "compare", None),
    "less": (_F.lt, "compare", None), "less_equal": (_F.le, "compare", None), "greater": (_F.gt, "compare", None),
    "greater_equal": (_F.ge, "compare", None), "bitwise_and": (_F.bitwise_and, "bits", -1),
    "bitwise_or": (_F.bitwise_or, "bits", 0), "bitwise_xor": (_F.bitwise_xor, "bits", 0),
    "logical_and": (lambda a, b: _F.logical_and(a, b), "logical", True),
    "logical_or": (lambda a, b: _F.logical_or(a, b), "logical", False),
    "logical_xor": (lambda a, b: _F.logical_xor(a, b), "logical", False),
    "left_shift": (lambda a, b: _F.bitwise_left_shift(a, b), "bits", None),
    "right_shift": (lambda a, b: _F.bitwise_right_shift(a, b), "bits", None),
    "arctan2": (_F.atan2, "float", None), "hypot": (_F.hypot, "float", 0), "logaddexp": (_F.logaddexp, "float", None),
    "logaddexp2": (_F.logaddexp2, "float", None), "copysign": (_F.copysign, "float", None),
    "nextafter": (_F.nextafter, "float", None), "gcd": (_gcd, "bits", 0), "lcm": (_lcm, "bits", None),
    "heaviside": (_heaviside, "float", None), "float_power": (_F.pow, "divide", None),
}
_ONE = {
    "negative": (_F.neg, "same"), "positive": (lambda a: a.clone(), "same"), "absolute": (_abs, "same"),
    "fabs": (_F.abs, "float"), "sign": (_sign, "same"), "square": (lambda a: a * a, "same"),
    "reciprocal": (lambda a: _F.reciprocal(a) if _is_float(a) else _floor_divide(_F.ones_like(a), a), "same"),
    "invert": (_F.bitwise_not, "bits"), "logical_not": (_F.logical_not, "logical"),
    "rint": (lambda a: _F.round(a), "float"), "floor": (_whole(_F.floor), "round"),
    "ceil": (_whole(_F.ceil), "round"), "trunc": (_whole(_F.trunc), "round"), "isnan": (_F.isnan, "test"),
    "isinf": (_F.isinf, "test"), "isfinite": (_F.isfinite, "test"), "signbit": (_F.signbit, "test"),
    "sqrt": (_F.sqrt, "float"), "cbrt": (lambda a: _F.sign(a) * _F.pow(_F.abs(a), 1 / 3), "float"),
    "degrees": (lambda a: a * (180.0 / _pi), "float"), "radians": (lambda a: a * (_pi / 180.0), "float"),
    "spacing": (_spacing, "float"), "modf": (_modf, "float"),
}
for _new, _old in {"exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log", "log2": "log2", "log10": "log10",
                   "log1p": "log1p", "sin": "sin", "cos": "cos", "tan": "tan", "arcsin": "asin", "arccos": "acos",
                   "arctan": "atan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "arcsinh": "asinh",
                   "arccosh": "acosh", "arctanh": "atanh"}.items():
    _ONE[_new] = (getattr(_F, _old), "float")
_ALIASES = {"true_divide": "divide", "mod": "remainder", "pow": "power", "abs": "absolute", "bitwise_not": "invert",
            "bitwise_invert": "invert", "rad2deg": "degrees", "deg2rad": "radians", "asin": "arcsin", "acos": "arccos",
            "atan": "arctan", "atan2": "arctan2", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh",
            "conjugate": "positive", "conj": "positive", "bitwise_left_shift": "left_shift",
            "bitwise_right_shift": "right_shift"}
ufuncs = {name: ufunc(name, 2, call, rule, identity) for name, (call, rule, identity) in _TWO.items()}
ufuncs.update({name: ufunc(name, 1, call, rule, nout=2 if name == "modf" else 1)
               for name, (call, rule) in _ONE.items()})
ufuncs.update({new: ufuncs[old] for new, old in _ALIASES.items()})


def divmod_(x1, x2):
    """Quotient and remainder."""
    return ufuncs["floor_divide"](x1, x2), ufuncs["remainder"](x1, x2)


_SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "floor_divide": "//", "remainder": "%",
          "power": "** or pow()", "matmul": "@", "less": "<", "less_equal": "<=", "greater": ">",
          "greater_equal": ">=", "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^", "left_shift": "<<",
          "right_shift": ">>", "divmod": "divmod()"}


def operate(name, a, b, out=None):
    """An operator of Python's on arrays and scalars."""
    if out is not None:
        return ufuncs[name](a, b, out=out)
    if isinstance(b, _C.Tensor):
        return _with_tensor(name, a, b)
    if name == "matmul":
        return _hub.matmul(a, b)
    if name == "divmod":
        return divmod_(a, b)
    for x in (a, b):
        if type(x) not in _WEAK and not isinstance(x, (ndarray, generic, list, tuple, range, _C.Tensor, str, bytes)):
            if not hasattr(x, "__array__"):
                if name in ("equal", "not_equal"):
                    shape = (a if isinstance(a, ndarray) else b)
                    if isinstance(shape, ndarray):
                        return _hub.full(shape.shape, name != "equal")
                    return name != "equal"
                return NotImplemented
    if name in ("equal", "not_equal"):
        try:
            return ufuncs[name](a, b)
        except _UFuncNoLoopError:
            return NotImplemented
    return ufuncs[name](a, b)


def _with_tensor(name, a, b):
    """A NumPy operand before a tensor: the tensor decides; what it does not take, NumPy does not either."""
    if not isinstance(a, ndarray):
        return NotImplemented
    if name in ("equal", "not_equal"):
        return ufuncs[name](a, b)
    if name == "divide":
        return _F.from_numpy(ufuncs[name](a, b.numpy()))
    if name == "add":
        raise TypeError("Concatenation operation is not implemented for NumPy arrays, use np.concatenate() instead. "
                        "Please do not rely on this error; it may not be given on all Python implementations.")
    if name.startswith(("less", "greater")):
        raise TypeError(f"'{_SIGNS[name]}' not supported between instances of 'numpy.ndarray' and 'Tensor'")
    raise TypeError(f"unsupported operand type(s) for {_SIGNS[name]}: 'numpy.ndarray' and 'Tensor'")


def unary(name, a):
    return ufuncs[name](a)


_hub.operate, _hub.unary, _hub.common, _hub.tensor_of, _hub.operand = operate, unary, common, tensor_of, operand
_hub.ufuncs, _hub.can_cast = ufuncs, can_cast
