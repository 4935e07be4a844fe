"""Products of vectors and matrices."""

from numpy import _hub
from numpy._array import ndarray, result
from numpy._dtype import BOOL
from numpy._host import functions as _F
from numpy._make import asarray
from torch import _C


def _pair(a, b):
    a, b = asarray(a), asarray(b)
    if a._dt._boxed or b._dt._boxed:
        raise NotImplementedError("products of object arrays are not available here")
    dt = _hub.common(a, b)
    x, y = (v._t if v._dt is dt else _hub.convert(v._t, v._dt, dt) for v in (a, b))
    if dt is BOOL:
        x, y = x.to(_C.int64), y.to(_C.int64)
    return a, b, x, y, dt


def _done(t, dt):
    return result(t.to(dt._td) if t.dtype != dt._td else t, dt)


def matmul(x1, x2, out=None, **kwargs):
    """`x1 @ x2`"""
    a, b, x, y, dt = _pair(x1, x2)
    for k, v in ((0, a), (1, b)):
        if v.ndim == 0:
            raise ValueError(f"matmul: Input operand {k} does not have enough dimensions (has 0, gufunc core with "
                             "signature (n?,k),(k,m?)->(n?,m?) requires 1)")
    inner = b.shape[-2] if b.ndim > 1 else b.shape[0]
    if a.shape[-1] != inner:
        raise ValueError("matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
                         f"(n?,k),(k,m?)->(n?,m?) (size {inner} is different from {a.shape[-1]})")
    value = _done(_F.matmul(x, y), dt)
    if out is not None:
        out[...] = value
        return out
    if isinstance(x1, _C.Tensor) or isinstance(x2, _C.Tensor):
        return _F.from_numpy(value) if hasattr(value, "_t") else _F.tensor(value)
    return value


def dot(a, b, out=None):
    """The product of vectors or matrices."""
    a, b, x, y, dt = _pair(a, b)
    if a.ndim == 0 or b.ndim == 0:
        return _hub.ufuncs["multiply"](a, b)
    d = b.ndim - 2 if b.ndim > 1 else 0
    if a.shape[-1] != b.shape[d]:
        raise ValueError(f"shapes {_hub.shape_text(a.shape)} and {_hub.shape_text(b.shape)} not aligned: {a.shape[-1]} "
                         f"(dim {a.ndim - 1}) != {b.shape[d]} (dim {d})")
    if b.ndim > 2:
        value = _done(_F.tensordot(x, y, ([a.ndim - 1], [d])) if hasattr(_F, "tensordot") else _contract(
            x, y, a.ndim - 1, d), dt)
    else:
        value = _done(_F.matmul(x, y), dt)
    if out is not None:
        out[...] = value
        return out
    return value


def _contract(x, y, i, j):
    from torch.functional import tensordot as contract

    return contract(x, y, ([i], [j]))


def vdot(a, b):
    return dot(asarray(a).ravel(), asarray(b).ravel())


def inner(a, b):
    """The sum over the last axes of both."""
    a, b = asarray(a), asarray(b)
    if a.ndim == 0 or b.ndim == 0:
        return _hub.ufuncs["multiply"](a, b)
    return tensordot(a, b, ([a.ndim - 1], [b.ndim - 1]))


def outer(a, b, out=None):
    """Each with each."""
    return _hub.ufuncs["multiply"](asarray(a).ravel()[:, None], asarray(b).ravel()[None, :])


def tensordot(a, b, axes=2):
    """The sum over several axes."""
    from torch.functional import tensordot as contract

    a, b, x, y, dt = _pair(a, b)
    if isinstance(axes, int):
        return _done(contract(x, y, axes), dt)
    first, second = ([ax] if isinstance(ax, int) else list(ax) for ax in axes)
    return _done(contract(x, y, (first, second)), dt)


