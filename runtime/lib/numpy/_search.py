"""Sorting, searching, sets, counting."""

from numpy import _hub
from numpy._array import axis_of, boxed, ndarray, result, wrap
from numpy._create import arange
from numpy._dtype import BOOL, FLOAT64, INT64, dtype as Dtype
from numpy._host import functions as _F
from numpy._make import array, asarray
from torch import _C


def where(condition, x=None, y=None, /):
    """`x` where the condition holds, `y` elsewhere; alone, the places where it holds."""
    c = asarray(condition)
    if x is None and y is None:
        return nonzero(c)
    if x is None or y is None:
        raise ValueError("either both or neither of x and y should be given")
    x, y = _hub.operand(x), _hub.operand(y)
    if getattr(getattr(x, "dtype", None), "_boxed", False) or getattr(getattr(y, "dtype", None), "_boxed", False):
        x, y = asarray(x), asarray(y)
        both = _hub.concatenate([x.ravel(), y.ravel()])
        places = _F.where(c._t if c._dt.kind == "b" else c._t != 0, _F.arange(x.size).reshape(x.shape),
                          (_F.arange(y.size) + x.size).reshape(y.shape))
        return both._like(both._t[places])
    dt = _hub.common(x, y)
    shapes = [a.shape if isinstance(a, ndarray) else () for a in (c, x, y)]
    try:
        _hub.broadcast_shapes(*shapes)
    except ValueError:
        text = " ".join(map(_hub.shape_text, shapes))
        raise ValueError(f"operands could not be broadcast together with shapes {text} ") from None
    mask = c._t if c._dt.kind == "b" else c._t != 0
    return wrap(_F.where(mask, _hub.tensor_of(x, dt), _hub.tensor_of(y, dt)), dt)


def nonzero(a):
    """The places of what is not 0."""
    a = asarray(a)
    t = a._t if a._box is None else _F.tensor([bool(v) for v in a.ravel().tolist()]).reshape(a.shape)
    if t.dim() == 0:
        raise ValueError("Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead. "
                         "If the context of this error is of the form `arr[nonzero(cond)]`, just use `arr[cond]`.")
    found = _F.nonzero(t)
    return tuple(wrap(found[:, d].contiguous(), INT64) for d in range(t.dim()))


def argwhere(a):
    """The places of what is not 0, a row each."""
    return wrap(_F.nonzero(asarray(a)._t), INT64)


def flatnonzero(a):
    return nonzero(asarray(a).ravel())[0]


def _sortable(a):
    return a._t.to(_C.uint8) if a._dt.kind == "b" else a._t


def argsort(a, axis=-1, kind=None, order=None, *, stable=None):
    """The places in sorted order."""
    if isinstance(a, _C.Tensor):
        return a.argsort(axis)
    a = asarray(a)
    if axis is None:
        a, axis = a.ravel(), 0
    if a._box is not None:
        flat = a.tolist()
        return wrap(_F.tensor(sorted(range(len(flat)), key=flat.__getitem__), dtype=_C.int64), INT64)
    return wrap(_F.argsort(_sortable(a), dim=axis_of(axis, a.ndim), stable=True), INT64)


def sort(a, axis=-1, kind=None, order=None, *, stable=None):
    """Sorted."""
    a = asarray(a)
    if axis is None:
        a, axis = a.ravel(), 0
    if a._box is not None:
        return boxed(sorted(a.tolist()), a.shape, a._dt)
    t = _F.sort(_sortable(a), dim=axis_of(axis, a.ndim), stable=True)[0]
    return wrap(t.to(a._t.dtype), a._dt)


def _sort_inplace(self, axis=-1, kind=None, order=None, *, stable=None):
    self[...] = sort(self, axis)


def partition(a, kth, axis=-1, kind="introselect", order=None):
    """Sorted far enough that the `kth` is in its place (here: sorted)."""
    return sort(a, axis)


def argpartition(a, kth, axis=-1, kind="introselect", order=None):
    return argsort(a, axis)


def lexsort(keys, axis=-1):
    """The order by several keys, the last first."""
    order = None
    for key in keys:
        key = asarray(key)
        order = argsort(key) if order is None else order[argsort(key[order])]
    return order


def searchsorted(a, v, side="left", sorter=None):
    """Where to put `v` so that `a` stays sorted."""
    a, values = asarray(a), asarray(v)
    if sorter is not None:
        a = a[sorter]
    dt = _hub.common(a, values)
    found = _F.searchsorted(_hub.tensor_of(a, dt).contiguous(), _hub.tensor_of(values, dt), right=side == "right")
    return result(found, INT64)


