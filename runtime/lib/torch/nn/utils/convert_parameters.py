"""All parameters as one vector, and back."""

from torch import _C

_F = _C._functions
Tensor = _C.Tensor


def parameters_to_vector(parameters):
    """The parameters, flattened and put one after the other."""
    return _F.cat([p.view(-1) for p in parameters])


def vector_to_parameters(vec, parameters):
    """Puts the parts of a vector into the parameters (as views of it)."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {type(vec).__name__}")
    offset = 0
    for p in parameters:
        n = p.numel()
        p.data = vec[offset:offset + n].view_as(p).data
        offset += n
