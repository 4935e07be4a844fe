"""The class `ndarray`: a tensor of the engine (shape, strides, memory) that behaves as NumPy's arrays do."""

from numpy import _hub
from numpy._dtype import BOOL, INT64, OBJECT, _made, dtype as Dtype, limits, text_dtype
from numpy._host import functions as _F
from numpy._make import array, asarray, to_bytes
from numpy._scalar import _operators, generic
from torch import _C

_BAD_INDEX = ("only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are "
              "valid indices")


def wrap(t, dt, base=None):
    """An array over a tensor."""
    self = object.__new__(ndarray)
    self._t, self._dt, self._base, self._ro, self._box = t, dt, base, False, None
    return self


def boxed(flat, shape, dt):
    """An array of Python objects or texts: they lie in a list, the tensor says where."""
    places = _F.arange(len(flat)).reshape(shape)
    self = wrap(places, dt)
    self._box = flat
    return self


def result(t, dt):
    """What an operation gives: a scalar where no dimension is left."""
    if dt._mask is not None:
        t = t & dt._mask
    return wrap(t, dt) if t.dim() else dt.type._of(t.item())


@_operators
class ndarray:
    """An array of numbers of one dtype."""

    __module__ = "numpy"
    __slots__ = ("_t", "_dt", "_base", "_ro", "_box", "__weakref__")
    __hash__ = None
    __array_priority__ = 0.0
    __array_interface__ = None

    def __new__(cls, shape, dtype=float, buffer=None, offset=0, strides=None, order=None):
        if buffer is not None:
            size = 1
            for n in shape:
                size *= n
            return _hub.frombuffer(buffer, dtype, size, offset).reshape(shape)
        return _hub.zeros(shape, dtype)

    # What it is.
    dtype = property(lambda self: self._dt)
    shape = property(lambda self: tuple(self._t.size()))
    ndim = property(lambda self: self._t.dim())
    size = property(lambda self: self._t.numel())
    itemsize = property(lambda self: self._dt.itemsize)
    nbytes = property(lambda self: self._t.numel() * self._dt.itemsize)
    base = property(lambda self: self._base)
    T = property(lambda self: self._view(self._t.permute(tuple(range(self._t.dim()))[::-1])))
    mT = property(lambda self: self.swapaxes(-1, -2))
    real = property(lambda self: self)
    flags = property(lambda self: _Flags(self))
    data = property(lambda self: memoryview(self.tobytes()))

    @shape.setter
    def shape(self, value):
        self._t = _reshaped(self, value)._t

    @property
    def strides(self):
        return tuple(s * self._dt.itemsize for s in self._t.stride())

    @property
    def flat(self):
        return _Flat(self)

    def _view(self, t):
        """An array over a part of this one's memory."""
        new = wrap(t, self._dt, self if self._base is None else self._base)
        new._ro, new._box = self._ro, self._box
        return new

    def _like(self, t):
        """An array of new elements of the same dtype."""
        new = wrap(t, self._dt)
        new._box = self._box
        return new

    def _tensor(self):
        """The tensor that shares this array's memory."""
        if self._dt._mask is not None or self._dt._boxed:
            name = self._dt.type.__name__
            if self._dt._mask is not None:
                raise NotImplementedError(f"tensors of dtype torch.{name} are not available here")
            name += "" if name.endswith("_") else "_"
            raise TypeError(
                f"can't convert np.ndarray of type numpy.{name}. The only supported types are: float64, float32, "
                "float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, uint8, and bool.")
        if self._dt.byteorder == ">":
            raise ValueError("given numpy array has byte order different from the native byte order. Conversion "
                             "between byte orders is currently not supported.")
        return self._t

    __rushlight_array__ = _tensor

    def __array__(self, dtype=None, copy=None):
        return self if dtype is None or Dtype(dtype) is self._dt else self.astype(dtype)

    def _scalar(self, t):
        value = t.item()
        return self._dt.type._of(value if self._box is None else self._box[value])

    def _out(self, t, view=False):
        """A part as indexing gives it."""
        if t.dim() == 0:
            return self._scalar(t)
        return self._view(t) if view else self._like(t)

    # Elements.
    def __len__(self):
        if self._t.dim() == 0:
            raise TypeError("len() of unsized object")
        return self._t.size(0)

    def __iter__(self):
        if self._t.dim() == 0:
            raise TypeError("iteration over a 0-d array")
        if self._t.dim() == 1:
            make, box = self._dt.type._of, self._box
            values = self._t.tolist()
            return iter([make(v if box is None else box[v]) for v in values])
        return (self._view(t) for t in self._t.unbind(0))

    def __getitem__(self, key):
        t = self._t
        kind = type(key)
        if kind is int:
            if t.dim() == 0:
                raise IndexError("too many indices for array: array is 0-dimensional, but 1 were indexed")
            if not -t.size(0) <= key < t.size(0):
                raise IndexError(f"index {key} is out of bounds for axis 0 with size {t.size(0)}")
            return self._out(t[key], True)
        if kind is tuple and len(key) == t.dim() and all(type(k) is int for k in key):
            try:
                return self._scalar(t[key])
            except IndexError:
                pass
        return _hub.get(self, key)

    def __setitem__(self, key, value):
        # One number into floats, the commonest case: the engine does it; whatever it refuses goes the long way.
        if (type(value) is float or type(value) is int) and self._dt.kind == "f" and not self._ro:
            kind = type(key)
            if kind is int or kind is tuple and all(type(k) is int for k in key):
                try:
                    self._t[key] = value
                    return
                except (IndexError, RuntimeError):
                    pass
        _hub.set(self, key, value)

    def __class_getitem__(cls, item):
        return cls

    def __delitem__(self, key):
        raise ValueError("cannot delete array elements")

    def __contains__(self, item):
        return bool((self == item).any())

    def item(self, *args):
        if args:
            key = args[0] if len(args) == 1 else args
            return (self.ravel() if isinstance(key, int) else self)[key].item()
        if self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        value = self._t.item()
        return value if self._box is None else self._box[value]

    def tolist(self):
        if self._box is None:
            return self._t.tolist()

        def look(x):
            return [look(y) for y in x] if isinstance(x, list) else self._box[x]

        return look(self._t.tolist())

    def tobytes(self, order="C"):
        return to_bytes(self, order)

    def fill(self, value):
        self[...] = value

    def __bool__(self):
        n = self._t.numel()
        if n == 1:
            return bool(self.item())
        if n == 0:
            raise ValueError("The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an "
                             "array is not empty.")
        raise ValueError("The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()")

    def _one(self):
        if self._t.dim() and self._t.numel() == 1 or self._t.dim() == 0:
            if self._t.dim():
                raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
            return self.item()
        raise TypeError("only 0-dimensional arrays can be converted to Python scalars")

    def __int__(self):
        return int(self._one())

    def __float__(self):
        return float(self._one())

    def __index__(self):
        if self._t.dim() or self._dt.kind not in "iu":
            raise TypeError("only integer scalar arrays can be converted to a scalar index")
        return self._t.item()

    # Text.
    def __repr__(self):
        from numpy._print import array_repr

        return array_repr(self)

    def __str__(self):
        from numpy._print import array_str

        return array_str(self)

    def __format__(self, spec):
        if self._t.dim() == 0:
            return format(self.item(), spec)
        if spec:
            raise TypeError("unsupported format string passed to numpy.ndarray.__format__")
        return str(self)

    # Copies and dtypes.
    def copy(self, order="C"):
        if order == "F" and self._t.dim() > 1:
            back = tuple(range(self._t.dim()))[::-1]
            return self._like(self._t.permute(back).contiguous().clone().permute(back))
        if order == "C":
            return self._like(self._t.contiguous() if not self._t.is_contiguous() else self._t.clone())
        return self._like(self._t.clone())

    __copy__ = copy

    def __deepcopy__(self, memo):
        return self.copy()

    def __reduce__(self):
        from numpy._core.multiarray import _reconstruct

        data = self.ravel().tolist() if self._dt.kind == "O" else self.tobytes()
        return _reconstruct, (ndarray, (0,), b"b"), (1, self.shape, self._dt, False, data)

    def __setstate__(self, state):
        _, shape, dt, fortran, data = state
        back = tuple(reversed(shape)) if fortran else shape
        new = (boxed(list(data), back, dt) if dt.kind == "O" else _hub.from_bytes(data, dt).reshape(back))
        new = new.transpose() if fortran else new
        self._t, self._dt, self._box = new._t, dt, new._box

    def astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
        dt = Dtype(dtype)
        if casting != "unsafe" and not _hub.can_cast(self._dt, dt, casting):
            raise TypeError(f"Cannot cast array data from {self._dt!r} to {dt!r} according to the rule '{casting}'")
        if dt is self._dt or dt == self._dt:
            return self.copy() if copy else self
        if dt._boxed or self._box is not None:
            if dt.kind in "US" and not dt._length:
                dt = None if dt.kind == "U" else text_dtype(max(len(str(x)) for x in self.ravel().tolist()), "S")
                items = [x if isinstance(x, (str, bytes)) else str(_made[self._dt._plain].type._of(x))
                         for x in self.ravel().tolist()]
                if self._dt.kind in "iufb" and dt is None:
                    dt = text_dtype({"b": 5, "f": 32}.get(self._dt.kind, {1: 4, 2: 6, 4: 11}.get(self.itemsize, 21)))
                return array(items, dt).reshape(self.shape) if items else boxed([], self.shape, text_dtype(1))
            return array(self.ravel().tolist(), dt).reshape(self.shape)
        return wrap(convert(self._t, self._dt, dt), dt)

    def view(self, dtype=None, type=None):
        if dtype is None or dtype is ndarray or Dtype(dtype) is self._dt:
            return self._view(self._t)
        dt = Dtype(dtype)
        if dt._mask is None and self._dt._mask is None and not dt._boxed and not self._dt._boxed:
            new = self._view(self._t.view(dt._td))
            new._dt = dt
            return new
        raise NotImplementedError(f"a view of {self._dt} as {dt} is not available here")

    def byteswap(self, inplace=False):
        return self.astype(self._dt.newbyteorder()).view(self._dt)

    def _assign(self, value):
        """Write an array of the same shape, or a broadcast one, into this one's memory."""
        self[...] = value
        return self

    def setflags(self, write=None, align=None, uic=None):
        if write is not None:
            self._ro = not write

    # In place.
    def __iadd__(self, other):
        return _hub.operate("add", self, other, out=self)

    def __isub__(self, other):
        return _hub.operate("subtract", self, other, out=self)

    def __imul__(self, other):
        return _hub.operate("multiply", self, other, out=self)

    def __itruediv__(self, other):
        return _hub.operate("divide", self, other, out=self)

    def __ifloordiv__(self, other):
        return _hub.operate("floor_divide", self, other, out=self)

    def __imod__(self, other):
        return _hub.operate("remainder", self, other, out=self)

    def __ipow__(self, other):
        return _hub.operate("power", self, other, out=self)

    def __iand__(self, other):
        return _hub.operate("bitwise_and", self, other, out=self)

    def __ior__(self, other):
        return _hub.operate("bitwise_or", self, other, out=self)

    def __ixor__(self, other):
        return _hub.operate("bitwise_xor", self, other, out=self)

    def __imatmul__(self, other):
        return self._assign(_hub.operate("matmul", self, other))

    def __neg__(self):
        return _hub.unary("negative", self)

    def __pos__(self):
        return self.copy()

    def __abs__(self):
        return _hub.unary("absolute", self)

    def __invert__(self):
        return _hub.unary("invert", self)

    # Shape.
    def reshape(self, *shape, order="C", copy=None):
        shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        if order == "F":
            sizes = [shape] if isinstance(shape, int) else [int(s) for s in shape]
            return self.T.reshape(sizes[::-1]).T
        return _reshaped(self, shape)

    def ravel(self, order="C"):
        return self.T.reshape(-1) if order == "F" else _reshaped(self, -1)

    def flatten(self, order="C"):
        return self._like((self.T if order == "F" else self).copy()._t.reshape(-1))

    def transpose(self, *axes):
        axes = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        if not axes:
            return self.T
        if len(axes) != self._t.dim():
            raise ValueError("axes don't match array")
        axes = [_hub.axis_of(a, self._t.dim()) for a in axes]
        if len(set(axes)) != len(axes):
            raise ValueError("repeated axis in transpose")
        return self._view(self._t.permute(axes))

    def swapaxes(self, axis1, axis2):
        n = self._t.dim()
        return self._view(self._t.transpose(_hub.axis_of(axis1, n), _hub.axis_of(axis2, n)))

    def squeeze(self, axis=None):
        if axis is None:
            return self._view(self._t.squeeze())
        axes = sorted((_hub.axis_of(a, self._t.dim()) for a in (axis if isinstance(axis, tuple) else (axis,))))
        t = self._t
        for a in axes[::-1]:
            if t.size(a) != 1:
                raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
            t = t.squeeze(a)
        return self._view(t)

    def resize(self, *shape, refcheck=True):
        shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        self._t = _hub.resize(self, shape)._t


