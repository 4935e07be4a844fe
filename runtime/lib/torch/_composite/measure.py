"""Measures of tensors: finite differences, distances, histograms in several dimensions, sums over segments."""

import math

from torch import _C
from torch._composite import named, one_node, warn_once

_F = _C._functions
Tensor = _C.Tensor


def gradient(input, *, spacing=1, dim=None, edge_order=1):
    """The slope along each dimension (or those of `dim`), from differences between neighbours; one tensor a dimension."""
    dims = list(range(input.dim())) if dim is None else [dim] if isinstance(dim, int) else list(dim)
    dims = [d + input.dim() if d < 0 else d for d in dims]
    spacing = 1 if spacing is None else spacing
    given = "since dim argument was not given" if dim is None else "since dim argument was given"
    if isinstance(spacing, (int, float)):
        spacing = [spacing] * len(dims)
    elif isinstance(spacing, Tensor):
        spacing = [spacing] * len(dims) if spacing.dim() == 0 else [spacing]
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    if len(spacing) != len(dims):
        length = f"'self.dim() = {input.dim()}'" if dim is None else f"length of dim = {len(dims)}"
        raise RuntimeError(
            f"torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to {length}, "
            f"{given}, but got a list of length {len(spacing)}"
        )
    for d in dims:
        if input.size(d) < edge_order + 1:
            raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    return tuple([_slope(input, d, h, edge_order) for d, h in zip(dims, spacing)])


def _slope(x, dim, h, order):
    n = x.size(dim)

    def at(start, count=1):
        return x.narrow(dim, start if start >= 0 else n + start, count)

    if not isinstance(h, Tensor) or h.dim() == 0:
        middle = (at(2, n - 2) - at(0, n - 2)) / h / 2
        if order == 1:
            first, last = (at(1) - at(0)) / h, (at(-1) - at(-2)) / h
        else:
            first = (at(0) * -1.5 + at(1) * 2 + at(2) * -0.5) / h
            last = (at(-3) * 0.5 + at(-2) * -2 + at(-1) * 1.5) / h
        return _F.cat([first, middle, last], dim)
    # Places of any distance: the slope of the parabola through three of them.
    if h.numel() != n:
        raise RuntimeError(
            f"torch.gradient expected each element of spacing to have the length of its dimension, but got {h.numel()} "
            f"places for a dimension of size {n}"
        )
    shape = [1] * x.dim()
    shape[dim] = -1
    gaps = h.diff().reshape(shape)

    def gap(start, count=1):
        return gaps.narrow(dim, start if start >= 0 else n - 1 + start, count)

    a, b = gap(0, n - 2), gap(1, n - 2)
    middle = -b / (a * (a + b)) * at(0, n - 2) + (b - a) / (a * b) * at(1, n - 2) + a / (b * (a + b)) * at(2, n - 2)
    if order == 1:
        first, last = (at(1) - at(0)) / gap(0), (at(-1) - at(-2)) / gap(-1)
    else:
        a, b = gap(0), gap(1)
        first = -(2 * a + b) / (a * (a + b)) * at(0) + (a + b) / (a * b) * at(1) - a / (b * (a + b)) * at(2)
        a, b = gap(-2), gap(-1)
        last = b / (a * (a + b)) * at(-3) - (a + b) / (a * b) * at(-2) + (a + 2 * b) / (b * (a + b)) * at(-1)
    return _F.cat([first, middle, last], dim)


def pdist(input, p=2.0):
    """The distances between all pairs of rows: those of row 0 to the rows after it first."""
    if input.dim() != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.dim()}D")
    if not input.is_floating_point():
        raise RuntimeError("pdist only supports floating-point dtypes")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    a, b = _F.triu_indices(input.size(0), input.size(0), 1)

    def forward(x):
        return _C._linalg.linalg_vector_norm(x[a] - x[b], float(p), -1)

    return one_node("PdistBackward0", forward, input)


