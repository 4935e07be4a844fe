"""Storages: the memory behind tensors, as a row of numbers of one dtype."""

from torch import _C

UntypedStorage = _C.UntypedStorage
_F = _C._functions


class TypedStorage:
    """All numbers of a tensor's memory, in order: `x.storage()`. Views of one tensor have the same."""

    is_sparse = False
    is_cuda = False

    def __init__(self, *args, wrap_storage=None, dtype=None, device=None, _internal=False):
        if wrap_storage is not None or dtype is not None:
            raise NotImplementedError("TypedStorage(wrap_storage=...) is part of PyTorch, but it is not available here; "
                                      "use x.storage() of a tensor")
        self._flat = _C.tensor(*args, dtype=_C.get_default_dtype()) if args else _F.zeros(0)

    @classmethod
    def _of(cls, tensor):
        made = cls.__new__(cls)
        plain = tensor.detach()
        count = plain.untyped_storage().nbytes() // plain.element_size()
        made._flat = plain.as_strided((count,), (1,), 0)
        return made

    dtype = property(lambda self: self._flat.dtype)
    device = property(lambda self: self._flat.device)

    def __len__(self):
        return self._flat.numel()

    def size(self):
        return len(self)

    def _place(self, index):
        if index >= len(self) or index < -len(self):
            raise IndexError(f"index {index} out of range for storage of size {len(self)}")
        return index % len(self)

    def __getitem__(self, index):
        if isinstance(index, slice):
            raise NotImplementedError("slices are only supported in UntypedStorage.__getitem__")
        if not isinstance(index, int):
            raise RuntimeError(f"can't index a {type(self)} with {type(index)}")
        return self._flat[self._place(index)].item()

    def __setitem__(self, index, value):
        if not isinstance(index, (int, slice)):
            raise RuntimeError(f"can't index a {type(self)} with {type(index)}")
        self._flat[self._place(index) if isinstance(index, int) else index] = value

    def __iter__(self):
        return iter(self._flat.tolist())

    def tolist(self):
        return self._flat.tolist()

    def fill_(self, value):
        self._flat.fill_(value)
        return self

    def copy_(self, source, non_blocking=None):
        self._flat.copy_(source._flat)
        return self

    def clone(self):
        return TypedStorage._of(self._flat.clone())

    def cpu(self):
        return self

    def nbytes(self):
        return len(self) * self.element_size()

    def element_size(self):
        return self._flat.element_size()

    def data_ptr(self):
        return self._flat.data_ptr()

    def untyped(self):
        return self._flat.untyped_storage()

    def type(self):
        from torch._storages import OF_DTYPE

        return "torch." + OF_DTYPE[self.dtype].__name__

    def __repr__(self):
        info = f"[torch.storage.TypedStorage(dtype={self.dtype}, device={self.device}) of size {len(self)}]"
        return " " + "\n ".join(str(v) for v in self) + "\n" + info

    __str__ = __repr__


def _storage(self):
    """The memory of this tensor, as a row of numbers."""
    import warnings

    warnings.warn(
        "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage "
        "class. This should only matter to you if you are using storages directly.  To access UntypedStorage "
        "directly, use tensor.untyped_storage() instead of tensor.storage()", stacklevel=2,
    )
    return TypedStorage._of(self)
