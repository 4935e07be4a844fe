"""Sums, means, extremes and what else takes dimensions away."""

from builtins import all as all_, any as any_, max as max_, min as min_, sum as sum_  # noqa: F401

import _numpy
from numpy import _hub
from numpy._array import axis_of, ndarray, result, wrap
from numpy._dtype import BOOL, FLOAT32, FLOAT64, INT64, dtype as Dtype, limits
from numpy._host import functions as _F
from numpy._make import asarray
from torch import _C


def axes_of(axis, ndim):
    """All axes that are meant, counted from the front."""
    if axis is None:
        return tuple(range(ndim))
    if isinstance(axis, (tuple, list)):
        axes = tuple(axis_of(a, ndim) for a in axis)
        if len(set(axes)) != len(axes):
            raise ValueError("duplicate value in 'axis'")
        return axes
    return (axis_of(axis, ndim),)


def _done(t, dt, a, axes, keepdims, out):
    if keepdims:
        t = t.reshape(tuple(1 if i in axes else n for i, n in enumerate(a._t.size())))
        value = wrap(t, dt)
    else:
        value = result(t, dt)
    if out is not None:
        out[...] = value
        return out
    return value


def _ordered_sum(t, axes):
    """A sum of floats, added in NumPy's order."""
    half = t.dtype == _C.float16
    if half:
        t = t.to(_C.float32)
    ndim, strides, shape = t.dim(), t.stride(), t.size()
    order = sorted(range(ndim), key=lambda d: (-strides[d] if shape[d] > 1 else -1 << 62, d))
    moved = t.permute(order) if order != list(range(ndim)) else t
    run = 1
    at = ndim - 1
    while at >= 0 and order[at] in axes:
        d = order[at]
        if at < ndim - 1 and strides[d] != strides[order[at + 1]] * shape[order[at + 1]] and shape[d] != 1:
            break
        run *= shape[d]
        at -= 1
    if t.numel() == 0:
        out = t.sum(axes) if axes else t
        return out.to(_C.float16) if half else out
    out = _numpy.sum(moved.contiguous(), [d in axes for d in order], run)
    kept = [d for d in order if d not in axes]
    if kept != sorted(kept):
        out = out.permute([kept.index(d) for d in sorted(kept)])
    return out.to(_C.float16) if half else out


def _masked(a, where, fill):
    return a if where is True else _hub.where(where, a, _hub.full((), fill, a._dt))


def sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """The sum of the elements."""
    a = _masked(asarray(a), where, 0)
    if a._dt._boxed:
        total = 0
        for x in a.ravel().tolist():
            total = total + x
        return total
    dt = Dtype(dtype) if dtype is not None else _whole(a._dt)
    axes = axes_of(axis, a.ndim)
    if dt.kind == "f":
        t = a._t if a._dt is dt else _hub.convert(a._t, a._dt, dt)
        t = _ordered_sum(t, axes) if axes else t.clone()
    else:
        t = _F.sum(a._t, axes, dtype=dt._td) if axes else a._t.to(dt._td).clone()
    if initial is not None:
        t = t + initial
    return _done(t, dt, a, axes, keepdims, out)


def _whole(dt):
    """The dtype in which integers are added up."""
    if dt.kind in "bi":
        return INT64
    if dt.kind == "u":
        # NumPy adds these in uint64, which does not exist here; the sums are the same up to 2**63.
        return INT64
    return dt


