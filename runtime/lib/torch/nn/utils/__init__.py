"""Tools for parameters: clipping gradients, flattening to a vector, weight norm, packed sequences."""

from torch._missing import module_getattr
from torch.nn.utils.clip_grad import (
    clip_grad_norm, clip_grad_norm_, clip_grad_value_, clip_grads_with_norm_, get_total_norm,
)
from torch.nn.utils.convert_parameters import parameters_to_vector, vector_to_parameters

_LAZY = dict.fromkeys(("weight_norm", "remove_weight_norm", "spectral_norm", "remove_spectral_norm"),
                      "torch.nn.utils._old_norms")
__getattr__ = module_getattr("torch.nn.utils", frozenset(("rnn", "parametrize", "parametrizations")), _LAZY)
