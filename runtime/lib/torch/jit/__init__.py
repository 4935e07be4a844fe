"""TorchScript: `script` and `trace` give objects that run the Python code they were made from, and a warning says so
once. Saving them as TorchScript is not available, and raises."""

import functools
import warnings

from torch import _C
from torch.nn.modules.module import Module

_MISSING = "is part of PyTorch, but TorchScript is not available here; save `state_dict()` instead"
_said = []


class Error(RuntimeError):
    """An error raised by compiled code."""


class ScriptWarning(Warning):
    """A warning about compiled code."""


class TracerWarning(Warning):
    """A warning about a trace."""


class TracingCheckError(Exception):
    """A trace that gives other results than the function."""


def _say(what):
    if not _said:
        _said.append(True)
        warnings.warn(
            f"torch.jit.{what} does not compile here: the code runs as it is written, with the same results.",
            stacklevel=3,
        )


def _missing(name):
    def fail(*args, **kwargs):
        raise NotImplementedError(f"torch.jit.{name} {_MISSING}")

    return fail


class ScriptModule(Module):
    """A module made by `script` or `trace`: calls the one it was made from and shares its parameters."""

    _traced = False

    def __init__(self, original=None):
        super().__init__()
        if original is None:
            return
        own = self.__dict__
        own["_original"] = original
        own["_parameters"], own["_buffers"] = original._parameters, original._buffers
        own["_non_persistent_buffers_set"] = original._non_persistent_buffers_set
        own["training"] = original.training
        for name, child in original._modules.items():
            if child is not None:
                self._modules[name] = type(self)(child) if not isinstance(child, ScriptModule) else child

    def forward(self, *args, **kwargs):
        return self.__dict__["_original"](*args, **kwargs)

    def train(self, mode=True):
        self.__dict__["_original"].train(mode)
        return super().train(mode)

    def __getattr__(self, name):
        original = self.__dict__.get("_original")
        if original is None or name in ("code", "graph", "inlined_graph"):
            if name in ("code", "graph", "inlined_graph"):
                raise NotImplementedError(f"`{name}` of a scripted module {_MISSING}")
            return super().__getattr__(name)
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(original, name)

    @property
    def original_name(self):
        return type(self.__dict__["_original"]).__name__

    def extra_repr(self):
        return f"original_name={self.original_name}"

    def __len__(self):
        return len(self.__dict__["_original"])

    def __iter__(self):
        return iter(self._modules.values())

    def __getitem__(self, index):
        return list(self._modules.values())[index] if isinstance(index, int) else self._modules[index]

    def save(self, f, **kwargs):
        raise NotImplementedError(f"Saving a scripted module {_MISSING}")

    save_to_buffer = save


class RecursiveScriptModule(ScriptModule):
    """What `script` gives for a module."""


class TracedModule(ScriptModule):
    """A part of what `trace` gives."""


class TopLevelTracedModule(TracedModule):
    """What `trace` gives for a module."""


class ScriptFunction:
    """What `script` and `trace` give for a function."""

    def __init__(self, fn):
        self._fn = fn
        functools.update_wrapper(self, fn)

    @property
    def name(self):
        return self._fn.__name__

    def __call__(self, *args, **kwargs):
        return self._fn(*args, **kwargs)

    @property
    def code(self):
        raise NotImplementedError(f"`code` of a scripted function {_MISSING}")

    graph = inlined_graph = code

    def save(self, f, **kwargs):
        raise NotImplementedError(f"Saving a scripted function {_MISSING}")


def script(obj, optimize=None, _frames_up=0, _rcb=None, example_inputs=None):
    """A module or function that does the same as the one given; classes are given back."""
    if isinstance(obj, (ScriptModule, ScriptFunction)):
        return obj
    _say("script")
    if isinstance(obj, Module):
        return RecursiveScriptModule(obj)
    if isinstance(obj, type) or not callable(obj):
        return obj
    return ScriptFunction(obj)


def trace(func, example_inputs=None, optimize=None, check_trace=True, check_inputs=None, check_tolerance=1e-5,
          strict=True, _force_outplace=False, _module_class=None, _compilation_unit=None, example_kwarg_inputs=None,
          _store_inputs=True):
    """Runs `func` once with the example, and gives a module or function that does the same as it.

    Unlike PyTorch's, it does not freeze the path that the example took.
    """
    if isinstance(func, (ScriptModule, ScriptFunction)):
        return func
    _say("trace")
    if example_kwarg_inputs is not None:
        func(**example_kwarg_inputs)
    elif example_inputs is None:
        raise RuntimeError("example_kwarg_inputs should be a dict")
    else:
        func(*((example_inputs,) if isinstance(example_inputs, _C.TensorBase) else tuple(example_inputs)))
    return TopLevelTracedModule(func) if isinstance(func, Module) else ScriptFunction(func)


def trace_module(mod, inputs, *args, **kwargs):
    """`trace` for several methods: each is run once."""
    _say("trace_module")
    for name, example in inputs.items():
        getattr(mod, name)(*((example,) if isinstance(example, _C.TensorBase) else tuple(example)))
    return TopLevelTracedModule(mod)


def _same(fn=None, *args, **kwargs):
    return fn if callable(fn) else lambda fn: fn


ignore = unused = export = script_method = script_if_tracing = interface = _same


def annotate(the_type, the_value):
    """The value itself."""
    return the_value


def isinstance_(obj, target_type):
    return isinstance(obj, target_type)


Attribute = None
from typing import Final  # noqa: E402,F401


def is_scripting():
    """False: nothing is compiled."""
    return False


def is_tracing():
    return False


def freeze(mod, preserved_attrs=None, optimize_numerics=True):
    """The module in evaluation mode; nothing is folded."""
    if not isinstance(mod, ScriptModule):
        raise RuntimeError("Freezing expects a ScriptModule as input. Please use torch.jit.script or torch.jit.trace to "
                           "script your 'nn.Module'.")
    return mod


def optimize_for_inference(mod, other_methods=None):
    """The module itself."""
    return mod


def fork(func, *args, **kwargs):
    """Runs `func` at once; `wait` gives its result."""
    result = func(*args, **kwargs)

    class Future:
        def wait(self):
            return result

    return Future()


def wait(future):
    """The result of `fork`."""
    return future.wait()


save, load = _missing("save"), _missing("load")
enable_onednn_fusion = set_fusion_strategy = _missing("enable_onednn_fusion")


class optimized_execution:
    """Accepted, and without effect."""

    def __init__(self, should_optimize=True):
        self.should_optimize = should_optimize

    def __enter__(self):
        return None

    def __exit__(self, *exc):
        return False


def __getattr__(name):
    raise AttributeError(f"torch.jit.{name} {_MISSING}" if name in (
        "CompilationUnit", "Future", "last_executed_optimized_graph", "fuser", "strict_fusion") else
        f"module 'torch.jit' has no attribute '{name}'")
