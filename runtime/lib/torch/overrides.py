"""`__torch_function__`: how classes take part in PyTorch's functions, and modes that see all calls."""

import functools

from torch import _C

__all__ = [
    "BaseTorchFunctionMode", "TorchFunctionMode", "enable_reentrant_dispatch", "get_default_nowrap_functions",
    "get_ignored_functions", "get_overridable_functions", "get_testing_overrides", "handle_torch_function",
    "has_torch_function", "has_torch_function_unary", "has_torch_function_variadic", "is_tensor_like",
    "is_tensor_method_or_property", "resolve_name", "wrap_torch_function",
]
Tensor = _C.Tensor


def _overrides(value):
    handler = getattr(type(value), "__torch_function__", None)
    return handler is not None and type(value) is not Tensor


def has_torch_function(relevant_args):
    """Whether one of the arguments has a `__torch_function__` to ask."""
    return any(_overrides(a) for a in relevant_args)


def has_torch_function_unary(arg):
    return _overrides(arg)


def has_torch_function_variadic(*args):
    return has_torch_function(args)


def is_tensor_like(inp):
    """Whether it is a tensor, or of a class that takes part in PyTorch's functions."""
    return type(inp) is Tensor or hasattr(inp, "__torch_function__")


def handle_torch_function(public_api, relevant_args, *args, **kwargs):
    """The answer of the arguments' classes to a call of `public_api`."""
    found = []
    for value in relevant_args:
        if _overrides(value) and all(type(value) is not type(f) for f in found):
            at = next((i for i, f in enumerate(found) if issubclass(type(value), type(f))), len(found))
            found.insert(at, value)
    types = tuple(map(type, found))
    for value in found:
        result = value.__torch_function__(public_api, types, args, kwargs)
        if result is not NotImplemented:
            return result
    name = f"{public_api.__module__}.{public_api.__name__}"
    raise TypeError(f"no implementation found for '{name}' on types that implement __torch_function__: {list(types)}")


def wrap_torch_function(dispatcher):
    """Decorates a function so that the classes of the arguments `dispatcher` gives are asked first."""
    def inner(func):
        @functools.wraps(func)
        def wrapped(*args, **kwargs):
            relevant = dispatcher(*args, **kwargs)
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return func(*args, **kwargs)

        return wrapped

    return inner


class TorchFunctionMode:
    """`with` an object of a subclass, its `__torch_function__` sees every call of PyTorch's functions."""

    def __init__(self):
        pass

    def __torch_function__(self, func, types, args=(), kwargs=None):
        raise NotImplementedError

    def __enter__(self):
        _C._push_torch_function_mode(self)
        return self

    def __exit__(self, *exc):
        _C._pop_torch_function_mode()
        return False

    @classmethod
    def push(cls, *args, **kwargs):
        return cls(*args, **kwargs)


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that changes nothing."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


class enable_reentrant_dispatch:
    """Accepted, and without effect."""

    def __enter__(self):
        return None

    def __exit__(self, *exc):
        return False


@functools.lru_cache(None)
def _spaces():
    import torch
    import torch.nn.functional as functional

    return {"torch": torch, "torch.functional": torch.functional, "torch.nn.functional": functional,
            "torch.Tensor": Tensor, "torch.linalg": torch.linalg, "torch.special": torch.special}


@functools.lru_cache(None)
def get_overridable_functions():
    """Space -> the functions whose calls classes see."""
    import torch

    result = {}
    for path, space in _spaces().items():
        functions = []
        for name in dir(space):
            if not name.startswith("_") and callable(value := getattr(space, name, None)) and not isinstance(value, type):
                functions.append(value)
        result[torch if path == "torch" else space] = functions
    return result


@functools.lru_cache(None)
def get_ignored_functions():
    """Functions whose calls nobody sees: those that make tensors or settings."""
    import torch

    names = ("typename is_tensor is_storage set_default_dtype set_default_device get_default_dtype get_default_device "
             "manual_seed initial_seed get_rng_state set_rng_state seed save load set_printoptions set_num_threads "
             "get_num_threads use_deterministic_algorithms zeros ones full arange linspace logspace eye empty rand randn "
             "randint randperm tensor as_tensor from_numpy is_grad_enabled no_grad enable_grad compile vmap").split()
    return {getattr(torch, n) for n in names if hasattr(torch, n)}


@functools.lru_cache(None)
def get_testing_overrides():
    """Overridable function -> a function of the same name that does nothing."""
    found = {}
    for functions in get_overridable_functions().values():
        for fn in functions:
            try:
                found[fn] = lambda *args, **kwargs: -1
            except TypeError:
                continue
    return found


def get_default_nowrap_functions():
    """Functions whose results do not become objects of the class."""
    return set()


def resolve_name(f):
    """The full name of a function."""
    for path, space in _spaces().items():
        name = getattr(f, "__name__", None)
        if name is not None and getattr(space, name, None) is f:
            return f"{path}.{name}"
    return None


def is_tensor_method_or_property(func):
    """Whether it belongs to `Tensor`."""
    name = getattr(func, "__name__", None)
    return name == "__get__" or name is not None and getattr(Tensor, name, None) is func
