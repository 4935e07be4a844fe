"""What `torch.linalg` has beside the native functions."""

import math

from torch import _C
from torch._composite import columns, fills_out, named, one_node
from torch._composite.factors import householder_product, linalg_lu_solve as lu_solve

from torch.functional import broadcast_shapes as _broadcast_shapes

_F, _L = _C._functions, _C._linalg


def _each(A):
    """The matrices of a batch, one after the other."""
    return A.reshape(math.prod(A.shape[:-2]), *A.shape[-2:]).unbind(0)


def _infos(infos, lead):
    return _F.tensor(infos, dtype=_C.int32).reshape(lead)


def _error_of(what, fn, name):
    """Run `fn`, whose message shall speak of `name`."""
    try:
        return fn()
    except _C._LinAlgError as e:
        raise _C._LinAlgError(str(e).replace(what, name, 1)) from None


@fills_out
def cholesky_ex(A, *, upper=False, check_errors=False):
    """The Cholesky factor and, for each matrix, the order of the first minor that is not positive (0 where all are)."""
    if check_errors:
        L = _error_of("linalg.cholesky", lambda: _L.linalg_cholesky(A, upper=upper), "linalg.cholesky_ex")
        return named("linalg_cholesky_ex", L=L, info=_F.zeros(A.shape[:-2], dtype=_C.int32))
    infos, factors = [], []
    for a in _each(A.detach()):
        info, factor = 0, None
        try:
            _L.linalg_cholesky(a)
        except _C._LinAlgError as e:
            info, factor = _part(a.tolist())
        infos.append(info)
        factors.append(factor)
    infos_tensor = _infos(infos, A.shape[:-2])
    if not any(infos):
        return named("linalg_cholesky_ex", L=_L.linalg_cholesky(A, upper=upper), info=infos_tensor)
    done = [
        _L.linalg_cholesky(a) if f is None else _F.tensor(f, dtype=A.dtype, device=A.device) for a, f in zip(_each(A.detach()), factors)
    ]
    L = columns(_F.stack(done).reshape(A.shape))
    return named("linalg_cholesky_ex", L=L.mT if upper else L, info=infos_tensor)


def _part(a):
    """How far the factorization goes: the order of the minor where it ends, and what stands in memory then."""
    n = len(a)
    for j in range(n):
        d = a[j][j] - sum([v * v for v in a[j][:j]])
        if not d > 0:
            a[j][j] = d
            return j + 1, [[v if c <= r else 0.0 for c, v in enumerate(row)] for r, row in enumerate(a)]
        a[j][j] = math.sqrt(d)
        for i in range(j + 1, n):
            a[i][j] = (a[i][j] - sum([a[i][k] * a[j][k] for k in range(j)])) / a[j][j]
    return 0, a


@fills_out
def inv_ex(A, *, check_errors=False):
    """The inverse and, for each matrix, the number of the first pivot that is zero (0 where none is)."""
    if check_errors:
        inverse = _error_of("linalg.inv", lambda: _L.linalg_inv(A), "linalg.inv_ex")
        return named("linalg_inv_ex", inverse=inverse, info=_F.zeros(A.shape[:-2], dtype=_C.int32))
    if A.dim() < 2:
        raise RuntimeError("linalg.inv: The input tensor A must have at least 2 dimensions.")
    packed, pivots, info = _L.linalg_lu_factor_ex(A.detach())
    if not info.any():
        return named("linalg_inv_ex", inverse=_L.linalg_inv(A), info=info)
    eye = _F.eye(A.size(-1), dtype=A.dtype, device=A.device).expand(A.shape)
    return named("linalg_inv_ex", inverse=lu_solve(packed, pivots, eye), info=info)


@fills_out
def solve_ex(A, B, *, left=True, check_errors=False):
    """The solution of A X = B and, for each matrix, the number of the first pivot that is zero (0 where none is)."""
    if check_errors:
        result = _error_of("torch.linalg.solve", lambda: _L.linalg_solve(A, B, left=left), "torch.linalg.solve_ex")
        return named("linalg_solve_ex", result=result, info=_F.zeros(A.shape[:-2], dtype=_C.int32))
    packed, pivots, info = _L.linalg_lu_factor_ex(A.detach())
    if not info.any():
        return named("linalg_solve_ex", result=_L.linalg_solve(A, B, left=left), info=info)
    vector = B.dim() + 1 == A.dim()
    result = lu_solve(packed, pivots, B.detach().unsqueeze(-1) if vector else B.detach(), left=left)
    return named("linalg_solve_ex", result=result.squeeze(-1) if vector else result, info=info)


@fills_out
def eig(A):
    """Eigenvalues and eigenvectors (columns, of length one) of square matrices: complex tensors."""
    values, vectors = _eig(A)
    return named("linalg_eig", eigenvalues=values, eigenvectors=vectors)


