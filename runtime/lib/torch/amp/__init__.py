"""Mixed precision: `autocast` computes in lower precision, `GradScaler` keeps small gradients from vanishing."""

from torch._missing import module_getattr
from torch.amp.grad_scaler import GradScaler

_LAZY = dict.fromkeys(("autocast", "custom_bwd", "custom_fwd", "is_autocast_available"), "torch.amp.autocast_mode")
__getattr__ = module_getattr("torch.amp", frozenset(("grad_scaler", "autocast_mode")), _LAZY)
