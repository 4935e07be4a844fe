"""The functions behind the modules of `torch.nn`: no parameters of their own, everything is passed in."""

from torch import _C
from torch._missing import module_getattr
from torch.nn.functional._activation import *  # noqa: F403
from torch.nn.functional._attention import *  # noqa: F403
from torch.nn.functional._grid import *  # noqa: F403
from torch.nn.functional._layers import *  # noqa: F403
from torch.nn.functional._loss import *  # noqa: F403
from torch.nn.functional._pool import *  # noqa: F403
from torch.nn.functional._resize import *  # noqa: F403

# These are the native functions themselves.
_NATIVE = (
    (_C._nn, ("linear", "pad", "one_hot", "gelu", "softplus", "softshrink", "logsigmoid", "avg_pool2d", "avg_pool3d",
              "scaled_dot_product_attention")),
    (_C._functions, ("conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
                     "bilinear", "avg_pool1d", "adaptive_avg_pool1d", "pairwise_distance",
                     "cosine_similarity", "prelu", "hardshrink")),
)
for _space, _names in _NATIVE:
    for _name in _names:
        _fn = getattr(_space, "log_sigmoid" if _name == "logsigmoid" else _name, None)
        if _fn is not None:
            globals()[_name] = _fn

__getattr__ = module_getattr("torch.nn.functional", (), {
    **dict.fromkeys(("fractional_max_pool2d", "fractional_max_pool2d_with_indices", "fractional_max_pool3d",
                     "fractional_max_pool3d_with_indices"), "torch.nn.functional._fractional"),
    **dict.fromkeys(("pdist", "conv_tbc"), "torch._composite.measure"),
    **dict.fromkeys(("channel_shuffle", "native_channel_shuffle", "pixel_shuffle", "pixel_unshuffle"),
                    "torch._composite.moves"),
})
