"""Fractional max pooling: windows at places that are drawn, so that sizes shrink by any factor."""

import math

from torch import _C
from torch._composite import one_node

__all__ = ["fractional_max_pool2d", "fractional_max_pool2d_with_indices", "fractional_max_pool3d",
           "fractional_max_pool3d_with_indices"]
_F = _C._functions


def _starts(samples, size, out, window):
    """Where the windows of each plane start along one dimension."""
    if out == 1:
        return _F.full((*samples.shape, 1), size - window, dtype=_C.int64)
    alpha = (size - window) / (out - 1)
    samples = samples.unsqueeze(-1)
    places = ((_F.arange(out - 1, dtype=samples.dtype, device=samples.device) + samples) * alpha).long() - (samples * alpha).long()
    return _F.cat([places, _F.full((*samples.shape[:-1], 1), size - window, dtype=_C.int64)], -1)


def _pool(dims, input, kernel_size, output_size, output_ratio, _random_samples):
    name = f"fractional_max_pool{dims}d"
    if output_size is None and output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    several = lambda v: [v] * dims if isinstance(v, (int, float)) else list(v)
    kernel = several(kernel_size)
    if output_size is None:
        sizes = [int(input.size(d - dims) * ratio) for d, ratio in enumerate(several(output_ratio))]
    else:
        sizes = several(output_size)
    if _random_samples is None:
        batch = 1 if input.dim() == dims + 1 else input.size(0)
        _random_samples = _F.rand(batch, input.size(-dims - 1), dims, dtype=input.dtype, device=input.device)
    words = ["time", "height", "width"][3 - dims:]
    x = input.unsqueeze(0) if input.dim() == dims + 1 else input
    spatial = x.shape[2:]
    for word, k, o, s in zip(words, kernel, sizes, spatial):
        if o + k - 1 > s:
            raise RuntimeError(f"{name}(): pool {word} {k} too large relative to input {word} {s}")
    # One example of three dimensions takes the first of the samples, whatever their number.
    if input.dim() == dims + 1:
        _random_samples = _random_samples[:1]
    # Two dimensions take their samples last one first.
    order = (1, 0) if dims == 2 else (0, 1, 2)
    places = 0
    for d in range(dims):
        start = _starts(_random_samples[..., order[d]], spatial[d], sizes[d], kernel[d])
        index = start.unsqueeze(-1) + _F.arange(kernel[d])
        shape = [*index.shape[:2], *[1] * (2 * dims)]
        shape[2 + d], shape[2 + dims + d] = sizes[d], kernel[d]
        places = places * spatial[d] + index.reshape(shape)
    places = places.expand(*x.shape[:2], *sizes, *kernel).reshape(*x.shape[:2], *sizes, math.prod(kernel))
    values = x.detach().flatten(2).gather(2, places.flatten(2)).reshape(places.shape)
    best = values.argmax(-1, keepdim=True)
    indices = places.gather(-1, best).squeeze(-1)
    if input.dim() == dims + 1:
        indices = indices.squeeze(0)

    def forward(t):
        lead = t.dim() - dims
        return t.flatten(lead).gather(lead, indices.flatten(lead)).reshape(indices.shape)

    return one_node(f"FractionalMaxPool{dims}DBackward0", forward, input), indices


def fractional_max_pool2d_with_indices(input, kernel_size, output_size=None, output_ratio=None, return_indices=False,
                                       _random_samples=None):
    return _pool(2, input, kernel_size, output_size, output_ratio, _random_samples)


def fractional_max_pool3d_with_indices(input, kernel_size, output_size=None, output_ratio=None, return_indices=False,
                                       _random_samples=None):
    return _pool(3, input, kernel_size, output_size, output_ratio, _random_samples)


def fractional_max_pool2d(input, kernel_size, output_size=None, output_ratio=None, return_indices=False,
                          _random_samples=None):
    """The largest of each window of (…, H, W); the windows' places are drawn."""
    found = _pool(2, input, kernel_size, output_size, output_ratio, _random_samples)
    return found if return_indices else found[0]


def fractional_max_pool3d(input, kernel_size, output_size=None, output_ratio=None, return_indices=False,
                          _random_samples=None):
    """The largest of each window of (…, T, H, W); the windows' places are drawn."""
    found = _pool(3, input, kernel_size, output_size, output_ratio, _random_samples)
    return found if return_indices else found[0]