ndarray.__array_interface__ = property(lambda self: {
    "shape": self.shape, "typestr": self._dt.str, "version": 3, "data": (self._t.data_ptr(), self._ro)})


class _Flipped(ndarray):
    """A view along which some axes run backwards. The engine's strides are not negative, so this keeps the view that
    runs forwards; what is read is turned when it is read, what is written is turned back."""

    __slots__ = ("_forward", "_axes")

    @property
    def _t(self):
        return self._forward.flip(self._axes)

    @_t.setter
    def _t(self, value):
        self._forward, self._axes = value, ()

    def _tensor(self):
        raise ValueError("At least one stride in the given numpy array is negative, and tensors with negative strides "
                         "are not currently supported. (You can probably work around this by making a copy of your "
                         "array  with array.copy().) ")

    __rushlight_array__ = _tensor

    @property
    def strides(self):
        steps = self._forward.stride()
        return tuple(-s * self.itemsize if i in self._axes else s * self.itemsize for i, s in enumerate(steps))

    def __setitem__(self, key, value):
        if self._ro:
            raise ValueError("assignment destination is read-only")
        turned = wrap(self._t, self._dt)
        turned._box = self._box
        turned[key] = value
        self._forward.copy_(turned._t.flip(self._axes))


_Flipped.__name__ = _Flipped.__qualname__ = "ndarray"