def einsum(subscripts, *operands, out=None, optimize=False, **kwargs):
    """Sums of products by letters."""
    from torch.functional import einsum as summed

    arrays = [asarray(o) for o in operands]
    dt = arrays[0]._dt
    for a in arrays[1:]:
        dt = _hub.common(_hub.zeros((), dt), a)
    text = subscripts.replace(" ", "")
    ts = [a._t if a._dt is dt else _hub.convert(a._t, a._dt, dt) for a in arrays]
    if dt.kind in "iub":
        return _done(summed(text, *[t.to(_C.float64) for t in ts]).round(), dt)
    return _done(summed(text, *ts), dt)


def kron(a, b):
    """Blocks of `b`, one for each element of `a`."""
    a, b, x, y, dt = _pair(a, b)
    return _done(_F.kron(x, y), dt)


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """The vector product."""
    a, b = asarray(a), asarray(b)
    if a.shape[-1] == 2 and b.shape[-1] == 2:
        return (a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])
    rows = [a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1], a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2],
            a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]]
    return _hub.stack([asarray(r) for r in rows], -1)


def convolve(a, v, mode="full"):
    """Sliding products of two sequences."""
    a, v = asarray(a), asarray(v)
    if a.ndim != 1 or v.ndim != 1:
        raise ValueError("object too deep for desired array")
    if a.size == 0 or v.size == 0:
        raise ValueError("a cannot be empty" if a.size == 0 else "v cannot be empty")
    if len(v) > len(a):
        a, v = v, a
    return _slide(a, v[::-1].copy(), mode)


def correlate(a, v, mode="valid"):
    """Sliding products, nothing turned round."""
    a, v = asarray(a), asarray(v)
    if len(v) > len(a):
        return _slide(v, a, mode)[::-1].copy()
    return _slide(a, v, mode)


def _slide(a, v, mode):
    n, m = len(a), len(v)
    dt = _hub.common(a, v)
    margin = {"full": m - 1, "same": m // 2, "valid": 0}[mode]
    right = m - 1 if mode == "full" else m - 1 - m // 2 if mode == "same" else 0
    if mode == "same":
        margin, right = m - 1 - (m - 1) // 2, (m - 1) // 2
    a = _hub.concatenate([_hub.zeros(margin, dt), a.astype(dt), _hub.zeros(right, dt)])
    windows = a._t.unfold(0, m, 1)
    if dt.kind == "f":
        return _hub.wrap(_F.matmul(windows, v.astype(dt)._t), dt)
    return _hub.wrap((windows * v.astype(dt)._t).sum(1).to(dt._td), dt)


def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    """How much variables vary together."""
    x = _hub.atleast_1d(asarray(m)).astype(float)
    x = x[None] if x.ndim == 1 else x
    x = x if rowvar or x.shape[0] == 1 else x.T
    if y is not None:
        other = asarray(y).astype(float)
        other = other[None] if other.ndim == 1 else other
        x = _hub.concatenate([x, other if rowvar or other.shape[0] == 1 else other.T])
    ddof = (0 if bias else 1) if ddof is None else ddof
    x = x - x.mean(1, keepdims=True)
    value = dot(x, x.T) * (1 / (x.shape[1] - ddof) if x.shape[1] > ddof else float("nan"))
    return value.squeeze()


def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    """How much variables go together, from -1 to 1."""
    c = cov(x, y, rowvar)
    if c.ndim == 0:
        return c / c
    d = _hub.ufuncs["sqrt"](c.diagonal())
    c = c / d[:, None] / d[None, :]
    return c.clip(-1, 1)


def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """The polynomial of a degree that fits best."""
    from numpy import linalg
    from numpy._create import vander

    x, y = asarray(x, float), asarray(y, float)
    a = vander(x, deg + 1)
    scale = _hub.ufuncs["sqrt"]((a * a).sum(0))
    return (linalg.lstsq(a / scale, y)[0].T / scale).T


def polyval(p, x):
    """A polynomial's value."""
    y = _hub.zeros(asarray(x).shape, float)[()] if not asarray(x)._dt.kind in "iu" else x * 0
    for c in asarray(p):
        y = y * x + c
    return y


ndarray.dot = lambda self, b, out=None: dot(self, b, out)
_hub.matmul, _hub.dot = matmul, dot
_hub.convolve = convolve
