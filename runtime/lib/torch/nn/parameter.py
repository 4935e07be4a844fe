"""`Parameter`: a tensor that a module counts among its own. `Buffer`: one it keeps without training it."""

from torch import _C

Tensor = _C.Tensor
_empty = _C._functions.empty


class Parameter(Tensor):
    """A tensor that becomes a parameter of the module it is assigned to; it requires grad unless told otherwise."""

    def __new__(cls, data=None, requires_grad=True):
        if data is None:
            data = _empty(0)
        elif not isinstance(data, Tensor):
            raise AttributeError(f"'{type(data).__name__}' object has no attribute 'detach'")
        return Tensor._make_subclass(cls, data, requires_grad)

    def __deepcopy__(self, memo):
        if id(self) in memo:
            return memo[id(self)]
        result = memo[id(self)] = type(self)(self.data.clone(), self.requires_grad)
        return result

    def __repr__(self):
        return "Parameter containing:\n" + super().__repr__()


class _BufferMeta(type(Tensor)):
    def __instancecheck__(cls, instance):
        if cls is Buffer:
            return isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)
        return super().__instancecheck__(instance)


class Buffer(Tensor, metaclass=_BufferMeta):
    """A tensor that becomes a buffer of the module it is assigned to."""

    def __new__(cls, data=None, *, persistent=True):
        if data is None:
            data = _empty(0)
        result = data.detach().requires_grad_(data.requires_grad)
        result.persistent = persistent
        result._is_buffer = True
        return result


class UninitializedTensorMixin:
    """Marks parameters and buffers whose shape a lazy module finds out from its first input."""


class UninitializedParameter(Parameter, UninitializedTensorMixin):
    """A parameter without a shape yet: `LazyLinear` and its like make it a real one."""

    def __new__(cls, requires_grad=True, device=None, dtype=None):
        return Tensor._make_subclass(cls, _empty(0, dtype=dtype), requires_grad)

    def __repr__(self):
        return "<UninitializedParameter>"

    @property
    def shape(self):
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
            "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call "
            "`forward` to initialize the parameters before accessing their attributes."
        )


class UninitializedBuffer(Parameter, UninitializedTensorMixin):
    """A buffer without a shape yet."""

    def __new__(cls, requires_grad=False, device=None, dtype=None, persistent=True):
        result = Tensor._make_subclass(cls, _empty(0, dtype=dtype), False)
        result.persistent = persistent
        return result

    def __repr__(self):
        return "<UninitializedBuffer>"


def is_lazy(param):
    """Whether the tensor still waits for its shape."""
    return isinstance(param, UninitializedTensorMixin)