def flipped(a, forward, axes):
    """The view of `forward` that runs backwards along `axes`."""
    self = object.__new__(_Flipped)
    self._forward, self._axes = forward, tuple(axes)
    self._dt, self._base, self._ro, self._box = a._dt, a if a._base is None else a._base, a._ro, a._box
    return self


def convert(t, source, to):
    """The elements of a tensor as another dtype keeps them."""
    if to.kind in "iu" and source.kind == "f" and to._mask is not None:
        t = t.to(_C.int64)
    t = t.to(to._td)
    if to._mask is not None:
        t = t & to._mask
    return t


def _reshaped(self, shape):
    sizes = [int(shape)] if not isinstance(shape, (tuple, list, ndarray, _C.Size)) else [int(s) for s in shape]
    if sizes.count(-1) > 1:
        raise ValueError("can only specify one unknown dimension")
    n, known = self._t.numel(), 1
    for s in sizes:
        known *= s if s != -1 else 1
    if -1 in sizes and (known == 0 or n % known) or -1 not in sizes and known != n:
        shown = sizes[1:] if sizes[0] == -1 and len(sizes) > 1 else sizes
        text = ",".join("newaxis" if s < 0 else str(s) for s in shown) + ("," if len(sizes) == 1 else "")
        text = f"({text})"
        raise ValueError(f"cannot reshape array of size {n} into shape {text}")
    if -1 in sizes:
        sizes[sizes.index(-1)] = n // known
    t = self._t.reshape(sizes)
    # A copy where the memory could not be kept.
    if isinstance(self, _Flipped) or n and _C._storage_id(t) != _C._storage_id(self._t):
        return self._like(t)
    return self._view(t)


