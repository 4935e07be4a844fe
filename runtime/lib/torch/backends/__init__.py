"""What computes: settings of back ends that are not here are accepted and change nothing; questions are answered truly."""

import sys
from contextlib import contextmanager
from types import ModuleType


class _Backend(ModuleType):
    """One back end, as a module: its flags can be set, `is_available()` tells the truth."""

    def __init__(self, name, **flags):
        super().__init__("torch.backends." + name)
        self.__dict__.update(flags)
        sys.modules[self.__name__] = self

    def is_available(self):
        return False

    def is_built(self):
        return False

    def version(self):
        return None

    @contextmanager
    def flags(self, **settings):
        """Settings for a while."""
        before = {name: self.__dict__.get(name) for name in settings}
        self.__dict__.update(settings)
        try:
            yield
        finally:
            self.__dict__.update(before)


class _Flag:
    def __init__(self, **flags):
        self.__dict__.update(flags)


class _Cuda(_Backend):
    """CUDA's settings, attention's among them."""

    def preferred_linalg_library(self, backend=None):
        return "default"

    def preferred_blas_library(self, backend=None):
        return "default"

    @contextmanager
    def sdp_kernel(self, enable_flash=True, enable_math=True, enable_mem_efficient=True, enable_cudnn=True):
        """Which ways of attention are allowed; there is one here."""
        yield {}


class _Mps(_Backend):
    def is_macos_or_newer(self, major, minor):
        raise RuntimeError("Cannot execute isOnMacOSorNewer() without MPS backend.")

    def is_macos13_or_newer(self, minor=0):
        raise RuntimeError("Cannot execute isOnMacOSorNewer() without MPS backend.")


class _Cpu(_Backend):
    def is_available(self):
        return True

    def get_cpu_capability(self):
        return "DEFAULT"


class _Mha(_Backend):
    """Attention's fast path, which gives the same numbers."""

    _fast = True

    def get_fastpath_enabled(self):
        return self.__dict__.get("_fast", True)

    def set_fastpath_enabled(self, value):
        self.__dict__["_fast"] = value


def _switch(name):
    def enabled():
        return cuda.__dict__["_" + name]

    def enable(enabled):
        cuda.__dict__["_" + name] = enabled

    cuda.__dict__.update({f"{name}_sdp_enabled": enabled, f"enable_{name}_sdp": enable, "_" + name: True})


cudnn = _Backend("cudnn", enabled=True, benchmark=False, deterministic=False, allow_tf32=True, benchmark_limit=10,
                 conv=_Flag(fp32_precision="tf32"), rnn=_Flag(fp32_precision="tf32"), fp32_precision="none")
cuda = _Cuda("cuda", matmul=_Flag(allow_tf32=False, allow_fp16_reduced_precision_reduction=True,
                                  allow_bf16_reduced_precision_reduction=True, fp32_precision="none"))
for _name in ("flash", "math", "mem_efficient", "cudnn"):
    _switch(_name)
mps = _Mps("mps")
mkl, openmp, nnpack, cusparselt, kleidiai, miopen, xeon = (
    _Backend(n) for n in ("mkl", "openmp", "nnpack", "cusparselt", "kleidiai", "miopen", "xeon"))
mkldnn = _Backend("mkldnn", enabled=True, deterministic=False, allow_tf32=True)
opt_einsum = _Backend("opt_einsum", enabled=False, strategy=None)
quantized = _Backend("quantized", engine="none", supported_engines=["none"])
mha = _Mha("mha")
cpu = _Cpu("cpu")
fp32_precision = "none"
