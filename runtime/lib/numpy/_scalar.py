"""Scalars: what `a[0]` and `a.sum()` give. They know their dtype and calculate by its rules."""

from numpy import _hub
from numpy._dtype import _made, _scalar_types, dtype, limits
from numpy._host import functions as _F


def _operators(cls):
    """The operators of Python by ufuncs."""
    def make(name, swapped):
        def operator(self, other):
            return _hub.operate(name, other, self) if swapped else _hub.operate(name, self, other)

        return operator

    names = {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide",
             "mod": "remainder", "pow": "power", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
             "lshift": "left_shift", "rshift": "right_shift", "matmul": "matmul", "divmod": "divmod"}
    for short, name in names.items():
        setattr(cls, f"__{short}__", make(name, False))
        setattr(cls, f"__r{short}__", make(name, True))
    for short, name in {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal",
                        "ne": "not_equal"}.items():
        setattr(cls, f"__{short}__", make(name, False))
    return cls


@_operators
class generic:
    """What all scalars of NumPy are."""

    __module__ = "numpy"
    shape, ndim, size, strides, base = (), 0, 1, (), None

    dtype = property(lambda self: _made[type(self)._name])
    itemsize = nbytes = property(lambda self: self.dtype.itemsize)
    T = property(lambda self: self)
    real = property(lambda self: self)

    def item(self, *args):
        return self._v

    tolist = item

    def __rushlight_array__(self):
        return self.__array__()._tensor()

    def __array__(self, dtype=None, copy=None):
        return _hub.array(self, dtype=dtype)

    def __getattr__(self, name):
        if name.startswith("_") or not hasattr(_hub.ndarray, name):
            raise AttributeError(f"'numpy.{type(self).__name__}' object has no attribute '{name}'")
        return getattr(_hub.array(self), name)

    def __getitem__(self, key):
        if key is Ellipsis or key == () or key is None or isinstance(key, tuple):
            return _hub.array(self)[key]
        raise IndexError("invalid index to scalar variable.")

    def __neg__(self):
        return _hub.unary("negative", self)

    def __pos__(self):
        return self

    def __abs__(self):
        return _hub.unary("absolute", self)

    def __invert__(self):
        return _hub.unary("invert", self)

    def __bool__(self):
        return bool(self._v)

    def __int__(self):
        return int(self._v)

    def __float__(self):
        return float(self._v)

    def __complex__(self):
        return complex(self._v)

    def __round__(self, ndigits=None):
        return round(self._v) if ndigits is None else type(self)(_hub.round(self, ndigits))

    def __hash__(self):
        return hash(self._v)

    def __str__(self):
        return str(self._v)

    def __repr__(self):
        return f"np.{type(self).__name__}({str(self)})"

    def __format__(self, spec):
        return format(self._v, spec)

    def __reduce__(self):
        from numpy._core.multiarray import scalar

        return scalar, (self.dtype, _hub.array(self).tobytes())

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def copy(self):
        return self

    def astype(self, kind, copy=True):
        return _hub.array(self).astype(kind)[()]


class number(generic):
    __module__ = "numpy"


class integer(number):
    __module__ = "numpy"
    _default = 0

    def __new__(cls, value=0):
        if type(value) is not int:
            if isinstance(value, (list, tuple)) or hasattr(value, "__array__") and not isinstance(value, generic):
                return _hub.array(value).astype(cls._name)[()]
            value = int(value)
        low, high = limits(_made[cls._name])
        if not low <= value <= high:
            raise OverflowError(f"Python integer {value} out of bounds for {cls._name}")
        return cls._of(value)

    @classmethod
    def _of(cls, value):
        self = object.__new__(cls)
        self._v = value
        return self

    def __index__(self):
        return self._v

    def is_integer(self):
        return True

    def bit_count(self):
        return abs(self._v).bit_count()


class signedinteger(integer):
    __module__ = "numpy"


class unsignedinteger(integer):
    __module__ = "numpy"


class inexact(number):
    __module__ = "numpy"


class floating(inexact):
    __module__ = "numpy"

    def is_integer(self):
        return float(self).is_integer()

    def as_integer_ratio(self):
        return float(self).as_integer_ratio()


class complexfloating(inexact):
    __module__ = "numpy"


class flexible(generic):
    __module__ = "numpy"


class character(flexible):
    __module__ = "numpy"


