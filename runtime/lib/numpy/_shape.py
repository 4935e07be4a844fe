"""Shapes: joining, splitting, turning, repeating."""

from numpy import _hub
from numpy._array import axis_of, ndarray, wrap
from numpy._create import arange, shape_of, zeros
from numpy._dtype import promote_types
from numpy._host import functions as _F
from numpy._make import asarray
from torch import _C


def broadcast_shapes(*shapes):
    """The shape that shapes have together."""
    shapes = [(s,) if isinstance(s, int) else tuple(s) for s in shapes]
    n = max(map(len, shapes), default=0)
    out = [1] * n
    for s in shapes:
        for i, size in enumerate(s, n - len(s)):
            if size != 1:
                if out[i] not in (1, size):
                    texts = " ".join(f"arg {k} with shape {_hub.shape_text(x)}" for k, x in enumerate(shapes))
                    raise ValueError("shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is "
                                     f"between {texts.replace(' arg', ' and arg', 1)}.")
                out[i] = size
    return tuple(out)


def broadcast_to(array, shape, subok=False):
    """A view of `array` in a larger shape; not to be written to."""
    a = asarray(array)
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if len(shape) < a.ndim or any(n not in (1, m) for n, m in zip(a.shape[::-1], shape[::-1])):
        raise ValueError("operands could not be broadcast together with remapped shapes [original->remapped]: "
                         f"{_hub.shape_text(a.shape)}  and requested shape {_hub.shape_text(shape)}")
    out = a._view(a._t.expand(shape))
    out._ro = True
    return out


def broadcast_arrays(*args, subok=False):
    """All in the shape they have together."""
    arrays = [asarray(a) for a in args]
    shape = broadcast_shapes(*(a.shape for a in arrays))
    return tuple(broadcast_to(a, shape) for a in arrays)


def _joined(arrays):
    """Arrays of one dtype, with one list of objects where they have such."""
    dt = arrays[0]._dt
    for a in arrays[1:]:
        dt = promote_types(dt, a._dt) if a._dt is not dt else dt
    if not dt._boxed:
        return [a._t if a._dt is dt else _hub.convert(a._t, a._dt, dt) for a in arrays], dt, None
    box, ts = [], []
    for a in arrays:
        if a._box is None:
            a = a.astype(dt)
        ts.append(a._t + len(box))
        box = box + a._box
    return ts, dt, box


def _sequence(arrays, what="concatenate"):
    arrays = [asarray(a) for a in arrays]
    if not arrays:
        raise ValueError(f"need at least one array to {what}")
    return arrays


def _made(t, dt, box, out=None, dtype=None):
    new = wrap(t, dt)
    new._box = box
    if dtype is not None:
        new = new.astype(dtype)
    if out is not None:
        out[...] = new
        return out
    return new


