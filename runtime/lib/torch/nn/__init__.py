"""Building blocks of neural networks. `torch.nn.functional` has the same as functions, `torch.nn.init` the starts."""

from torch._missing import module_getattr
from torch.nn.modules.activation import *  # noqa: F403
from torch.nn.modules.batchnorm import *  # noqa: F403
from torch.nn.modules.channelshuffle import *  # noqa: F403
from torch.nn.modules.distance import *  # noqa: F403
from torch.nn.modules.flatten import *  # noqa: F403
from torch.nn.modules.fold import *  # noqa: F403
from torch.nn.modules.instancenorm import *  # noqa: F403
from torch.nn.modules.normalization import *  # noqa: F403
from torch.nn.modules.pixelshuffle import *  # noqa: F403
from torch.nn.modules.upsampling import *  # noqa: F403
from torch.nn.modules.container import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
from torch.nn.modules.conv import *  # noqa: F403
from torch.nn.modules.dropout import *  # noqa: F403
from torch.nn.modules.linear import Bilinear, Identity, LazyLinear, Linear
from torch.nn.modules.loss import *  # noqa: F403
from torch.nn.modules.module import Module
from torch.nn.modules.padding import *  # noqa: F403
from torch.nn.modules.pooling import *  # noqa: F403
from torch.nn.modules.sparse import Embedding, EmbeddingBag
from torch.nn.parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

# These take longer to load and are needed less often.
_LAZY = {
    **dict.fromkeys(("RNNBase", "RNN", "LSTM", "GRU", "RNNCellBase", "RNNCell", "LSTMCell", "GRUCell"),
                    "torch.nn.modules.rnn"),
    "MultiheadAttention": "torch.nn.modules.attention",
    "AdaptiveLogSoftmaxWithLoss": "torch.nn.modules.adaptive",
    "DataParallel": "torch.nn.parallel",
    **dict.fromkeys(("FractionalMaxPool2d", "FractionalMaxPool3d"), "torch.nn.modules.fractional"),
    **dict.fromkeys(("Transformer", "TransformerEncoder", "TransformerDecoder", "TransformerEncoderLayer",
                     "TransformerDecoderLayer"), "torch.nn.modules.transformer"),
}
_SUBMODULES = frozenset(("attention", "functional", "init", "modules", "parallel", "parameter", "utils"))
__getattr__ = module_getattr("torch.nn", _SUBMODULES, _LAZY)


def __dir__():
    return sorted(set(globals()) | _SUBMODULES | set(_LAZY))
