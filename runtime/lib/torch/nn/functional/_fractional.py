"""Fractional max pooling as functions."""

from torch import _C

__all__ = [
    "fractional_max_pool2d", "fractional_max_pool3d", "fractional_max_pool2d_with_indices",
    "fractional_max_pool3d_with_indices",
]
_F = _C._functions


def _tuple(value, n):
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * n


def _starts(samples, size, count, kernel):
    """Where the windows of one dimension start: (N, C) samples -> (N, C, count)."""
    last = size - kernel
    if count == 1:
        return _F.full(tuple(samples.shape) + (1,), last, dtype=_C.int64)
    alpha = last / (count - 1)
    steps = _F.arange(count, dtype=samples.dtype)
    spread = ((steps + samples.unsqueeze(-1)) * alpha).long() - (samples.unsqueeze(-1) * alpha).long()
    spread[..., -1] = last
    return spread


def _pool(name, n, input, kernel_size, output_size, output_ratio, return_indices, samples):
    if output_size is None and output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    if output_size is None:
        sizes = input.shape[-n:]
        output_size = [int(s * r) for s, r in zip(sizes, _tuple(output_ratio, n))]
    kernel, output = _tuple(kernel_size, n), _tuple(output_size, n)
    batched = input.dim() == n + 2
    x = input if batched else input.unsqueeze(0)
    if samples is None:
        samples = _F.rand(x.size(0), x.size(1), n, dtype=input.dtype)
    spatial = tuple(x.shape[2:])
    for axis, size, k, o in zip(("time", "height", "width")[3 - n:], spatial, kernel, output):
        if o + k - 1 > size:
            raise RuntimeError(f"{name}(): pool {axis} {k} too large relative to input {axis} {size}")
    # The samples of the last dimension come first.
    at = 0
    for d in range(n):
        starts = _starts(samples[..., n - 1 - d], spatial[d], output[d], kernel[d])
        places = starts.unsqueeze(-1) + _F.arange(kernel[d])
        shape = [x.size(0), x.size(1)] + [1] * (2 * n)
        shape[2 + d], shape[2 + n + d] = output[d], kernel[d]
        at = at * spatial[d] + places.reshape(shape)
    at = at.expand([x.size(0), x.size(1)] + list(output) + list(kernel))
    windows = at.reshape(x.size(0), x.size(1), -1)
    values = x.flatten(2).gather(2, windows).reshape(tuple(at.shape[:2 + n]) + (-1,))
    result, best = values.max(dim=-1)
    indices = at.flatten(2 + n).gather(-1, best.unsqueeze(-1)).squeeze(-1)
    if not batched:
        result, indices = result.squeeze(0), indices.squeeze(0)
    return (result, indices) if return_indices else result


def fractional_max_pool2d(input, kernel_size, output_size=None, output_ratio=None, return_indices=False,
                          _random_samples=None):
    """The maxima of drawn windows of (N, C, H, W)."""
    return _pool("fractional_max_pool2d", 2, input, kernel_size, output_size, output_ratio, return_indices,
                 _random_samples)


def fractional_max_pool3d(input, kernel_size, output_size=None, output_ratio=None, return_indices=False,
                          _random_samples=None):
    """The maxima of drawn windows of (N, C, D, H, W)."""
    return _pool("fractional_max_pool3d", 3, input, kernel_size, output_size, output_ratio, return_indices,
                 _random_samples)


def fractional_max_pool2d_with_indices(input, kernel_size, output_size=None, output_ratio=None, return_indices=False,
                                       _random_samples=None):
    return fractional_max_pool2d(input, kernel_size, output_size, output_ratio, True, _random_samples)


def fractional_max_pool3d_with_indices(input, kernel_size, output_size=None, output_ratio=None, return_indices=False,
                                       _random_samples=None):
    return fractional_max_pool3d(input, kernel_size, output_size, output_ratio, True, _random_samples)
