"""Functions of `torch` that take any number of tensors, or choose between native functions."""

from torch import _C

_F = _C._functions
Tensor = _C.Tensor


def _many(tensors):
    """`f(a, b)` and `f([a, b])` mean the same."""
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        return tensors[0]
    return tensors


def broadcast_tensors(*tensors):
    """All tensors expanded to the shape they broadcast to (views)."""
    return _F.broadcast_tensors(_many(tensors))


def broadcast_shapes(*shapes):
    """The shape that tensors of these shapes broadcast to."""
    result = []
    for number, shape in enumerate(shapes):
        shape = (shape,) if isinstance(shape, int) else shape
        for size in shape:
            if size < 0:
                raise RuntimeError(f"Trying to create tensor with negative dimension ({size}): ({size})")
        while len(result) < len(shape):
            result.insert(0, 1)
        for i in range(-1, -1 - len(shape), -1):
            if shape[i] == 1 or shape[i] == result[i]:
                continue
            if result[i] != 1:
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {shape[i]} at {i}! Mismatching argument at index "
                    f"{number} had {tuple(shape)}; but expected shape should be broadcastable to {result}"
                )
            result[i] = shape[i]
    return _C.Size(result)


def meshgrid(*tensors, indexing=None):
    """Coordinate grids from 1-d tensors; `indexing` is 'ij' (as rows, columns) or 'xy'."""
    tensors = _many(tensors)
    return _F.meshgrid(tensors) if indexing is None else _F.meshgrid(tensors, indexing=indexing)


def einsum(*args):
    """Sums of products written with letters: `einsum('ij,jk->ik', a, b)`."""
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, "
            "or at least one operand and its subscripts list"
        )
    if isinstance(args[0], Tensor):
        equation, operands = _sublists_to_letters(args)
    else:
        equation, operands = args[0], args[1:]
    return _F.einsum(equation, _many(operands))


def _sublists_to_letters(args):
    """`einsum(a, [0, 1], b, [1, 2], [0, 2])` in letters."""
    def letters(subscripts):
        text = ""
        for s in subscripts:
            if s is Ellipsis:
                text += "..."
            elif 0 <= s < 26:
                text += chr(ord("A") + s)
            elif 26 <= s < 52:
                text += chr(ord("a") + s - 26)
            else:
                raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")
        return text

    terms = [letters(s) for s in args[1::2]]
    equation = ",".join(terms[:len(args) // 2])
    if len(args) % 2:
        equation += "->" + letters(args[-1])
    return equation, args[:len(args) - len(args) % 2:2]


def tensordot(a, b, dims=2, out=None):
    """Contracts `a` and `b`: over the last/first `dims` dimensions, or over two lists of dimensions."""
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, (list, tuple)):
        dims_a, dims_b = dims
        dims_a = [dims_a] if isinstance(dims_a, int) else list(dims_a)
        dims_b = [dims_b] if isinstance(dims_b, int) else list(dims_b)
    else:
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a.dim(), b.dim()):
            raise RuntimeError(
                f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}"
            )
        dims_a, dims_b = list(range(-dims, 0)), list(range(dims))
    result = _F.tensordot(a, b, dims_a, dims_b)
    return result if out is None else out.copy_(result)


def cartesian_prod(*tensors):
    """All combinations of one element from each 1-d tensor, one a row."""
    return _F.cartesian_prod(_many(tensors))


def block_diag(*tensors):
    """A matrix with the given ones along its diagonal."""
    return _F.block_diag(_many(tensors))


def cdist(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    """Distances between all rows of `x1` (…×P×M) and of `x2` (…×R×M): …×P×R."""
    modes = {"use_mm_for_euclid_dist_if_necessary": None, "use_mm_for_euclid_dist": 1,
             "donot_use_mm_for_euclid_dist": 2}
    if compute_mode not in modes:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    return _F.cdist(x1, x2, p, modes[compute_mode])


def _atleast(name, tensors):
    fn = getattr(_F, name)
    if len(tensors) == 1 and not isinstance(tensors[0], (list, tuple)):
        return fn(tensors[0])
    return fn(_many(tensors))


def atleast_1d(*tensors):
    """0-d tensors become 1-d; others stay."""
    return _atleast("atleast_1d", tensors)


def atleast_2d(*tensors):
    """Tensors of fewer than two dimensions get leading ones."""
    return _atleast("atleast_2d", tensors)


def atleast_3d(*tensors):
    """Tensors of fewer than three dimensions get ones."""
    return _atleast("atleast_3d", tensors)


def chain_matmul(*matrices, out=None):
    """The product of several matrices."""
    result = _C._functions.chain_matmul(_many(matrices))
    return result if out is None else out.copy_(result)


def split(tensor, split_size_or_sections, dim=0):
    """Pieces of a given size along `dim` (the last may be smaller), or of the given sizes. Views."""
    return tensor.split(split_size_or_sections, dim)


def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The distinct elements (or, with `dim`, the distinct slices)."""
    return input.unique(sorted=sorted, return_inverse=return_inverse, return_counts=return_counts, dim=dim)


def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    """Drops elements equal to the one before."""
    return input.unique_consecutive(return_inverse=return_inverse, return_counts=return_counts, dim=dim)


def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    """The norm of a tensor's elements, over all or over `dim`. `torch.linalg` has the newer functions."""
    result = input.norm(p, dim, keepdim, dtype) if dtype is not None else input.norm(p, dim, keepdim)
    return result if out is None else out.copy_(result)


def unravel_index(indices, shape):
    """Flat indices as one tensor of indices for each dimension of `shape`."""
    if not isinstance(indices, Tensor) or indices.is_floating_point() or indices.dtype is _C.bool:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {getattr(indices, 'dtype', type(indices))}")
    shape = [shape] if isinstance(shape, int) else list(shape)
    indices = indices.long()
    result = []
    for size in reversed(shape):
        result.append(indices % size)
        indices = indices.div(size, rounding_mode="floor")
    return tuple(reversed(result))


def frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False):
    """The bytes of a buffer as the elements of a tensor in one dimension (copied: later writes to either stay there)."""
    data = buffer.tobytes() if hasattr(buffer, "tobytes") else bytes(buffer)
    size = _C._functions.tensor((), dtype=dtype).element_size()
    if not data:
        raise ValueError(f"both buffer length ({len(data)}) and count ({count}) must not be 0")
    if not 0 <= offset < len(data):
        raise ValueError(f"offset ({offset} bytes) must be non-negative and no greater than buffer length "
                         f"({len(data)} bytes) minus 1")
    if count == 0:
        raise ValueError(f"both buffer length ({len(data)}) and count ({count}) must not be 0")
    left = len(data) - offset
    if count < 0:
        if left % size:
            raise ValueError(f"buffer length ({left} bytes) after offset ({offset} bytes) must be a multiple of element "
                             f"size ({size})")
        count = left // size
    elif count * size > left:
        raise ValueError(f"requested buffer length ({count} * {size} bytes) after offset ({offset} bytes) must not be "
                         f"greater than actual buffer length ({len(data)} bytes)")
    out = _C._from_storage_bytes(data[offset:offset + count * size], dtype)
    return out.requires_grad_() if requires_grad else out


def align_tensors(*tensors):
    """Named tensors are not part of this package."""
    raise NotImplementedError("named tensors are part of PyTorch, but they are not available here")
