"""Linear algebra on the engine's kernels."""

import math

from torch import _C

from numpy import _hub
from numpy._array import result
from numpy._dtype import FLOAT64
from numpy._host import functions as _F
from numpy._make import asarray
from numpy._scalar import int32
from numpy._products import cross, matmul, outer, tensordot  # noqa: F401

_L = _C._linalg


class LinAlgError(ValueError):
    """A matrix that can't be used."""

    __module__ = "numpy.linalg"


def _matrix(a, square=False):
    a = asarray(a)
    if a.ndim < 2:
        raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be at least two-dimensional")
    if square and a.shape[-1] != a.shape[-2]:
        raise LinAlgError("Last 2 dimensions of the array must be square")
    return a._t if a._dt.kind == "f" else a._t.to(_C.float64)


def _out(t):
    from numpy._dtype import of_tensor

    return result(t, of_tensor(t))


def _named(name, values):
    from collections import namedtuple

    kinds = {"EighResult": "eigenvalues eigenvectors", "EigResult": "eigenvalues eigenvectors", "QRResult": "Q R",
             "SVDResult": "U S Vh", "SlogdetResult": "sign logabsdet"}
    return namedtuple(name, kinds[name])(*values)


def norm(x, ord=None, axis=None, keepdims=False):
    """The length of a vector or the size of a matrix."""
    x = asarray(x)
    x = x if x._dt.kind == "f" else x.astype(float)
    sqrt = _hub.ufuncs["sqrt"]
    if axis is None and (ord is None or ord in ("f", "fro") and x.ndim == 2 or ord == 2 and x.ndim == 1):
        flat = x.ravel()
        value = sqrt(flat.dot(flat))
        return asarray(value).reshape((1,) * x.ndim) if keepdims else value
    axes = tuple(range(x.ndim)) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
    if len(axes) == 1:
        a = abs(x)
        if ord is None or ord == 2:
            return sqrt((a * a).sum(axes, keepdims=keepdims))
        if ord == float("inf"):
            return a.max(axes, keepdims=keepdims)
        if ord == -float("inf"):
            return a.min(axes, keepdims=keepdims)
        if ord == 0:
            return (x != 0).astype(x._dt).sum(axes, keepdims=keepdims)
        if ord == 1:
            return a.sum(axes, keepdims=keepdims)
        if isinstance(ord, str):
            raise ValueError(f"Invalid norm order '{ord}' for vectors")
        return (a ** ord).sum(axes, keepdims=keepdims) ** (1.0 / ord)
    if len(axes) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    if ord is None or ord in ("f", "fro"):
        return sqrt((x * x).sum(axes, keepdims=keepdims))
    return _out(_L.linalg_matrix_norm(x._t, ord, axes, keepdims))


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    return norm(asarray(x).ravel() if axis is None else x, ord, axis, keepdims)


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    return norm(x, ord, (-2, -1), keepdims)


def _solving(call):
    try:
        return call()
    except RuntimeError as error:
        if "singular" in str(error) or "not invertible" in str(error) or "The solver failed" in str(error):
            raise LinAlgError("Singular matrix") from None
        raise


def inv(a):
    """The inverse."""
    t = _matrix(a, True)
    return _out(_solving(lambda: _L.linalg_inv(t)))


def solve(a, b):
    """`x` of `a @ x == b`."""
    t, b = _matrix(a, True), asarray(b)
    if b.shape[-2 if b.ndim > 1 else -1] != t.size(-1):
        name, signature = ("solve", "(m,m),(m,n)->(m,n)") if b.ndim > 1 else ("solve1", "(m,m),(m)->(m)")
        size = b.shape[-2 if b.ndim > 1 else -1]
        raise ValueError(f"{name}: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
                         f"{signature} (size {size} is different from {t.size(-1)})")
    return _out(_solving(lambda: _L.linalg_solve(t, b._t.to(t.dtype))))


def det(a):
    """The determinant."""
    t = _matrix(a, True)
    if t.dim() == 2 and t.dtype == _C.float64 and t.size(0) <= 16:
        return FLOAT64.type(_small_det(t.tolist()))
    return _out(_L.linalg_det(t))


def _small_det(rows):
    """By elimination with the largest pivot; NumPy adds up logarithms of the diagonal, which shows in the last digit."""
    value = 1.0
    n = len(rows)
    for k in range(n):
        p = max(range(k, n), key=lambda i: (abs(rows[i][k]), -i))
        if rows[p][k] == 0:
            return 0.0
        if p != k:
            rows[p], rows[k] = rows[k], rows[p]
            value = -value
        pivot = rows[k]
        inverse = 1.0 / pivot[k]
        for row in rows[k + 1:]:
            factor = row[k] * inverse
            for j in range(k + 1, n):
                row[j] -= factor * pivot[j]
    total = 0.0
    for k in range(n):
        d = rows[k][k]
        if d != d:
            return d
        value = -value if d < 0 else value
        total += math.log(abs(d))
    return value * math.exp(total)