def digitize(x, bins, right=False):
    """The bin of each."""
    b = asarray(bins)
    if len(b) > 1 and b[0] > b[-1]:
        return len(b) - searchsorted(b[::-1], x, "left" if not right else "right")
    return searchsorted(b, x, "left" if right else "right")


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True):
    """The distinct elements, sorted."""
    a = asarray(ar)
    if axis is None:
        flat = a.ravel()
        order = argsort(flat)
        ranked = flat[order]
        shape = a.shape
        if len(ranked):
            first = _hub.concatenate([array([True]), asarray(ranked[1:] != ranked[:-1])])
            if a._dt.kind == "f":
                nans = _hub.ufuncs["isnan"](ranked)
                first[1:] &= ~(nans[1:] & nans[:-1])
        else:
            first = array([], bool)
        values = ranked[first]
    else:
        rows = _hub.moveaxis(a, axis, 0)
        keys = [tuple(r.ravel().tolist()) for r in rows]
        by = builtin_sorted(range(len(keys)), key=keys.__getitem__)
        order = array(by, int)
        first = array([n == 0 or keys[i] != keys[by[n - 1]] for n, i in enumerate(by)], bool)
        values = _hub.moveaxis(rows[order[first]], 0, axis)
        shape = (len(keys),)
    out = [values]
    places = nonzero(first)[0]
    if return_index:
        out.append(order[places])
    if return_inverse:
        inverse = _hub.zeros(len(order), int)
        inverse[order] = _hub.cumsum(first) - 1
        out.append(inverse.reshape(shape))
    if return_counts:
        out.append(diff(_hub.concatenate([places, array([len(order)], int)])))
    return out[0] if len(out) == 1 else tuple(out)


builtin_sorted = __import__("builtins").sorted


def unique_values(x):
    return unique(x)


def union1d(ar1, ar2):
    return unique(_hub.concatenate([asarray(ar1).ravel(), asarray(ar2).ravel()]))


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    a = unique(ar1)
    return a[isin(a, ar2)]


def setdiff1d(ar1, ar2, assume_unique=False):
    a = unique(ar1)
    return a[~isin(a, ar2)]


def setxor1d(ar1, ar2, assume_unique=False):
    return sort(_hub.concatenate([setdiff1d(ar1, ar2), setdiff1d(ar2, ar1)]))


def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    """Whether each is among others."""
    a, among = asarray(element), set(asarray(test_elements).ravel().tolist())
    flat = [(x in among) != invert for x in a.ravel().tolist()]
    return array(flat, bool).reshape(a.shape)


in1d = isin


def diff(a, n=1, axis=-1, prepend=None, append=None):
    """The differences of neighbours."""
    a = asarray(a)
    axis = axis_of(axis, a.ndim)
    parts = []
    for extra, at in ((prepend, 0), (append, 1)):
        if extra is not None:
            e = asarray(extra)
            shape = list(a.shape)
            shape[axis] = 1 if e.ndim == 0 else e.shape[axis]
            parts.append((at, _hub.broadcast_to(e, shape)))
    if parts:
        a = _hub.concatenate([p for at, p in parts if at == 0] + [a] + [p for at, p in parts if at == 1], axis)
    before = (slice(None),) * axis
    for _ in range(n):
        later, earlier = a[before + (slice(1, None),)], a[before + (slice(None, -1),)]
        a = later != earlier if a._dt.kind == "b" else later - earlier
    return a


def ediff1d(ary, to_end=None, to_begin=None):
    return diff(asarray(ary).ravel())


def gradient(f, *varargs, axis=None, edge_order=1):
    """Slopes by central differences."""
    f = asarray(f)
    f = f if f._dt.kind == "f" else f.astype(float)
    axes = tuple(range(f.ndim)) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
    steps = list(varargs) * (len(axes) if len(varargs) == 1 else 1) if varargs else [1.0] * len(axes)
    out = []
    for d, h in zip(axes, steps):
        m = _hub.moveaxis(f, d, 0)
        g = _hub.zeros(m.shape, f._dt)
        h = asarray(h)
        shape = (-1,) + (1,) * (m.ndim - 1)
        if h.ndim == 0:
            g[1:-1] = (m[2:] - m[:-2]) / (2.0 * h)
            ends = (h, h)
        else:
            gaps = diff(h)
            left, right = gaps[:-1].reshape(shape), gaps[1:].reshape(shape)
            if (gaps == gaps[0]).all():
                g[1:-1] = (m[2:] - m[:-2]) / (2.0 * gaps[0])
            else:
                g[1:-1] = (-right / (left * (left + right)) * m[:-2] + (right - left) / (left * right) * m[1:-1]
                           + left / (right * (left + right)) * m[2:])
            ends = (gaps[0], gaps[-1])
        g[0] = (m[1] - m[0]) / ends[0]
        g[-1] = (m[-1] - m[-2]) / ends[1]
        out.append(_hub.moveaxis(g, 0, d))
    return out[0] if len(out) == 1 else tuple(out)


