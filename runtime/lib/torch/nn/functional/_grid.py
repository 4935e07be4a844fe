"""Warping images: values at places that a grid names, and the grid of an affine map."""

import itertools

from torch import _C
from torch._composite import one_node
from torch.nn.functional._common import warn

__all__ = ["grid_sample", "affine_grid"]
_F = _C._functions


def _corners(align_corners):
    if align_corners is None:
        warn(
            "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please "
            "specify align_corners=True if the old behavior is desired. See the documentation of grid_sample for "
            "details."
        )
    return bool(align_corners)


def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    """The values of (N, C, [D,] H, W) at the places that `grid` (N, [D',] H', W', 2 or 3) names, x first, -1 to 1."""
    modes, paddings = ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection")
    if mode not in modes:
        raise ValueError(
            "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', "
            f"but got: '{mode}'"
        )
    if padding_mode not in paddings:
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', "
            f"but got: '{padding_mode}'"
        )
    align_corners = _corners(align_corners)
    shapes = f"input with sizes {list(input.shape)} and grid with sizes {list(grid.shape)}"
    if input.size(0) != grid.size(0):
        raise RuntimeError(f"grid_sampler(): expected grid and input to have same batch size, but got {shapes}")
    dims = input.dim() - 2
    if grid.shape[-1] != dims:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {dims} in last dimension, but got grid with sizes "
            f"{list(grid.shape)}"
        )
    if input.dtype != grid.dtype:
        raise RuntimeError(
            f"grid_sampler(): expected input and grid to have same dtype, but input has {input.dtype} and grid has "
            f"{grid.dtype}"
        )
    if 0 in input.shape[2:]:
        raise RuntimeError(
            "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes "
            f"{list(input.shape)} with dimension {2 + list(input.shape[2:]).index(0)} being empty"
        )
    if input.dim() not in (4, 5) or input.dim() != grid.dim():
        raise RuntimeError(
            f"grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but got {shapes}"
        )
    if mode == "bicubic" and dims != 2:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")

    def sample(image, where):
        return _sample(image, where, mode, padding_mode, align_corners)

    return one_node(f"GridSampler{dims}DBackward0", sample, input, grid)


def _sample(input, grid, mode, padding_mode, align_corners):
    dims = input.dim() - 2
    # For each dimension, slowest first: the neighbours of each place and their weights.
    neighbours = [
        _neighbours(grid[..., dims - 1 - d], input.shape[2 + d], mode, padding_mode, align_corners)
        for d in range(dims)
    ]
    flat = input.flatten(2)
    n, c = input.shape[:2]
    out = None
    for corner in itertools.product(*neighbours):
        index, weight = 0, 1.0
        for (place, share), size in zip(corner, input.shape[2:]):
            inside = (place >= 0) & (place < size)
            index = index * size + place.clamp(0, size - 1)
            weight = weight * share * inside
        values = flat.gather(2, index.reshape(n, 1, -1).expand(n, c, -1)).reshape(n, c, *index.shape[1:])
        values = values * weight.unsqueeze(1)
        out = values if out is None else out + values
    return out


def _neighbours(place, size, mode, padding_mode, align_corners):
    """Of places from -1 to 1 along a dimension: pairs of int64 indices and weights."""
    place = (place + 1) / 2 * (size - 1) if align_corners else ((place + 1) * size - 1) / 2
    if mode == "bicubic":
        return _cubic(place, size, padding_mode, align_corners)
    if padding_mode == "reflection":
        place = _reflect(place, 0.0, size - 1.0) if align_corners else _reflect(place, -0.5, size - 0.5)
    if padding_mode != "zeros":
        place = place.clamp(0, size - 1)
    if mode == "nearest":
        return [(place.detach().round().long(), _F.ones_like(place))]
    low = place.detach().floor()
    return [(low.long(), low + 1 - place), (low.long() + 1, place - low)]


def _cubic(place, size, padding_mode, align_corners):
    """Four neighbours with the weights of cubic convolution."""
    low = place.detach().floor()
    a, t = -0.75, place - low
    near = lambda d: ((a + 2) * d - (a + 3)) * d * d + 1
    far = lambda d: ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    pairs = []
    for step, weight in ((-1, far(t + 1)), (0, near(t)), (1, near(1 - t)), (2, far(2 - t))):
        at = low + step
        if padding_mode == "reflection":
            at = _reflect(at, 0.0, size - 1.0) if align_corners else _reflect(at, -0.5, size - 0.5)
        if padding_mode != "zeros":
            at = at.clamp(0, size - 1)
        pairs.append((at.long(), weight))
    return pairs


def _reflect(place, low, high):
    if low == high:
        return _F.zeros_like(place)
    span = high - low
    place = (place - low).abs()
    rest, turns = place.fmod(span), (place.detach() / span).floor()
    return _F.where(turns % 2 == 0, rest, span - rest) + low


def affine_grid(theta, size, align_corners=None):
    """The grid of affine maps `theta` (N, 2, 3) or (N, 3, 4) for images of `size` (N, C, [D,] H, W)."""
    align_corners = _corners(align_corners)
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    dims = len(size) - 2
    if dims not in (2, 3):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. "
            f"Got size {size}."
        )
    if theta.dim() != 3 or tuple(theta.shape[1:]) != (dims, dims + 1):
        raise ValueError(
            f"Expected a batch of {dims}D affine matrices of shape Nx{dims}x{dims + 1} for size {size}. "
            f"Got {theta.shape}."
        )
    if min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    spatial = list(size[2:])
    axes = []
    for d, steps in enumerate(spatial):
        line = _F.linspace(-1, 1, steps, dtype=theta.dtype, device=theta.device) if steps > 1 else _F.zeros(1, dtype=theta.dtype, device=theta.device)
        if not align_corners:
            line = line * (steps - 1) / steps
        axes.insert(0, line.reshape([-1 if e == d else 1 for e in range(dims)]).expand(spatial))
    base = _F.stack([*axes, _F.ones(spatial, dtype=theta.dtype, device=theta.device)], -1).reshape(1, -1, dims + 1)
    grid = _F.bmm(base.expand(size[0], -1, -1), theta.transpose(1, 2))
    return grid.reshape(size[0], *spatial, dims)
