"""Parametrizations: a module's tensor computed, each time it is read, from another that is trained."""

from contextlib import contextmanager

from torch import _C
from torch.nn.modules.container import ModuleDict, ModuleList
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter

Tensor = _C.Tensor
_cache_depth = 0
_cache = {}


@contextmanager
def cached():
    """Inside, each parametrized tensor is computed once."""
    global _cache_depth
    _cache_depth += 1
    try:
        yield
    finally:
        _cache_depth -= 1
        if not _cache_depth:
            _cache.clear()


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, one after the other, and the tensor they start from: `original`."""

    def __init__(self, modules, original, unsafe=False):
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        new = original
        for module in reversed(list(self)):
            if hasattr(module, "right_inverse"):
                try:
                    new = module.right_inverse(new)
                except NotImplementedError:
                    pass
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if self.is_tensor else len(new)
        if self.is_tensor:
            if original.dtype != new.dtype and not unsafe:
                raise ValueError(
                    "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                    f"original.dtype: {original.dtype}\nright_inverse(original).dtype: {new.dtype}"
                )
            with _no_grad():
                if new is not original:
                    original.data = new.data
            self._keep("original", original)
        else:
            for i, tensor in enumerate(new):
                if isinstance(original, Parameter):
                    tensor = Parameter(tensor, original.requires_grad)
                self._keep(f"original{i}", tensor)

    def _keep(self, name, tensor):
        if isinstance(tensor, Parameter):
            self.register_parameter(name, tensor)
        else:
            self.register_buffer(name, tensor)

    def right_inverse(self, value):
        """Sets the original so that the parametrized tensor is `value`."""
        with _no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(
                        f"parametrization {type(module).__name__} does not implement right_inverse."
                    )
                value = module.right_inverse(value)
            if self.is_tensor:
                self.original.data = value.data
            else:
                for i, tensor in enumerate(value):
                    getattr(self, f"original{i}").data = tensor.data

    def forward(self):
        parts = (self.original,) if self.is_tensor else tuple(
            getattr(self, f"original{i}") for i in range(self.ntensors))
        modules = list(self)
        value = modules[0](*parts)
        for module in modules[1:]:
            value = module(value)
        return value


class _no_grad:
    def __enter__(self):
        self.before = _C.is_grad_enabled()
        _C._set_grad_enabled(False)

    def __exit__(self, *exc):
        _C._set_grad_enabled(self.before)


def _own_class(module):
    """Gives the module a class of its own, to put the computed tensors into as properties."""
    cls = type(module)
    module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), {"__module__": __name__})


def _property(name):
    def get(self):
        if not _cache_depth:
            return self.parametrizations[name]()
        key = (id(self), name)
        if key not in _cache:
            _cache[key] = self.parametrizations[name]()
        return _cache[key]

    def set_(self, value):
        self.parametrizations[name].right_inverse(value)

    return property(get, set_)


def register_parametrization(module, tensor_name, parametrization, *, unsafe=False):
    """From now on `module.<tensor_name>` is `parametrization` of the tensor that was there. Returns the module."""
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        module.parametrizations[tensor_name].append(parametrization)
        return module
    if tensor_name not in module._parameters and tensor_name not in module._buffers:
        raise ValueError(f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
                         f"'{tensor_name}'")
    original = getattr(module, tensor_name)
    before = original.shape
    params = ParametrizationList([parametrization], original, unsafe=unsafe)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        _own_class(module)
        module.parametrizations = ModuleDict()
    setattr(type(module), tensor_name, _property(tensor_name))
    module.parametrizations[tensor_name] = params
    if not unsafe:
        with _no_grad():
            now = getattr(module, tensor_name)
        if not isinstance(now, Tensor):
            raise ValueError(f"A parametrization must return a tensor. Got {type(now).__name__}.")
        if now.shape != before:
            raise ValueError(
                "Registering a parametrization may not change the shape of the tensor, unless `unsafe` flag is "
                f"enabled.\nmodule.{tensor_name}.shape: {before}\nparametrized: {now.shape}"
            )
    return module


def is_parametrized(module, tensor_name=None):
    """Whether the module (or one tensor of it) is parametrized."""
    params = getattr(module, "parametrizations", None)
    if not isinstance(params, ModuleDict):
        return False
    return len(params) > 0 if tensor_name is None else tensor_name in params


def remove_parametrizations(module, tensor_name, leave_parametrized=True):
    """Makes the tensor an ordinary one again, with its computed value, or its original one."""
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    params = module.parametrizations[tensor_name]
    if params.is_tensor:
        original = params.original
        if leave_parametrized:
            with _no_grad():
                original.data = getattr(module, tensor_name).clone()
    elif leave_parametrized:
        with _no_grad():
            value = getattr(module, tensor_name).clone()
        original = Parameter(value) if params.original0.requires_grad else value
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
            "sequence of tensors."
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    if isinstance(original, Parameter):
        module.register_parameter(tensor_name, original)
    else:
        module.register_buffer(tensor_name, original)
    return module


def type_before_parametrizations(module):
    """The module's class as it was before."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(from_module, to_module, tensor_name=None):
    """Gives `to_module` the parametrizations of `from_module`, and copies of the tensors they start from."""
    if not is_parametrized(from_module):
        return to_module
    names = [tensor_name] if tensor_name is not None else list(from_module.parametrizations)
    for name in names:
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        for param in from_module.parametrizations[name]:
            register_parametrization(to_module, name, param)
        source, target = from_module.parametrizations[name], to_module.parametrizations[name]
        if hasattr(source, "original"):
            target.original = source.original
        else:
            for i in range(source.ntensors):
                setattr(target, f"original{i}", getattr(source, f"original{i}"))
    return to_module