class _Flags:
    """`a.flags`"""

    def __init__(self, a):
        t = a._t
        backwards = isinstance(a, _Flipped)
        self.c_contiguous = not backwards and t.is_contiguous()
        self.f_contiguous = not backwards and a.T._t.is_contiguous()
        self.owndata, self.writeable, self.aligned, self.writebackifcopy = a._base is None, not a._ro, True, False
        self._a = a

    def __getitem__(self, name):
        short = {"C": "c_contiguous", "F": "f_contiguous", "W": "writeable", "O": "owndata", "A": "aligned"}
        return getattr(self, short.get(name, name.lower().replace("contiguous", "contiguous")))

    def __setattr__(self, name, value):
        if name == "writeable" and "_a" in self.__dict__:
            self._a._ro = not value
        self.__dict__[name] = value

    def __setitem__(self, name, value):
        setattr(self, name.lower(), value)

    def __repr__(self):
        rows = ("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED", "WRITEBACKIFCOPY")
        return "\n".join(f"  {n} : {self[n]}" for n in rows) + "\n"


class _Flat:
    """`a.flat`"""

    def __init__(self, a):
        self._a = a

    def __iter__(self):
        return iter(self._a.ravel())

    def __len__(self):
        return self._a.size

    def __getitem__(self, key):
        return self._a.ravel()[key]

    def __setitem__(self, key, value):
        if self._a._t.is_contiguous() and not isinstance(self._a, _Flipped):
            self._a.ravel()[key] = value
        else:
            flat = self._a.flatten()
            flat[key] = value
            self._a[...] = flat.reshape(self._a.shape)


def axis_of(axis, ndim):
    """An axis counted from the front, or AxisError."""
    axis = axis if type(axis) is int else axis.__index__()
    if not -ndim <= axis < ndim:
        raise AxisError(axis, ndim)
    return axis + ndim if axis < 0 else axis


class AxisError(ValueError, IndexError):
    """An axis the array does not have."""

    __module__ = "numpy.exceptions"

    def __init__(self, axis, ndim=None, msg_prefix=None):
        self.axis, self.ndim = axis, ndim
        super().__init__(axis if ndim is None else f"axis {axis} is out of bounds for array of dimension {ndim}")


_hub.ndarray, _hub.wrap, _hub.boxed, _hub.result = ndarray, wrap, boxed, result
_hub.flipped, _hub.convert, _hub.axis_of, _hub.limits = flipped, convert, axis_of, limits
_hub.BAD_INDEX = _BAD_INDEX
