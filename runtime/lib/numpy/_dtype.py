"""Dtypes: what the elements of an array are, and what two kinds of elements become together."""

from torch import _C

_NATIVE = "="
# Names of C and of older NumPy.
_ALIASES = {
    "float": "float64", "int": "int64", "uint": "uint64", "double": "float64", "single": "float32", "half": "float16",
    "bool_": "bool", "str_": "str", "object_": "object", "byte": "int8", "ubyte": "uint8", "short": "int16",
    "ushort": "uint16", "intc": "int32", "uintc": "uint32", "intp": "int64", "long": "int64", "longlong": "int64",
    "f2": "float16", "f4": "float32", "f8": "float64", "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64",
    "u1": "uint8", "u2": "uint16", "u4": "uint32", "u8": "uint64", "b1": "bool", "?": "bool", "b": "int8", "B": "uint8",
    "h": "int16", "H": "uint16", "i": "int32", "I": "uint32", "l": "int64", "q": "int64", "L": "uint64", "Q": "uint64",
    "e": "float16", "f": "float32", "d": "float64", "O": "object", "U": "str", "S": "bytes", "p": "int64",
}
_LACKING = {"complex64", "complex128", "complex", "c8", "c16", "F", "D", "uint64", "longdouble", "float128", "g",
            "datetime64", "timedelta64", "clongdouble", "complex256", "datetime64[D]", "datetime64[s]"}
_ORDER = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "float16", "float32", "float64",
          "str", "bytes", "object"]
_FACTS = {  # kind, char, bytes, torch's name for how it is kept
    "bool": ("b", "?", 1, "bool"), "int8": ("i", "b", 1, "int8"), "uint8": ("u", "B", 1, "uint8"),
    "int16": ("i", "h", 2, "int16"), "uint16": ("u", "H", 2, "int32"), "int32": ("i", "i", 4, "int32"),
    "uint32": ("u", "I", 4, "int64"), "int64": ("i", "l", 8, "int64"), "float16": ("f", "e", 2, "float16"),
    "float32": ("f", "f", 4, "float32"), "float64": ("f", "d", 8, "float64"), "object": ("O", "O", 8, "int64"),
}
_made = {}
_scalar_types = {}


class dtype:
    """What one element is: `np.dtype("float32")`."""

    __module__ = "numpy"

    def __new__(cls, spec="float64", align=False, copy=False):
        if type(spec) is dtype:
            return spec
        found = _made.get(spec) if isinstance(spec, (str, type)) else None
        return found or _find(spec)

    @property
    def str(self):
        if self.kind in "US":
            return ("<" if self.kind == "U" else "|") + self.kind + str(self._length)
        order = "|" if self.itemsize == 1 or self.kind == "O" else ">" if self.byteorder == ">" else "<"
        return order + self.kind + str(self.itemsize) if self.kind != "O" else "|O"

    @property
    def isnative(self):
        return self.byteorder != ">"

    @property
    def fields(self):
        return None

    names = None
    shape = ()
    subdtype = None
    hasobject = property(lambda self: self.kind == "O")
    alignment = property(lambda self: self.itemsize)
    base = property(lambda self: self)
    ndim = 0

    def newbyteorder(self, order="S"):
        """The same dtype with its bytes the other way round."""
        if self.itemsize == 1 or self.kind in "USO":
            return self
        big = {"S": self.byteorder != ">", "<": False, "=": False, "little": False, ">": True, "big": True}[order]
        return _make(self._plain, ">" if big else _NATIVE)

    def __eq__(self, other):
        if type(other) is not dtype:
            try:
                other = dtype(other)
            except TypeError:
                return False
        return self is other or (self.str == other.str)

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash(self.str)

    def __str__(self):
        return self.str if self.byteorder == ">" or self.kind in "US" else self.name

    def __repr__(self):
        return f"dtype({_short(self)!r})"

    def __reduce__(self):
        wide = (self.itemsize, 4 if self.kind == "U" else 1, 8) if self.kind in "US" else (-1, -1, 63 * (self.kind == "O"))
        return dtype, (self.str.lstrip("<>|"), False, True), (3, self.str[0], None, None, None, *wide)

    def __setstate__(self, state):
        if state[1] == ">" and self.str[0] == "<":
            raise NotImplementedError("pickled arrays of big-endian dtypes cannot be read here")

    def __bool__(self):
        return True


