"""Schedulers: they change the learning rate as training goes on. Call `step()` after the optimizer's."""

from torch.optim.lr_scheduler._base import LRScheduler, _LRScheduler
from torch.optim.lr_scheduler._cycle import CosineAnnealingWarmRestarts, CyclicLR, OneCycleLR
from torch.optim.lr_scheduler._plateau import ReduceLROnPlateau
from torch.optim.lr_scheduler._several import ChainedScheduler, SequentialLR
from torch.optim.lr_scheduler._simple import (
    ConstantLR, CosineAnnealingLR, ExponentialLR, LambdaLR, LinearLR, MultiplicativeLR, MultiStepLR, PolynomialLR,
    StepLR,
)

__all__ = [
    "LambdaLR", "MultiplicativeLR", "StepLR", "MultiStepLR", "ConstantLR", "LinearLR", "ExponentialLR", "SequentialLR",
    "CosineAnnealingLR", "ChainedScheduler", "ReduceLROnPlateau", "CyclicLR", "CosineAnnealingWarmRestarts",
    "OneCycleLR", "PolynomialLR", "LRScheduler",
]
# Where PyTorch has them, as `print(type(scheduler))` shows.
for _name in (*__all__, "_LRScheduler"):
    globals()[_name].__module__ = __name__