def mean(a, axis=None, dtype=None, out=None, keepdims=False, where=True):
    """The average."""
    a = asarray(a)
    axes = axes_of(axis, a.ndim)
    dt = Dtype(dtype) if dtype is not None else FLOAT64 if a._dt.kind in "iub" else a._dt
    count = 1
    for d in axes:
        count *= a._t.size(d)
    if count == 0:
        import warnings

        warnings.warn("Mean of empty slice", RuntimeWarning, stacklevel=3)
    if where is not True:
        mask = _hub.broadcast_to(asarray(where), a.shape)
        return sum(a, axis, dt, keepdims=keepdims, where=mask) / sum(mask, axis, keepdims=keepdims)
    work = FLOAT32 if dt.name == "float16" else dt
    t = a._t if a._dt is work else _hub.convert(a._t, a._dt, work)
    t = _ordered_sum(t, axes) if axes else t.clone()
    t = (t / count).to(dt._td)
    return _done(t, dt, a, axes, keepdims, out)


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    """The variance."""
    a = asarray(a)
    axes = axes_of(axis, a.ndim)
    ddof = ddof if correction is None else correction
    dt = Dtype(dtype) if dtype is not None else FLOAT64 if a._dt.kind in "iub" else a._dt
    count = 1
    for d in axes:
        count *= a._t.size(d)
    work = FLOAT32 if dt.name == "float16" else dt
    t = a._t if a._dt is work else _hub.convert(a._t, a._dt, work)
    keep = tuple(1 if i in axes else n for i, n in enumerate(a._t.size()))
    centre = (_ordered_sum(t, axes) / count).reshape(keep) if mean is None else asarray(mean)._t
    off = t - centre
    t = _ordered_sum(off * off, axes)
    left = count - ddof
    if left <= 0:
        import warnings

        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=3)
        left = 0
    return _done((t / left).to(dt._td), dt, a, axes, keepdims, out)


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    """The standard deviation."""
    value = _hub.ufuncs["sqrt"](var(a, axis, dtype, None, ddof, keepdims, mean=mean, correction=correction))
    if out is not None:
        out[...] = value
        return out
    return value


def prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """The product of the elements."""
    a = _masked(asarray(a), where, 1)
    dt = Dtype(dtype) if dtype is not None else _whole(a._dt)
    axes = axes_of(axis, a.ndim)
    t = a._t.to(dt._td)
    for d in sorted(axes, reverse=True):
        t = _F.prod(t, d)
    if initial is not None:
        t = t * initial
    return _done(t if axes else t.clone(), dt, a, axes, keepdims, out)


def _extreme(name):
    reduce = getattr(_F, name)

    def extreme(a, axis=None, out=None, keepdims=False, initial=None, where=True):
        a = asarray(a)
        if a._dt._boxed:
            return {"amax": max_, "amin": min_}[name](a.ravel().tolist())
        if where is not True:
            if initial is None:
                raise ValueError(f"reduction operation '{_NAMES[name]}' does not have an identity, so to use a where "
                                 "mask one has to specify 'initial'")
            a = _masked(a, where, initial)
        axes = axes_of(axis, a.ndim)
        if any_(a._t.size(d) == 0 for d in axes):
            if initial is None:
                raise ValueError(f"zero-size array to reduction operation {_NAMES[name]} which has no identity")
            return _hub.full([n for i, n in enumerate(a.shape) if i not in axes], initial, a._dt)[()]
        t = reduce(a._t, axes) if axes else a._t.clone()
        if initial is not None:
            t = (_F.maximum if name == "amax" else _F.minimum)(t, _F.tensor(initial, dtype=t.dtype))
        return _done(t, a._dt, a, axes, keepdims, out)

    extreme.__doc__ = "The largest element." if name == "amax" else "The smallest element."
    extreme.__name__ = name
    return extreme


_NAMES = {"amax": "maximum", "amin": "minimum"}
amax, amin = _extreme("amax"), _extreme("amin")
max, min = amax, amin


def ptp(a, axis=None, out=None, keepdims=False):
    """The largest less the smallest."""
    return amax(a, axis, keepdims=keepdims) - amin(a, axis, keepdims=keepdims)


def _truth(name):
    reduce = getattr(_F, name)

    def truth(a, axis=None, out=None, keepdims=False, *, where=True):
        a = asarray(a)
        if a._dt._boxed:
            a = asarray([bool(x) for x in a.ravel().tolist()]).reshape(a.shape)
        a = _masked(a, where, name == "all")
        axes = axes_of(axis, a.ndim)
        t = a._t if a._dt.kind == "b" else a._t != 0
        for d in sorted(axes, reverse=True):
            t = reduce(t, d)
        return _done(t, BOOL, a, axes, keepdims, out)

    truth.__name__ = name
    truth.__doc__ = "Whether all are true." if name == "all" else "Whether any is true."
    return truth


all, any = _truth("all"), _truth("any")