def bincount(x, weights=None, minlength=0):
    """How often each number from 0 on is there."""
    x = asarray(x)
    if x.ndim != 1:
        raise ValueError("object too deep for desired array" if x.ndim else "object of too small depth for desired array")
    if x.size and x._dt.kind not in "iub":
        raise TypeError("Cannot cast array data from dtype('float64') to dtype('int64') according to the rule 'safe'")
    if x.size and x.min() < 0:
        raise ValueError("'list' argument must have no negative elements")
    t = x._t.to(_C.int64)
    if weights is None:
        return wrap(_F.bincount(t, minlength=minlength), INT64)
    return wrap(_F.bincount(t, asarray(weights, float)._t, minlength), FLOAT64)


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges of the bins."""
    a = asarray(a)
    if isinstance(bins, str):
        raise NotImplementedError(f"histograms with bins={bins!r} are not available here")
    if not isinstance(bins, int) and asarray(bins).ndim:
        return asarray(bins)
    if range is not None:
        low, high = range
    elif a.size == 0:
        low, high = 0.0, 1.0
    else:
        low, high = a.min(), a.max()
    if low == high:
        low, high = low - 0.5, high + 0.5
    from numpy._create import linspace

    kind = Dtype("float32") if a._dt.name in ("float32", "float16") and range is None else FLOAT64
    return linspace(low, high, bins + 1).astype(kind if a._dt.name != "float16" else "float16")


def histogram(a, bins=10, range=None, density=None, weights=None):
    """How many fall into each bin."""
    a = asarray(a).ravel()
    edges = histogram_bin_edges(a, bins, range)
    inside = (a >= edges[0]) & (a <= edges[-1])
    n = len(edges) - 1
    place = (searchsorted(edges, a[inside], "right") - 1).clip(0, n - 1)
    if weights is not None:
        counts = bincount(place, asarray(weights).ravel()[inside], n)
    else:
        counts = bincount(place, minlength=n)
    if density:
        return counts / diff(edges) / counts.sum(), edges
    return counts, edges


def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    """How many fall into each field."""
    both = [bins, bins] if isinstance(bins, int) else list(bins) if len(bins) == 2 else [bins, bins]
    x, y = asarray(x), asarray(y)
    ranges = range or (None, None)
    ex, ey = histogram_bin_edges(x, both[0], ranges[0]), histogram_bin_edges(y, both[1], ranges[1])
    inside = (x >= ex[0]) & (x <= ex[-1]) & (y >= ey[0]) & (y <= ey[-1])
    nx, ny = len(ex) - 1, len(ey) - 1
    ix = (searchsorted(ex, x[inside], "right") - 1).clip(0, nx - 1)
    iy = (searchsorted(ey, y[inside], "right") - 1).clip(0, ny - 1)
    counts = bincount(ix * ny + iy, None if weights is None else asarray(weights)[inside], nx * ny)
    return counts.reshape(nx, ny).astype(float), ex, ey


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The middle value."""
    a = asarray(a)
    if axis is None:
        s, d = sort(a.ravel()), 0
    else:
        d = axis_of(axis, a.ndim)
        s = _hub.moveaxis(sort(a, d), d, 0)
    n = s.shape[0]
    if n == 0:
        return FLOAT64.type(float("nan"))
    half = n // 2
    value = s[half:half + 1].mean(0) if n % 2 else s[half - 1:half + 1].mean(0)
    if a._dt.kind == "f":
        bad = _hub.ufuncs["isnan"](s[-1])
        if asarray(bad).any():
            value = where(bad, float("nan"), value)[()]
    if keepdims:
        return asarray(value).reshape([1 if axis is None or i == d else m for i, m in enumerate(a.shape)])
    return value


def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None,
             interpolation=None):
    """Values below which a share lies."""
    q = asarray(q)
    if q.size and ((q < 0).any() or (q > 1).any()):
        raise ValueError("Quantiles must be in the range [0, 1]")
    return _quantile(asarray(a), q, axis, method, keepdims)


def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None,
               interpolation=None):
    """Values below which so many per cent lie."""
    q = asarray(q)
    q = q / (q._dt.type(100) if q._dt.kind == "f" else 100)
    q = asarray(q)
    if q.size and ((q < 0).any() or (q > 1).any()):
        raise ValueError("Percentiles must be in the range [0, 100]")
    return _quantile(asarray(a), q, axis, method, keepdims)


