"""Methods of `Tensor` that are made in Python: copying, pickling and what belongs to other devices."""

from torch import _C

Tensor = _C.Tensor
_F = _C._functions


def _deepcopy(self, memo):
    """A copy with its own storage; tensors that shared a storage share one again afterwards."""
    if id(self) in memo:
        return memo[id(self)]
    if not self.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  "
            "If you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, "
            "see https://github.com/pytorch/pytorch/pull/103001"
        )
    with _NoGrad():
        copied = _copy_storage(self, memo)
    if type(self) is not Tensor:
        copied = Tensor._make_subclass(type(self), copied, self.requires_grad)
    elif self.requires_grad:
        copied.requires_grad_()
    memo[id(self)] = copied
    if self.grad is not None:
        copied.grad = _deepcopy(self.grad, memo)
    state = getattr(self, "__dict__", None)
    if state:
        from copy import deepcopy

        for key, value in state.items():
            setattr(copied, key, deepcopy(value, memo))
    return copied


def _copy_storage(tensor, memo):
    plain = tensor.detach()
    key = ("torch storage", _C._storage_id(plain))
    whole = memo.get(key)
    if whole is None:
        flat = plain.untyped_storage().nbytes() // plain.element_size() if plain.numel() else 0
        whole = memo[key] = plain.as_strided((flat,), (1,), 0).clone()
    return whole.as_strided(plain.size(), plain.stride(), plain.storage_offset())


class _NoGrad:
    """`torch.no_grad`, without loading it: this file comes first."""

    def __enter__(self):
        self.before = _C.is_grad_enabled()
        _C._set_grad_enabled(False)

    def __exit__(self, *exc):
        _C._set_grad_enabled(self.before)


def _reduce_ex(self, protocol):
    from torch._rebuild import reduce_tensor

    return reduce_tensor(self)


def _rebuild_from_type_v2(func, type, args, state):
    """A tensor from a saved file that has attributes of its own, or is of a class of its own."""
    result = func(*args)
    if type is not result.__class__:
        result = Tensor._make_subclass(type, result, result.requires_grad)
    for key, value in (state.items() if isinstance(state, dict) else ()):
        setattr(result, key, value)
    return result


def _share_memory(self):
    """There is one process here, so every tensor is shared already."""
    return self


def _is_shared(self):
    return True


def _unique(self, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The distinct elements, or with `dim` the distinct slices; where each element went, and how often each is there."""
    if dim is None:
        found = _F._unique2(self, sorted=sorted, return_inverse=return_inverse, return_counts=return_counts)
    else:
        found = _F.unique_dim(self, dim, sorted=sorted, return_inverse=return_inverse, return_counts=return_counts)
    return _chosen(found, return_inverse, return_counts)


def _unique_consecutive(self, return_inverse=False, return_counts=False, dim=None):
    """Drops elements (or slices) equal to the one before."""
    found = _F.unique_consecutive(self, return_inverse=return_inverse, return_counts=return_counts, dim=dim)
    return _chosen(found, return_inverse, return_counts)


def _chosen(found, inverse, counts):
    """What was asked for, of (values, inverse, counts)."""
    values = found[0]
    if inverse and counts:
        return values, found[1], found[2]
    return (values, found[1]) if inverse else (values, found[2]) if counts else values


Tensor.__deepcopy__ = _deepcopy
Tensor.__reduce_ex__ = _reduce_ex
Tensor.share_memory_ = _share_memory
Tensor.is_shared = _is_shared
Tensor.unique = _unique
Tensor.unique_consecutive = _unique_consecutive


def _numpy(self, *, force=False):
    """An array over this tensor's memory."""
    if force:
        self = self.detach().cpu()
    if self.device.type != "cpu":
        raise TypeError(f"can't convert {self.device} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to "
                        "host memory first.")
    if self.requires_grad:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    from numpy._make import of

    return of(self.detach())


def _array(self, dtype=None, copy=None):
    found = _numpy(self)
    found = found if dtype is None else found.astype(dtype, copy=False)
    return found.copy() if copy else found


Tensor.numpy = _numpy
Tensor.__array__ = _array
Tensor.__array_priority__ = 1000


def _later(module, name):
    """A method that is a function of `module`, which is loaded when the method is first called."""
    def method(self, *args, **kwargs):
        from importlib import import_module

        return getattr(import_module(module), name)(self, *args, **kwargs)

    method.__name__ = name
    method.__qualname__ = "Tensor." + name
    return method


for _module, _names in (
    ("moves", "as_strided_scatter narrow_copy nonzero_static resize_as_ sum_to_size unsafe_split "
     "unsafe_split_with_sizes unsafe_chunk"),
    ("factors", "lu lu_solve orgqr ormqr"),
    ("signal", "stft istft"),
    ("questions", "is_distributed to_dense dense_dim sparse_dim dequantize map2_"),
    ("removed", "cholesky eig lstsq qr solve symeig"),
):
    for _name in _names.split():
        setattr(Tensor, _name, _later("torch._composite." + _module, _name))

for _name in ("is_ipu", "is_maia", "is_mtia", "is_vulkan", "is_xla"):
    setattr(Tensor, _name, property(lambda self: False))


def _typed_storage(self):
    from torch.storage import _storage

    return _storage(self)


def _div(self, other):
    """An old name of `/`."""
    return self / other


Tensor.storage = _typed_storage
Tensor.__div__ = _div
Tensor.__rdiv__ = Tensor.__rtruediv__
Tensor.__idiv__ = Tensor.__itruediv__


class DisableTorchFunctionSubclass:
    """Inside, classes with a `__torch_function__` are not asked."""

    def __enter__(self):
        self.before = _C._set_torch_function(False)

    def __exit__(self, *exc):
        _C._set_torch_function(self.before)
        return False


def _torch_function(cls, func, types, args=(), kwargs=None):
    """Calls `func` without asking any class, and makes tensors that come out of it objects of this class."""
    if not all(issubclass(cls, t) for t in types):
        return NotImplemented
    with DisableTorchFunctionSubclass():
        result = func(*args, **(kwargs or {}))
        return result if cls is Tensor else _as_class(result, cls)


def _as_class(value, cls):
    if isinstance(value, Tensor):
        return value if isinstance(value, cls) else value.as_subclass(cls)
    if type(value) in (tuple, list):
        return type(value)(_as_class(v, cls) for v in value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_as_class(v, cls) for v in value))
    return value


Tensor.__torch_function__ = classmethod(_torch_function)
_C.DisableTorchFunctionSubclass = _C.DisableTorchFunction = DisableTorchFunctionSubclass
_C._disabled_torch_function_impl = None
