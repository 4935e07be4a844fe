"""Arrays from Python's data: `np.array`, `np.asarray`."""

from numpy import _hub
from numpy._dtype import (BOOL, FLOAT64, INT64, OBJECT, _made, dtype as Dtype, lacking, of_tensor, promote_types,
                          text_dtype)
from numpy._host import functions as _F
from numpy._scalar import generic
from torch import _C

_Tensor = _C.TensorBase if hasattr(_C, "TensorBase") else _C.Tensor
_PLAIN = {bool: BOOL, int: INT64, float: FLOAT64}
_RAGGED = ("setting an array element with a sequence. The requested array has an inhomogeneous shape after {} "
           "dimensions. The detected shape was {} + inhomogeneous part.")


def _leaf(obj):
    """An array for what is one already, or None."""
    if isinstance(obj, _hub.ndarray):
        return obj
    if isinstance(obj, generic) or isinstance(obj, (str, bytes)):
        return None
    if isinstance(obj, _Tensor) or hasattr(type(obj), "__array__"):
        return obj.__array__()
    return None


def array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, like=None):
    """An array of numbers, nested lists of numbers, or other arrays."""
    dt = None if dtype is None else Dtype(dtype)
    found = _leaf(object)
    if found is not None:
        if dt is None or dt is found.dtype:
            out = found.copy("K" if order in "KA" else "C") if copy else found
        elif copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested.\nIf using `np.array(obj, "
                             "copy=False)` replace it with `np.asarray(obj)` to allow a copy when needed (no behavior "
                             "change in NumPy 1.x).\nFor more details, see https://numpy.org/devdocs/"
                             "numpy_2_0_migration_guide.html#adapting-to-changes-in-the-copy-keyword.")
        else:
            out = found.astype(dt)
    else:
        out = _from_data(object, dt)
    if order == "F" and out.ndim > 1:
        out = out.copy(order="F")
    while out.ndim < ndmin:
        out = out[None]
    return out


def asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    """An array of `a`: `a` itself where it is one."""
    if isinstance(a, _hub.ndarray) and (dtype is None or Dtype(dtype) is a.dtype) and not copy:
        return a.copy("C") if order == "C" and not a._t.is_contiguous() else a
    found = _leaf(a)
    if found is None:
        return array(a, dtype)
    if dtype is not None and Dtype(dtype) is not found.dtype:
        return found.astype(dtype)
    return found.copy() if copy else found


def _from_data(obj, dt):
    kind = type(obj)
    if kind in _PLAIN or isinstance(obj, generic) and not isinstance(obj, (str, bytes)):
        own = _PLAIN.get(kind) or obj.dtype
        if kind is int and dt is None and not -(1 << 63) <= obj < (1 << 63):
            raise lacking("uint64" if 0 <= obj < (1 << 64) else "object holding large ints")
        return _fill([obj if kind in _PLAIN else obj._v], (), own, dt)
    if kind is complex:
        raise lacking("complex128")
    if not isinstance(obj, (list, tuple)):
        if isinstance(obj, (range, bytearray, memoryview)) or (
                hasattr(kind, "__len__") and hasattr(kind, "__getitem__") and not isinstance(obj, (str, bytes, dict))
                and hasattr(kind, "__iter__")):
            obj = list(obj)
        else:
            if isinstance(obj, (str, bytes)) and (dt is None or dt.kind != "O"):
                return _texts([obj], (), dt)
            return _hub.boxed([obj], (), OBJECT)
    flat, dims, seen = [], [], set()
    arrays = []
    _shape(obj, dims)
    ok = _collect(obj, 0, dims, flat, seen, arrays)
    if not ok:
        if dt is not None and dt.kind == "O":
            return _hub.boxed(list(obj), (len(obj),), OBJECT)
        shape = _common(obj, dims)
        raise ValueError(_RAGGED.format(len(shape), shape))
    shape = tuple(dims)
    if arrays:
        if dt is None and arrays[0] is not None and len(arrays) == len(obj) and not seen:
            return _hub.stack([a for a in arrays])
        parts = []
        for item in flat:
            parts.extend(item.ravel().tolist() if isinstance(item, _hub.ndarray) else [item])
        for a in arrays:
            seen.add(a.dtype)
        flat = parts
    own = None
    for s in seen:
        new = _PLAIN.get(s) or (s if type(s) is Dtype else None)
        if new is None:
            new = OBJECT
            if s in (str, bytes):
                new = text_dtype(1, "U" if s is str else "S")
            elif s is complex:
                raise lacking("complex128")
        own = new if own is None else promote_types(own, new)
    own = own or FLOAT64
    if own.kind in "US" or dt is not None and dt.kind in "US":
        return _texts(flat, shape, dt)
    return _fill(flat, shape, own, dt)


