"""The package `torch`: tensors, and the ways to make and change them.

The tensor itself and every operation on it are native (`torch._C`). What is here in Python is what a
learner can read: modules, optimizers, data loading, gradient tools. Parts that take time to load
(`torch.nn`, `torch.optim`, …) are loaded when they are first used.
"""

import torch._C as _C
from torch.version import __version__

from torch._missing import module_getattr, native_getattr

# Every module of the package has this `__getattr__` unless it brings its own.
__module_getattr__ = module_getattr
for _space in ("_functions", "_nn", "_linalg", "_special"):
    getattr(_C, _space).__getattr__ = native_getattr
# Every native function is a name of this module: `torch.add` is the native `add`.
globals().update({_name: getattr(_C._functions, _name) for _name in dir(_C._functions) if not _name.startswith("__")})

from torch._C import (  # noqa: E402
    Generator, OutOfMemoryError, Size, Tensor, default_generator, device, dtype, finfo, get_default_dtype, iinfo,
    is_anomaly_check_nan_enabled, is_anomaly_enabled, is_grad_enabled, is_inference_mode_enabled, layout,
    memory_format,
    # dtypes, each under its two names
    bfloat16, bool, double, float, float16, float32, float64, half, int, int8, int16, int32, int64, long, short,
    uint8, cdouble, cfloat, complex64, complex128,
    # layouts and memory formats
    channels_last, channels_last_3d, contiguous_format, preserve_format, strided,
)

# Constants.
pi = 3.141592653589793
e = 2.718281828459045
inf = 1e999
nan = inf - inf
newaxis = None

from torch import _tensor  # noqa: E402,F401  (gives Tensor its Python-made methods)
from torch._settings import (  # noqa: E402
    are_deterministic_algorithms_enabled, compiled_with_cxx11_abi, get_default_device, get_float32_matmul_precision,
    get_num_interop_threads, get_num_threads, get_printoptions, is_deterministic_algorithms_warn_only_enabled,
    is_storage, is_tensor, is_warn_always_enabled, set_default_device, set_default_dtype,
    result_type, set_default_tensor_type, set_float32_matmul_precision, set_num_interop_threads, set_num_threads,
    set_printoptions, set_warn_always, typename, use_deterministic_algorithms,
)
from torch.functional import (  # noqa: E402
    align_tensors, atleast_1d, atleast_2d, atleast_3d, block_diag, broadcast_shapes, broadcast_tensors,
    cartesian_prod, cdist, chain_matmul, einsum, frombuffer, meshgrid, norm, split, tensordot, unique, unique_consecutive,
    unravel_index,
)
from torch.autograd.grad_mode import (  # noqa: E402
    enable_grad, inference_mode, no_grad, set_grad_enabled,
)
from torch.random import (  # noqa: E402
    get_rng_state, initial_seed, manual_seed, seed, set_rng_state,
)
from torch._legacy import (  # noqa: E402
    BFloat16Tensor, BoolTensor, ByteTensor, CharTensor, DoubleTensor, FloatTensor, HalfTensor, IntTensor,
    LongTensor, ShortTensor,
)
from torch import _absent  # noqa: E402

_absent.install()
# Names that live in a part of the package which is loaded on first use.
_LAZY = {
    "save": "torch.serialization", "load": "torch.serialization",
    **dict.fromkeys(("autocast", "is_autocast_enabled", "is_autocast_cpu_enabled", "is_autocast_available",
                     "get_autocast_dtype"), "torch.amp.autocast_mode"),
    "GradScaler": "torch.amp.grad_scaler",
    "vmap": "torch.func",
    **dict.fromkeys(("TypedStorage", "UntypedStorage"), "torch.storage"),
    "compile": "torch.compiler",
    **dict.fromkeys(("FloatStorage", "DoubleStorage", "HalfStorage", "BFloat16Storage", "LongStorage", "IntStorage",
                     "ShortStorage", "CharStorage", "ByteStorage", "BoolStorage",
                     "ComplexFloatStorage", "ComplexDoubleStorage"), "torch._storages"),
    **dict.fromkeys(("hann_window", "hamming_window", "blackman_window", "bartlett_window", "kaiser_window", "range"),
                    "torch._composite.windows"),
    **dict.fromkeys(("pixel_shuffle", "pixel_unshuffle", "channel_shuffle", "native_channel_shuffle",
                     "as_strided_scatter", "as_strided_", "nonzero_static", "resize_as_", "unsafe_split",
                     "unsafe_split_with_sizes", "unsafe_chunk", "from_dlpack", "alias_copy", "as_strided_copy",
                     "detach_copy", "diagonal_copy", "expand_copy", "narrow_copy", "permute_copy", "select_copy",
                     "slice_copy", "split_copy", "split_with_sizes_copy", "squeeze_copy", "t_copy", "transpose_copy",
                     "unbind_copy", "unfold_copy", "unsqueeze_copy", "view_copy", "view_as_complex_copy",
                     "view_as_real_copy"), "torch._composite.moves"),
    **dict.fromkeys(("gradient", "pdist", "histogramdd", "segment_reduce", "frobenius_norm", "nuclear_norm",
                     "embedding_renorm_", "conv_tbc"), "torch._composite.measure"),
    **dict.fromkeys(("lu", "lu_solve", "lu_unpack", "orgqr", "ormqr", "svd_lowrank", "pca_lowrank"),
                    "torch._composite.factors"),
    **dict.fromkeys(("stft", "istft"), "torch._composite.signal"),
    **dict.fromkeys(("cholesky", "eig", "lstsq", "matrix_rank", "qr", "solve", "symeig"), "torch._composite.removed"),
    **dict.fromkeys(("is_signed", "is_same_size", "is_inference", "is_neg", "is_distributed", "get_device",
                     "dequantize"), "torch._composite.questions"),
    **dict.fromkeys(("rrelu", "rrelu_"), "torch._composite.slopes"),
    "ctc_loss": "torch._composite.ctc",
}
_SUBMODULES = frozenset((
    "_dynamo", "accelerator", "amp", "autograd", "backends", "compiler", "cpu", "cuda", "distributed",
    "distributions", "fft", "func", "functional", "jit", "linalg", "mps", "nn", "optim", "overrides", "profiler",
    "random", "return_types", "serialization", "signal", "special", "storage", "testing", "types", "utils", "version",
    "webgpu", "xpu",
)) | _absent.NAMES
__getattr__ = module_getattr("torch", _SUBMODULES, _LAZY)


def __dir__():
    return sorted(set(globals()) | _SUBMODULES | set(_LAZY))
