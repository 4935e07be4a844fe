"""Normalisation, dropout, embedding, and small helpers of layers."""

import math

from torch import _C
from torch.nn.functional._common import warn

__all__ = [
    "dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout", "embedding",
    "embedding_bag", "batch_norm", "instance_norm", "layer_norm", "group_norm", "rms_norm", "local_response_norm",
    "normalize",
]
_F = _C._functions


def _check_p(p):
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def dropout(input, p=0.5, training=True, inplace=False):
    """In training: each element is zero with probability p, the others are scaled by 1/(1-p)."""
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    return _F.dropout_(input, p, training) if inplace else _F.dropout(input, p, training)


def alpha_dropout(input, p=0.5, training=False, inplace=False):
    """Dropout that keeps mean and variance, for SELU networks."""
    _check_p(p)
    return _F.alpha_dropout_(input, p, training) if inplace else _F.alpha_dropout(input, p, training)


def dropout1d(input, p=0.5, training=True, inplace=False):
    """Drops whole channels of (N, C, L) or (C, L)."""
    _check_p(p)
    if input.dim() not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {input.dim()}D input. Note that dropout1d exists to "
            "provide channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional "
            "batch dimension (i.e. 2D or 3D inputs)."
        )
    return _channels(input, p, training, inplace, input.dim() == 3)


def dropout2d(input, p=0.5, training=True, inplace=False):
    """Drops whole channels of (N, C, H, W)."""
    _check_p(p)
    if input.dim() not in (3, 4):
        warn(
            f"dropout2d: Received a {input.dim()}-D input to dropout2d, which is deprecated and will result in an error "
            "in a future release. To retain the behavior and silence this warning, please use dropout instead. Note "
            "that dropout2d exists to provide channel-wise dropout on inputs with 2 spatial dimensions, a channel "
            "dimension, and an optional batch dimension (i.e. 3D or 4D inputs)."
        )
    if input.dim() == 3:
        warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired "
            "- input is interpreted as shape (N, C, L), where C is the channel dim. This behavior will change in a "
            "future release to interpret the input as one without a batch dimension, i.e. shape (C, H, W). To maintain "
            "the 1D channel-wise dropout behavior, please switch to using dropout1d instead."
        )
    return _channels(input, p, training, inplace, True)


def dropout3d(input, p=0.5, training=True, inplace=False):
    """Drops whole channels of (N, C, D, H, W)."""
    _check_p(p)
    if input.dim() not in (4, 5):
        warn(
            f"dropout3d: Received a {input.dim()}-D input to dropout3d, which is deprecated and will result in an error "
            "in a future release. To retain the behavior and silence this warning, please use dropout instead. Note "
            "that dropout3d exists to provide channel-wise dropout on inputs with 3 spatial dimensions, a channel "
            "dimension, and an optional batch dimension (i.e. 4D or 5D inputs)."
        )
    return _channels(input, p, training, inplace, input.dim() == 5)


def _channels(input, p, training, inplace, batched):
    if not batched:
        input = input.unsqueeze_(0) if inplace else input.unsqueeze(0)
    result = _F.feature_dropout_(input, p, training) if inplace else _F.feature_dropout(input, p, training)
    if not batched:
        result = result.squeeze_(0) if inplace else result.squeeze(0)
    return result


def feature_alpha_dropout(input, p=0.5, training=False, inplace=False):
    """Alpha dropout of whole channels."""
    _check_p(p)
    native = getattr(_F, "feature_alpha_dropout_" if inplace else "feature_alpha_dropout", None)
    if native is not None:
        return native(input, p, training)
    if p == 0 or not training or input.numel() == 0:
        return input
    if p == 1:
        return input.mul_(0) if inplace else input * 0
    alpha = 1.7580993408473766  # minus the limit of SELU
    a = 1 / math.sqrt((alpha * alpha * p + 1) * (1 - p))
    noise = input.new_empty(tuple(input.size())[:2] + (1,) * (input.dim() - 2)).bernoulli_(1 - p)
    shift = noise.add(-1).mul_(alpha * a).add_(alpha * a * p)
    noise.mul_(a)
    return input.mul_(noise).add_(shift) if inplace else input * noise + shift


def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
    """The rows of `weight` (V, D) at the indices `input` (*): (*, D)."""
    if padding_idx is None:
        padding_idx = -1
    elif padding_idx > 0:
        if padding_idx >= weight.size(0):
            raise AssertionError("Padding_idx must be within num_embeddings")
    elif padding_idx < 0:
        if padding_idx < -weight.size(0):
            raise AssertionError("Padding_idx must be within num_embeddings")
        padding_idx += weight.size(0)
    if max_norm is not None:
        input = input.contiguous()
        _renorm(weight, input, max_norm, norm_type)
    return _F.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)


