"""Pooling: each window of the input becomes its maximum or its mean."""

from torch import _C

__all__ = [
    "max_pool1d", "max_pool2d", "max_pool3d", "max_pool1d_with_indices", "max_pool2d_with_indices",
    "max_pool3d_with_indices", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d",
    "adaptive_max_pool2d", "adaptive_max_pool3d", "adaptive_max_pool1d_with_indices",
    "adaptive_max_pool2d_with_indices", "adaptive_max_pool3d_with_indices", "max_unpool1d", "max_unpool2d",
    "max_unpool3d", "lp_pool1d", "lp_pool2d", "lp_pool3d",
]
_F = _C._functions
_N = _C._nn


def max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """The largest of each window of (N, C, L). With `return_indices`, where it was too."""
    stride = [] if stride is None else stride
    fn = _F.max_pool1d_with_indices if return_indices else _F.max_pool1d
    return fn(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """The largest of each window of (N, C, H, W). With `return_indices`, where it was too."""
    stride = [] if stride is None else stride
    fn = _N.max_pool2d_with_indices if return_indices else _F.max_pool2d
    return fn(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool3d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """The largest of each window of (N, C, D, H, W). With `return_indices`, where it was too."""
    stride = [] if stride is None else stride
    fn = _N.max_pool3d_with_indices if return_indices else _F.max_pool3d
    return fn(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool1d_with_indices(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False,
                            return_indices=False):
    return max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


def max_pool2d_with_indices(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False,
                            return_indices=False):
    return max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


def max_pool3d_with_indices(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False,
                            return_indices=False):
    return max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


def _sizes(wanted, input, dims):
    """The output size, with None where the input's own is kept."""
    if isinstance(wanted, int):
        return [wanted] * dims
    own = input.size()
    if len(own) <= len(wanted):
        raise ValueError(f"Input dimension should be at least {len(wanted) + 1}")
    return [o if w is None else w for w, o in zip(wanted, own[-len(wanted):])]


def adaptive_avg_pool2d(input, output_size):
    """Means of as many windows as the output is to have elements: (N, C, H, W) -> (N, C, *output_size)."""
    return _N.adaptive_avg_pool2d(input, _sizes(output_size, input, 2))


def adaptive_avg_pool3d(input, output_size):
    """Means of as many windows as the output is to have elements: (N, C, D, H, W) -> (N, C, *output_size)."""
    return _N.adaptive_avg_pool3d(input, _sizes(output_size, input, 3))


def adaptive_max_pool1d(input, output_size, return_indices=False):
    """Maxima of as many windows as the output is to have elements: (N, C, L) -> (N, C, output_size)."""
    result = _F.adaptive_max_pool1d(input, output_size)
    return result if return_indices else result[0]


def adaptive_max_pool2d(input, output_size, return_indices=False):
    """Maxima of as many windows as the output is to have elements: (N, C, H, W) -> (N, C, *output_size)."""
    result = _N.adaptive_max_pool2d(input, _sizes(output_size, input, 2))
    return result if return_indices else result[0]


def adaptive_max_pool3d(input, output_size, return_indices=False):
    """Maxima of as many windows as the output is to have elements: (N, C, D, H, W) -> (N, C, *output_size)."""
    result = _N.adaptive_max_pool3d(input, _sizes(output_size, input, 3))
    return result if return_indices else result[0]


def adaptive_max_pool1d_with_indices(input, output_size, return_indices=False):
    return adaptive_max_pool1d(input, output_size, True)


def adaptive_max_pool2d_with_indices(input, output_size, return_indices=False):
    return adaptive_max_pool2d(input, output_size, True)


def adaptive_max_pool3d_with_indices(input, output_size, return_indices=False):
    return adaptive_max_pool3d(input, output_size, True)


def _tuple(value, n):
    return (value,) * n if isinstance(value, int) else tuple(value)


def _unpool_size(input, kernel, stride, padding, output_size):
    dims = len(kernel)
    own = input.size()[-dims:]
    default = [(own[d] - 1) * stride[d] + kernel[d] - 2 * padding[d] for d in range(dims)]
    if output_size is None:
        return default
    output_size = tuple(output_size)
    if len(output_size) == dims + 2:
        output_size = output_size[2:]
    if len(output_size) != dims:
        raise ValueError(
            f"output_size should be a sequence containing {dims} or {dims + 2} elements, but it has a length of "
            f"'{len(output_size)}'"
        )
    for d in range(dims):
        low, high = default[d] - stride[d], default[d] + stride[d]
        if not low < output_size[d] < high:
            raise ValueError(
                f'invalid output_size "{output_size}" (dim {d} must be between {low} and {high})'
            )
    return output_size


def _unpool(input, indices, kernel_size, stride, padding, output_size, dims):
    kernel = _tuple(kernel_size, dims)
    stride = kernel if stride is None else _tuple(stride, dims)
    padding = _tuple(padding, dims)
    return _unpool_size(input, kernel, stride, padding, output_size), stride, padding


def max_unpool1d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Puts the maxima back where they were, zeros elsewhere: the reverse of `max_pool1d`."""
    size, _, _ = _unpool(input, indices, kernel_size, stride, padding, output_size, 1)
    return _N.max_unpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), list(size) + [1]).squeeze(-1)


def max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Puts the maxima back where they were, zeros elsewhere: the reverse of `max_pool2d`."""
    size, _, _ = _unpool(input, indices, kernel_size, stride, padding, output_size, 2)
    return _N.max_unpool2d(input, indices, size)


def max_unpool3d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Puts the maxima back where they were, zeros elsewhere: the reverse of `max_pool3d`."""
    size, stride, padding = _unpool(input, indices, kernel_size, stride, padding, output_size, 3)
    return _N.max_unpool3d(input, indices, size, stride, padding)


def _lp(mean, norm_type, count):
    return (mean.sign() * mean.abs().relu()).mul(count).pow(1.0 / norm_type)


def lp_pool1d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The p-norm of each window of (N, C, L)."""
    powers = input.pow(norm_type)
    mean = _F.avg_pool1d(powers, kernel_size, kernel_size if stride is None else stride, 0, ceil_mode)
    return _lp(mean, norm_type, kernel_size)


def lp_pool2d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The p-norm of each window of (N, C, H, W)."""
    kernel = _tuple(kernel_size, 2)
    mean = _N.avg_pool2d(input.pow(norm_type), kernel, kernel if stride is None else stride, 0, ceil_mode)
    return _lp(mean, norm_type, kernel[0] * kernel[1])


def lp_pool3d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The p-norm of each window of (N, C, D, H, W)."""
    kernel = _tuple(kernel_size, 3)
    mean = _N.avg_pool3d(input.pow(norm_type), kernel, kernel if stride is None else stride, 0, ceil_mode)
    return _lp(mean, norm_type, kernel[0] * kernel[1] * kernel[2])
