"""What a measurement was of, its numbers, and how it prints."""

import math
import statistics
import textwrap

_UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
_ENGLISH = {"ns": "nanosecond", "us": "microsecond", "ms": "millisecond", "s": "second"}
_CONFIDENCE = 0.25  # half of the spread that the number of shown digits allows for


def select_unit(t):
    """The unit in which a time is shown, and its length in seconds."""
    unit = "ns" if t < 1e-6 else "us" if t < 1e-3 else "ms" if t < 1 else "s"
    return unit, _UNITS[unit]


def unit_to_english(u):
    """The unit's name."""
    return _ENGLISH[u]


def trim_sigfig(x, n):
    """`x` with `n` digits."""
    if x == 0:
        return x
    magnitude = int(math.ceil(math.log10(abs(x))))
    scale = 10 ** (magnitude - n)
    return float(round(x / scale) * scale)


class TaskSpec:
    """What is measured: the statement and its labels."""

    def __init__(self, stmt, setup, global_setup="", label=None, sub_label=None, description=None, env=None,
                 num_threads=1):
        self.stmt, self.setup, self.global_setup = stmt, setup, global_setup
        self.label, self.sub_label, self.description = label, sub_label, description
        self.env, self.num_threads = env, num_threads

    @property
    def title(self):
        """The best label there is."""
        if self.label is not None:
            return self.label + (f": {self.sub_label}" if self.sub_label else "")
        if "\n" not in self.stmt:
            return self.stmt + (f": {self.sub_label}" if self.sub_label else "")
        return f"stmt:{f' ({self.sub_label})' if self.sub_label else ''}\n{textwrap.indent(self.stmt, '  ')}"

    def setup_str(self):
        if self.setup == "pass" or not self.setup:
            return ""
        return f"setup:\n{textwrap.indent(self.setup, '  ')}" if "\n" in self.setup else f"setup: {self.setup}"

    def summarize(self):
        """Title, description and setup."""
        parts = [self.title, self.description or "", self.setup_str()]
        return "\n".join(f"{p}" for p in parts if p)

    def __eq__(self, other):
        return isinstance(other, TaskSpec) and self.__dict__ == other.__dict__

    def __hash__(self):
        return hash((self.stmt, self.setup, self.label, self.sub_label, self.description, self.env, self.num_threads))


class Measurement:
    """Times of one statement: `raw_times` are of `number_per_run` calls each."""

    def __init__(self, number_per_run, raw_times, task_spec, metadata=None):
        self.number_per_run, self.raw_times, self.task_spec, self.metadata = (
            number_per_run, list(raw_times), task_spec, metadata)

    def __getattr__(self, name):
        if name != "task_spec" and hasattr(self.task_spec, name):
            return getattr(self.task_spec, name)
        raise AttributeError(f"'Measurement' object has no attribute '{name}'")

    @property
    def times(self):
        """Seconds a call."""
        return [t / self.number_per_run for t in self.raw_times]

    def _need(self):
        if not self.raw_times:
            raise ValueError("Measurement has no data")

    @property
    def median(self):
        self._need()
        return statistics.median(self.times)

    @property
    def mean(self):
        self._need()
        return statistics.mean(self.times)

    def _quartile(self, share):
        times = sorted(self.times)
        place = share * (len(times) - 1)
        low = int(place)
        high = min(low + 1, len(times) - 1)
        return times[low] + (times[high] - times[low]) * (place - low)

    @property
    def iqr(self):
        """The distance between the quartiles."""
        self._need()
        return self._quartile(0.75) - self._quartile(0.25)

    @property
    def significant_figures(self):
        """How many digits the spread of the times allows for."""
        self._need()
        n = len(self.times)
        lower = self._quartile(max(0.0, 0.5 - _CONFIDENCE / 2)), self._quartile(min(1.0, 0.5 + _CONFIDENCE / 2))
        spread = (lower[1] - lower[0]) / max(n - 1, 1) ** 0.5
        relative = spread / self.median if self.median else 0
        digits = -math.floor(math.log10(relative)) if relative > 0 else 2
        return max(1, min(4 if n >= 5 else 2, digits))

    @property
    def has_warnings(self):
        return bool(self.raw_times) and self.iqr / self.median > 0.1

    @property
    def title(self):
        return self.task_spec.title

    @property
    def env(self):
        return "Unspecified env" if self.task_spec.env is None else self.task_spec.env

    @property
    def as_row_name(self):
        return self.task_spec.sub_label or self.task_spec.stmt or "[Unknown]"

    def __repr__(self):
        parts = [f"<torch.utils.benchmark.utils.common.Measurement object at {hex(id(self))}>\n",
                 self.task_spec.summarize() + "\n"]
        if not self.raw_times:
            return "".join(parts)
        unit, scale = select_unit(self.median)
        many = len(self.raw_times) > 1
        parts.append(f"  {'Median: ' if many else ''}{self.median / scale:.2f} {unit}\n")
        if many:
            parts.append(f"  IQR:    {self.iqr / scale:.2f} {unit} ({self._quartile(0.25) / scale:.2f} to "
                         f"{self._quartile(0.75) / scale:.2f})\n")
        count, runs = len(self.raw_times), self.number_per_run
        per = "runs per measurement" if many and runs > 1 else "runs" if runs > 1 else "run"
        threads = self.task_spec.num_threads
        parts.append(f"  {count} measurement{'s' if many else ''}, {runs} {per}{' ' if not many else ''}, {threads} "
                     f"thread{'s' if threads > 1 else ''}")
        if many and self.iqr / self.median > 0.1:
            percent = self.iqr / self.median * 100
            parts.append(
                f"\n  WARNING: Interquartile range is {percent:.1f}% of the median measurement.\n           This "
                + ("suggests significant environmental influence." if percent > 25 else
                   "could indicate system fluctuation.")
            )
        return "".join(parts).rstrip("\n")

    @staticmethod
    def merge(measurements):
        """Measurements of the same task as one."""
        groups = {}
        for m in measurements:
            groups.setdefault(m.task_spec, []).append(m)
        merged = []
        for spec, parts in groups.items():
            times = [t for part in parts for t in part.times]
            merged.append(Measurement(1, times, spec, None))
        return merged
