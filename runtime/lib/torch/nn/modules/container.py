"""Modules made of modules: one after the other, in a list, under names; and lists of parameters."""

import operator

from torch import _C
from torch.nn.modules.module import Module, _indent
from torch.nn.parameter import Parameter

Tensor = _C.Tensor


def _position(index, size):
    """An index counted from either end, as a number from 0."""
    index = operator.index(index)
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of range")
    return index % size


class Sequential(Module):
    """Runs its modules one after the other. Takes modules, or one OrderedDict of named modules."""

    def __init__(self, *args):
        super().__init__()
        if len(args) == 1 and isinstance(args[0], dict):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            for i, module in enumerate(args):
                self.add_module(str(i), module)

    def forward(self, input):
        for module in self._modules.values():
            input = module(input)
        return input

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            return type(self)(dict(list(self._modules.items())[idx]))
        idx = _position(idx, len(self._modules))
        return list(self._modules.values())[idx]

    def __setitem__(self, idx, module):
        setattr(self, list(self._modules)[_position(idx, len(self))], module)

    def __delitem__(self, idx):
        if isinstance(idx, slice):
            for name in list(self._modules)[idx]:
                delattr(self, name)
        else:
            delattr(self, list(self._modules)[_position(idx, len(self))])
        _renumber(self)

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(list(self._modules.values()))

    def __add__(self, other):
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return Sequential(*self, *other)

    def __iadd__(self, other):
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return self.extend(other)

    def __mul__(self, other):
        if not isinstance(other, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(other)}")
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {type(self)}")
        return Sequential(*(m for _ in range(other) for m in self))

    __rmul__ = __mul__

    def pop(self, key):
        """Takes out the module at an index and returns it."""
        module = self[key]
        del self[key]
        return module

    def append(self, module):
        """Adds a module at the end. Returns self."""
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index, module):
        """Puts a module before the one at `index`. Returns self."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        size = len(self)
        if not -size <= index <= size:
            raise IndexError(f"Index out of range: {index}")
        modules = list(self._modules.values())
        modules.insert(index + size if index < 0 else index, module)
        self._modules.clear()
        for i, m in enumerate(modules):
            self._modules[str(i)] = m
        return self

    def extend(self, sequential):
        """Adds all modules of another. Returns self."""
        for module in sequential:
            self.append(module)
        return self


def _renumber(module):
    values = list(module._modules.values())
    if all(name.isdigit() for name in module._modules):
        module._modules.clear()
        for i, m in enumerate(values):
            module._modules[str(i)] = m


class ModuleList(Module):
    """A list of modules that its owner knows of. It has no forward: loop over it."""

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def _key(self, idx):
        return str(_position(idx, len(self)))

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            return type(self)(list(self._modules.values())[idx])
        return self._modules[self._key(idx)]

    def __setitem__(self, idx, module):
        setattr(self, self._key(idx), module)

    def __delitem__(self, idx):
        names = [str(k) for k in range(len(self))[idx]] if isinstance(idx, slice) else [self._key(idx)]
        for name in names:
            delattr(self, name)
        _renumber(self)

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(list(self._modules.values()))

    def __iadd__(self, modules):
        return self.extend(modules)

    def __add__(self, other):
        return ModuleList(list(self) + list(other))

    def __repr__(self):
        """Equal neighbours are printed once, with their count."""
        groups = []
        for i, text in enumerate(repr(m) for m in self):
            if groups and groups[-1][2] == text:
                groups[-1][1] = i
            else:
                groups.append([i, i, text])
        if not groups:
            return self._get_name() + "()"
        lines = []
        for first, last, text in groups:
            if first == last:
                lines.append(f"({first}): " + _indent(text))
            else:
                lines.append(f"({first}-{last}): {last - first + 1} x " + _indent(text))
        return self._get_name() + "(\n  " + "\n  ".join(lines) + "\n)"

    def insert(self, index, module):
        """Puts a module before the one at `index`."""
        modules = list(self)
        modules.insert(index, module)
        self._modules.clear()
        for i, m in enumerate(modules):
            self._modules[str(i)] = m

    def append(self, module):
        """Adds a module at the end. Returns self."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key):
        """Takes out the module at an index and returns it."""
        module = self[key]
        del self[key]
        return module

    def extend(self, modules):
        """Adds all modules of an iterable. Returns self."""
        if not hasattr(modules, "__iter__"):
            raise TypeError(
                f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}"
            )
        offset = len(self)
        for i, module in enumerate(modules):
            self.add_module(str(offset + i), module)
        return self


