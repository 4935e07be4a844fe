"""`Module`: something with parameters and a `forward`. What is assigned to it is sorted into parameters, buffers
and child modules, so that an optimizer, `state_dict` and `print` find them."""

from torch import _C
from torch.nn.modules import _hooks
from torch.nn.modules._hooks import (  # noqa: F401
    HookMixin, register_module_forward_hook, register_module_forward_pre_hook, register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
)
from torch.nn.modules._state import StateMixin
from torch.nn.parameter import Buffer, Parameter

Tensor = _C.Tensor
_DICTS = (
    "_backward_pre_hooks", "_backward_hooks", "_forward_hooks", "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called", "_forward_pre_hooks", "_forward_pre_hooks_with_kwargs", "_state_dict_hooks",
    "_state_dict_pre_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks", "_modules",
)
_registered = _hooks.registered


class Module(HookMixin, StateMixin):
    """Base of all neural network parts. Subclass it, build the parts in `__init__`, use them in `forward`."""

    dump_patches = False
    call_super_init = False
    _is_full_backward_hook = None

    def __init__(self, *args, **kwargs):
        if not self.call_super_init:
            if kwargs:
                raise TypeError(
                    f"{type(self).__name__}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
                )
            if args:
                raise TypeError(
                    f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} were given"
                )
        own = self.__dict__
        own["training"] = True
        own["_hooked"] = False  # whether calling needs more than forward
        own["_parameters"] = {}
        own["_buffers"] = {}
        own["_non_persistent_buffers_set"] = set()
        for name in _DICTS:
            own[name] = {}
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    def forward(self, *input):
        """What the module computes. Every subclass defines its own."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args, **kwargs):
        if self._hooked or _registered:
            return self._call_with_hooks(args, kwargs)
        return self.forward(*args, **kwargs)

    # Attributes: each assigned value goes where its kind belongs.

    def __getattr__(self, name):
        own = self.__dict__
        for store in ("_parameters", "_buffers", "_modules"):
            values = own.get(store)
            if values is not None and name in values:
                return values[name]
        if name == "_hooked":
            name = "_backward_hooks"  # __init__ was not called: PyTorch names this one
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name, value):
        own = self.__dict__
        params = own.get("_parameters")
        if isinstance(value, Parameter):
            if params is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name, "_buffers", "_modules")
            self.register_parameter(name, value)
            return
        if params is None:
            if isinstance(value, Module):
                raise AttributeError("cannot assign module before Module.__init__() call")
            if isinstance(value, Buffer):
                raise AttributeError("cannot assign buffer before Module.__init__() call")
            object.__setattr__(self, name, value)
            return
        if name in params:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{_typename(value)}' as parameter '{name}' (torch.nn.Parameter or None expected)"
                )
            params[name] = None
        elif isinstance(value, Module):
            self._forget(name, "_buffers")
            own["_modules"][name] = value
        elif name in own["_modules"]:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{_typename(value)}' as child module '{name}' (torch.nn.Module or None expected)"
                )
            own["_modules"][name] = None
        elif name in own["_buffers"]:
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(
                    f"cannot assign '{_typename(value)}' as buffer '{name}' "
                    "(torch.nn.Buffer, torch.Tensor or None expected)"
                )
            own["_buffers"][name] = value
        elif isinstance(value, Buffer):
            own.pop(name, None)
            self.register_buffer(name, value, value.persistent)
        else:
            object.__setattr__(self, name, value)

    def _forget(self, name, *stores):
        own = self.__dict__
        own.pop(name, None)
        for store in stores:
            own[store].pop(name, None)
        own["_non_persistent_buffers_set"].discard(name)

    def __delattr__(self, name):
        if name in self._parameters:
            del self._parameters[name]
        elif name in self._buffers:
            del self._buffers[name]
            self._non_persistent_buffers_set.discard(name)
        elif name in self._modules:
            del self._modules[name]
        else:
            object.__delattr__(self, name)

    def __dir__(self):
        names = set(dir(type(self))) | set(self.__dict__) | set(self._parameters) | set(self._buffers)
        return sorted(n for n in names | set(self._modules) if not n[0].isdigit())

    def __setstate__(self, state):
        own = self.__dict__
        own.update(state)
        for name in _DICTS:
            own.setdefault(name, {})
        own.setdefault("_non_persistent_buffers_set", set())
        own["_hooked"] = any(own[n] for n in _DICTS if n.endswith("hooks"))

    def register_buffer(self, name, tensor, persistent=True):
        """Adds a tensor that belongs to the module's state and is not trained. `persistent`: in `state_dict` too."""
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        self._check_name(name, "buffer", self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{_typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def register_parameter(self, name, param):
        """Adds a parameter under a name; None keeps the name free for one."""
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        self._check_name(name, "parameter", self._parameters)
        if param is not None:
            if not isinstance(param, Parameter):
                raise TypeError(
                    f"cannot assign '{_typename(param)}' object to parameter '{name}' "
                    "(torch.nn.Parameter or None required)"
                )
            if param.grad_fn is not None:
                raise ValueError(
                    f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. "
                    f"To express '{name}' as a function of another Tensor, compute the value in the forward() method."
                )
        self._parameters[name] = param

    def add_module(self, name, module):
        """Adds a child module under a name."""
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{_typename(module)} is not a Module subclass")
        self._check_name(name, "module", self._modules)
        self._modules[name] = module

    register_module = add_module

    def _check_name(self, name, kind, store):
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {_typename(name)}")
        if name not in store and hasattr(self, name):
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain "."' + (f", got: {name}" if kind == "module" else ""))
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')

    # Finding: by path, or all of a kind.

    def get_submodule(self, target):
        """The module at a dotted path below this one."""
        module = self
        for part in target.split(".") if target else ():
            if not hasattr(module, part):
                raise AttributeError(f"{module._get_name()} has no attribute `{part}`")
            module = getattr(module, part)
            if not isinstance(module, Module):
                raise AttributeError(f"`{part}` is not an nn.Module")
        return module

    def get_parameter(self, target):
        """The parameter at a dotted path."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        param = getattr(module, name)
        if not isinstance(param, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return param

    def get_buffer(self, target):
        """The buffer at a dotted path."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return module._buffers[name]

    def set_submodule(self, target, module, strict=False):
        """Puts another module at a dotted path."""
        if not target:
            raise ValueError("Cannot set the submodule without a target name!")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if strict and not hasattr(parent, name):
            raise AttributeError(f"{parent._get_name()} has no attribute `{name}`")
        setattr(parent, name, module)

    def _named_members(self, get, prefix, recurse, remove_duplicate):
        seen = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for path, module in modules:
            for name, value in get(module).items():
                if value is None or remove_duplicate and id(value) in seen:
                    continue
                seen.add(id(value))
                yield (path + "." + name if path else name), value

    def parameters(self, recurse=True):
        """All parameters, each once; with `recurse`, those of child modules too."""
        for _, param in self.named_parameters(recurse=recurse):
            yield param

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        """(dotted name, parameter) pairs."""
        return self._named_members(lambda m: m._parameters, prefix, recurse, remove_duplicate)

    def buffers(self, recurse=True):
        """All buffers, each once."""
        for _, buf in self.named_buffers(recurse=recurse):
            yield buf

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """(dotted name, buffer) pairs."""
        return self._named_members(lambda m: m._buffers, prefix, recurse, remove_duplicate)

    def children(self):
        """The modules directly below."""
        for _, module in self.named_children():
            yield module

    def named_children(self):
        """(name, module) pairs of the modules directly below."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def modules(self):
        """This module and all below it, each once."""
        for _, module in self.named_modules():
            yield module

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """(dotted name, module) pairs of this module (name '') and all below it."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, prefix + "." + name if prefix else name, remove_duplicate)

    # Changing all of it.

    def apply(self, fn):
        """Calls `fn` with every module below, and with this one at last. Returns self."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self, fn, recurse=True):
        """Replaces each tensor by `fn` of it. Parameters stay the same objects."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        grad_mode = _C.is_grad_enabled()
        _C._set_grad_enabled(False)
        try:
            for param in self._parameters.values():
                if param is None:
                    continue
                param.data = fn(param.data)
                if param.grad is not None:
                    needed = param.grad.requires_grad
                    param.grad = fn(param.grad.detach()).requires_grad_(needed)
            for name, buf in self._buffers.items():
                if buf is not None:
                    self._buffers[name] = fn(buf)
        finally:
            _C._set_grad_enabled(grad_mode)
        return self

    def to(self, *args, **kwargs):
        """`to(device)`, `to(dtype)`, `to(tensor)`: moves or converts parameters and buffers, in place. Returns self."""
        device, dtype = _to_arguments(args, kwargs)
        if dtype is not None and not dtype.is_floating_point:
            raise TypeError(
                f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}"
            )

        def convert(t):
            if dtype is None or not t.is_floating_point():
                return t if device is None else t.to(device)
            return t.to(dtype) if device is None else t.to(device, dtype)

        return self._apply(convert)

    def _floating(self, dtype):
        return self._apply(lambda t: t.to(dtype) if t.is_floating_point() else t)

    def type(self, dst_type):
        """Converts all parameters and buffers to a dtype."""
        return self._apply(lambda t: t.type(dst_type))

    def float(self):
        """Floating tensors become float32."""
        return self._floating(_C.float32)

    def double(self):
        """Floating tensors become float64."""
        return self._floating(_C.float64)

    def half(self):
        """Floating tensors become float16."""
        return self._floating(_C.float16)

    def bfloat16(self):
        """Floating tensors become bfloat16."""
        return self._floating(_C.bfloat16)

    def cpu(self):
        """Moves everything to the CPU."""
        return self._apply(lambda t: t.cpu())

    def cuda(self, device=None):
        """Moves everything to a CUDA device, where there is one."""
        return self._apply(lambda t: t.cuda(device))

    def xpu(self, device=None):
        """Moves everything to an Intel GPU, where there is one."""
        raise AssertionError("Torch not compiled with XPU enabled")

    def ipu(self, device=None):
        """Moves everything to an IPU, where there is one."""
        raise RuntimeError("PyTorch is not linked with support for ipu devices")

    def mtia(self, device=None):
        """Moves everything to an MTIA device, where there is one."""
        raise RuntimeError("PyTorch is not linked with support for mtia devices")

    def to_empty(self, *, device, recurse=True):
        """Moves everything to a device without copying the values."""
        return self._apply(lambda t: _C._functions.empty_like(t, device=device), recurse=recurse)

    def share_memory(self):
        return self._apply(lambda t: t.share_memory_())

    def train(self, mode=True):
        """Sets training mode, in which dropout drops and batch norm counts. Returns self."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self):
        """Sets evaluation mode. Returns self."""
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        """Whether the parameters are trained. Returns self."""
        for param in self.parameters():
            param.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        """Clears the gradients: to None, or to zeros."""
        for param in self.parameters():
            if param.grad is None:
                continue
            if set_to_none:
                param.grad = None
            else:
                if param.grad.grad_fn is not None:
                    param.grad.detach_()
                else:
                    param.grad.requires_grad_(False)
                param.grad.zero_()

    def compile(self, *args, **kwargs):
        """Accepted: the module's own code runs, with the same results (see `torch.compile`)."""
        from torch.compiler import compile

        compile(self.forward, *args, **kwargs)

    # How it prints.

    def _get_name(self):
        return type(self).__name__

    def extra_repr(self):
        """What stands between the parentheses; override it."""
        return ""

    def __repr__(self):
        extra = self.extra_repr()
        extra_lines = extra.split("\n") if extra else []
        child_lines = []
        for name, module in self._modules.items():
            child_lines.append("(" + name + "): " + _indent(repr(module)))
        lines = extra_lines + child_lines
        text = self._get_name() + "("
        if lines:
            if len(extra_lines) == 1 and not child_lines:
                text += extra_lines[0]
            else:
                text += "\n  " + "\n  ".join(lines) + "\n"
        return text + ")"


def _indent(text):
    first, *rest = text.split("\n")
    return "\n".join([first] + ["  " + line for line in rest])


def _typename(value):
    from torch._settings import typename

    return typename(value)


def _to_arguments(args, kwargs):
    """(device, dtype) out of what `to` was given."""
    device, dtype = kwargs.get("device"), kwargs.get("dtype")
    for name in kwargs:
        if name not in ("device", "dtype", "non_blocking", "tensor", "memory_format", "copy"):
            raise TypeError(f"to() got an unexpected keyword argument '{name}'")
    tensor = kwargs.get("tensor")
    for arg in args:
        if isinstance(arg, Tensor):
            tensor = arg
        elif isinstance(arg, _C.dtype):
            dtype = arg
        elif isinstance(arg, (str, int, _C.device)) and not isinstance(arg, bool):
            device = arg
        elif arg is not None and not isinstance(arg, bool):
            raise TypeError(f"to() received an invalid combination of arguments - got ({type(arg).__name__})")
    if tensor is not None:
        device, dtype = tensor.device, tensor.dtype
    return device, dtype
