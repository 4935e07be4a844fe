"""How parameters start. Each function fills a tensor in place and returns it."""

import math

from torch import _C

_empty = _C._functions.empty


class _NoGrad:
    """Filling is never recorded."""

    def __enter__(self):
        self.before = _C.is_grad_enabled()
        _C._set_grad_enabled(False)

    def __exit__(self, *exc):
        _C._set_grad_enabled(self.before)


def calculate_gain(nonlinearity, param=None):
    """By how much weights before this nonlinearity are scaled up."""
    if nonlinearity in ("linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
                        "conv_transpose3d", "sigmoid"):
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        if param is None:
            slope = 0.01
        elif isinstance(param, (int, float)) and not isinstance(param, bool):
            slope = param
        else:
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope ** 2))
    if nonlinearity == "selu":
        return 3.0 / 4
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def uniform_(tensor, a=0.0, b=1.0, generator=None):
    """Uniform between `a` and `b`."""
    with _NoGrad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor, mean=0.0, std=1.0, generator=None):
    """Normal with `mean` and `std`."""
    with _NoGrad():
        return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None):
    """Normal, cut off at `a` and `b`."""
    if mean < a - 2 * std or mean > b + 2 * std:
        import warnings

        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. "
            "The distribution of values may be incorrect.",
            stacklevel=2,
        )

    def below(x):
        return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0

    with _NoGrad():
        inside = below((b - mean) / std) - below((a - mean) / std)
        draw = _redraw_normal if inside > 0.3 else _reject_uniform
        draw(tensor, mean, std, a, b, generator)
        return tensor


def _redraw_normal(tensor, mean, std, a, b, generator):
    """Most draws lie inside: those that do not are drawn again."""
    where, empty_like = _C._functions.where, _C._functions.empty_like
    low, high = (tensor.new_full((), bound).item() for bound in (a, b))
    result = tensor.normal_(mean, std, generator=generator)
    while True:
        outside = (result < low) | (result > high)
        if not outside.any():
            break
        result = where(outside, empty_like(result).normal_(mean, std, generator=generator), result)
    if result is not tensor:
        tensor.copy_(result)


def _reject_uniform(tensor, mean, std, a, b, generator):
    """Few would lie inside: uniform draws, each kept with the probability its density has beside the highest."""
    where, empty_like = _C._functions.where, _C._functions.empty_like
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    candidates, chance = empty_like(tensor), empty_like(tensor)
    result = pending = None
    while True:
        candidates.uniform_(a, b, generator=generator)
        result = candidates.clone() if result is None else where(pending, candidates, result)
        candidates.sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(peak)
        refused = chance.uniform_(generator=generator).log_().gt(candidates)
        pending = refused if pending is None else pending & refused
        if not pending.any():
            break
    tensor.copy_(result)


def constant_(tensor, val):
    """All the same value."""
    with _NoGrad():
        return tensor.fill_(val)


def ones_(tensor):
    """All ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor):
    """All zeros."""
    with _NoGrad():
        return tensor.zero_()


def eye_(tensor):
    """The identity matrix."""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with _NoGrad():
        tensor.zero_()
        tensor.diagonal().fill_(1)
    return tensor


def dirac_(tensor, groups=1):
    """A convolution that passes its input on."""
    dims = tensor.ndimension()
    if dims not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    sizes = tensor.size()
    if sizes[0] % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    per_group = sizes[0] // groups
    with _NoGrad():
        tensor.zero_()
        middle = tuple(n // 2 for n in sizes[2:])
        for g in range(groups):
            for d in range(min(per_group, sizes[1])):
                tensor[(g * per_group + d, d) + middle] = 1
    return tensor


def _calculate_fan_in_and_fan_out(tensor):
    dims = tensor.dim()
    if dims < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = 1
    for n in tensor.shape[2:]:
        field *= n
    return tensor.size(1) * field, tensor.size(0) * field


def _calculate_correct_fan(tensor, mode):
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return fan_in if mode == "fan_in" else fan_out


def xavier_uniform_(tensor, gain=1.0, generator=None):
    """Uniform with variance gain² * 2 / (fan_in + fan_out)."""
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    std = gain * math.sqrt(2.0 / float(fan_in + fan_out))
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor, gain=1.0, generator=None):
    """Normal with variance gain² * 2 / (fan_in + fan_out)."""
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(fan_in + fan_out)), generator)


def _no_elements(tensor):
    if 0 in tensor.shape:
        import warnings

        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
        return True
    return False


def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Uniform with variance gain² / fan; what `nn.Linear` and the convolutions start with (a = √5)."""
    if _no_elements(tensor):
        return tensor
    std = calculate_gain(nonlinearity, a) / math.sqrt(_calculate_correct_fan(tensor, mode))
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Normal with variance gain² / fan."""
    if _no_elements(tensor):
        return tensor
    std = calculate_gain(nonlinearity, a) / math.sqrt(_calculate_correct_fan(tensor, mode))
    return normal_(tensor, 0.0, std, generator)


def orthogonal_(tensor, gain=1, generator=None):
    """A (semi-)orthogonal matrix; dimensions after the first are flattened for it."""
    if tensor.ndimension() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows = tensor.size(0)
    cols = tensor.numel() // rows
    with _NoGrad():
        flat = tensor.new_empty((rows, cols)).normal_(0, 1, generator=generator)
        if rows < cols:
            flat.t_()
        q, r = _C._linalg.linalg_qr(flat)
        q *= r.diagonal(0).sign()
        if rows < cols:
            q.t_()
        tensor.view_as(q).copy_(q)
        tensor.mul_(gain)
    return tensor


def sparse_(tensor, sparsity, std=0.01, generator=None):
    """Normal, with a share `sparsity` of each column zero."""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, cols = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with _NoGrad():
        tensor.normal_(0, std, generator=generator)
        for col in range(cols):
            tensor[_C._functions.randperm(rows)[:zeros], col] = 0
    return tensor


def _old(name, new):
    def deprecated(*args, **kwargs):
        import warnings

        warnings.warn(
            f"`nn.init.{name}` is now deprecated in favor of `nn.init.{new.__name__}`.", FutureWarning, stacklevel=2
        )
        return new(*args, **kwargs)

    return deprecated


uniform = _old("uniform", uniform_)
normal = _old("normal", normal_)
constant = _old("constant", constant_)
eye = _old("eye", eye_)
dirac = _old("dirac", dirac_)
xavier_uniform = _old("xavier_uniform", xavier_uniform_)
xavier_normal = _old("xavier_normal", xavier_normal_)
kaiming_uniform = _old("kaiming_uniform", kaiming_uniform_)
kaiming_normal = _old("kaiming_normal", kaiming_normal_)
orthogonal = _old("orthogonal", orthogonal_)
sparse = _old("sparse", sparse_)
