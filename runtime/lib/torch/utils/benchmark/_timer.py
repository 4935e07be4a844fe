"""`Timer`: runs a statement many times and measures."""

import enum
import textwrap
import timeit

from torch.utils.benchmark._measurement import Measurement, TaskSpec

timer = timeit.default_timer


class Language(enum.Enum):
    """What statements may be written in."""

    PYTHON = 0
    CPP = 1


class Timer:
    """Measures `stmt`, which sees `globals`, after `setup`."""

    def __init__(self, stmt="pass", setup="pass", global_setup="", timer=timer, globals=None, label=None, sub_label=None,
                 description=None, env=None, num_threads=1, language=Language.PYTHON):
        if language not in (Language.PYTHON, "py", "python"):
            raise NotImplementedError("torch.utils.benchmark.Timer for C++ is part of PyTorch, but it is not available here")
        if global_setup:
            raise ValueError(
                f"global_setup is C++ only, got `{global_setup}`. Most likely this code can simply be moved to `setup`."
            )
        names = dict(globals or {})
        import torch

        names.setdefault("torch", torch)
        stmt, setup = textwrap.dedent(stmt), textwrap.dedent(setup)
        stmt = stmt[1:] if stmt.startswith("\n") else stmt
        self._timer = timeit.Timer(stmt=stmt, setup=setup, timer=timer, globals=names)
        self._task_spec = TaskSpec(stmt=stmt, setup=setup, label=label, sub_label=sub_label, description=description,
                                   env=env, num_threads=num_threads)

    def _once(self, number):
        return max(self._timer.timeit(number), 1e-9)

    def timeit(self, number=1000000):
        """One measurement of `number` calls, after some to warm up."""
        self._once(max(int(number // 100), 2))
        return Measurement(number, [self._once(number)], self._task_spec)

    def _number(self, min_run_time):
        """How many calls make a block long enough to be measured well."""
        number = 1
        while True:
            taken = self._once(number)
            if taken > min_run_time / 1000 and taken >= 5e-4 or taken >= min_run_time or number >= 10 ** 9:
                return number
            number *= 10

    def blocked_autorange(self, callback=None, min_run_time=0.2):
        """Blocks of calls, measured until they took `min_run_time` seconds in all."""
        number = self._number(min_run_time)
        times, total = [], 0.0
        while total < min_run_time:
            taken = self._once(number)
            times.append(taken)
            total += taken
            if callback is not None:
                callback(number, taken)
        return Measurement(number, times, self._task_spec)

    def adaptive_autorange(self, threshold=0.1, *, min_run_time=0.01, max_run_time=10.0, callback=None):
        """Blocks of calls, measured until their spread is small against their median."""
        number = self._number(0.05)
        times, total = [], 0.0
        while True:
            taken = self._once(number)
            times.append(taken)
            total += taken
            if callback is not None:
                callback(number, taken)
            if len(times) >= 4 and total >= min_run_time:
                measured = Measurement(number, times, self._task_spec)
                if measured.iqr / measured.median < threshold or total >= max_run_time:
                    return measured

    autorange = blocked_autorange

    def collect_callgrind(self, *args, **kwargs):
        """Counting instructions needs Valgrind."""
        raise NotImplementedError("Timer.collect_callgrind is part of PyTorch, but Valgrind is not available here")