def _renorm(weight, input, max_norm, norm_type):
    """Shrinks the rows in use to `max_norm`, in place."""
    grad_mode = _C.is_grad_enabled()
    _C._set_grad_enabled(False)
    try:
        table = weight.detach()
        rows = _F._unique2(input.reshape(-1))[0]
        used = table.index_select(0, rows)
        norms = _C._linalg.linalg_vector_norm(used, norm_type, 1, True)
        scale = _F.where(norms > max_norm, max_norm / (norms + 1e-7), _F.ones_like(norms))
        table.index_copy_(0, rows, used * scale)
    finally:
        _C._set_grad_enabled(grad_mode)


def embedding_bag(input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, mode="mean",
                  sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=None):
    """Sums, means or maxima of bags of rows of `weight`. A bag is a row of 2-d `input`, or starts at an offset."""
    if weight.dtype is _C.int64 and input.is_floating_point():
        warn(
            "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is "
            "deprecated, and should now be `embedding_bag(input, weight, ...)`."
        )
        weight, input = input, weight
    if per_sample_weights is not None and input.size() != per_sample_weights.size():
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, then it must have the "
            f"same shape as the input ({input.shape})"
        )
    if weight.dim() != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.dim()}")
    if input.dim() == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
                f"sequences. However, found offsets of type {type(offsets)}"
            )
        offsets = _F.arange(0, input.numel(), input.size(1), dtype=input.dtype, device=input.device)
        input = input.reshape(-1)
        if per_sample_weights is not None:
            per_sample_weights = per_sample_weights.reshape(-1)
    elif input.dim() == 1:
        if offsets is None:
            raise ValueError("offsets has to be a 1D Tensor but got None")
        if offsets.dim() != 1:
            raise ValueError("offsets has to be a 1D Tensor")
    else:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}")
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise ValueError("max mode does not support sparse weights")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' "
            f"(got mode='{mode}'). Please open a feature request on GitHub."
        )
    if max_norm is not None:
        _renorm(weight, input, max_norm, norm_type)
    number = ("sum", "mean", "max").index(mode)
    return _F.embedding_bag(weight, input, offsets, scale_grad_by_freq, number, sparse, per_sample_weights,
                            include_last_offset, padding_idx)[0]


def _check_batch(size):
    """Statistics need more than one value for each channel."""
    count = size[0]
    for n in size[2:]:
        count *= n
    if count == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}")


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    """Each channel of (N, C, *) to mean 0 and variance 1, by the batch's statistics or the running ones."""
    if training:
        _check_batch(input.size())
        if eps <= 0.0:
            raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    elif eps < 0.0:
        raise ValueError(f"batch_norm eps must be non-negative, but got {eps}")
    return _F.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, True)


def instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True,
                  momentum=0.1, eps=1e-5):
    """Each channel of each example of (N, C, *) to mean 0 and variance 1."""
    if use_input_stats:
        count = 1
        for n in input.size()[2:]:
            count *= n
        if count == 1:
            raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.size()}")
    return _F.instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, True)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """The last dimensions, of shape `normalized_shape`, to mean 0 and variance 1."""
    return _F.layer_norm(input, normalized_shape, weight, bias, eps, True)


def rms_norm(input, normalized_shape, weight=None, eps=None):
    """The last dimensions divided by the root of their mean square."""
    return _F.rms_norm(input, normalized_shape, weight, eps)


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    """Groups of channels of (N, C, *) to mean 0 and variance 1."""
    if input.dim() < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.dim()}")
    size = input.size()
    if size[1] == 0 and num_groups > 0:
        raise RuntimeError("Expected number of channels to be greater than 0, got 0")
    _check_batch([size[0] * size[1] // num_groups, num_groups] + list(size[2:]))
    return _F.group_norm(input, num_groups, weight, bias, eps, True)


def local_response_norm(input, size, alpha=1e-4, beta=0.75, k=1.0):
    """Divides by a power of the mean square of the neighbouring channels."""
    dim = input.dim()
    if dim < 3:
        raise ValueError(f"Expected 3D or higher dimensionality {' ' * 25}input (got {dim} dimensions)")
    if input.numel() == 0:
        return input
    square = input.mul(input)
    shape = input.size()
    if dim == 3:
        square = _C._nn.pad(square.unsqueeze(1), (0, 0, size // 2, (size - 1) // 2))
        mean = _C._nn.avg_pool2d(square, (size, 1), stride=1).squeeze(1)
    else:
        square = square.view(shape[0], 1, shape[1], shape[2], -1)
        square = _C._nn.pad(square, (0, 0, 0, 0, size // 2, (size - 1) // 2))
        mean = _C._nn.avg_pool3d(square, (size, 1, 1), stride=1).squeeze(1).view(shape)
    return input / mean.mul(alpha).add(k).pow(beta)


def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    """Divides by the p-norm along `dim`."""
    denom = input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)
    return input / denom if out is None else _F.div(input, denom, out=out)