def count_nonzero(a, axis=None, *, keepdims=False):
    """How many are not 0."""
    a = asarray(a)
    found = sum(_hub.ufuncs["not_equal"](a, 0) if a._dt.kind != "b" else a, axis, keepdims=keepdims)
    return found


def _place(name):
    def place(a, axis=None, out=None, *, keepdims=False):
        a = asarray(a)
        if a._dt._boxed:
            flat = a.ravel().tolist()
            return INT64.type._of(flat.index((max_ if name == "argmax" else min_)(flat)))
        if a.size == 0:
            raise ValueError(f"attempt to get {name} of an empty sequence")
        t = a._t.to(_C.uint8) if a._dt.kind == "b" else a._t
        if axis is None:
            found = getattr(_F, name)(t.reshape(-1), 0)
            return _done(found, INT64, a, tuple(range(a.ndim)), keepdims, out)
        d = axis_of(axis, a.ndim)
        return _done(getattr(_F, name)(t, d), INT64, a, (d,), keepdims, out)

    place.__name__ = name
    place.__doc__ = f"Where the {'largest' if name == 'argmax' else 'smallest'} is; the first of several."
    return place


argmax, argmin = _place("argmax"), _place("argmin")


def _running(name):
    run = getattr(_F, name)

    def running(a, axis=None, dtype=None, out=None):
        a = asarray(a)
        dt = Dtype(dtype) if dtype is not None else _whole(a._dt)
        t = a._t.reshape(-1) if axis is None else a._t
        t = run(t.to(dt._td), 0 if axis is None else axis_of(axis, a.ndim))
        value = wrap(t, dt)
        if out is not None:
            out[...] = value
            return out
        return value

    running.__name__ = name
    running.__doc__ = f"The running {'sum' if name == 'cumsum' else 'product'}."
    return running


cumsum, cumprod = _running("cumsum"), _running("cumprod")


def _without_nan(name, fill):
    def reduction(a, axis=None, dtype=None, out=None, keepdims=False, **more):
        a = asarray(a)
        if a._dt.kind != "f":
            args = {"dtype": dtype} if dtype is not None else {}
            return globals()[name](a, axis=axis, keepdims=keepdims, **args, **more)
        bad = _hub.ufuncs["isnan"](a)
        if name in ("amax", "amin", "sum", "prod"):
            clean = _hub.where(bad, _hub.full((), fill, a._dt), a)
            value = globals()[name](clean, axis=axis, keepdims=keepdims)
            if name in ("amax", "amin"):
                none = all(bad, axis, keepdims=keepdims)
                if any(none):
                    import warnings

                    warnings.warn("All-NaN slice encountered", RuntimeWarning, stacklevel=2)
                    value = _hub.where(none, _hub.full((), float("nan"), a._dt), value)[()]
            return value
        count = sum(~bad, axis, keepdims=keepdims)
        clean = _hub.where(bad, _hub.full((), 0, a._dt), a)
        average = sum(clean, axis, keepdims=keepdims) / count
        average = a._dt.type(average) if not isinstance(average, ndarray) else average.astype(a._dt)
        if name == "mean":
            return average
        centre = sum(clean, axis, keepdims=True) / sum(~bad, axis, keepdims=True)
        off = _hub.where(bad, _hub.full((), 0, a._dt), clean - centre)
        spread = sum(off * off, axis, keepdims=keepdims) / (count - more.get("ddof", 0))
        spread = a._dt.type(spread) if not isinstance(spread, ndarray) else spread.astype(a._dt)
        return _hub.ufuncs["sqrt"](spread) if name == "std" else spread

    reduction.__name__ = "nan" + name.replace("amax", "max").replace("amin", "min")
    reduction.__doc__ = f"As `{reduction.__name__[3:]}`, without what is no number."
    return reduction


nansum, nanprod = _without_nan("sum", 0), _without_nan("prod", 1)
nanmax, nanmin = _without_nan("amax", -float("inf")), _without_nan("amin", float("inf"))
nanmean, nanvar, nanstd = _without_nan("mean", 0), _without_nan("var", 0), _without_nan("std", 0)