class float64(floating, float):
    """A float in double precision; Python's own float, too."""

    __module__ = "numpy"
    _name = "float64"

    def __new__(cls, value=0.0):
        if type(value) is not float and (isinstance(value, (list, tuple)) or getattr(value, "ndim", 0)):
            return _hub.array(value).astype("float64")
        return float.__new__(cls, value)

    @classmethod
    def _of(cls, value):
        return float.__new__(cls, value)

    _v = property(lambda self: float.__add__(self, -0.0))

    def item(self, *args):
        return self._v

    tolist = item
    __hash__ = float.__hash__
    __float__ = item
    __bool__ = float.__bool__

    def __int__(self):
        return int(self._v)

    def __str__(self):
        return float.__repr__(self)

    def __repr__(self):
        return f"np.float64({float.__repr__(self)})"

    def __format__(self, spec):
        return format(self._v, spec)

    def __neg__(self):
        return float64._of(float.__neg__(self))

    def __abs__(self):
        return float64._of(float.__abs__(self))

    def __add__(self, other):
        if type(other) in _PLAIN:
            return float64._of(float.__add__(self, other))
        return _hub.operate("add", self, other)

    def __radd__(self, other):
        if type(other) in _PLAIN:
            return float64._of(float.__add__(self, other))
        return _hub.operate("add", other, self)

    def __sub__(self, other):
        if type(other) in _PLAIN:
            return float64._of(float.__sub__(self, other))
        return _hub.operate("subtract", self, other)

    def __rsub__(self, other):
        if type(other) in _PLAIN:
            return float64._of(float.__rsub__(self, other))
        return _hub.operate("subtract", other, self)

    def __mul__(self, other):
        if type(other) in _PLAIN:
            return float64._of(float.__mul__(self, other))
        return _hub.operate("multiply", self, other)

    __rmul__ = __mul__

    def __truediv__(self, other):
        if type(other) in _PLAIN and other != 0:
            return float64._of(float.__truediv__(self, other))
        return _hub.operate("divide", self, other)

    def __rtruediv__(self, other):
        if type(other) in _PLAIN and self != 0:
            return float64._of(float.__rtruediv__(self, other))
        return _hub.operate("divide", other, self)


_PLAIN = frozenset((float, int, float64))


class _small(floating):
    """Floats that are rounded to fewer bits."""

    __module__ = "numpy"

    def __new__(cls, value=0.0):
        if isinstance(value, (list, tuple)) or getattr(value, "ndim", 0):
            return _hub.array(value).astype(cls._name)
        return cls._of(_F.tensor(float(value), dtype=_made[cls._name]._td).item())

    @classmethod
    def _of(cls, value):
        self = object.__new__(cls)
        self._v = value
        return self

    def __str__(self):
        from numpy._print import scalar_text

        return scalar_text(self._v, self._name)


class float32(_small):
    __module__ = "numpy"
    _name = "float32"


class float16(_small):
    __module__ = "numpy"
    _name = "float16"


class bool_(generic):
    """True or False, of NumPy."""

    __module__ = "numpy"
    _name = "bool"

    def __new__(cls, value=False):
        if isinstance(value, (list, tuple)) or getattr(value, "ndim", 0):
            return _hub.array(value).astype("bool")
        return _TRUE if value else _FALSE

    @classmethod
    def _of(cls, value):
        return _TRUE if value else _FALSE

    def __repr__(self):
        return f"np.{self._v}_"


def _bool_of(value):
    self = object.__new__(bool_)
    self._v = value
    return self


_TRUE, _FALSE = _bool_of(True), _bool_of(False)
bool_.__name__ = "bool"


class str_(character, str):
    """A text of an array."""

    __module__ = "numpy"
    _name = "str"

    dtype = property(lambda self: dtype(f"U{len(self)}"))
    _v = property(lambda self: str.__str__(self))
    __hash__ = str.__hash__
    __str__ = str.__str__
    __bool__ = lambda self: len(self) > 0
    __add__, __mul__, __mod__, __getitem__ = str.__add__, str.__mul__, str.__mod__, str.__getitem__
    __eq__, __ne__, __lt__, __le__, __gt__, __ge__ = (
        str.__eq__, str.__ne__, str.__lt__, str.__le__, str.__gt__, str.__ge__)
    __format__ = str.__format__

    @classmethod
    def _of(cls, value):
        return str.__new__(cls, value)

    def __repr__(self):
        return f"np.str_({str.__repr__(self)})"

    def __getattr__(self, name):
        raise AttributeError(f"'numpy.str_' object has no attribute '{name}'")

    def item(self, *args):
        return self._v

    tolist = item


class bytes_(character, bytes):
    __module__ = "numpy"
    _name = "bytes"

    _v = property(lambda self: bytes(self))
    __hash__ = bytes.__hash__
    __eq__, __ne__ = bytes.__eq__, bytes.__ne__

    @classmethod
    def _of(cls, value):
        return bytes.__new__(cls, value)


class object_(generic):
    __module__ = "numpy"
    _name = "object"

    def __new__(cls, value=None):
        return value

    @classmethod
    def _of(cls, value):
        return value


def _integers():
    for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"):
        parent = unsignedinteger if name[0] == "u" else signedinteger
        globals()[name] = _scalar_types[name] = type(name, (parent,), {"__module__": "numpy", "_name": name})


_integers()
_scalar_types.update(float64=float64, float32=float32, float16=float16, bool=bool_, str=str_, bytes=bytes_,
                     object=object_)
for _dt in list(_made.values()):
    _dt.type = _scalar_types[_dt._plain]


def _lacking(name, parent):
    from numpy._dtype import lacking

    def new(cls, *args):
        raise lacking(name)

    return type(name, (parent,), {"__module__": "numpy", "_name": name, "__new__": new})


uint64 = _lacking("uint64", unsignedinteger)
complex64, complex128 = _lacking("complex64", complexfloating), _lacking("complex128", complexfloating)
longdouble = _lacking("longdouble", floating)
datetime64, timedelta64 = _lacking("datetime64", generic), _lacking("timedelta64", signedinteger)

def issubdtype(a, b):
    """Whether one dtype is of a kind: `np.issubdtype(a.dtype, np.integer)`."""
    def cls(x):
        if isinstance(x, type) and issubclass(x, generic):
            return x
        return dtype(x).type

    return issubclass(cls(a), cls(b))


def isscalar(x):
    """Whether it is a number or a text, not an array."""
    return isinstance(x, (generic, int, float, complex, str, bytes))