def slogdet(a):
    return _named("SlogdetResult", map(_out, _L.linalg_slogdet(_matrix(a, True))))


def cholesky(a, /, *, upper=False):
    """The triangle whose product with its transpose is `a`."""
    t = _matrix(a, True)
    try:
        value = _L.linalg_cholesky(t)
    except RuntimeError:
        raise LinAlgError("Matrix is not positive definite") from None
    return _out(value.transpose(-1, -2).contiguous() if upper else value)


def eigh(a, UPLO="L"):
    """Eigenvalues and eigenvectors of a symmetric matrix."""
    return _named("EighResult", map(_out, _L.linalg_eigh(_matrix(a, True), UPLO)))


def eigvalsh(a, UPLO="L"):
    return _out(_L.linalg_eigvalsh(_matrix(a, True), UPLO))


def eig(a):
    """Eigenvalues and eigenvectors."""
    t = _matrix(a, True)
    from torch.linalg import eig as complex_eig

    values, vectors = complex_eig(t)
    if _F.view_as_real(values)[..., 1].any():
        raise NotImplementedError("complex eigenvalues of np.linalg.eig are not available here; torch.linalg.eig has them")
    return _named("EigResult", [_out(_F.real(values)), _out(_F.real(vectors))])


def eigvals(a):
    return eig(a)[0]


def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    """Singular values and vectors."""
    t = _matrix(a)
    if not compute_uv:
        return _out(_L.linalg_svdvals(t))
    return _named("SVDResult", map(_out, _L.linalg_svd(t, full_matrices)))


def svdvals(x, /):
    return _out(_L.linalg_svdvals(_matrix(x)))


def qr(a, mode="reduced"):
    """An orthogonal matrix and a triangle."""
    q, r = _L.linalg_qr(_matrix(a), mode)
    return _out(r) if mode == "r" else _named("QRResult", (_out(q), _out(r)))


def pinv(a, rcond=None, hermitian=False, *, rtol=None):
    """The inverse as far as there is one."""
    t = _matrix(a)
    limit = 1e-15 if rcond is None and rtol is None else rcond if rtol is None else rtol
    return _out(_L.linalg_pinv(t, rtol=limit))


def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    """How many rows are independent."""
    a = asarray(A)
    if a.ndim < 2:
        return int(not (a == 0).all())
    s = svd(a, compute_uv=False)
    eps = 2.220446049250313e-16 if s._dt is FLOAT64 else 1.1920929e-07
    limit = s.max(-1, keepdims=True) * max(a.shape[-2:]) * eps if tol is None else tol
    return (s > limit).sum(-1)


def matrix_power(a, n):
    """A power of a matrix."""
    a = asarray(a)
    if n < 0:
        a, n = inv(a), -n
    from numpy._create import eye

    value = eye(a.shape[-1], dtype=a._dt)
    while n:
        if n & 1:
            value = matmul(value, a)
        a = matmul(a, a)
        n >>= 1
    return value


def multi_dot(arrays, *, out=None):
    value = asarray(arrays[0])
    for a in arrays[1:]:
        value = _hub.dot(value, a)
    return value


def cond(x, p=None):
    """How sensitive the solution is."""
    if p is None or p == 2:
        s = svd(x, compute_uv=False)
        return s[..., 0] / s[..., -1]
    return norm(x, p, (-2, -1)) * norm(inv(x), p, (-2, -1))


def lstsq(a, b, rcond=None):
    """The best solution, by least squares: it, the squared residuals, the rank, the singular values."""
    from numpy._dtype import INT32, INT64  # noqa: F401

    a, b = asarray(a), asarray(b)
    t = _matrix(a)
    y = b._t.to(t.dtype)
    u, s, vh = _L.linalg_svd(t, False)
    eps = 2.220446049250313e-16 if t.dtype == _C.float64 else 1.1920929e-07
    keep = s > s.max() * (max(t.size()) * eps if rcond is None or rcond < 0 else rcond)
    rank = int(keep.sum().item())
    inverse = _F.where(keep, 1.0 / s, _F.zeros_like(s))
    columns = y.reshape(y.size(0), -1)
    x = _F.matmul(vh.transpose(0, 1), inverse.reshape(-1, 1) * _F.matmul(u.transpose(0, 1), columns))
    m, n = t.size()
    left = ((columns - _F.matmul(t, x)) ** 2).sum(0) if rank == n and m > n else x.new_zeros(0)
    shaped = x.reshape(-1) if b.ndim == 1 else x
    return _out(shaped), _out(left), int32(rank), _out(s)