def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    """The average, weighted."""
    a = asarray(a)
    if weights is None:
        value = mean(a, axis, keepdims=keepdims)
        scale = a.size / (value.size or 1)
        return (value, FLOAT64.type(scale)) if returned else value
    w = asarray(weights)
    if w.shape != a.shape:
        if axis is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        shape = [1] * a.ndim
        shape[axis_of(axis, a.ndim)] = w.size
        w = _hub.broadcast_to(w.reshape(shape), a.shape)
    total = sum(w, axis, keepdims=keepdims)
    if not all(total != 0):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    value = sum(a * w, axis, keepdims=keepdims) / total
    return (value, total) if returned else value


def clip(a, a_min=None, a_max=None, out=None, *, min=None, max=None, **kwargs):
    """The elements, none below `a_min` nor above `a_max`."""
    low, high = a_min if a_min is not None else min, a_max if a_max is not None else max
    value = a if isinstance(a, ndarray) or type(a) in (int, float) else asarray(a)
    if low is not None:
        value = _hub.ufuncs["maximum"](value, low)
    if high is not None:
        value = _hub.ufuncs["minimum"](value, high)
    if low is None and high is None:
        value = asarray(a).copy()
    if out is not None:
        out[...] = value
        return out
    return value


def round(a, decimals=0, out=None):
    """Rounded to so many decimals; halves to the even neighbour."""
    x = asarray(a)
    if x._dt.kind in "iu":
        t = x._t.clone() if decimals >= 0 else (_F.round(x._t.double() * 10.0 ** decimals) / 10.0 ** decimals).to(
            x._dt._td)
    elif x._dt.kind == "b":
        return result(x._t.to(_C.float16), Dtype("float16"))
    elif decimals == 0:
        t = _F.round(x._t)
    elif decimals > 0:
        t = _F.round(x._t * float(10 ** decimals)) / float(10 ** decimals)
    else:
        t = _F.round(x._t / float(10 ** -decimals)) * float(10 ** -decimals)
    value = result(t, x._dt)
    if out is not None:
        out[...] = value
        return out
    return value


around = round


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """Numbers in place of what is none."""
    a = asarray(x)
    t = _F.nan_to_num(a._t, nan, posinf, neginf) if a._dt.kind == "f" else a._t
    if not copy:
        a._t.copy_(t)
        return a
    return result(t, a._dt)


_hub.sum, _hub.prod, _hub.amax, _hub.amin, _hub.all, _hub.any = sum, prod, amax, amin, all, any
_hub.cumsum, _hub.cumprod = cumsum, cumprod
for _name in ("sum", "mean", "var", "std", "prod", "max", "min", "ptp", "all", "any", "argmax", "argmin", "cumsum",
              "cumprod", "clip", "round"):
    if _name != "ptp":
        setattr(ndarray, _name, globals()[_name])


def _deferring(name):
    """A tensor's own method decides where NumPy's function is given a tensor."""
    here = globals()[name]
    own = {"amax": "max", "amin": "min"}.get(name, name)

    def deferring(a, *args, **kwargs):
        if isinstance(a, _C.Tensor):
            if own in ("mean", "sum"):
                raise TypeError(f"{own}() got an unexpected keyword argument 'axis'")
            if own in ("argmax", "argmin"):
                return getattr(a, own)(*args, **kwargs)
            if own == "cumsum" and not args and not kwargs:
                return a.cumsum(0) if a.dim() == 1 else a.cumsum(axis=None)
            if own in ("clip", "round"):
                return getattr(a, own)(*args, **kwargs)
            if own in ("max", "min", "prod", "any", "all", "std", "var", "cumsum", "cumprod"):
                axis = kwargs.pop("axis", args[0] if args else None)
                return getattr(a, own)(axis=axis, out=kwargs.pop("out", None), **kwargs)
        return here(a, *args, **kwargs)

    deferring.__name__, deferring.__doc__ = here.__name__, here.__doc__
    return deferring


for _name in ("sum", "mean", "var", "std", "prod", "max", "min", "amax", "amin", "all", "any", "argmax", "argmin",
              "cumsum", "clip", "round"):
    globals()[_name] = _deferring(_name)
around = round
_hub.round = round
