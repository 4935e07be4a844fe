"""Tools for parameters: clipping gradients, flattening to a vector, weight norm, packed sequences."""

from torch._missing import module_getattr
from torch.nn.utils.clip_grad import (
    clip_grad_norm, clip_grad_norm_, clip_grad_value_, clip_grads_with_norm_, get_total_norm,
)
from torch.nn.utils.convert_parameters import parameters_to_vector, vector_to_parameters

_LAZY = {
    **dict.fromkeys(("weight_norm", "remove_weight_norm", "spectral_norm", "remove_spectral_norm"),
                    "torch.nn.utils._old_norms"),
    **dict.fromkeys(("fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"),
                    "torch.nn.utils.fusion"),
    **dict.fromkeys(("convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"),
                    "torch.nn.utils.memory_format"),
    "skip_init": "torch.nn.utils.init",
}
_SUBMODULES = frozenset(("clip_grad", "convert_parameters", "fusion", "init", "memory_format", "parametrizations",
                         "parametrize", "prune", "rnn", "stateless"))
__getattr__ = module_getattr("torch.nn.utils", _SUBMODULES, _LAZY)
