"""`autocast`: inside it, products compute in bfloat16 or float16 and losses in float32. Which ops those are says the
native side (`_set_autocast`); here are the settings and the warnings."""

import functools
import warnings

from torch import _C, _gpu

_DTYPES = {"cpu": _C.bfloat16}
_DEVICES = ("cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia", "xla",
            "lazy", "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone")
_GPUS = ("cuda", "webgpu")
_now = None  # the dtype in force, and whether on the GPU


def is_autocast_enabled(device_type="cuda"):
    """Whether autocast is on for the device."""
    return device_type in ("cpu", *_GPUS) and _now is not None and _now[1] == (device_type in _GPUS)


def is_autocast_cpu_enabled():
    """Whether autocast is on for the CPU."""
    return is_autocast_enabled("cpu")


def get_autocast_dtype(device_type):
    """The dtype autocast casts to on the device."""
    if is_autocast_enabled(device_type):
        return _now[0]
    return _DTYPES.get(device_type, _C.float16)


def is_autocast_available(device_type):
    """True for the CPU and the GPU's names, also where there is none."""
    return device_type in ("cpu", *_GPUS)


class autocast:
    """`with torch.autocast("cpu", dtype=torch.bfloat16): ...`, or as a decorator."""

    def __init__(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        if device_type not in (*_DEVICES, "webgpu"):
            raise RuntimeError(
                f"Expected one of {', '.join(_DEVICES)} device type at start of device string: {device_type}"
            )
        if device_type not in ("cpu", *_GPUS):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        self.device = device_type
        self.fast_dtype = get_autocast_dtype(device_type) if dtype is None else dtype
        self._enabled = enabled
        if device_type in _GPUS and not _gpu.is_available():
            if enabled:
                warnings.warn("CUDA is not available or torch_xla is imported. Disabling autocast.", stacklevel=2)
            self._enabled = False
        elif device_type == "cpu" and enabled and self.fast_dtype not in (_C.bfloat16, _C.float16):
            warnings.warn(
                "In CPU autocast, but the target dtype is not supported. Disabling autocast.\n"
                "CPU Autocast only supports dtypes of torch.bfloat16, torch.float16 currently.",
                stacklevel=2,
            )
            self._enabled = False
        self._before = []

    def __enter__(self):
        self._before.append(_now)
        if self.device == "cpu" or self._enabled:
            _set((self.fast_dtype, self.device != "cpu") if self._enabled else None)
        return self

    def __exit__(self, *exc):
        _set(self._before.pop())
        return False

    def __call__(self, func):
        @functools.wraps(func)
        def decorate_autocast(*args, **kwargs):
            with self:
                return func(*args, **kwargs)

        return decorate_autocast


def _set(now):
    global _now
    _now = now
    _C._set_autocast(*(now or (None,)))


def custom_fwd(fwd=None, *, device_type, cast_inputs=None):
    """Decorates `forward` of an `autograd.Function`: with `cast_inputs`, it runs without autocast on cast tensors."""
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def decorate_fwd(*args, **kwargs):
        context = args[0]
        context._dtype = get_autocast_dtype(device_type)
        if cast_inputs is None:
            context._fwd_used_autocast = is_autocast_enabled(device_type)
            return fwd(*args, **kwargs)
        context._fwd_used_autocast = False
        if not is_autocast_enabled(device_type):
            return fwd(*args, **kwargs)
        with autocast(device_type, enabled=False):
            cast = {k: _cast(v, cast_inputs) for k, v in kwargs.items()}
            return fwd(*[_cast(a, cast_inputs) for a in args], **cast)

    return decorate_fwd


def custom_bwd(bwd=None, *, device_type):
    """Decorates `backward`: it runs with the autocast of `forward`."""
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def decorate_bwd(*args, **kwargs):
        with autocast(device_type, enabled=args[0]._fwd_used_autocast and device_type == "cpu", dtype=args[0]._dtype):
            return bwd(*args, **kwargs)

    return decorate_bwd


def _cast(value, dtype):
    """Floating tensors in another dtype, also those in lists and dicts."""
    if isinstance(value, _C.TensorBase):
        return value.to(dtype) if value.is_floating_point() and value.dtype != _C.float64 else value
    if isinstance(value, dict):
        return {_cast(k, dtype): _cast(v, dtype) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_cast(v, dtype) for v in value)
    return value
