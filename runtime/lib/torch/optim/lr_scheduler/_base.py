"""What all schedulers share."""

from torch import _C

Tensor = _C.Tensor


def set_value(group, key, value):
    """Sets a group's setting; one that is a tensor stays the same tensor."""
    if isinstance(group[key], Tensor):
        group[key].fill_(float(value))
    else:
        group[key] = value


class LRScheduler:
    """Base: `get_lr()` gives the rates of this epoch, `step()` puts them into the optimizer's groups."""

    _is_initial = False
    _get_lr_called_within_step = False

    def __init__(self, optimizer, last_epoch=-1):
        from torch.optim.optimizer import Optimizer

        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        if last_epoch == -1:
            for group in optimizer.param_groups:
                lr = group["lr"]
                group.setdefault("initial_lr", lr.clone() if isinstance(lr, Tensor) else lr)
        else:
            for i, group in enumerate(optimizer.param_groups):
                if "initial_lr" not in group:
                    raise KeyError(
                        f"param 'initial_lr' is not specified in param_groups[{i}] when resuming scheduler with "
                        "last_epoch >= 0.\nThis typically happens when:\n1. You're trying to resume training from a "
                        "checkpoint but haven't properly loaded the optimizer state\n2. You're using last_epoch >= 0 for "
                        "a fresh training run (not recommended)"
                    )
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        _count_steps(optimizer)
        self._initial_step()

    def _initial_step(self):
        self.optimizer._opt_called = False
        self._step_count = 0
        self._is_initial = True
        self._get_lr_called_within_step = False
        self.step()
        self._is_initial = False

    def state_dict(self):
        """Everything but the optimizer."""
        return {k: v for k, v in self.__dict__.items() if k != "optimizer"}

    def load_state_dict(self, state_dict):
        """Takes over what `state_dict` gave."""
        self.__dict__.update(state_dict)

    def get_last_lr(self):
        """The rates that are set now, one for each group."""
        return self._last_lr

    def _check_within_step(self):
        if not self._get_lr_called_within_step:
            import warnings

            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.", UserWarning,
                stacklevel=4,
            )

    def get_lr(self):
        """The rates for `last_epoch`, computed from those that are set."""
        raise NotImplementedError

    def step(self, epoch=None):
        """Goes on to the next epoch."""
        if self._step_count == 1:
            if not getattr(self.optimizer.step, "_counts_for_scheduler", False):
                _warn(
                    "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. "
                    "Please, make sure to call `optimizer.step()` before `lr_scheduler.step()`. See more details at "
                    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
                )
            elif not self.optimizer._opt_called:
                _warn(
                    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you "
                    "should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure "
                    "to do this will result in PyTorch skipping the first value of the learning rate schedule. See "
                    "more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
                )
        self._step_count += 1
        if epoch is not None:
            _warn(
                "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. "
                "Please use `scheduler.step()` to step the scheduler. During the deprecation, if epoch is different "
                "from None, the closed form is used instead of the new chainable form, where available. Please open an "
                "issue if you are unable to replicate your use case: "
                "https://github.com/pytorch/pytorch/issues/new/choose."
            )
        self._update(epoch)

    def _update(self, epoch=None):
        self._get_lr_called_within_step = True
        try:
            if epoch is None:
                self.last_epoch += 1
                values = self.get_lr()
            else:
                self.last_epoch = epoch
                closed = getattr(self, "_get_closed_form_lr", None)
                values = self.get_lr() if closed is None else closed()
        finally:
            self._get_lr_called_within_step = False
        groups = self.optimizer.param_groups
        for group, lr in zip(groups, values):
            set_value(group, "lr", lr)
        self._last_lr = current(groups)

    def _rates(self):
        self._check_within_step()
        return [group["lr"] for group in self.optimizer.param_groups]


class _LRScheduler(LRScheduler):
    """The base's older name."""


def current(groups):
    """The groups' learning rates; tensors as copies."""
    return [g["lr"].clone() if isinstance(g["lr"], Tensor) else g["lr"] for g in groups]


def _warn(text):
    import warnings

    warnings.warn(text, UserWarning, stacklevel=3)


def _count_steps(optimizer):
    """Makes the optimizer remember that its `step` was called."""
    step = optimizer.step
    if getattr(step, "_counts_for_scheduler", False):
        return

    def counted(*args, **kwargs):
        optimizer._opt_called = True
        return step(*args, **kwargs)

    counted._counts_for_scheduler = True
    optimizer.step = counted