def histogramdd(input, bins, *, range=None, weight=None, density=False, out=None):
    """How many points (rows) fall into each cell of a grid; the last bin of each dimension has its right edge."""
    n = input.size(-1)
    points = input.reshape(-1, n)
    if isinstance(bins, int):
        bins = [bins] * n
    if len(bins) != n:
        raise RuntimeError(
            f"histogramdd: The size of bins must be equal to the innermost dimension of the input."
        )
    if range is not None and len(range) != 2 * n:
        raise RuntimeError(
            f"torch.histogramdd: for a {n}-dimensional histogram range should have {2 * n} elements, but got "
            f"{len(range)}"
        )
    edges, places, inside = [], 0, None
    for d, count in enumerate(bins):
        x = points[:, d].contiguous()
        if isinstance(count, Tensor):
            line = count
        else:
            low, high = _span(x, None if range is None else range[2 * d:2 * d + 2])
            line = _F.linspace(low, high, count + 1, dtype=input.dtype, device=input.device)
        cells = line.numel() - 1
        place = _F.bucketize(x, line, right=True) - 1
        place = _F.where(x == line[-1], cells - 1, place)
        fits = (place >= 0) & (place < cells)
        inside = fits if inside is None else inside & fits
        places = places * cells + place.clamp(0, cells - 1)
        edges.append(line)
    sizes = [line.numel() - 1 for line in edges]
    weights = _F.ones(points.size(0), dtype=input.dtype, device=input.device) if weight is None else weight.reshape(-1)
    counts = _F.zeros(math.prod(sizes), dtype=input.dtype, device=input.device)
    counts = counts.index_add(0, places[inside], weights[inside]).reshape(sizes)
    if density:
        for d, line in enumerate(edges):
            shape = [1] * n
            shape[d] = -1
            counts = counts / line.diff().reshape(shape)
        counts = counts / weights[inside].sum()
    return named("histogramdd", hist=counts, bin_edges=tuple(edges))


def _span(x, given):
    low, high = given if given is not None else (0.0, 1.0) if x.numel() == 0 else (x.min().item(), x.max().item())
    return (low - 0.5, high + 0.5) if low == high else (low, high)


def segment_reduce(data, reduce, *, lengths=None, indices=None, offsets=None, axis=0, unsafe=False, initial=None):
    """One row for each run of rows: their sum, mean, max, min or product."""
    if lengths is None and offsets is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    if axis != 0 or (lengths if lengths is not None else offsets).dim() != 1:
        raise NotImplementedError("segment_reduce is available here along dimension 0 only")
    counts = (lengths if lengths is not None else offsets.diff()).tolist()
    start = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "max": -math.inf, "min": math.inf}[reduce]
    start = start if initial is None else initial

    def forward(x):
        rows = []
        for part, count in zip(x.split(counts), counts):
            if reduce == "sum":
                row = part.sum(0) + start
            elif reduce == "mean":
                row = (part.sum(0) + start) / count if count else part.sum(0) + (math.nan if initial is None else initial)
            elif reduce == "prod":
                row = part.prod(0) * start
            else:
                edge = _F.full_like(x[:1], start) if x.numel() else x.new_full((1, *x.shape[1:]), start)
                whole = _F.cat([part, edge])
                row = whole.amax(0) if reduce == "max" else whole.amin(0)
            rows.append(row)
        return _F.stack(rows)

    return one_node("SegmentReduceBackward0", forward, data)


def frobenius_norm(input, dim, keepdim=False, *, out=None):
    """The root of the sum of squares."""
    warn_once(
        "at::frobenius_norm is deprecated and it is just left for JIT compatibility. It will be removed in a future "
        "PyTorch release. Please use `linalg.vector_norm(A, 2., dim, keepdim)` instead"
    )
    return _C._linalg.linalg_vector_norm(input, 2.0, dim, keepdim)


def nuclear_norm(input, dim=(-2, -1), keepdim=False, *, out=None):
    """The sum of the singular values."""
    warn_once(
        "at::nuclear_norm is deprecated and it is just left for JIT compatibility. It will be removed in a future "
        "PyTorch release. Please use `linalg.matrix_norm(A, 'nuc', dim, keepdim)` instead"
    )
    return _C._linalg.linalg_matrix_norm(input, "nuc", dim, keepdim)


def embedding_renorm_(input, indices, max_norm, norm_type=2.0):
    """Rows of `input` that `indices` names, shortened in place to `max_norm`."""
    rows = indices.reshape(-1).unique()
    picked = input.detach()[rows]
    norms = picked.norm(norm_type, -1, keepdim=True)
    scale = _F.where(norms > max_norm, max_norm / (norms + 1e-7), _F.ones_like(norms))
    input.detach()[rows] = picked * scale
    return input


def conv_tbc(input, weight, bias, pad=0):
    """A convolution in one dimension over (time, batch, channels)."""
    out = _F.conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad)
    return out.permute(2, 0, 1)
