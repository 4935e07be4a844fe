"""What computes: settings of back ends that are not here are accepted and change nothing."""


class _Backend:
    """One back end: its flags can be set, `is_available()` tells the truth."""

    def __init__(self, **flags):
        self.__dict__.update(flags)

    def is_available(self):
        return False

    def is_built(self):
        return False

    def version(self):
        return None


class _Flag:
    def __init__(self, **flags):
        self.__dict__.update(flags)


cudnn = _Backend(enabled=True, benchmark=False, deterministic=False, allow_tf32=True, benchmark_limit=10)
cuda = _Backend(matmul=_Flag(allow_tf32=False, allow_fp16_reduced_precision_reduction=True))
mps = _Backend()
mkl = _Backend()
mkldnn = _Backend(enabled=True)
openmp = _Backend()
opt_einsum = _Backend(enabled=False, strategy=None)


class _Cpu:
    @staticmethod
    def get_cpu_capability():
        return "DEFAULT"


cpu = _Cpu()