class ModuleDict(Module):
    """Modules under names, which its owner knows of."""

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key):
        return self._modules[key]

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def __delitem__(self, key):
        del self._modules[key]

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules)

    def __contains__(self, key):
        return key in self._modules

    def clear(self):
        self._modules.clear()

    def pop(self, key):
        """Takes out a module and returns it."""
        return self._modules.pop(key)

    def keys(self):
        return self._modules.keys()

    def items(self):
        return self._modules.items()

    def values(self):
        return self._modules.values()

    def update(self, modules):
        """Adds modules from a dict or from (name, module) pairs."""
        if not hasattr(modules, "__iter__"):
            raise TypeError(
                "ModuleDict.update should be called with an iterable of key/value pairs, but got "
                + type(modules).__name__
            )
        for key, module in modules.items() if hasattr(modules, "items") else modules:
            self[key] = module


def _plain_or_parameter(value):
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def _describe(value, by_type=False):
    """How the lists of parameters print one entry."""
    if not isinstance(value, Tensor):
        return f"Object of type: {type(value).__name__}"
    kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
    size = "x".join(str(s) for s in value.size())
    return f"{kind} containing: [{value.type() if by_type else value.dtype} of size {size}]"


class ParameterList(Module):
    """A list of parameters that its owner knows of. Tensors put in become parameters."""

    def __init__(self, values=None):
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            result = type(self)()
            for i in range(*idx.indices(len(self))):
                result.append(self[i])
            return result
        return getattr(self, str(_position(idx, self._size)))

    def __setitem__(self, idx, value):
        setattr(self, str(_position(idx, self._size)), _plain_or_parameter(value))

    def __len__(self):
        return self._size

    def __iter__(self):
        return iter(self[i] for i in range(self._size))

    def __iadd__(self, values):
        return self.extend(values)

    def append(self, value):
        """Adds a value at the end. Returns self."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values):
        """Adds all values of an iterable. Returns self."""
        if not hasattr(values, "__iter__") or isinstance(values, Tensor):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in values:
            self.append(value)
        return self

    def extra_repr(self):
        return "\n".join(f"  ({i}): {_describe(v)}" for i, v in enumerate(self))

    def __call__(self, *args, **kwargs):
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """Parameters under names, which its owner knows of. Tensors put in become parameters."""

    def __init__(self, parameters=None):
        super().__init__()
        self._keys = {}
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key):
        return getattr(self, str(key))

    def __setitem__(self, key, value):
        self._keys[key] = None
        setattr(self, str(key), _plain_or_parameter(value))

    def __delitem__(self, key):
        del self._keys[key]
        delattr(self, str(key))

    def __len__(self):
        return len(self._keys)

    def __iter__(self):
        return iter(self._keys)

    def __contains__(self, key):
        return key in self._keys

    def keys(self):
        return self._keys.keys()

    def items(self):
        return ((k, self[k]) for k in self._keys)

    def values(self):
        return (self[k] for k in self._keys)

    def get(self, key, default=None):
        return self[key] if key in self else default

    def setdefault(self, key, default=None):
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key):
        value = self[key]
        del self[key]
        return value

    def clear(self):
        for key in list(self._keys):
            del self[key]

    def copy(self):
        return ParameterDict(dict(self.items()))

    def update(self, parameters):
        """Adds values from a dict or from (name, value) pairs."""
        for key, value in parameters.items() if hasattr(parameters, "items") else parameters:
            self[key] = value

    def extra_repr(self):
        return "\n".join(f"  ({k}): {_describe(v, True)}" for k, v in self.items())

    def __call__(self, *args, **kwargs):
        raise RuntimeError("ParameterDict should not be called.")