def _short(dt):
    return "O" if dt.kind == "O" else str(dt)


def _make(name, order=_NATIVE, length=0):
    key = name if order == _NATIVE and not length else (name, order, length)
    if key in _made:
        return _made[key]
    self = object.__new__(dtype)
    if name in ("str", "bytes"):
        wide = name == "str"
        self.kind, self.char = ("U", "U") if wide else ("S", "S")
        self._length, self.itemsize, self._td = length, length * (4 if wide else 1), _C.int64
        self.name = f"{name}{self.itemsize * 8}" if length else name
        order = _NATIVE if wide else "|"
    else:
        self.kind, self.char, self.itemsize, kept = _FACTS[name]
        self._td, self.name = getattr(_C, kept), name
    self._plain = name
    self._boxed = self.kind in "USO"
    self._mask = {"uint16": 0xFFFF, "uint32": 0xFFFFFFFF}.get(name)
    self.byteorder = "|" if self.itemsize == 1 or self.kind == "O" else order
    self.num = _ORDER.index(name)
    self.type = _scalar_types.get(name)
    _made[key] = self
    return self


def text_dtype(length, kind="U"):
    return _make("str" if kind == "U" else "bytes", _NATIVE, length)


def lacking(name):
    return NotImplementedError(f"numpy arrays of dtype {name} are not available here")


def _find(spec):
    if spec is None:
        return _made["float64"]
    if isinstance(spec, type):
        plain = {float: "float64", int: "int64", bool: "bool", object: "object", str: "str", bytes: "bytes"}.get(spec)
        if spec is complex:
            raise lacking("complex128")
        if plain is None:
            name = spec.__name__
            named = spec.__module__ == "numpy"
            if named and name in _LACKING:
                raise lacking(name)
            plain = _ALIASES.get(name, name) if named else None
        if plain is not None and (plain in _FACTS or plain in ("str", "bytes")):
            return _make(plain)
        raise TypeError(f"Cannot interpret '{spec!r}' as a data type")
    if isinstance(spec, str):
        text, order = spec, _NATIVE
        if text[:1] in "<>=|":
            order, text = (">" if text[0] == ">" else _NATIVE), text[1:]
        if text in _LACKING:
            raise lacking(text)
        if text[:1] in "US" and text[1:].isdigit():
            return text_dtype(int(text[1:]), text[0])
        name = _ALIASES.get(text, text)
        if name in _LACKING:
            raise lacking(name)
        if name in ("str", "bytes"):
            return _make(name)
        if name not in _FACTS:
            raise TypeError(f"data type {spec!r} not understood")
        return _make(name, order if _FACTS[name][2] > 1 else _NATIVE)
    if isinstance(spec, _C.dtype):
        raise TypeError(f"Cannot interpret '{spec!r}' as a data type")
    inner = getattr(spec, "dtype", None)
    if type(inner) is dtype:
        return inner
    if isinstance(spec, (list, tuple, dict)):
        raise NotImplementedError("structured dtypes are not available here")
    raise TypeError(f"Cannot interpret '{spec!r}' as a data type")


for _name in _FACTS:
    _make(_name)
BOOL, INT64, FLOAT64, OBJECT = (_made[_n] for _n in ("bool", "int64", "float64", "object"))
FLOAT16, FLOAT32, UINT8, INT32 = (_made[_n] for _n in ("float16", "float32", "uint8", "int32"))
_of_torch = {getattr(_C, _FACTS[_n][3]): _made[_n] for _n in _FACTS if _n not in ("uint16", "uint32", "object")}


