"""Averages of a model's parameters over training."""

import math
from copy import deepcopy

from torch import _C
from torch.autograd.grad_mode import no_grad
from torch.nn.modules.module import Module
from torch.nn.modules.batchnorm import _BatchNorm
from torch.optim.lr_scheduler import LRScheduler

_F = _C._functions


def _check_decay(decay):
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def get_ema_multi_avg_fn(decay=0.999):
    """For `AveragedModel`: an exponential moving average, of all parameters at once."""
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param_list, current_param_list, _):
        for ema, now in zip(ema_param_list, current_param_list):
            if ema.is_floating_point():
                ema.lerp_(now, 1 - decay)
            else:
                ema.copy_(ema * decay + now * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn():
    """For `AveragedModel`: the mean of all, of all parameters at once."""

    @no_grad()
    def swa_update(averaged_param_list, current_param_list, num_averaged):
        share = 1 / (float(num_averaged) + 1)
        for average, now in zip(averaged_param_list, current_param_list):
            if average.is_floating_point():
                average.lerp_(now, share)
            else:
                average.add_(_F.div(now - average, int(num_averaged) + 1, rounding_mode="trunc"))

    return swa_update


def get_ema_avg_fn(decay=0.999):
    """For `AveragedModel`: an exponential moving average."""
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param, current_param, num_averaged):
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn():
    """For `AveragedModel`: the mean of all."""

    @no_grad()
    def swa_update(averaged_param, current_param, num_averaged):
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


class AveragedModel(Module):
    """A copy of a model (`.module`) whose parameters are the average of those `update_parameters` has seen."""

    def __init__(self, model, device=None, avg_fn=None, multi_avg_fn=None, use_buffers=False):
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", _F.tensor(0, dtype=_C.int64))
        self.avg_fn, self.multi_avg_fn, self.use_buffers = avg_fn, multi_avg_fn, use_buffers

    def forward(self, *args, **kwargs):
        return self.module(*args, **kwargs)

    def update_parameters(self, model):
        """Takes the model's present parameters into the average."""
        mine, others = list(self.module.parameters()), list(model.parameters())
        if self.use_buffers:
            mine += list(self.module.buffers())
            others += list(model.buffers())
        mine = [p.detach() for p in mine]
        others = [p.detach() for p in others]
        if self.n_averaged == 0:
            for a, b in zip(mine, others):
                a.copy_(b)
        elif self.multi_avg_fn is not None:
            self.multi_avg_fn(mine, others, self.n_averaged)
        elif self.avg_fn is None:
            get_swa_multi_avg_fn()(mine, others, self.n_averaged)
        else:
            for a, b in zip(mine, others):
                a.copy_(self.avg_fn(a, b, self.n_averaged))
        if not self.use_buffers:
            for a, b in zip(self.module.buffers(), model.buffers()):
                a.detach().copy_(b.detach())
        self.n_averaged += 1


@no_grad()
def update_bn(loader, model, device=None):
    """Computes the batch norm statistics of `model` anew, from the data of `loader`."""
    momenta = {}
    for module in model.modules():
        if isinstance(module, _BatchNorm):
            module.reset_running_stats()
            momenta[module] = module.momentum
    if not momenta:
        return
    was_training = model.training
    model.train()
    for module in momenta:
        module.momentum = None
    for input in loader:
        if isinstance(input, (list, tuple)):
            input = input[0]
        model(input if device is None else input.to(device))
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """lr to `swa_lr` in `anneal_epochs` epochs, along a cosine or a line, and then constant."""

    def __init__(self, optimizer, swa_lr, anneal_epochs=10, anneal_strategy="cos", last_epoch=-1):
        groups = optimizer.param_groups
        rates = list(swa_lr) if isinstance(swa_lr, (list, tuple)) else [swa_lr] * len(groups)
        if len(rates) != len(groups):
            raise ValueError(
                f"swa_lr must have the same length as optimizer.param_groups: swa_lr has {len(rates)}, "
                f"optimizer.param_groups has {len(groups)}"
            )
        for rate, group in zip(rates, groups):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_strategy = anneal_strategy
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _share(self, epoch):
        t = max(0, min(1, epoch / max(1, self.anneal_epochs)))
        return t if self._anneal_strategy == "linear" else (1 - math.cos(math.pi * t)) / 2

    def get_lr(self):
        if self.anneal_epochs == 0:
            return [group["swa_lr"] for group in self.optimizer.param_groups]
        before, now = self._share(max(0, self.last_epoch - 1)), self._share(max(0, self.last_epoch))
        result = []
        for group in self.optimizer.param_groups:
            target = group["swa_lr"]
            start = target if before == 1 else (group["lr"] - before * target) / (1 - before)
            result.append(target * now + start * (1 - now))
        return result
