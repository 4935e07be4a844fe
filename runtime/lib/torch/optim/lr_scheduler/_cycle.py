"""Schedules that go up and down again."""

import math
import types

from torch.optim.lr_scheduler._base import LRScheduler, current, set_value


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine down to `eta_min` in T_0 epochs, then again from the top, T_mult times as long each time."""

    def __init__(self, optimizer, T_0, T_mult=1, eta_min=0.0, last_epoch=-1):
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0 = self.T_i = T_0
        self.T_mult, self.eta_min, self.T_cur = T_mult, eta_min, last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        low = self.eta_min
        return [low + (base - low) * (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2 for base in self.base_lrs]

    def step(self, epoch=None):
        """Goes on by one epoch, or to a (fractional) `epoch`."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur = self.T_cur + 1
            if self.T_cur >= self.T_i:
                self.T_cur = self.T_cur % self.T_i
                self.T_i = self.T_i * self.T_mult
        else:
            if epoch < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            if epoch >= self.T_0:
                if self.T_mult == 1:
                    self.T_cur = epoch % self.T_0
                else:
                    n = int(math.log((epoch / self.T_0 * (self.T_mult - 1) + 1), self.T_mult))
                    self.T_cur = epoch - self.T_0 * (self.T_mult ** n - 1) / (self.T_mult - 1)
                    self.T_i = self.T_0 * self.T_mult ** n
            else:
                self.T_i, self.T_cur = self.T_0, epoch
        self.last_epoch = math.floor(epoch)
        groups = self.optimizer.param_groups
        for group, lr in zip(groups, self.get_lr()):
            set_value(group, "lr", lr)
        self._last_lr = current(groups)


def _per_group(name, optimizer, value):
    groups = optimizer.param_groups
    if isinstance(value, (list, tuple)):
        if len(value) != len(groups):
            raise ValueError(f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} "
                             f"values, param_groups has {len(groups)}.")
        return list(value)
    return [value] * len(groups)


def _momentum_key(optimizer, name):
    """Where a group keeps its momentum: `momentum`, or the first of `betas`."""
    if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
        raise ValueError(f"optimizer must support momentum or beta1 with `{name}` option enabled")
    return "betas" if "betas" in optimizer.defaults else "momentum"


def _set_momentum(group, key, value):
    group[key] = (value,) + tuple(group["betas"][1:]) if key == "betas" else value


