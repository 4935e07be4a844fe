"""Elements moved elsewhere: channels shuffled into pixels, views as copies, pieces scattered into strided memory."""

from torch import _C
from torch._composite import one_node, written

_F = _C._functions
Tensor = _C.Tensor


def _positive(what, name, factor):
    if factor <= 0:
        raise RuntimeError(f"{what} expects a positive {name}, but got {factor}")


def _at_least_three(what, input):
    if input.dim() < 3:
        raise RuntimeError(
            f"{what} expects input to have at least 3 dimensions, but got input with {input.dim()} dimension(s)"
        )


def pixel_shuffle(input, upscale_factor):
    """(*, C r², H, W) -> (*, C, H r, W r)."""
    r = upscale_factor
    _at_least_three("pixel_shuffle", input)
    _positive("pixel_shuffle", "upscale_factor", r)
    *batch, c, h, w = input.size()
    if c % (r * r) != 0:
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but input.size(-3)={c} is not divisible by {r * r}"
        )
    n = len(batch)

    def forward(x):
        parts = x.reshape(batch + [c // (r * r), r, r, h, w])
        parts = parts.permute(*range(n), n, n + 3, n + 1, n + 4, n + 2)
        return parts.reshape(batch + [c // (r * r), h * r, w * r]).clone()

    return one_node("PixelShuffleBackward0", forward, input)


def pixel_unshuffle(input, downscale_factor):
    """(*, C, H r, W r) -> (*, C r², H, W)."""
    r = downscale_factor
    _at_least_three("pixel_unshuffle", input)
    _positive("pixel_unshuffle", "downscale_factor", r)
    *batch, c, h, w = input.size()
    for name, at, size in (("height", -2, h), ("width", -1, w)):
        if size % r != 0:
            raise RuntimeError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but input.size({at})={size} is "
                f"not divisible by {r}"
            )
    n = len(batch)

    def forward(x):
        parts = x.reshape(batch + [c, h // r, r, w // r, r])
        parts = parts.permute(*range(n), n, n + 2, n + 4, n + 1, n + 3)
        return parts.reshape(batch + [c * r * r, h // r, w // r]).clone()

    return one_node("PixelUnshuffleBackward0", forward, input)


def channel_shuffle(input, groups):
    """Channels of `groups` groups, dealt out one from each in turn."""
    if input.dim() <= 2:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(input.size())}")
    c = input.size(1)
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    if c % groups != 0:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {c} channels and {groups} groups."
        )

    def forward(x):
        parts = x.reshape(x.size(0), groups, c // groups, *x.shape[2:])
        return parts.transpose(1, 2).reshape(x.shape).clone()

    return one_node("ChannelShuffleBackward0", forward, input)


native_channel_shuffle = channel_shuffle


def as_strided_scatter(input, src, size, stride, storage_offset=None):
    """A copy of `input` with `src` in the places that `as_strided` names."""
    def forward(x, y):
        copy = x.clone(memory_format=_C.contiguous_format)
        copy.as_strided(size, stride, storage_offset or 0).copy_(y)
        return copy

    return one_node("AsStridedScatterBackward0", forward, input, src)


def as_strided_(input, size, stride, storage_offset=None):
    """`as_strided` that changes the tensor itself."""
    return input.as_strided_(size, stride, storage_offset)


def nonzero_static(input, *, size, fill_value=-1):
    """The places of the elements that are not zero, as many as `size` says: cut off or filled up."""
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    found = _F.nonzero(input)[:size]
    rest = _F.full((size - found.size(0), found.size(1)), fill_value, dtype=_C.int64)
    return _F.cat([found, rest])


def resize_as_(input, the_template, *, memory_format=None):
    """`resize_` to the size of another tensor."""
    return input.resize_(the_template.size())


def sum_to_size(input, *size):
    """Sums over the dimensions that broadcasting to the tensor's size would have added or stretched."""
    size = tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else size
    lead = input.dim() - len(size)
    if lead < 0 or any(s not in (1, input.size(lead + d)) for d, s in enumerate(size)):
        raise RuntimeError(
            f"size {{{list(size)}}} is not expandable to size {{{list(input.shape)}}}."
        )
    dims = list(range(lead)) + [lead + d for d, s in enumerate(size) if s == 1 and input.size(lead + d) != 1]
    out = input.sum(dims, keepdim=True) if dims else input
    return out.view(size) if lead else out


def unsafe_split(input, split_size, dim=0):
    """`split` whose pieces are not views of the tensor."""
    return _pieces(input, lambda x: x.split(split_size, dim), "UnsafeSplitBackward0")


def unsafe_split_with_sizes(input, split_sizes, dim=0):
    """`split_with_sizes` whose pieces are not views of the tensor."""
    return _pieces(input, lambda x: x.split(split_sizes, dim), "UnsafeSplitWithSizesBackward0")


def unsafe_chunk(input, chunks, dim=0):
    """`chunk` whose pieces are not views of the tensor."""
    return _pieces(input, lambda x: x.chunk(chunks, dim), "UnsafeSplitBackward0")


def _pieces(input, cut, name):
    return one_node(name, lambda x: tuple([piece.clone() for piece in cut(x)]), input)


def _copying(name, view):
    """The function `name` with a copy for its result where `view` gives a view."""
    node = "".join([part.capitalize() for part in name.replace("_copy", "").split("_")]) + "Backward0_copy"

    def function(input, *args, out=None, **kwargs):
        def forward(x):
            found = view(x, *args, **kwargs)
            if isinstance(found, Tensor):
                return found.clone(memory_format=_C.contiguous_format)
            return tuple([t.clone(memory_format=_C.contiguous_format) for t in found])

        result = one_node(node, forward, input)
        return written(result, out) if isinstance(result, Tensor) else result

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`{name[:-5]}` whose result is a copy, not a view."
    return function


def _slice(x, dim=0, start=None, end=None, step=1):
    index = [slice(None)] * x.dim()
    index[dim] = slice(start, end, step)
    return x[tuple(index)]


_VIEWS = {
    "alias": lambda x: x, "as_strided": Tensor.as_strided, "detach": Tensor.detach, "diagonal": Tensor.diagonal,
    "expand": Tensor.expand, "narrow": Tensor.narrow, "permute": Tensor.permute, "select": Tensor.select,
    "slice": _slice, "split": lambda x, size, dim=0: x.split(size, dim),
    "split_with_sizes": lambda x, sizes, dim=0: x.split(sizes, dim), "squeeze": Tensor.squeeze, "t": Tensor.t,
    "transpose": Tensor.transpose, "unbind": Tensor.unbind, "unfold": Tensor.unfold, "unsqueeze": Tensor.unsqueeze,
    "view": Tensor.view, "view_as_complex": _F.view_as_complex, "view_as_real": _F.view_as_real,
}
COPIES = tuple([name + "_copy" for name in _VIEWS])
for _name, _view in _VIEWS.items():
    globals()[_name + "_copy"] = _copying(_name + "_copy", _view)


def from_dlpack(ext_tensor):
    """A tensor over the memory of another tensor or array."""
    if isinstance(ext_tensor, Tensor):
        return ext_tensor.detach()
    if type(ext_tensor).__name__ == "ndarray":
        return _F.from_numpy(ext_tensor)
    raise NotImplementedError(f"from_dlpack of {type(ext_tensor).__name__} is not available here")