@fills_out
def eigvals(A):
    """Eigenvalues of square matrices: a complex tensor."""
    return _eig(A)[0]


def _eig(A):
    def backward(inputs, grads):
        g_values, g_vectors = grads
        values, V = _eig(inputs[0]) if _C.is_grad_enabled() else _L._linalg_eig(inputs[0])
        middle = _F.zeros_like(V)
        if g_vectors is not None:
            inner = V.mH @ g_vectors
            inner = inner - V.mH @ (V * inner.real.diagonal(0, -2, -1).unsqueeze(-2))
            gaps = values.unsqueeze(-2) - values.unsqueeze(-1)
            gaps = gaps + _F.eye(values.size(-1), dtype=values.real.dtype, device=values.real.device)
            off = 1 - _F.eye(values.size(-1), dtype=values.real.dtype, device=values.real.device)
            middle = inner / gaps.conj() * off
        if g_values is not None:
            middle = middle + _F.diag_embed(g_values)
        result = _solve_complex(V.mH, middle @ V.mH)
        return [result if A.is_complex() else result.real]

    return one_node("LinalgEigBackward0", lambda a: tuple(_L._linalg_eig(a)), A, backward=backward)


def _solve_complex(A, B):
    """`A X = B` for complex matrices, as real ones of twice the size."""
    rows = _F.cat([_F.cat([A.real, -A.imag], -1), _F.cat([A.imag, A.real], -1)], -2)
    X = _L.linalg_solve(rows, _F.cat([B.real, B.imag], -2))
    n = A.size(-1)
    return _F.complex(X[..., :n, :].contiguous(), X[..., n:, :].contiguous())


def diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    """The diagonals of the matrices in the last two dimensions: a view."""
    return A.diagonal(offset, dim1, dim2)


@fills_out
def tensorinv(A, ind=2):
    """The inverse of the map that `tensordot(A, x, A.dim() - ind)` is."""
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    shape = A.shape[ind:] + A.shape[:ind]
    rows, cols = math.prod(A.shape[:ind]), math.prod(A.shape[ind:])
    if rows != cols:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got "
            f"{cols} != {rows}"
        )
    return _L.linalg_inv(A.reshape(rows, cols)).reshape(shape)


@fills_out
def tensorsolve(A, B, dims=None):
    """X with `tensordot(A, X, X.dim()) = B`."""
    if dims is not None:
        order = [d for d in range(A.dim()) if d not in [e % A.dim() for e in dims]]
        A = A.permute(*order, *[e % A.dim() for e in dims])
    shape = A.shape[B.dim():]
    size = math.prod(shape)
    if A.numel() != size * size or B.numel() != size:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), "
            f"but got {size} != {math.prod(A.shape[:B.dim()])}"
        )
    return _L.linalg_solve(A.reshape(size, size), B.reshape(size)).reshape(shape)


def vander(x, *, N=None):
    """Powers of each element, 0 to N - 1, as rows."""
    x = x.reshape(1) if x.dim() == 0 else x
    n = x.size(-1) if N is None else N
    if n <= 1 and N is not None:
        raise RuntimeError("N must be greater than 1.")
    columns = x.unsqueeze(-1).expand(*x.shape, n - 1)
    return _F.cat([_F.ones_like(x).unsqueeze(-1), columns.cumprod(-1)], -1)


def matrix_sqrth(A):
    """The square root of a symmetric positive matrix."""
    def forward(a):
        values, V = _L.linalg_eigh(a)
        return (V * values.clamp(min=0).sqrt().unsqueeze(-2)) @ V.mT

    return one_node("LinalgMatrixSqrthBackward0", forward, A)


def polar(A):
    """A = U H with orthonormal columns in U and a symmetric, not negative H."""
    def forward(a):
        U, S, Vh = _L.linalg_svd(a, full_matrices=False)
        return U @ Vh, (Vh.mT * S.unsqueeze(-2)) @ Vh

    U, H = one_node("LinalgPolarBackward0", forward, A)
    return named("linalg_polar", U=U, H=H)


