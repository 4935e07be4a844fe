"""`Parameter`: a tensor that a module counts among its own. `Buffer`: one it keeps without training it."""

from torch import _C

Tensor = _C.Tensor
_empty = _C._functions.empty


class Parameter(Tensor):
    """A tensor that becomes a parameter of the module it is assigned to; it requires grad unless told otherwise."""

    __torch_function__ = None  # results of operations are plain tensors

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


def _refused(name, kind="method"):
    def refuse(*args, **kwargs):
        raise ValueError(
            f"Attempted to use an uninitialized parameter in <method '{name}' of 'torch._C.TensorBase' objects>. This "
            "error happens when you are using a `LazyModule` or explicitly manipulating "
            "`torch.nn.parameter.UninitializedParameter` objects. When using LazyModules Call `forward` with a dummy "
            "batch to initialize the parameters before calling torch functions"
        )

    return refuse


class UninitializedTensorMixin:
    """Marks parameters and buffers whose shape a lazy module finds out from its first input."""

    @property
    def shape(self):
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
            "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call "
            "`forward` to initialize the parameters before accessing their attributes."
        )

    def materialize(self, shape, device=None, dtype=None):
        """Gives the tensor its shape: it becomes a parameter (or buffer) like any other, with values of any kind."""
        self.data = _empty(tuple(shape), device=device, dtype=self.data.dtype if dtype is None else dtype)
        self.__class__ = self.cls_to_become

    def __repr__(self):
        return f"<{type(self).__name__}>"

    __str__ = __repr__

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, dtype=self.data.dtype)
        return memo[id(self)]

    def __reduce_ex__(self, protocol):
        return type(self), (self.requires_grad, None, self.data.dtype)

    for _name in ("numel", "add", "zero_", "fill_", "uniform_", "normal_", "copy_", "clone", "dim", "sum", "mean"):
        locals()[_name] = _refused(_name)
    for _name, _method in (("__add__", "add"), ("__radd__", "add"), ("__sub__", "sub"), ("__mul__", "mul"),
                           ("__rmul__", "mul"), ("__truediv__", "div"), ("__matmul__", "matmul"), ("__getitem__", "__getitem__")):
        locals()[_name] = _refused(_method)
    del _name, _method


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """A parameter without a shape yet: `LazyLinear` and its like make it a real one."""

    cls_to_become = Parameter

    def __new__(cls, requires_grad=True, device=None, dtype=None):
        return Tensor._make_subclass(cls, _empty(0, dtype=dtype), requires_grad)


class UninitializedBuffer(UninitializedTensorMixin, Parameter):
    """A buffer without a shape yet."""

    def __new__(cls, requires_grad=False, device=None, dtype=None, persistent=True):
        result = Tensor._make_subclass(cls, _empty(0, dtype=dtype), False)
        result.persistent = persistent
        return result

    cls_to_become = Tensor


def is_lazy(param):
    """Whether the tensor still waits for its shape."""
    return isinstance(param, UninitializedTensorMixin)
