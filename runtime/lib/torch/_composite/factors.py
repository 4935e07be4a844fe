"""Factors of matrices and what is solved with them, beside those that are native: LU, reflections, LDL, low ranks."""

from torch import _C
from torch._composite import columns, fills_out, named, one_node, warn_once

_F, _L = _C._functions, _C._linalg
Tensor = _C.Tensor


def _permutation(pivots, rows, dtype):
    """The matrices P whose row exchanges `pivots` (counted from 1) tells."""
    lead = pivots.shape[:-1]
    if not pivots.numel():
        return _F.eye(rows, dtype=dtype).expand(*lead, rows, rows)
    orders = []
    for line in pivots.reshape(-1, pivots.size(-1)).tolist():
        order = list(range(rows))
        for i, p in enumerate(line):
            order[i], order[p - 1] = order[p - 1], order[i]
        orders.append(order)
    order = _F.tensor(orders, dtype=_C.int64).reshape(*lead, rows)
    return _F.eye(rows, dtype=dtype)[order].mT.contiguous()


def _split(packed):
    """L and U of a matrix that holds both."""
    k = min(packed.shape[-2:])
    lower = packed[..., :, :k].tril(-1) + _F.eye(packed.size(-2), k, dtype=packed.dtype, device=packed.device)
    return lower, packed[..., :k, :].triu()


@fills_out
def lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True):
    """P, L and U of a packed factorization."""
    none = _F.empty(0, dtype=LU_data.dtype, device=LU_data.device)
    P = _permutation(LU_pivots, LU_data.size(-2), LU_data.dtype) if unpack_pivots else none
    L, U = one_node("LuUnpackBackward0", _split, LU_data) if unpack_data else (none, none)
    return named("lu_unpack", P=P, L=L, U=U)


@fills_out
def lu(A, pivot=True, get_infos=False):
    """The packed LU factorization. `torch.linalg.lu_factor` is the newer function."""
    warn_once(
        "torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex and will be removed in a "
        "future PyTorch release.\nLU, pivots = torch.lu(A, compute_pivots)\nshould be replaced with\nLU, pivots = "
        "torch.linalg.lu_factor(A, compute_pivots)\nand\nLU, pivots, info = torch.lu(A, compute_pivots, "
        "get_infos=True)\nshould be replaced with\nLU, pivots, info = torch.linalg.lu_factor_ex(A, compute_pivots)"
    )
    packed, pivots, info = _L.linalg_lu_factor_ex(A, pivot=pivot)
    return named("_lu_with_info", LU=packed, pivots=pivots, info=info) if get_infos else (packed, pivots)


@fills_out
def linalg_lu_solve(LU, pivots, B, *, left=True, adjoint=False):
    """`A X = B` (or `X A = B`, or with the transpose of A) from the packed factorization of A."""
    if not left:
        return linalg_lu_solve(LU, pivots, B.mT, left=True, adjoint=not adjoint).mT
    P = _permutation(pivots, LU.size(-2), LU.dtype)
    triangle = _L.linalg_solve_triangular

    def forward(packed, b):
        if not packed.size(-1):
            return b * 1
        if adjoint:
            y = triangle(packed.mT, b, upper=False)
            return columns(P @ triangle(packed.mT, y, upper=True, unitriangular=True))
        y = triangle(packed, P.mT @ b, upper=False, unitriangular=True)
        return triangle(packed, y, upper=True)

    return one_node("LinalgLuSolveBackward0", forward, LU, B)


@fills_out
def lu_solve(b, LU_data, LU_pivots):
    """`A X = b` from the packed factorization. `torch.linalg.lu_solve` is the newer function."""
    warn_once(
        "torch.lu_solve is deprecated in favor of torch.linalg.lu_solveand will be removed in a future PyTorch "
        "release.\nNote that torch.linalg.lu_solve has its arguments reversed.\nX = torch.lu_solve(B, LU, pivots)\n"
        "should be replaced with\nX = torch.linalg.lu_solve(LU, pivots, B)"
    )
    return linalg_lu_solve(LU_data, LU_pivots, b)


def _reflect(A, tau, x, order):
    """`x` after the reflections whose numbers `order` gives."""
    rows = _F.arange(A.size(-2))
    for i in order:
        v = (A[..., :, i] * (rows > i) + (rows == i)).unsqueeze(-1)
        x = x - tau[..., i, None, None] * v * (v.mH @ x)
    return x


@fills_out
def householder_product(A, tau):
    """The first columns of the product of reflections, as `geqrf` gives them."""
    if A.dim() < 2:
        raise RuntimeError("torch.linalg.householder_product: input must have at least 2 dimensions.")
    if A.size(-2) < A.size(-1):
        raise RuntimeError(
            "torch.linalg.householder_product: input.shape[-2] must be greater than or equal to input.shape[-1]"
        )
    if A.size(-1) < tau.size(-1):
        raise RuntimeError(
            "torch.linalg.householder_product: input.shape[-1] must be greater than or equal to tau.shape[-1]"
        )

    def forward(a, t):
        start = _F.eye(a.size(-2), a.size(-1), dtype=a.dtype, device=a.device).expand(a.shape)
        return columns(_reflect(a, t, start, reversed(range(t.size(-1)))))

    return one_node("LinalgHouseholderProductBackward0", forward, A, tau)


orgqr = householder_product


@fills_out
def ormqr(input, tau, other, left=True, transpose=False):
    """A matrix times the Q (or its transpose) of the reflections that `geqrf` gives."""
    if input.dim() < 2 or other.dim() < 2:
        name = "input" if input.dim() < 2 else "other"
        raise RuntimeError(f"torch.ormqr: {name} must have at least 2 dimensions.")
    def forward(a, t, x):
        # Q = H_0 H_1 …; seen from the right, everything is transposed (and conjugated).
        order = list(range(t.size(-1)))
        first, t = (order, t.conj()) if transpose == left else (order[::-1], t)
        return columns(_reflect(a, t, x, first) if left else _reflect(a, t, x.mH, first).mH)

    return one_node("OrmqrBackward0", forward, input, tau, other)


def _basis(A, q, niter):
    """Columns that span about the range of A (Halko and others, 2009)."""
    Q = _L.linalg_qr(A @ _F.randn(A.size(-1), q, dtype=A.dtype, device=A.device))[0]
    for _ in range(niter):
        Q = _L.linalg_qr(A.mT @ Q)[0]
        Q = _L.linalg_qr(A @ Q)[0]
    return Q


def svd_lowrank(A, q=6, niter=2, M=None):
    """About the `q` largest singular values of A (minus M), and their vectors, by random projection: U, S, V."""
    q = 6 if q is None else q
    m, n = A.shape[-2:]
    A = A if M is None else A - M
    A = A.mT if m < n else A
    Q = _basis(A, q, niter)
    U, S, Vh = _L.linalg_svd(Q.mT @ A, full_matrices=False)
    U, V = Q @ U, Vh.mT
    return (V, S, U) if m < n else (U, S, V)


def pca_lowrank(A, q=None, center=True, niter=2):
    """About the `q` principal components of the rows of A: U, S, V."""
    m, n = A.shape[-2:]
    if q is None:
        q = min(6, m, n)
    elif not 0 <= q <= min(m, n):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(m, n)}")
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    return svd_lowrank(A - A.mean(-2, keepdim=True) if center else A, q, niter)