def of_tensor(tensor):
    """The dtype of a tensor's elements."""
    found = _of_torch.get(tensor.dtype)
    if found is None:
        if tensor.dtype == _C.bfloat16:
            raise TypeError("Got unsupported ScalarType BFloat16")
        raise lacking(str(tensor.dtype).removeprefix("torch."))
    return found


def promote_types(a, b):
    """The smallest dtype that holds what both hold."""
    a, b = dtype(a), dtype(b)
    if a is b:
        return a
    if a.byteorder == ">":
        a = _made[a._plain]
    if b.byteorder == ">":
        b = _made[b._plain]
    if a is b:
        return a
    if a.kind == "O" or b.kind == "O":
        return OBJECT
    if a.kind in "US" or b.kind in "US":
        lengths = [d._length if d.kind in "US" else {"b": 5, "f": 32}.get(d.kind, 21) for d in (a, b)]
        return text_dtype(max(lengths))
    if a.kind == "b":
        return b
    if b.kind == "b":
        return a
    if a.kind == b.kind:
        return a if a.itemsize >= b.itemsize else b
    if b.kind == "f":
        a, b = b, a
    if a.kind == "f":
        need = {1: 2, 2: 4}.get(b.itemsize, 8)
        return _made["float%d" % (8 * max(need, a.itemsize))]
    signed, unsigned = (a, b) if a.kind == "i" else (b, a)
    if signed.itemsize > unsigned.itemsize:
        return signed
    return _made["int%d" % (16 * unsigned.itemsize)]


def limits(dt):
    """The smallest and the largest integer of a dtype."""
    if dt.kind == "b":
        return 0, 1
    bits = 8 * dt.itemsize
    return (0, (1 << bits) - 1) if dt.kind == "u" else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)


_LEVEL = {"b": 0, "u": 1, "i": 2, "f": 3, "S": 5, "U": 6, "O": 7}


def can_cast(source, to, casting="safe"):
    """Whether elements may be converted under a rule."""
    source = dtype(source if isinstance(source, type) else getattr(source, "dtype", source))
    to = dtype(to)
    if casting == "unsafe" or source is to:
        return True
    if casting in ("no", "equiv"):
        return source == to
    if casting == "same_kind" and _LEVEL[source.kind] <= _LEVEL[to.kind]:
        return True
    return promote_types(source, to) == to


class iinfo:
    """The limits of an integer dtype."""

    __module__ = "numpy"

    def __init__(self, kind):
        self.dtype = dtype(type(kind) if isinstance(kind, int) else kind)
        if self.dtype.kind not in "iu":
            raise ValueError(f"Invalid integer data type {self.dtype.kind!r}.")
        self.bits = 8 * self.dtype.itemsize
        self.min, self.max = limits(self.dtype)

    def __repr__(self):
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"


class finfo:
    """The limits of a floating dtype."""

    __module__ = "numpy"

    def __init__(self, kind):
        self.dtype = dtype(type(kind) if isinstance(kind, float) else kind)
        if self.dtype.kind != "f":
            raise ValueError(f"data type {self.dtype!r} not inexact")
        make = self.dtype.type
        digits, lowest = {2: (10, -14), 4: (23, -126), 8: (52, -1022)}[self.dtype.itemsize]
        self.bits, self.nmant = 8 * self.dtype.itemsize, digits
        self.eps, self.epsneg = make(2.0 ** -digits), make(2.0 ** (-digits - 1))
        self.tiny = self.smallest_normal = make(2.0 ** lowest)
        self.smallest_subnormal = make(2.0 ** (lowest - digits))
        top = (2.0 - 2.0 ** -digits) * 2.0 ** (1 - lowest)
        self.max, self.min = make(top), make(-top)
        self.resolution = make(10.0 ** -{2: 3, 4: 6, 8: 15}[self.dtype.itemsize])
        self.precision = {2: 3, 4: 6, 8: 15}[self.dtype.itemsize]

    def __repr__(self):
        return "finfo(" + ", ".join(f"{k}={getattr(self, k)!s}" for k in ("resolution", "min", "max", "dtype")) + ")"