class CyclicLR(LRScheduler):
    """lr between `base_lr` and `max_lr`, up in `step_size_up` steps and down in `step_size_down`, again and again."""

    def __init__(self, optimizer, base_lr, max_lr, step_size_up=2000, step_size_down=None, mode="triangular",
                 gamma=1.0, scale_fn=None, scale_mode="cycle", cycle_momentum=True, base_momentum=0.8,
                 max_momentum=0.9, last_epoch=-1):
        base_lrs = _per_group("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for lr, group in zip(base_lrs, optimizer.param_groups):
                set_value(group, "lr", lr)
        self.max_lrs = _per_group("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        down = float(step_size_down) if step_size_down is not None else up
        self.total_size = up + down
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode, self.gamma = mode, gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode if scale_fn is not None else "iterations" if mode == "exp_range" else "cycle"
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            key = _momentum_key(optimizer, "cycle_momentum")
            self.use_beta1 = key == "betas"
            self.base_momentums = _per_group("base_momentum", optimizer, base_momentum)
            self.max_momentums = _per_group("max_momentum", optimizer, max_momentum)
            if last_epoch == -1:
                for low, high, group in zip(self.base_momentums, self.max_momentums, optimizer.param_groups):
                    _set_momentum(group, key, high)
                    group["max_momentum"], group["base_momentum"] = high, low
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def scale_fn(self, x):
        """By how much a cycle is lower than the first."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "triangular":
            return 1.0
        return 1 / (2.0 ** (x - 1)) if self.mode == "triangular2" else self.gamma ** x

    def get_lr(self):
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        lrs = [base + (high - base) * height * scale for base, high in zip(self.base_lrs, self.max_lrs)]
        if self.cycle_momentum:
            for base, high, group in zip(self.base_momentums, self.max_momentums, self.optimizer.param_groups):
                _set_momentum(group, "betas" if self.use_beta1 else "momentum", high - (high - base) * height * scale)
        return lrs

    def state_dict(self):
        """Everything but the optimizer, and of a scale function of your own what a callable object holds."""
        state = super().state_dict()
        custom = state.pop("_scale_fn_custom")
        state["_scale_fn_custom"] = custom.__dict__.copy() if hasattr(custom, "__dict__") and (
            not isinstance(custom, types.FunctionType)) else None
        return state

    def load_state_dict(self, state_dict):
        state = dict(state_dict)
        held = state.pop("_scale_fn_custom", None)
        super().load_state_dict(state)
        if held is not None:
            self._scale_fn_custom.__dict__.update(held)


def _phase(end_step, start_lr, end_lr, start_momentum, end_momentum):
    """A part of the cycle: its last step, and which settings it leads from and to."""
    return {"end_step": end_step, "start_lr": start_lr, "end_lr": end_lr, "start_momentum": start_momentum,
            "end_momentum": end_momentum}


class OneCycleLR(LRScheduler):
    """lr up to `max_lr` and far down again, once, in `total_steps`; momentum the other way round."""

    def __init__(self, optimizer, max_lr, total_steps=None, epochs=None, steps_per_epoch=None, pct_start=0.3,
                 anneal_strategy="cos", cycle_momentum=True, base_momentum=0.85, max_momentum=0.95, div_factor=25.0,
                 final_div_factor=1e4, three_phase=False, last_epoch=-1):
        if total_steps is not None:
            if total_steps <= 0 or not isinstance(total_steps, int):
                raise ValueError(f"Expected positive integer total_steps, but got {total_steps}")
            self.total_steps = total_steps
        elif epochs is not None and steps_per_epoch is not None:
            for name, value in (("epochs", epochs), ("steps_per_epoch", steps_per_epoch)):
                if value <= 0 or not isinstance(value, int):
                    raise ValueError(f"Expected positive integer {name}, but got {value}")
            self.total_steps = epochs * steps_per_epoch
        else:
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        total = self.total_steps
        if three_phase:
            self._schedule_phases = [
                _phase(float(pct_start * total) - 1, "initial_lr", "max_lr", "max_momentum", "base_momentum"),
                _phase(float(2 * pct_start * total) - 2, "max_lr", "initial_lr", "base_momentum", "max_momentum"),
                _phase(total - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum"),
            ]
        else:
            self._schedule_phases = [
                _phase(float(pct_start * total) - 1, "initial_lr", "max_lr", "max_momentum", "base_momentum"),
                _phase(total - 1, "max_lr", "min_lr", "base_momentum", "max_momentum"),
            ]
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_func_type = anneal_strategy
        highest = _per_group("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for high, group in zip(highest, optimizer.param_groups):
                group["initial_lr"] = high / div_factor
                group["max_lr"] = high
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            key = _momentum_key(optimizer, "cycle_momentum")
            self.use_beta1 = key == "betas"
            lows = _per_group("base_momentum", optimizer, base_momentum)
            highs = _per_group("max_momentum", optimizer, max_momentum)
            if last_epoch == -1:
                for low, high, group in zip(lows, highs, optimizer.param_groups):
                    _set_momentum(group, key, high)
                    group["max_momentum"], group["base_momentum"] = high, low
        super().__init__(optimizer, last_epoch)

    def _anneal(self, start, end, share):
        if self._anneal_func_type == "linear":
            return (end - start) * share + start
        return end + (start - end) / 2.0 * (math.cos(math.pi * share) + 1)

    def get_lr(self):
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(
                f"Tried to step {step} times. The specified number of total steps is {self.total_steps}"
            )
        lrs = []
        for group in self.optimizer.param_groups:
            start = 0.0
            for i, phase in enumerate(self._schedule_phases):
                end, lr_from, lr_to, momentum_from, momentum_to = phase.values()
                if step <= end or i == len(self._schedule_phases) - 1:
                    share = (step - start) / (end - start)
                    lrs.append(self._anneal(group[lr_from], group[lr_to], share))
                    if self.cycle_momentum:
                        momentum = self._anneal(group[momentum_from], group[momentum_to], share)
                        _set_momentum(group, "betas" if self.use_beta1 else "momentum", momentum)
                    break
                start = end
        return lrs
