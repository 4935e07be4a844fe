"""Activation functions, softmax and its relatives."""

from torch import _C
from torch.nn.functional._common import warn

__all__ = [
    "relu", "relu_", "relu6", "elu", "elu_", "selu", "selu_", "celu", "celu_", "leaky_relu", "leaky_relu_", "rrelu",
    "rrelu_", "glu", "threshold", "threshold_", "hardtanh", "hardtanh_", "hardsigmoid", "hardswish", "silu", "mish",
    "tanh", "sigmoid", "softsign", "tanhshrink", "softmin", "softmax", "log_softmax", "gumbel_softmax",
]
_F = _C._functions
_N = _C._nn


def relu(input, inplace=False):
    """max(0, x) of each element."""
    return _F.relu_(input) if inplace else _F.relu(input)


def relu_(input):
    return _F.relu_(input)


def relu6(input, inplace=False):
    """min(max(0, x), 6)."""
    return _N.relu6_(input) if inplace else _N.relu6(input)


def elu(input, alpha=1.0, inplace=False):
    """x above 0, alpha * (exp(x) - 1) below."""
    return _N.elu_(input, alpha) if inplace else _N.elu(input, alpha)


def elu_(input, alpha=1.0):
    return _N.elu_(input, alpha)


def selu(input, inplace=False):
    """ELU with the scale that keeps mean and variance from layer to layer."""
    return _F.selu_(input) if inplace else _F.selu(input)


def selu_(input):
    return _F.selu_(input)


def celu(input, alpha=1.0, inplace=False):
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1))."""
    return _F.celu_(input, alpha) if inplace else _F.celu(input, alpha)


def celu_(input, alpha=1.0):
    return _F.celu_(input, alpha)


def leaky_relu(input, negative_slope=0.01, inplace=False):
    """x above 0, negative_slope * x below."""
    return _N.leaky_relu_(input, negative_slope) if inplace else _N.leaky_relu(input, negative_slope)


def leaky_relu_(input, negative_slope=0.01):
    return _N.leaky_relu_(input, negative_slope)


def rrelu(input, lower=1.0 / 8, upper=1.0 / 3, training=False, inplace=False):
    """Leaky ReLU whose slope is drawn for each element in training, and the middle of the range else."""
    from torch._composite import slopes

    return (slopes.rrelu_ if inplace else slopes.rrelu)(input, lower, upper, training)


def rrelu_(input, lower=1.0 / 8, upper=1.0 / 3, training=False):
    return rrelu(input, lower, upper, training, inplace=True)


def glu(input, dim=-1):
    """The first half times the sigmoid of the second half, along `dim`."""
    if input.dim() == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    return _N.glu(input, dim)


def threshold(input, threshold, value, inplace=False):
    """x where it is above `threshold`, `value` elsewhere."""
    return _F.threshold_(input, threshold, value) if inplace else _F.threshold(input, threshold, value)


def threshold_(input, threshold, value):
    return _F.threshold_(input, threshold, value)


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    """x, kept between `min_val` and `max_val`."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return _N.hardtanh_(input, min_val, max_val) if inplace else _N.hardtanh(input, min_val, max_val)


def hardtanh_(input, min_val=-1.0, max_val=1.0):
    return _N.hardtanh_(input, min_val, max_val)


def hardsigmoid(input, inplace=False):
    """relu6(x + 3) / 6."""
    return _N.hardsigmoid_(input) if inplace else _N.hardsigmoid(input)


def hardswish(input, inplace=False):
    """x * relu6(x + 3) / 6."""
    return _N.hardswish_(input) if inplace else _N.hardswish(input)


def silu(input, inplace=False):
    """x * sigmoid(x), also called swish."""
    return _N.silu_(input) if inplace else _N.silu(input)


def mish(input, inplace=False):
    """x * tanh(softplus(x))."""
    return _N.mish_(input) if inplace else _N.mish(input)


def tanh(input):
    return input.tanh()


def sigmoid(input):
    return input.sigmoid()


def softsign(input):
    """x / (1 + |x|)."""
    return input / (input.abs() + 1)


def tanhshrink(input):
    """x - tanh(x)."""
    return input - input.tanh()


def _implicit_dim(name, ndim):
    warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.", 5)
    return 0 if ndim in (0, 1, 3) else 1


def softmin(input, dim=None, _stacklevel=3, dtype=None):
    """Softmax of -x."""
    dim = _implicit_dim("softmin", input.dim()) if dim is None else dim
    return (-input).softmax(dim) if dtype is None else (-input).softmax(dim, dtype=dtype)


def softmax(input, dim=None, _stacklevel=3, dtype=None):
    """exp(x) / sum(exp(x)) along `dim`."""
    dim = _implicit_dim("softmax", input.dim()) if dim is None else dim
    return input.softmax(dim) if dtype is None else input.softmax(dim, dtype=dtype)


def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    """The logarithm of softmax, computed without losing precision."""
    dim = _implicit_dim("log_softmax", input.dim()) if dim is None else dim
    return input.log_softmax(dim) if dtype is None else input.log_softmax(dim, dtype=dtype)


def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    """A sample from the categorical distribution that can be differentiated; `hard`: one-hot in forward."""
    noise = -_F.empty_like(logits, memory_format=_C.contiguous_format).exponential_().log()
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    one_hot = _F.zeros_like(logits).scatter_(dim, index, 1.0)
    return one_hot - soft.detach() + soft
