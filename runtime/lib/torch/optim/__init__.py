"""Optimizers: they change parameters by their gradients. `torch.optim.lr_scheduler` changes the learning rate."""

from torch._missing import module_getattr
from torch.optim.adam import Adam, AdamW
from torch.optim.optimizer import Optimizer
from torch.optim.sgd import SGD

_LAZY = {
    "RMSprop": "torch.optim.rmsprop", "Adagrad": "torch.optim.adagrad", "Adadelta": "torch.optim.adadelta",
    "Adamax": "torch.optim.adamax", "NAdam": "torch.optim.nadam", "RAdam": "torch.optim.radam",
    "Rprop": "torch.optim.rprop", "ASGD": "torch.optim.asgd", "LBFGS": "torch.optim.lbfgs",
    "Adafactor": "torch.optim.adafactor", "Muon": "torch.optim.muon", "SparseAdam": "torch.optim.sparse_adam",
}
__getattr__ = module_getattr("torch.optim", frozenset(("lr_scheduler", "swa_utils", "optimizer")), _LAZY)


def __dir__():
    return sorted(set(globals()) | set(_LAZY) | {"lr_scheduler", "swa_utils"})
