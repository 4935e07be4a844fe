"""`a[...]` and `a[...] = v`: NumPy's subscripts on the engine's."""

from numpy import _hub
from numpy._array import ndarray, wrap
from numpy._host import functions as _F
from numpy._make import asarray
from numpy._scalar import bool_, generic, integer
from torch import _C

_SLICE = slice(None)


def _parts(a, key):
    """The parts of a subscript, checked, with lists and arrays as tensors; whether any is one; the dims they take."""
    raw = key if type(key) is tuple else (key,)
    parts, used, plural = [], 0, False
    for k in raw:
        kind = type(k)
        if kind is slice:
            parts.append(k)
            used += 1
            continue
        if k is None or k is Ellipsis:
            parts.append(k)
            continue
        if kind is int or isinstance(k, integer):
            parts.append(int(k))
            used += 1
            continue
        if kind is bool or kind is bool_:
            parts.append(_F.tensor(bool(k)))
            plural = True
            continue
        if isinstance(k, (str, bytes)) or isinstance(k, (float, generic)):
            raise IndexError(_hub.BAD_INDEX)
        if isinstance(k, ndarray) or isinstance(k, (list, tuple, range)) or hasattr(kind, "__array__"):
            arr = asarray(k)
            if arr.size == 0 and not isinstance(k, ndarray):
                arr = arr.astype("int64")
            if arr._dt.kind == "b":
                used += arr.ndim
            elif arr._dt.kind in "iu":
                if arr.ndim == 0:
                    parts.append(arr.item())
                    used += 1
                    continue
                arr = arr.astype("int64") if arr._dt.name != "int64" else arr
                used += 1
            else:
                raise IndexError("arrays used as indices must be of integer (or boolean) type")
            parts.append(arr._t)
            plural = True
            continue
        try:
            parts.append(k.__index__())
            used += 1
        except AttributeError:
            raise IndexError(_hub.BAD_INDEX) from None
    shape = a._t.size()
    ndim = len(shape)
    if used > ndim:
        raise IndexError(f"too many indices for array: array is {ndim}-dimensional, but {used} were indexed")
    if sum(p is Ellipsis for p in parts) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    _check(parts, used, shape)
    return parts, used, plural


def _check(parts, used, shape):
    """Bounds, in NumPy's words."""
    axis = 0
    for p in parts:
        if p is None:
            continue
        if p is Ellipsis:
            axis += len(shape) - used
        elif type(p) is int:
            n = shape[axis]
            if not -n <= p < n:
                raise IndexError(f"index {p} is out of bounds for axis {axis} with size {n}")
            axis += 1
        elif type(p) is slice:
            axis += 1
        elif p.dtype == _C.bool:
            for d in range(p.dim()):
                if p.size(d) != shape[axis + d]:
                    raise IndexError(
                        f"boolean index did not match indexed array along axis {axis + d}; size of axis is "
                        f"{shape[axis + d]} but size of corresponding boolean axis is {p.size(d)}")
            axis += p.dim()
        else:
            n = shape[axis]
            if p.numel():
                low, high = p.min().item(), p.max().item()
                if low < -n or high >= n:
                    bad = next(v for v in p.flatten().tolist() if not -n <= v < n)
                    raise IndexError(f"index {bad} is out of bounds for axis {axis} with size {n}")
            axis += 1
    tensors = [p for p in parts if isinstance(p, _C.Tensor) and p.dtype != _C.bool]
    if len(tensors) > 1:
        try:
            _hub.broadcast_shapes(*(tuple(t.size()) for t in tensors))
        except ValueError:
            shapes = " ".join(_hub.shape_text(tuple(t.size())) for t in tensors)
            raise IndexError("shape mismatch: indexing arrays could not be broadcast together with shapes "
                             + shapes + " ") from None


def _is_negative(p):
    return type(p) is slice and p.step is not None and p.step < 0


def _split(a, parts, used):
    """The array with its slices of negative step applied, and the parts that are left to do."""
    ndim = a._t.dim()
    first, rest, turn, axis = [], [], [], 0
    for p in parts:
        if p is None:
            rest.append(p)
        elif p is Ellipsis:
            first.extend([_SLICE] * (ndim - used))
            rest.append(p)
            axis += ndim - used
        elif _is_negative(p):
            indices = range(a._t.size(axis))[p]
            if len(indices):
                step = -indices.step
                first.append(slice(indices[-1], indices[0] + 1, step))
            else:
                first.append(slice(0, 0))
            rest.append(_SLICE)
            turn.append(axis)
            axis += 1
        else:
            dims = p.dim() if isinstance(p, _C.Tensor) and p.dtype == _C.bool else 1
            first.extend([_SLICE] * dims)
            rest.append(p)
            axis += dims
    if isinstance(a, _hub.flipped_class):
        copy = wrap(a._t, a._dt, a)
        copy._box = a._box
        a = copy
    return _hub.flipped(a, a._t[tuple(first)], turn), rest


