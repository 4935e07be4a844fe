"""Timing small pieces of code: `Timer` measures, `Compare` lays measurements side by side."""

from torch.utils.benchmark._compare import Compare
from torch.utils.benchmark._measurement import Measurement, TaskSpec, select_unit, trim_sigfig, unit_to_english
from torch.utils.benchmark._timer import Language, Timer, timer

__all__ = ["Compare", "Language", "Measurement", "TaskSpec", "Timer", "select_unit", "timer", "trim_sigfig",
           "unit_to_english"]


def __getattr__(name):
    if name in ("CallgrindStats", "CopyIfCallgrind", "FunctionCount", "FunctionCounts", "Fuzzer", "FuzzedParameter",
                "FuzzedTensor", "FuzzedSparseTensor", "ParameterAlias"):
        raise AttributeError(f"torch.utils.benchmark.{name} is part of PyTorch, but it is not available here")
    raise AttributeError(f"module 'torch.utils.benchmark' has no attribute '{name}'")