def _texts(flat, shape, dt):
    least = max([5 if x is True or x is False else 21 if isinstance(x, int) else 32 if isinstance(x, float) else 1
                 for x in flat] or [1])
    flat = [x if isinstance(x, (str, bytes)) else str(x) for x in flat]
    kind = dt.kind if dt is not None else "S" if flat and all(isinstance(x, bytes) for x in flat) else "U"
    if dt is not None and dt.kind not in "US":
        if dt.kind == "O":
            return _hub.boxed(flat, shape, dt)
        convert = int if dt.kind in "iu" else float if dt.kind == "f" else bool
        return _fill([_parse(convert, x) for x in flat], shape, dt, dt)
    length = dt._length if dt is not None and dt._length else max([len(x) for x in flat] + [least])
    if kind == "S":
        flat = [x.encode() if isinstance(x, str) else bytes(x) for x in flat]
    return _hub.boxed([x[:length] for x in flat], shape, text_dtype(length, kind))


def _parse(convert, text):
    try:
        return convert(text)
    except ValueError:
        if convert is float:
            raise ValueError(f"could not convert string to float: {text!r}") from None
        raise


def _shape(obj, dims):
    while True:
        if isinstance(obj, (list, tuple)):
            dims.append(len(obj))
            if not obj or len(dims) > 64:
                return
            obj = obj[0]
            continue
        if type(obj) not in _PLAIN:
            inner = _leaf(obj)
            if inner is not None:
                dims.extend(inner.shape)
        return


def _collect(obj, depth, dims, flat, seen, arrays):
    """Gather the elements; False where the lengths differ."""
    if isinstance(obj, (list, tuple)):
        if depth >= len(dims) or len(obj) != dims[depth]:
            return False
        if depth == len(dims) - 1:
            kinds = set(map(type, obj))
            if kinds <= _PLAIN.keys():
                seen |= kinds
                flat.extend(obj)
                return True
        for item in obj:
            if not _collect(item, depth + 1, dims, flat, seen, arrays):
                return False
        return True
    kind = type(obj)
    if kind not in _PLAIN:
        inner = _leaf(obj)
        if inner is not None:
            if tuple(dims[depth:]) != inner.shape:
                return False
            arrays.append(inner)
            flat.append(inner)
            return True
    if depth != len(dims):
        return False
    if isinstance(obj, generic) and not isinstance(obj, (str, bytes)):
        seen.add(obj.dtype)
        flat.append(obj._v)
    else:
        seen.add(bool if kind is bool else str if isinstance(obj, str) else bytes if isinstance(obj, bytes) else kind)
        flat.append(obj)
    return True


def _common(obj, dims):
    """The leading dimensions that all parts share."""
    level, shape = [obj], []
    while level and all(isinstance(o, (list, tuple)) or getattr(o, "ndim", 0) for o in level):
        sizes = {len(o) for o in level}
        if len(sizes) != 1:
            break
        shape.append(sizes.pop())
        level = [x for o in level for x in o]
    return tuple(shape)


