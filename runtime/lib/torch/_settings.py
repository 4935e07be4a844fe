"""Small questions and settings of the package: default dtype, printing, threads, `is_tensor` and the like."""

from torch import _C

Tensor = _C.Tensor


def is_tensor(obj):
    """Whether `obj` is a Tensor (a Parameter is one too)."""
    return isinstance(obj, Tensor)


def is_storage(obj):
    """Whether `obj` is a storage object."""
    return type(obj).__name__.endswith("Storage")


def typename(obj):
    """The type's full name, as `torch.FloatTensor` or `collections.OrderedDict`."""
    if isinstance(obj, Tensor):
        return obj.type()
    kind = obj if hasattr(obj, "__qualname__") else type(obj)
    module = getattr(obj, "__module__", None)
    return kind.__qualname__ if module in (None, "builtins") else f"{module}.{kind.__qualname__}"


def set_default_dtype(d):
    """The dtype of new floating tensors: `torch.tensor([1.0])`, `torch.zeros(2)`."""
    if isinstance(d, _C.dtype) and not d.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    _C._set_default_dtype(d)


def result_type(tensor1, tensor2):
    """The dtype that an operation on the two (tensors or numbers) gives."""
    def stand_in(x):
        return _C._functions.zeros((0,) if x.dim() else (), dtype=x.dtype, device=x.device) if isinstance(x, Tensor) else x

    a, b = stand_in(tensor1), stand_in(tensor2)
    if not isinstance(a, Tensor):
        a, b = b, a
    if not isinstance(a, Tensor):
        a = _C._functions.tensor(a)
    return _C._functions.add(a, b).dtype


def set_default_tensor_type(t):
    """The old way to say `set_default_dtype`: takes `torch.DoubleTensor` or its name."""
    name = t if isinstance(t, str) else typename(t)
    kinds = {"torch.FloatTensor": _C.float32, "torch.DoubleTensor": _C.float64, "torch.HalfTensor": _C.float16,
             "torch.BFloat16Tensor": _C.bfloat16}
    if name not in kinds:
        raise TypeError("invalid type object: only floating-point types are supported as the default type")
    _C._set_default_dtype(kinds[name])


def get_default_device():
    """The device of new tensors."""
    return _C._default_device()


def set_default_device(device):
    """Makes new tensors on `device` from now on."""
    _C._set_default_device(_C.device("cpu" if device is None else device))


_PROFILES = {
    "default": (4, 1000, 3, 80),
    "short": (2, 1000, 2, 80),
    "full": (4, float("inf"), 3, 80),
}
_print = {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": None}


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None):
    """How tensors are printed: digits, elements before `...`, items kept at each edge, line width."""
    opts = _print
    if profile is not None and profile in _PROFILES:
        opts["precision"], opts["threshold"], opts["edgeitems"], opts["linewidth"] = _PROFILES[profile]
    for name, value in (("precision", precision), ("threshold", threshold), ("edgeitems", edgeitems),
                        ("linewidth", linewidth)):
        if value is not None:
            opts[name] = value
    opts["sci_mode"] = sci_mode
    _C._set_printoptions(opts["precision"], opts["threshold"], opts["edgeitems"], opts["linewidth"], sci_mode)


def get_printoptions():
    """The present settings of `set_printoptions`, as a dict."""
    return dict(_print)


# One thread, and every algorithm is deterministic: the settings are kept, and change nothing.
_state = {"deterministic": False, "warn_only": False, "precision": "highest", "warn_always": False}


def use_deterministic_algorithms(mode, *, warn_only=False):
    """Everything here is deterministic; the flag is remembered."""
    _state["deterministic"], _state["warn_only"] = mode, warn_only


def are_deterministic_algorithms_enabled():
    return _state["deterministic"]


def is_deterministic_algorithms_warn_only_enabled():
    return _state["warn_only"]


def set_float32_matmul_precision(precision):
    """'highest', 'high' or 'medium'; float32 products are always computed in full precision here."""
    if precision not in ("highest", "high", "medium"):
        raise ValueError(f"precision must be one of 'highest', 'high' or 'medium', got {precision!r}")
    _state["precision"] = precision


def get_float32_matmul_precision():
    return _state["precision"]


def set_warn_always(b):
    _state["warn_always"] = b


def is_warn_always_enabled():
    return _state["warn_always"]


def get_num_threads():
    """One: this package computes in the thread that calls it."""
    return 1


def set_num_threads(n):
    if not isinstance(n, int):
        raise TypeError(f"set_num_threads expects an int, but got {type(n).__name__}")
    if n <= 0:
        raise RuntimeError("set_num_threads expects a positive integer")


def get_num_interop_threads():
    return 1


def set_num_interop_threads(n):
    set_num_threads(n)


def compiled_with_cxx11_abi():
    return True