def concatenate(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays one after the other along an axis."""
    arrays = _sequence(arrays)
    if axis is None:
        arrays, axis = [a.ravel() for a in arrays], 0
    if arrays[0].ndim == 0:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    axis = axis_of(axis, arrays[0].ndim)
    first = arrays[0]
    for k, a in enumerate(arrays):
        if a.ndim != first.ndim:
            raise ValueError("all the input arrays must have same number of dimensions, but the array at index 0 has "
                             f"{first.ndim} dimension(s) and the array at index {k} has {a.ndim} dimension(s)")
        for d in range(a.ndim):
            if d != axis and a.shape[d] != first.shape[d]:
                raise ValueError("all the input array dimensions except for the concatenation axis must match exactly, "
                                 f"but along dimension {d}, the array at index 0 has size {first.shape[d]} and the "
                                 f"array at index {k} has size {a.shape[d]}")
    ts, dt, box = _joined(arrays)
    return _made(_F.cat(ts, axis), dt, box, out, dtype)


concat = concatenate


def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays of one shape along a new axis."""
    arrays = _sequence(arrays, "stack")
    if len({a.shape for a in arrays}) != 1:
        raise ValueError("all input arrays must have the same shape")
    ts, dt, box = _joined(arrays)
    return _made(_F.stack(ts, axis_of(axis, arrays[0].ndim + 1)), dt, box, out, dtype)


def _at_least(n):
    def at_least(*arys):
        out = []
        for a in arys:
            a = asarray(a)
            if n == 3 and a.ndim == 2:
                a = a[:, :, None]
            elif n == 3 and a.ndim == 1:
                a = a[None, :, None]
            while a.ndim < n:
                a = a[None]
            out.append(a)
        return out[0] if len(out) == 1 else tuple(out)

    at_least.__name__ = f"atleast_{n}d"
    return at_least


atleast_1d, atleast_2d, atleast_3d = _at_least(1), _at_least(2), _at_least(3)


def vstack(tup, *, dtype=None, casting="same_kind"):
    """Arrays as rows, one below the other."""
    return concatenate([atleast_2d(a) for a in tup], 0, dtype=dtype)


row_stack = vstack


def hstack(tup, *, dtype=None, casting="same_kind"):
    """Arrays side by side."""
    arrays = [atleast_1d(a) for a in tup]
    return concatenate(arrays, 0 if arrays and arrays[0].ndim == 1 else 1, dtype=dtype)


def dstack(tup):
    """Arrays behind each other."""
    return concatenate([atleast_3d(a) for a in tup], 2)


def column_stack(tup):
    """Arrays as columns."""
    arrays = [asarray(a) for a in tup]
    return concatenate([a.reshape(-1, 1) if a.ndim < 2 else a for a in arrays], 1)


def array_split(ary, indices_or_sections, axis=0):
    """Parts, as even as may be."""
    a = asarray(ary)
    n = a.shape[axis]
    if isinstance(indices_or_sections, int):
        parts = indices_or_sections
        if parts <= 0:
            raise ValueError("number sections must be larger than 0.")
        size, more = divmod(n, parts)
        ends = [0]
        for i in range(parts):
            ends.append(ends[-1] + size + (i < more))
    else:
        ends = [0] + [int(i) for i in indices_or_sections] + [n]
    before = (slice(None),) * axis_of(axis, a.ndim)
    return [a[before + (slice(i, j),)] for i, j in zip(ends, ends[1:])]


def split(ary, indices_or_sections, axis=0):
    """Parts of one size, or cut at places."""
    if isinstance(indices_or_sections, int) and asarray(ary).shape[axis] % indices_or_sections:
        raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


def hsplit(ary, n):
    return split(ary, n, 0 if asarray(ary).ndim == 1 else 1)


def vsplit(ary, n):
    return split(ary, n, 0)


def reshape(a, /, shape, order="C", *, copy=None):
    """The same elements in another shape."""
    return a.reshape(shape) if isinstance(a, _C.Tensor) else asarray(a).reshape(shape, order=order)


def ravel(a, order="C"):
    """In one dimension."""
    return asarray(a).ravel(order)


def transpose(a, axes=None):
    """With its axes in another order; reversed where none is given."""
    if isinstance(a, _C.Tensor):
        return a.permute(*(tuple(range(a.dim()))[::-1] if axes is None else axes))
    return asarray(a).T if axes is None else asarray(a).transpose(axes)


permute_dims = transpose


def matrix_transpose(x):
    return asarray(x).mT


def swapaxes(a, axis1, axis2):
    return asarray(a).swapaxes(axis1, axis2)


def moveaxis(a, source, destination):
    """An axis in another place."""
    a = asarray(a)
    source = [source] if isinstance(source, int) else list(source)
    destination = [destination] if isinstance(destination, int) else list(destination)
    source, destination = [axis_of(s, a.ndim) for s in source], [axis_of(d, a.ndim) for d in destination]
    order = [d for d in range(a.ndim) if d not in source]
    for d, s in sorted(zip(destination, source)):
        order.insert(d, s)
    return a.transpose(order)


def rollaxis(a, axis, start=0):
    a = asarray(a)
    axis = axis_of(axis, a.ndim)
    start = start + a.ndim if start < 0 else start
    return moveaxis(a, axis, start - 1 if axis < start else start)


def expand_dims(a, axis):
    """With a new axis of size 1."""
    a = asarray(a)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    n = a.ndim + len(axes)
    axes = [axis_of(x, n) for x in axes]
    sizes = iter(a.shape)
    return a.reshape([1 if d in axes else next(sizes) for d in range(n)])


def squeeze(a, axis=None):
    """Without axes of size 1."""
    if isinstance(a, _C.Tensor):
        return a.squeeze() if axis is None else a.squeeze(axis)
    return asarray(a).squeeze(axis)


def flip(m, axis=None):
    """Backwards along an axis, or along all."""
    m = asarray(m)
    axes = range(m.ndim) if axis is None else [axis_of(a, m.ndim) for a in
                                               (axis if isinstance(axis, (tuple, list)) else (axis,))]
    return m[tuple(slice(None, None, -1) if d in axes else slice(None) for d in range(m.ndim))]


def fliplr(m):
    return flip(m, 1)


def flipud(m):
    return flip(m, 0)


def rot90(m, k=1, axes=(0, 1)):
    """Turned by quarters."""
    m = asarray(m)
    return m._like(_F.rot90(m._t, k, axes))


def roll(a, shift, axis=None):
    """Moved along, what falls off coming back at the other end."""
    a = asarray(a)
    t = _F.roll(a._t, shift) if axis is None else _F.roll(a._t, shift, axis)
    return a._like(t)


def tile(A, reps):
    """Repeated as a whole."""
    a = asarray(A)
    reps = (reps,) if isinstance(reps, int) else tuple(int(r) for r in reps)
    return a._like(_F.tile(a._t, reps))


def repeat(a, repeats, axis=None):
    """Each element repeated."""
    a = asarray(a)
    n = asarray(repeats)
    t = a._t.reshape(-1) if axis is None else a._t
    d = 0 if axis is None else axis_of(axis, a.ndim)
    if n.size == 1:
        return a._like(_F.repeat_interleave(t, int(n.ravel()[0]), d))
    if n.size != t.size(d):
        raise ValueError(f"operands could not be broadcast together with shape ({t.size(d)},) ({n.size},)")
    return a._like(_F.repeat_interleave(t, n._t, d))


def append(arr, values, axis=None):
    """An array and more values after it."""
    if axis is None:
        return concatenate([asarray(arr).ravel(), asarray(values).ravel()])
    return concatenate([arr, values], axis)


def delete(arr, obj, axis=None):
    """Without some of its elements."""
    a = asarray(arr)
    if axis is None:
        a, axis = a.ravel(), 0
    axis = axis_of(axis, a.ndim)
    n = a.shape[axis]
    if isinstance(obj, slice):
        gone = set(range(n)[obj])
    else:
        places = asarray(obj)
        gone = {i for i, g in enumerate(places.tolist()) if g} if places._dt.kind == "b" else set()
        if places._dt.kind != "b":
            for i in places.ravel().tolist():
                if not -n <= i < n:
                    raise IndexError(f"index {i} is out of bounds for axis {axis} with size {n}")
                gone.add(i % n)
    return take(a, [i for i in range(n) if i not in gone], axis)


def insert(arr, obj, values, axis=None):
    """With values put before a place."""
    a = asarray(arr)
    if axis is None:
        a, axis = a.ravel(), 0
    axis = axis_of(axis, a.ndim)
    n = a.shape[axis]
    if isinstance(obj, (list, tuple, ndarray)) and len(obj) != 1:
        order = sorted(range(len(obj)), key=lambda k: obj[k])
        values = broadcast_to(asarray(values), (len(obj),)) if a.ndim == 1 else values
        for shift, k in enumerate(order):
            a = insert(a, int(obj[k]) + shift, values[k], axis)
        return a
    at = int(obj[0]) if isinstance(obj, (list, tuple, ndarray)) else int(obj)
    if not -n <= at <= n:
        raise IndexError(f"index {at} is out of bounds for axis {axis} with size {n}")
    at = at + n if at < 0 else at
    v = asarray(values).astype(a._dt)
    if v.ndim < a.ndim:
        shape = list(a.shape)
        shape[axis] = 1 if a.ndim > 1 or v.ndim == 0 else v.size
        v = broadcast_to(expand_dims(v, axis) if a.ndim > 1 and v.ndim == a.ndim - 1 else v, shape)
    before = (slice(None),) * axis
    return concatenate([a[before + (slice(0, at),)], v, a[before + (slice(at, None),)]], axis)


def resize(a, new_shape):
    """In a new shape, repeated or cut to fit."""
    a = asarray(a).ravel()
    sizes = shape_of(new_shape)
    n = 1
    for s in sizes:
        n *= s
    return a[arange(n) % max(a.size, 1)].reshape(sizes) if a.size else zeros(sizes, a._dt)


def take(a, indices, axis=None, out=None, mode="raise"):
    """Elements by their places."""
    a = asarray(a)
    i = asarray(indices)
    i = i.astype("int64") if i.size == 0 else i
    if mode == "clip":
        i = i.clip(0, (a.size if axis is None else a.shape[axis]) - 1)
    elif mode == "wrap":
        i = i % (a.size if axis is None else a.shape[axis])
    if axis is None:
        return a.ravel()[i]
    return a[(slice(None),) * axis_of(axis, a.ndim) + (i,)]


def take_along_axis(arr, indices, axis=-1):
    """Elements by their places along an axis, for each row its own."""
    a, i = asarray(arr), asarray(indices)
    if axis is None:
        a, axis = a.ravel(), 0
    return a._like(_F.take_along_dim(a._t, i._t.to(_C.int64) % a.shape[axis], axis_of(axis, a.ndim)))


def put_along_axis(arr, indices, values, axis):
    i = asarray(indices)._t.to(_C.int64) % arr.shape[axis]
    v = broadcast_to(asarray(values, arr._dt), tuple(i.size()))._t
    arr._t.scatter_(axis_of(axis, arr.ndim), i, v.contiguous())


def put(a, ind, v, mode="raise"):
    """Write at places of the flattened array."""
    a.flat[asarray(ind)] = v


def diagonal(a, offset=0, axis1=0, axis2=1):
    """A diagonal."""
    a = asarray(a)
    out = a._view(_F.diagonal(a._t, offset, axis1, axis2))
    out._ro = True
    return out


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """The sum of a diagonal."""
    return diagonal(a, offset, axis1, axis2).sum(-1)


def fill_diagonal(a, val, wrap=False):
    """Write a diagonal."""
    n = min(a.shape)
    i = arange(n)
    a[(i,) * a.ndim] = val


def pad(array, pad_width, mode="constant", **kwargs):
    """With a margin."""
    a = asarray(array)
    w = broadcast_to(asarray(pad_width), (a.ndim, 2)).tolist() if not isinstance(pad_width, dict) else \
        [pad_width.get(d, (0, 0)) for d in range(a.ndim)]
    if mode == "constant":
        values = broadcast_to(asarray(kwargs.get("constant_values", 0)), (a.ndim, 2))
        for d, (left, right) in enumerate(w):
            parts = []
            for n, v in ((left, values[d, 0]), (None, None), (right, values[d, 1])):
                if n is None:
                    parts.append(a)
                elif n:
                    shape = list(a.shape)
                    shape[d] = n
                    parts.append(_hub.full(shape, v, a._dt))
            a = concatenate(parts, d)
        return a
    for d, (left, right) in enumerate(w):
        n = a.shape[d]
        places = []
        for i in range(-left, n + right):
            if mode == "edge":
                places.append(min(max(i, 0), n - 1))
            elif mode == "wrap":
                places.append(i % n)
            elif mode in ("reflect", "symmetric"):
                period = max(2 * (n - 1), 1) if mode == "reflect" else 2 * n
                i %= period
                places.append(i if i < n else period - i - (mode == "symmetric"))
            else:
                raise NotImplementedError(f"np.pad with mode {mode!r} is not available here")
        a = take(a, places, d)
    return a


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """Views of all windows of a size."""
    a = asarray(x)
    sizes = (window_shape,) if isinstance(window_shape, int) else tuple(window_shape)
    axes = list(range(a.ndim)) if axis is None else [axis_of(d, a.ndim) for d in
                                                    ((axis,) if isinstance(axis, int) else axis)]
    t = a._t
    for d, n in zip(axes, sizes):
        if n > a.shape[d]:
            raise ValueError("window shape cannot be larger than input array shape")
        t = t.unfold(d, n, 1)
    out = a._view(t)
    out._ro = not writeable
    return out


def _method(name, positions=0):
    fn = globals()[name]

    def method(self, *args, **kwargs):
        return fn(self, *args, **kwargs)

    method.__name__ = name
    return method


for _name in ("take", "repeat", "diagonal", "trace", "put"):
    setattr(ndarray, _name, _method(_name))
for _name in ("broadcast_shapes", "broadcast_to", "broadcast_arrays", "concatenate", "stack", "moveaxis", "expand_dims",
              "resize", "atleast_1d"):
    setattr(_hub, _name, globals()[_name])
