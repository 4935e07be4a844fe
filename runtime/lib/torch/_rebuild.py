"""How tensors and parameters are pickled: as their bytes, and where in those bytes they lie."""

from torch import _C


def reduce_tensor(tensor):
    """The `__reduce_ex__` of a tensor. Storage shared by two tensors is kept shared by `torch.save`, not by pickle."""
    from torch.nn.parameter import Parameter

    plain = tensor.detach()
    args = (_C._storage_bytes(plain), plain.dtype, plain.storage_offset(), tuple(plain.size()), plain.stride(),
            tensor.requires_grad)
    if isinstance(tensor, Parameter):
        return _parameter_from_bytes, args
    return _tensor_from_bytes, args


def _tensor_from_bytes(data, dtype, offset, size, stride, requires_grad):
    flat = _C._from_storage_bytes(data, dtype)
    tensor = flat.as_strided(size, stride, offset)
    return tensor.requires_grad_() if requires_grad else tensor


def _parameter_from_bytes(data, dtype, offset, size, stride, requires_grad):
    from torch.nn.parameter import Parameter

    return Parameter(_tensor_from_bytes(data, dtype, offset, size, stride, False), requires_grad)
