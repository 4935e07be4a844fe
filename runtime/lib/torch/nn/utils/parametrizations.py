"""Ready-made parametrizations: weight norm, spectral norm and orthogonal matrices."""

from torch import _C
from torch._missing import native
from torch.autograd.grad_mode import no_grad
from torch.nn import functional as F
from torch.nn.modules.module import Module
from torch.nn.utils import parametrize

_F = _C._functions
__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


def _norm_except(v, dim):
    """The norm over all dimensions but one."""
    if dim is None or dim == -1:
        return v.norm()
    dims = [d for d in range(v.dim()) if d != dim % v.dim()]
    return v.norm(2, dims, keepdim=True)


class _WeightNorm(Module):
    def __init__(self, dim=0):
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g, weight_v):
        return weight_v * (weight_g / _norm_except(weight_v, self.dim))

    def right_inverse(self, weight):
        return _norm_except(weight, self.dim), weight


def weight_norm(module, name="weight", dim=0):
    """The weight as a length g (`original0`) and a direction v (`original1`): w = g * v / ‖v‖."""
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)
    return module


class _SpectralNorm(Module):
    def __init__(self, weight, n_power_iterations=1, dim=0, eps=1e-12):
        super().__init__()
        ndim = weight.ndim
        if dim >= ndim or dim < -ndim:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}] but got {dim})"
            )
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim = dim if dim >= 0 else dim + ndim
        self.eps = eps
        if ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._matrix(weight.detach())
            height, width = matrix.size()
            u = matrix.new_empty(height).normal_(0, 1)
            v = matrix.new_empty(width).normal_(0, 1)
            self.register_buffer("_u", F.normalize(u, dim=0, eps=eps))
            self.register_buffer("_v", F.normalize(v, dim=0, eps=eps))
            self._power_method(matrix, 15)

    def _matrix(self, weight):
        if self.dim != 0:
            weight = weight.permute(self.dim, *(d for d in range(weight.dim()) if d != self.dim))
        return weight.flatten(1)

    def _power_method(self, matrix, iterations):
        before = _C.is_grad_enabled()
        _C._set_grad_enabled(False)
        try:
            for _ in range(iterations):
                self._u = F.normalize(_F.mv(matrix, self._v), dim=0, eps=self.eps)
                self._v = F.normalize(_F.mv(matrix.t(), self._u), dim=0, eps=self.eps)
        finally:
            _C._set_grad_enabled(before)

    def forward(self, weight):
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = self._matrix(weight)
        if self.training:
            self._power_method(matrix.detach(), self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()
        return weight / _F.dot(u, _F.mv(matrix, v))

    def right_inverse(self, value):
        return value


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """The weight divided by its largest singular value, which power iteration estimates."""
    weight = getattr(module, name, None)
    if not isinstance(weight, _C.Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if dim is None:
        dim = 1 if type(module).__name__.startswith("ConvTranspose") else 0
    parametrize.register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
    return module


def _make_orthogonal(matrix):
    """An orthogonal basis of the columns, with the signs that QR leaves open made positive."""
    q, r = _C._linalg.linalg_qr(matrix)
    return q * r.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


def _is_orthogonal(q):
    n, k = q.size(-2), q.size(-1)
    identity = _F.eye(k, dtype=q.dtype, device=q.device)
    eps = 10.0 * n * _C.finfo(q.dtype).eps
    return bool(_F.allclose(q.mH @ q, identity, atol=eps))


def _householder_product(vectors, tau):
    """H_1 H_2 … H_k, H_i = 1 - tau_i v_i v_i', of the columns below the diagonal: (n, k)."""
    n, k = vectors.size(-2), vectors.size(-1)
    result = _F.eye(n, dtype=vectors.dtype, device=vectors.device).expand(tuple(vectors.shape[:-2]) + (n, n))
    full = vectors + _F.eye(n, k, dtype=vectors.dtype, device=vectors.device)
    for i in range(k):
        v = full[..., :, i:i + 1]
        result = result - tau[..., i:i + 1].unsqueeze(-1) * (result @ v) @ v.mT
    return result[..., :k]


class _Orthogonal(Module):
    def __init__(self, weight, orthogonal_map, *, use_trivialization=True):
        super().__init__()
        if weight.is_complex() and orthogonal_map == "householder":
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X):
        n, k = X.size(-2), X.size(-1)
        turned = n < k
        if turned:
            X, n, k = X.mT, k, n
        if self.orthogonal_map != "householder":
            X = X.tril()
            if n != k:
                X = _F.cat([X, X.new_zeros(n, n - k).expand(tuple(X.shape[:-2]) + (n, n - k))], dim=-1)
            skew = X - X.mH
            if self.orthogonal_map == "matrix_exp":
                Q = _C._linalg.linalg_matrix_exp(skew)
            else:
                identity = _F.eye(n, dtype=skew.dtype, device=skew.device)
                Q = _C._linalg.linalg_solve(identity.add(skew, alpha=-0.5), identity.add(skew, alpha=0.5))
            Q = Q[..., :k] if n != k else Q
        else:
            below = X.tril(diagonal=-1)
            tau = 2.0 / (1.0 + (below * below).sum(dim=-2))
            Q = _householder_product(below, tau)
            Q = Q * X.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)
        if hasattr(self, "base"):
            Q = self.base @ Q
        return Q.mT if turned else Q

    @no_grad()
    def right_inverse(self, Q):
        if Q.shape != self.shape:
            raise ValueError(f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape "
                             f"{Q.shape}.")
        given = Q
        n, k = Q.size(-2), Q.size(-1)
        turned = n < k
        if turned:
            Q, n, k = Q.mT, k, n
        if not hasattr(self, "base"):
            if self.orthogonal_map != "householder":
                raise NotImplementedError(
                    "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                    "use_trivialization=False."
                )
            A, tau = native(_F, "geqrf")(Q)
            A.diagonal(dim1=-2, dim2=-1).sign_()
            A.diagonal(dim1=-2, dim2=-1)[tau == 0.0] *= -1
            return A.mT if turned else A
        if n == k:
            Q = Q.clone() if _is_orthogonal(Q) else _make_orthogonal(Q)
        else:
            noise = _F.randn(tuple(Q.size()[:-2]) + (n, n - k), dtype=Q.dtype, device=Q.device)
            Q = _make_orthogonal(_F.cat([Q, noise], dim=-1))
        self.base = Q
        start = _F.zeros_like(given)
        start.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return start


def orthogonal(module, name="weight", orthogonal_map=None, *, use_trivialization=True):
    """The weight as an orthogonal matrix (of orthonormal rows or columns, if it is not square)."""
    weight = getattr(module, name, None)
    if not isinstance(weight, _C.TensorBase):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        square = weight.size(-2) == weight.size(-1) or weight.is_complex()
        orthogonal_map = "matrix_exp" if square else "householder"
    if orthogonal_map not in ("matrix_exp", "cayley", "householder"):
        raise ValueError(
            f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    made = _Orthogonal(weight, orthogonal_map, use_trivialization=use_trivialization)
    parametrize.register_parametrization(module, name, made, unsafe=True)
    return module