def _quantile(a, q, axis, method, keepdims):
    d = None if axis is None else axis_of(axis, a.ndim)
    s = sort(a.ravel()) if d is None else _hub.moveaxis(sort(a, d), d, 0)
    n = s.shape[0]
    if n == 0:
        return FLOAT64.type(float("nan"))
    rows = []
    for p in q.ravel().tolist():
        place = p * (n - 1)
        low = int(place // 1)
        high, t = min(low + 1, n - 1), place - low
        if method in ("lower", "higher", "nearest"):
            at = low if method == "lower" else high if t and method == "higher" else round(place)
            rows.append(s[at])
            continue
        t = 0.5 if method == "midpoint" and t else t
        if method not in ("linear", "midpoint"):
            raise NotImplementedError(f"np.quantile with method {method!r} is not available here")
        before, after = s[low], s[high]
        if a._dt.kind in "iub":
            before, after = before * 1.0, after * 1.0
        gap = after - before
        rows.append(after - gap * (1 - t) if t >= 0.5 else before + gap * t)
    value = rows[0] if q.ndim == 0 else _hub.stack(rows).reshape(q.shape + s.shape[1:])
    if keepdims:
        keep = [1 if d is None or i == d else m for i, m in enumerate(a.shape)]
        value = asarray(value).reshape(list(q.shape) + keep)
    return value


def interp(x, xp, fp, left=None, right=None, period=None):
    """Between given points, along straight lines."""
    x, xp, fp = asarray(x, float), asarray(xp, float), asarray(fp, float)
    shape = x.shape
    flat = x.ravel()
    at = (searchsorted(xp, flat, "right") - 1).clip(0, max(len(xp) - 2, 0))
    nxt = (at + 1).clip(0, len(xp) - 1)
    gap = xp[nxt] - xp[at]
    slope = (fp[nxt] - fp[at]) / where(gap == 0, 1.0, gap)
    y = slope * (flat - xp[at]) + fp[at]
    y = where(flat >= xp[-1], fp[-1], y)
    y = where(flat > xp[-1], fp[-1] if right is None else right, y)
    y = where(flat < xp[0], fp[0] if left is None else left, y)
    return y.reshape(shape)[()]


def select(condlist, choicelist, default=0):
    """The first choice whose condition holds."""
    out = asarray(default)
    for c, v in list(zip(condlist, choicelist))[::-1]:
        out = where(c, v, out)
    return out


def choose(a, choices, out=None, mode="raise"):
    rows = _hub.broadcast_arrays(*[asarray(c) for c in choices])
    a = asarray(a)
    value = rows[0]
    for i, row in enumerate(rows):
        value = where(a == i, row, value)
    return value


def piecewise(x, condlist, funclist, *args, **kw):
    x = asarray(x)
    out = _hub.zeros(x.shape, x._dt)
    conds = [asarray(c) for c in condlist]
    if len(funclist) == len(conds) + 1:
        rest = ~conds[0]
        for c in conds[1:]:
            rest = rest & ~c
        conds.append(rest)
    for c, f in zip(conds, funclist):
        out[c] = f(x[c], *args, **kw) if callable(f) else f
    return out


def extract(condition, arr):
    return asarray(arr).ravel()[asarray(condition).ravel().astype(bool)]


def compress(condition, a, axis=None, out=None):
    a = asarray(a)
    i = nonzero(asarray(condition))[0]
    return a.ravel()[i] if axis is None else a[(slice(None),) * axis_of(axis, a.ndim) + (i,)]


def place(arr, mask, vals):
    mask = asarray(mask, bool)
    arr[mask] = _hub.resize(asarray(vals), (int(mask.sum()),))


def copyto(dst, src, casting="same_kind", where=True):
    """Write into an array."""
    dst[...] = src if where is True else globals()["where"](where, src, dst)


def putmask(a, mask, values):
    a[asarray(mask, bool)] = values


def unravel_index(indices, shape, order="C"):
    """Places of the flattened array as places along each axis."""
    rest = asarray(indices)
    out = []
    for n in list(shape)[::-1]:
        out.append(rest % n)
        rest = rest // n
    return tuple(x[()] for x in out[::-1])


def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    total = 0
    for i, n in zip(multi_index, dims):
        total = total * n + asarray(i)
    return total[()] if isinstance(total, ndarray) else total


def ix_(*args):
    """Index arrays that pick rows and columns."""
    out = []
    for d, a in enumerate(args):
        a = asarray(a)
        a = nonzero(a)[0] if a._dt.kind == "b" else a
        out.append(a.reshape([-1 if k == d else 1 for k in range(len(args))]))
    return tuple(out)


def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The area under a curve."""
    y = asarray(y)
    d = diff(asarray(x)) if x is not None else dx
    m = _hub.moveaxis(y, axis, -1)
    return (d * (m[..., 1:] + m[..., :-1]) / 2.0).sum(-1)


_hub.where, _hub.nonzero = where, nonzero
ndarray.sort = _sort_inplace
for _name in ("argsort", "nonzero", "searchsorted", "compress", "choose"):
    setattr(ndarray, _name, globals()[_name])
