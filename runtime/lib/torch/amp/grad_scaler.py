"""`GradScaler`: multiplies the loss, so that small gradients survive low precision, and divides them again."""

from enum import Enum

from torch import _C, _gpu

_F = _C._functions
Tensor = _C.Tensor


class OptState(Enum):
    """What has been done with an optimizer since the last update."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


class GradScaler:
    """scale(loss).backward(); step(optimizer); update(). A step with inf or nan gradients is left out, and the scale
    shrinks; after `growth_interval` good steps it grows."""

    def __init__(self, device="cuda", init_scale=2.0 ** 16, growth_factor=2.0, backoff_factor=0.5,
                 growth_interval=2000, enabled=True):
        self._device = device
        self._enabled = enabled
        if device == "cuda" and enabled and not _gpu.is_available():
            import warnings

            warnings.warn(
                "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.", stacklevel=2
            )
            self._enabled = False
        if self._enabled:
            if growth_factor <= 1.0:
                raise AssertionError("The growth factor must be > 1.0.")
            if backoff_factor >= 1.0:
                raise AssertionError("The backoff factor must be < 1.0.")
            self._init_scale = init_scale
            self._scale = None
            self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
            self._growth_interval = growth_interval
            self._growth_tracker = 0
            self._states = {}

    def _optimizer(self, optimizer):
        """[state, whether inf or nan was found (None: not looked yet)] of an optimizer."""
        return self._states.setdefault(id(optimizer), [OptState.READY, None])

    def scale(self, outputs):
        """The loss (or a list of them) times the scale."""
        if not self._enabled:
            return outputs
        if self._scale is None:
            self._scale = float(self._init_scale)
        return self._scaled(outputs)

    def _scaled(self, outputs):
        if isinstance(outputs, Tensor):
            return outputs * _F.tensor(self._scale, dtype=_C.float32).to(outputs.dtype)
        if isinstance(outputs, (list, tuple)):
            return type(outputs)(self._scaled(o) for o in outputs)
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def unscale_(self, optimizer):
        """Divides the gradients by the scale, for clipping before `step`."""
        if not self._enabled:
            return
        self._check("unscale_")
        state = self._optimizer(optimizer)
        if state[0] is OptState.UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if state[0] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        before = _C.is_grad_enabled()
        _C._set_grad_enabled(False)
        try:
            inverse = 1.0 / self._scale
            for group in optimizer.param_groups:
                for param in group["params"]:
                    if param.grad is None:
                        continue
                    if param.grad.dtype is _C.float16:
                        raise ValueError("Attempting to unscale FP16 gradients.")
                    state[1] = bool(state[1]) or not bool(param.grad.isfinite().all())
                    param.grad.mul_(inverse)
        finally:
            _C._set_grad_enabled(before)
        state[0] = OptState.UNSCALED

    def step(self, optimizer, *args, **kwargs):
        """`optimizer.step()`, unless a gradient is inf or nan."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._check("step")
        state = self._optimizer(optimizer)
        if state[0] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if state[0] is OptState.READY:
            self.unscale_(optimizer)
        if state[1] is None:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        result = None if state[1] else optimizer.step(*args, **kwargs)
        state[0] = OptState.STEPPED
        return result

    def update(self, new_scale=None):
        """Grows or shrinks the scale, by what the steps since the last update found."""
        if not self._enabled:
            return
        self._check("update")
        if new_scale is not None:
            self._scale = float(new_scale)
        else:
            found = [s[1] for s in self._states.values() if s[1] is not None]
            if not found:
                raise AssertionError("No inf checks were recorded prior to update.")
            if any(found):
                self._scale *= self._backoff_factor
                self._growth_tracker = 0
            else:
                self._growth_tracker += 1
                if self._growth_tracker == self._growth_interval:
                    grown = self._scale * self._growth_factor
                    if grown < 3.4028234663852886e38:
                        self._scale = grown
                    self._growth_tracker = 0
        self._states = {}

    def _check(self, name):
        if self._scale is None:
            raise AssertionError(
                f"Attempted {name} but _scale is None.  This may indicate your script did not use scaler.scale(loss or "
                "outputs) earlier in the iteration."
            )

    def get_scale(self):
        """The scale as a number; 1.0 when not enabled."""
        if not self._enabled:
            return 1.0
        return float(self._init_scale) if self._scale is None else self._scale

    def get_growth_factor(self):
        return self._growth_factor

    def set_growth_factor(self, new_factor):
        self._growth_factor = new_factor

    def get_backoff_factor(self):
        return self._backoff_factor

    def set_backoff_factor(self, new_factor):
        self._backoff_factor = new_factor

    def get_growth_interval(self):
        return self._growth_interval

    def set_growth_interval(self, new_interval):
        self._growth_interval = new_interval

    def is_enabled(self):
        """Whether anything is done at all."""
        return self._enabled

    def state_dict(self):
        """What `load_state_dict` takes."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(), "growth_factor": self._growth_factor, "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval, "_growth_tracker": self._growth_tracker,
        }

    def load_state_dict(self, state_dict):
        """Goes on where `state_dict` was taken."""
        if not self._enabled:
            return
        if len(state_dict) == 0:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._init_scale = state_dict["scale"]
        if self._scale is not None:
            self._scale = float(state_dict["scale"])
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._growth_tracker = state_dict["_growth_tracker"]