def _fill(flat, shape, own, dt):
    dt = dt or own
    if dt.kind == "O":
        return _hub.boxed(flat, shape, dt)
    if dt.kind in "US":
        return _texts(flat, shape, dt)
    if own.kind == "O":
        if any(x is None for x in flat) and dt.kind == "f":
            flat = [float("nan") if x is None else x for x in flat]
        elif any(isinstance(x, str) for x in flat):
            flat = [_parse(float, x) for x in flat]
        elif dt is own:
            return _hub.boxed(flat, shape, dt)
        else:
            bad = next(x for x in flat if not isinstance(x, (int, float, generic)))
            need = "int" if dt.kind in "iu" else "float"
            raise TypeError(f"{need}() argument must be a string or a real number, not {type(bad).__name__!r}")
    if dt.kind in "iu":
        if own.kind == "f":
            for x in flat:
                if x != x:
                    raise ValueError("cannot convert float NaN to integer")
            flat = [int(x) for x in flat]
        low, high = _hub.limits(dt)
        for x in flat:
            if not low <= x <= high:
                raise OverflowError(f"Python integer {int(x)} out of bounds for {dt.name}")
    if dt.kind == "b":
        flat = [bool(x) for x in flat]
    flat_t = _F.tensor(flat, dtype=dt._td)
    return _hub.wrap(flat_t.reshape(shape), dt)


def of(tensor, base=None):
    """An array over a tensor's memory."""
    return _hub.wrap(tensor, of_tensor(tensor), base)


def frombuffer(buffer, dtype=float, count=-1, offset=0, *, like=None):
    """The bytes of a buffer as numbers, in one dimension; not to be written to where the buffer can't be."""
    dt = Dtype(dtype)
    data = bytes(buffer)
    if offset < 0 or offset > len(data):
        raise ValueError(f"offset must be non-negative and no greater than buffer length ({len(data)})")
    data = data[offset:]
    if count < 0:
        if len(data) % dt.itemsize:
            raise ValueError("buffer size must be a multiple of element size")
    elif count * dt.itemsize > len(data):
        raise ValueError("buffer is smaller than requested size")
    else:
        data = data[:count * dt.itemsize]
    out = from_bytes(data, dt)
    out._ro = isinstance(buffer, bytes)
    return out


def from_bytes(data, dt):
    """An array of raw bytes."""
    if dt._boxed:
        if dt.kind == "O":
            raise ValueError("cannot create an OBJECT array from memory buffer")
        step = dt.itemsize
        parts = [data[i:i + step] for i in range(0, len(data), step)]
        if dt.kind == "S":
            return _hub.boxed([p.rstrip(b"\0") for p in parts], (len(parts),), dt)
        texts = ["".join(chr(int.from_bytes(p[i:i + 4], "little")) for i in range(0, step, 4)) for p in parts]
        return _hub.boxed([t.rstrip("\0") for t in texts], (len(texts),), dt)
    if dt.byteorder == ">" and dt.itemsize > 1:
        size = dt.itemsize
        swapped = bytearray(len(data))
        for at in range(size):
            swapped[at::size] = data[size - 1 - at::size]
        data = bytes(swapped)
    if dt._mask is not None:
        half = _made["int16"] if dt.itemsize == 2 else _made["int32"]
        t = _C._from_storage_bytes(data, half._td).to(dt._td).bitwise_and_(dt._mask)
    else:
        t = _C._from_storage_bytes(data, dt._td)
    return _hub.wrap(t, dt)


def to_bytes(a, order="C"):
    """The elements of an array as they would lie in memory."""
    dt = a.dtype
    if order == "F":
        a = a.T
    if dt._boxed:
        step = dt.itemsize
        code = (lambda s: b"".join(ord(c).to_bytes(4, "little") for c in s)) if dt.kind == "U" else bytes
        return b"".join(code(x).ljust(step, b"\0") for x in a.ravel().tolist())
    t = a._t
    if dt._mask is not None:
        t = t.to(_C.int16 if dt.itemsize == 2 else _C.int32)
    data = _C._element_bytes(t)
    if dt.byteorder == ">":
        size = dt.itemsize
        swapped = bytearray(len(data))
        for at in range(size):
            swapped[at::size] = data[size - 1 - at::size]
        data = bytes(swapped)
    return data


_hub.array, _hub.asarray, _hub.of = array, asarray, of
_hub.from_bytes, _hub.frombuffer = from_bytes, frombuffer
