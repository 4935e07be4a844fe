"""`torch.compile`, which makes code faster elsewhere. Here the code runs as it is written, with the same results, and a
warning says so once."""

import functools

from torch._missing import missing_text

_BACKENDS = ["cudagraphs", "inductor", "openxla", "tvm"]
_DEBUG_BACKENDS = ["aot_eager", "aot_ts", "eager", "eager_noexcept", "pre_dispatch_eager"]
_MODES = ("default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")
_said = []


def _say():
    if not _said:
        import warnings

        _said.append(True)
        warnings.warn(
            "torch.compile does not compile here: the code runs as it is written, with the same results.", stacklevel=3
        )


def compile(model=None, *, fullgraph=False, dynamic=None, backend=None, mode=None, options=None, name=None,
            disable=False, recompile_limit=None, isolate_recompiles=False, dynamic_shapes=None):
    """A module or function that does the same as the one given. Also a decorator, with or without arguments."""
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if mode is not None and mode not in _MODES and backend in (None, "inductor"):
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(_MODES)}")
    if isinstance(backend, str) and backend not in _BACKENDS + _DEBUG_BACKENDS:
        from torch._dynamo.exc import InvalidBackend

        raise InvalidBackend(f"Invalid backend: '{backend}'. See `torch._dynamo.list_backends()` for available backends.")
    if model is None:
        return lambda model: _wrap(model, disable)
    return _wrap(model, disable)


def _wrap(model, disable):
    from torch.nn.modules.module import Module

    if not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")
    if disable:
        return model
    _say()
    if isinstance(model, Module):
        from torch._dynamo.eval_frame import OptimizedModule

        return OptimizedModule(model)
    if isinstance(model, type):
        return model

    @functools.wraps(model)
    def compile_wrapper(*args, **kwargs):
        return model(*args, **kwargs)

    compile_wrapper._torchdynamo_orig_callable = model
    return compile_wrapper


def disable(fn=None, recursive=True, *, reason=None):
    """Keeps a function from being compiled, which is how everything is here."""
    if fn is None:
        return lambda fn: disable(fn, recursive, reason=reason)
    return fn


def _same(fn=None, *args, **kwargs):
    return fn if fn is not None else lambda fn: fn


allow_in_graph = assume_constant_result = nested_compile_region = nonstrict_trace = wrap_numpy = _same


def substitute_in_graph(original_fn, *, can_constant_fold_through=False, skip_signature_check=False):
    return lambda fn: fn


def is_compiling():
    """False: nothing is compiled."""
    return False


def is_dynamo_compiling():
    return False


def is_exporting():
    return False


def reset():
    """Nothing is kept, so there is nothing to forget."""


def cudagraph_mark_step_begin():
    """Nothing to mark."""


def list_backends(exclude_tags=("debug", "experimental")):
    """The back ends that PyTorch knows by name."""
    return list(_BACKENDS) if exclude_tags else sorted(_BACKENDS + _DEBUG_BACKENDS)


class set_stance:
    """How to go on when something would be compiled anew; accepted, and without effect."""

    def __init__(self, stance="default", *, skip_guard_eval_unsafe=False, force_backend=None):
        self.stance = stance

    def __call__(self, fn):
        return fn

    def __enter__(self):
        return None

    def __exit__(self, *exc):
        return False


def __getattr__(name):
    if name == "config":
        import torch._dynamo

        return torch._dynamo.config
    raise AttributeError(missing_text("torch.compiler", name))