def get(a, key):
    if isinstance(key, ndarray) and key._dt.kind == "b" and key.shape == a.shape and key._t.dim():
        return a._like(a._t[key._t])
    parts, used, plural = _parts(a, key)
    for p in parts:
        if _is_negative(p):
            turned, rest = _split(a, parts, used)
            if not plural and all(r is Ellipsis or r == _SLICE for r in rest):
                return turned
            return get(turned, tuple(rest))
    t = a._t[tuple(parts)]
    if plural:
        return a._like(t) if t.dim() or any(p is Ellipsis for p in parts) else a._out(t)
    whole = any(p is Ellipsis for p in parts)
    return a._view(t) if t.dim() or whole else a._scalar(t)


def set(a, key, value):
    if a._ro:
        raise ValueError("assignment destination is read-only")
    if a._box is not None:
        return _set_boxed(a, key, value)
    t = a._t
    if type(value) in (int, float, bool):
        if a._dt.kind in "iu":
            if type(value) is float:
                if value != value:
                    raise ValueError("cannot convert float NaN to integer")
                if value in (float("inf"), -float("inf")):
                    raise OverflowError("cannot convert float infinity to integer")
                value = int(value)
            low, high = _hub.limits(a._dt)
            if not low <= value <= high:
                raise OverflowError(f"Python integer {value} out of bounds for {a._dt.name}")
        new = _F.tensor(value, dtype=t.dtype)
    else:
        arr = asarray(value)
        if arr._dt._boxed:
            arr = arr.astype(a._dt)
        new = arr._t
        if arr._dt is not a._dt:
            new = _hub.convert(new, arr._dt, a._dt)
        if a._dt.kind in "iu" and arr._dt.kind == "f" and arr._t.dim() == 0 and arr._t.item() != arr._t.item():
            raise ValueError("cannot convert float NaN to integer")
    parts, used, plural = _parts(a, key)
    if any(_is_negative(p) for p in parts) or isinstance(a, _hub.flipped_class):
        if isinstance(a, _hub.flipped_class):
            a[key] = value
            return
        turned, rest = _split(a, parts, used)
        inner = wrap(turned._t, a._dt)
        set(inner, tuple(rest), wrap(new, a._dt))
        turned._forward.copy_(inner._t.flip(turned._axes))
        return
    index = tuple(parts)
    if plural:
        mask = parts[0] if len(parts) == 1 else None
        if mask is not None and mask.dtype == _C.bool and mask.dim() == t.dim() and new.dim():
            count = mask.sum().item()
            if new.dim() == 1 and new.numel() not in (1, count):
                raise ValueError(f"NumPy boolean array indexing assignment cannot assign {new.numel()} input values to "
                                 f"the {count} output values where the mask is true")
        try:
            t[index] = _shared(new, t)
        except RuntimeError:
            have, want = tuple(new.size()), tuple(t[index].size())
            raise ValueError(f"shape mismatch: value array of shape {_hub.shape_text(have)} could not be broadcast to "
                             f"indexing result of shape {_hub.shape_text(want)}") from None
        return
    part = t[index] if index != (Ellipsis,) else t
    have, want = tuple(new.size()), tuple(part.size())
    if have != want:
        while len(have) > len(want) and have[0] == 1:
            new, have = new[0], have[1:]
        if len(have) > len(want) or any(h not in (1, w) for h, w in zip(have[::-1], want[::-1])):
            text = _hub.shape_text(tuple(new.size())), _hub.shape_text(want)
            raise ValueError(f"could not broadcast input array from shape {text[0]} into shape {text[1]}")
    part.copy_(_shared(new, t))


def _shared(new, t):
    """A copy of what lies in the memory that is written."""
    return new.clone() if new.dim() and _C._storage_id(new) == _C._storage_id(t) else new


def _set_boxed(a, key, value):
    start = len(a._box)
    if isinstance(value, (ndarray, list, tuple)):
        arr = asarray(value)
        items = arr.ravel().tolist()
        places = _F.arange(start, start + len(items)).reshape(arr.shape)
    else:
        items, places = [value], _F.tensor(start)
    if a._dt.kind in "US":
        items = [str(x)[:a._dt._length] if a._dt.kind == "U" else bytes(x)[:a._dt._length] for x in items]
    a._box.extend(items)
    inner = wrap(a._t, _hub.INT64)
    set(inner, key, wrap(places, _hub.INT64))


def shape_text(shape):
    """A shape as error messages have it."""
    return f"({shape[0]},)" if len(shape) == 1 else "(" + ",".join(map(str, shape)) + ")"


from numpy._array import _Flipped  # noqa: E402
from numpy._dtype import INT64  # noqa: E402

_hub.get, _hub.set, _hub.shape_text, _hub.flipped_class, _hub.INT64 = get, set, shape_text, _Flipped, INT64