def _bunch_kaufman(a):
    """L and D of a symmetric matrix in its lower triangle, its row exchanges, and where D is zero."""
    n, k, pivots, info = len(a), 0, [0] * len(a), 0
    limit = (1 + math.sqrt(17)) / 8

    def exchange(k, p):
        """Rows and columns k and p of what is left."""
        for i in range(p + 1, n):
            a[i][k], a[i][p] = a[i][p], a[i][k]
        for i in range(k + 1, p):
            a[i][k], a[p][i] = a[p][i], a[i][k]
        a[k][k], a[p][p] = a[p][p], a[k][k]

    while k < n:
        column = [abs(a[i][k]) for i in range(k + 1, n)]
        top = max(column, default=0.0)
        row = k + 1 + column.index(top) if column else k
        step, p = 1, k
        if max(abs(a[k][k]), top) == 0.0:
            info = info or k + 1
            pivots[k] = k + 1
            k += 1
            continue
        if abs(a[k][k]) < limit * top:
            others = [abs(a[row][j]) for j in range(k, row)] + [abs(a[i][row]) for i in range(row + 1, n)]
            widest = max(others)
            if abs(a[k][k]) >= limit * top * (top / widest):
                p = k
            elif abs(a[row][row]) >= limit * widest:
                p = row
            else:
                step, p = 2, row
        at = k + step - 1
        if p != at:
            exchange(at, p)
            if step == 2:
                a[k + 1][k], a[p][k] = a[p][k], a[k + 1][k]
        if step == 1:
            for j in range(k + 1, n):
                f = a[j][k] / a[k][k]
                for i in range(j, n):
                    a[i][j] -= a[i][k] * f
            for i in range(k + 1, n):
                a[i][k] /= a[k][k]
            pivots[k] = p + 1
        else:
            d = a[k + 1][k]
            d11, d22 = a[k + 1][k + 1] / d, a[k][k] / d
            t = 1 / (d11 * d22 - 1) / d
            for j in range(k + 2, n):
                w0 = t * (d11 * a[j][k] - a[j][k + 1])
                w1 = t * (d22 * a[j][k + 1] - a[j][k])
                for i in range(j, n):
                    a[i][j] -= a[i][k] * w0 + a[i][k + 1] * w1
                a[j][k], a[j][k + 1] = w0, w1
            pivots[k] = pivots[k + 1] = -(p + 1)
        k += step
    return [[v if j <= i else 0.0 for j, v in enumerate(r)] for i, r in enumerate(a)], pivots, info


def _refuse(inputs, grads):
    raise RuntimeError("derivative for aten::linalg_ldl_factor_ex is not implemented")


@fills_out
def ldl_factor_ex(A, *, hermitian=False, check_errors=False):
    """The packed factors of symmetric matrices, A = P L D L^T P^T, their pivots, and where D is zero."""
    if A.is_complex():
        raise NotImplementedError("linalg.ldl_factor of complex tensors is not available here")
    found = [_bunch_kaufman(a.tolist()) for a in _each(A.detach())]
    LD = columns(_F.tensor([f[0] for f in found], dtype=A.dtype, device=A.device).reshape(A.shape))
    LD = one_node("torch::autograd::NotImplemented", lambda a: LD, A, backward=_refuse)
    pivots = _F.tensor([f[1] for f in found], dtype=_C.int32).reshape(A.shape[:-1])
    info = _infos([f[2] for f in found], A.shape[:-2])
    if check_errors and info.any():
        at = int(info.max())
        raise _C._LinAlgError(
            f"torch.linalg.ldl_factor_ex: The factorization could not be completed: D[{at},{at}] is zero."
        )
    return named("linalg_ldl_factor_ex", LD=LD, pivots=pivots, info=info)


@fills_out
def ldl_factor(A, *, hermitian=False):
    """The packed factors of symmetric matrices, A = P L D L^T P^T, and their pivots."""
    LD, pivots, _ = ldl_factor_ex(A, hermitian=hermitian, check_errors=True)
    return named("linalg_ldl_factor", LD=LD, pivots=pivots)


@fills_out
def ldl_solve(LD, pivots, B, *, hermitian=False):
    """A X = B from the packed factors of A."""
    lead = _broadcast_shapes(LD.shape[:-2], B.shape[:-2])
    if not math.prod(lead) * LD.size(-1) * B.size(-1):
        return columns(B.expand(*lead, *B.shape[-2:]))
    LD, B = LD.expand(*lead, *LD.shape[-2:]), B.expand(*lead, *B.shape[-2:])
    solved = []
    for a, piv, b in zip(_each(LD), pivots.expand(*lead, -1).reshape(-1, pivots.size(-1)).tolist(), _each(B)):
        n, k = a.size(-1), 0
        A = _F.zeros_like(a)
        # Put the matrix together again, smallest remainder first: A_k = [L_k D_k L_k^T] + the rest, exchanged back.
        steps = []
        while k < n:
            step = 1 if piv[k] > 0 else 2
            steps.append((k, step, abs(piv[k]) - 1))
            k += step
        for k, step, p in reversed(steps):
            l = a[:, k:k + step].clone()
            D = l[k:k + step].clone()
            if step == 2:
                D[0, 1] = D[1, 0]
            l[:k] = 0
            l[k:k + step] = _F.eye(step, dtype=a.dtype, device=a.device)
            A = A + l @ D @ l.mT
            order = list(range(n))
            at = k + step - 1
            order[at], order[p] = order[p], order[at]
            A = A[order][:, order]
        solved.append(_L.linalg_solve(A, b))
    return columns(_F.stack(solved).reshape(B.shape))
