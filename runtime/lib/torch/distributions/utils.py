"""Small tools of distributions: arguments as tensors, probabilities and logits, attributes computed when asked for."""

from numbers import Number

from torch import _C
from torch.autograd.grad_mode import enable_grad

_F = _C._functions
Tensor = _C.Tensor
euler_constant = 0.57721566490153286060  # the limit of H_n - ln n

__all__ = ["broadcast_all", "logits_to_probs", "clamp_probs", "probs_to_logits", "lazy_property", "tril_matrix_to_vec",
           "vec_to_tril_matrix"]


def broadcast_all(*values):
    """Numbers and tensors as tensors of one shape."""
    if not all(isinstance(v, Tensor) or isinstance(v, Number) for v in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
        )
    kinds = [v for v in values if isinstance(v, Tensor)]
    dtype = kinds[0].dtype if kinds else _C.get_default_dtype()
    return _F.broadcast_tensors([v if isinstance(v, Tensor) else _F.tensor(v, dtype=dtype) for v in values])


def standard_normal(shape, dtype, device=None):
    """Draws of the standard normal."""
    return _F.normal(_F.zeros(shape, dtype=dtype), _F.ones(shape, dtype=dtype))


_standard_normal = standard_normal


def sum_rightmost(value, dims):
    """The sum over the last `dims` dimensions."""
    if dims == 0:
        return value
    return value.reshape(tuple(value.shape)[:value.dim() - dims] + (-1,)).sum(-1)


_sum_rightmost = sum_rightmost


def logits_to_probs(logits, is_binary=False):
    """Probabilities of logits: of one event each, or of the classes in the last dimension."""
    return _F.sigmoid(logits) if is_binary else logits.softmax(dim=-1)


def clamp_probs(probs):
    """Probabilities away from 0 and 1, so that their logarithms are finite."""
    eps = _C.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs, is_binary=False):
    """The reverse of `logits_to_probs`."""
    clamped = clamp_probs(probs)
    return _F.log(clamped) - _F.log1p(-clamped) if is_binary else _F.log(clamped)


class lazy_property:
    """An attribute computed when it is first asked for, and kept."""

    def __init__(self, wrapped):
        self.wrapped = wrapped
        self.__doc__ = wrapped.__doc__

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        with enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


def tril_matrix_to_vec(mat, diag=0):
    """The lower triangles of (D, D) matrices as vectors, row by row."""
    n = mat.shape[-1]
    if diag < -n or diag >= n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    steps = _F.arange(n)
    mask = steps < steps.view(-1, 1) + (diag + 1)
    return mat[..., mask]


def vec_to_tril_matrix(vec, diag=0):
    """The reverse of `tril_matrix_to_vec`."""
    n = (-(1 + 2 * diag) + ((1 + 2 * diag) ** 2 + 8 * vec.shape[-1] + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2
    if round(n) - n > _C.finfo(vec.dtype).eps:
        raise ValueError(
            f"The size of last dimension is {vec.shape[-1]} which cannot be expressed as the lower triangular part of a "
            "square D x D matrix."
        )
    n = round(n)
    mat = vec.new_zeros(tuple(vec.shape[:-1]) + (n, n))
    steps = _F.arange(n)
    mask = steps < steps.view(-1, 1) + (diag + 1)
    mat[..., mask] = vec
    return mat
