"""Making images larger or smaller, cutting them into patches."""

import math

from torch import _C
from torch._missing import native
from torch.nn.functional._common import warn

__all__ = ["interpolate", "upsample", "upsample_nearest",
           "upsample_bilinear", "unfold", "fold"]
_F = _C._functions
_N = _C._nn


def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None,
                antialias=False):
    """Resizes the last 1, 2 or 3 dimensions of (N, C, ...) to `size` or by `scale_factor`."""
    if mode in ("nearest", "area", "nearest-exact"):
        if align_corners is not None:
            raise ValueError(
                "align_corners option can only be set with the interpolating modes: "
                "linear | bilinear | bicubic | trilinear"
            )
    elif align_corners is None:
        align_corners = False
    dims = input.dim() - 2
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is not None:
        size, scales = _per_dim(size, dims, "size", input), None
    elif scale_factor is not None:
        size, scales = None, _per_dim(scale_factor, dims, "scale_factor", input)
    else:
        raise ValueError("either size or scale_factor should be defined")
    if recompute_scale_factor:
        if size is not None:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        size = [int(float(input.size(i + 2)) * scales[i]) for i in range(dims)]
        scales = None
    if antialias:
        if mode not in ("bilinear", "bicubic") or input.ndim != 4:
            raise ValueError(
                "Anti-alias option is restricted to bilinear and bicubic modes and requires a 4-D tensor as input"
            )
        fn = native(_N, "_upsample_bilinear2d_aa" if mode == "bilinear" else "_upsample_bicubic2d_aa")
        if size is None:
            size = [math.floor(float(input.size(i + 2)) * scales[i]) for i in range(dims)]
        return fn(input, size, align_corners, *(scales or (None, None)))
    if mode == "area":
        if size is None:
            size = [int(float(input.size(i + 2)) * scales[i]) for i in range(dims)]
        return (_F.adaptive_avg_pool1d, _N.adaptive_avg_pool2d, _N.adaptive_avg_pool3d)[dims - 1](input, size)
    name = {
        ("nearest", 1): "upsample_nearest1d", ("nearest", 2): "upsample_nearest2d",
        ("nearest", 3): "upsample_nearest3d", ("nearest-exact", 1): "_upsample_nearest_exact1d",
        ("nearest-exact", 2): "_upsample_nearest_exact2d", ("nearest-exact", 3): "_upsample_nearest_exact3d",
        ("linear", 1): "upsample_linear1d", ("bilinear", 2): "upsample_bilinear2d",
        ("trilinear", 3): "upsample_trilinear3d", ("bicubic", 2): "upsample_bicubic2d",
    }.get((mode, dims))
    if name is None:
        _mode_error(input, mode, dims)
    if size is None:
        size = [math.floor(float(input.size(i + 2)) * scales[i]) for i in range(dims)]
    scales = [None] * dims if scales is None else scales
    fn = native(_N, name)
    return fn(input, size, *scales) if mode in ("nearest", "nearest-exact") else fn(input, size, align_corners, *scales)


def _mode_error(input, mode, dims):
    kinds = {"linear": 3, "bilinear": 4, "trilinear": 5}
    if mode in kinds and 1 <= dims <= 3:
        raise NotImplementedError(f"Got {dims + 2}D input, but {mode} mode needs {kinds[mode]}D input")
    raise NotImplementedError(
        "Input Error: Only 3D, 4D and 5D input Tensors supported "
        f"(got {input.dim()}D) for the modes: nearest | linear | bilinear | bicubic | trilinear | lanczos | "
        f"area | nearest-exact (got {mode})"
    )


def _per_dim(value, dims, name, input):
    if not isinstance(value, (list, tuple)):
        return [value] * dims
    if len(value) != dims:
        if name == "size":
            raise ValueError(
                "Input and output must have the same number of spatial dimensions, but got input with spatial "
                f"dimensions of {list(input.shape[2:])} and output size of {value}. Please provide input tensor in "
                "(N, C, d1, d2, ...,dK) format and output size in (o1, o2, ...,oK) format."
            )
        raise ValueError(
            "Input and scale_factor must have the same number of spatial dimensions, but got input with spatial "
            f"dimensions of {list(input.shape[2:])} and scale_factor of shape {value}. Please provide input tensor in "
            "(N, C, d1, d2, ...,dK) format and scale_factor in (s1, s2, ...,sK) format."
        )
    return list(value)


def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """The old name of `interpolate`."""
    warn("`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input, size=None, scale_factor=None):
    warn("`nn.functional.upsample_nearest` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(input, size=None, scale_factor=None):
    warn("`nn.functional.upsample_bilinear` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


def _pair(value):
    return (value, value) if isinstance(value, int) else value


def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """Patches of images as columns: (N, C, H, W) -> (N, C * kernel elements, patches)."""
    return _N.im2col(input, _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride))


def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Adds patches up to images: the reverse of `unfold`."""
    return _N.col2im(input, _pair(output_size), _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride))
