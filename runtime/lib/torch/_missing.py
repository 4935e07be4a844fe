"""What happens when a name is asked for that a module does not have: load it, or say clearly what is missing."""

import sys


def module_getattr(module, submodules=(), lazy=None):
    """A `__getattr__` for `module`: loads `submodules`, and the names of `lazy` (name -> module) on first use."""
    lazy = lazy or {}

    def __getattr__(name):
        if name in submodules:
            return _load(module + "." + name)
        if name in lazy:
            value = getattr(_load(lazy[name]), name)
            setattr(sys.modules[module], name, value)
            return value
        raise AttributeError(missing_text(module, name))

    return __getattr__


def missing_text(module, name):
    """The error text: PyTorch's own when PyTorch has no such name either."""
    if not name.startswith("_"):
        from torch._names import NAMES

        if name in NAMES.get(module, "").split():
            return f"{module}.{name} is part of PyTorch, but it is not available here yet"
    return f"module '{module}' has no attribute '{name}'"


def tensor_has(name):
    """Whether PyTorch's tensors have an attribute of this name."""
    from torch._names import NAMES

    return name in NAMES["torch.Tensor"].split()


def native_getattr(name):
    """The `__getattr__` of the native namespaces."""
    raise AttributeError(f"the operation '{name}' is part of PyTorch, but it is not available here yet")


def native(namespace, name):
    """The native function `name` of `namespace`, or an error that says it is missing."""
    fn = getattr(namespace, name, None)
    if fn is None:
        raise NotImplementedError(f"the operation '{name}' is part of PyTorch, but it is not available here yet")
    return fn


def _load(path):
    __import__(path)
    return sys.modules[path]
