"""Small questions about tensors, and what a dense tensor on the CPU answers to those about other kinds."""

from torch import _C

Tensor = _C.Tensor


def is_signed(input):
    """Whether the dtype has negative numbers."""
    return input.is_signed()


def is_same_size(input, other):
    """Whether two tensors have one shape."""
    return input.is_same_size(other)


def is_inference(input):
    """Whether the tensor was made in inference mode."""
    return input.is_inference()


def is_neg(input):
    """Whether the tensor is a view that is yet to be negated: there are none here."""
    return False


def is_distributed(input):
    """Whether the tensor is spread over processes: there are none here."""
    return False


def get_device(input):
    """The number of the device, -1 for the CPU."""
    return input.get_device()


def to_dense(input, dtype=None, *, masked_grad=True):
    """The tensor itself, which is dense already."""
    return input if dtype is None else input.to(dtype)


def dense_dim(input):
    """The number of dense dimensions: all."""
    return input.dim()


def sparse_dim(input):
    """The number of sparse dimensions: none."""
    return 0


def dequantize(input):
    """The tensor in float32."""
    return input.to(_C.float32)


def map2_(input, x, y, function):
    """Each element replaced by `function` of it and those of `x` and `y`, in place."""
    x, y = x.expand(input.shape).reshape(-1), y.expand(input.shape).reshape(-1)
    values = [function(*three) for three in zip(input.reshape(-1).tolist(), x.tolist(), y.tolist())]
    return input.copy_(_C._functions.tensor(values, dtype=input.dtype, device=input.device).reshape(input.shape))
