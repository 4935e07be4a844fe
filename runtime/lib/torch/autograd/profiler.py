"""The profiler's measuring part: events, their averages, and the table they print as."""

import functools

from torch import _C



class record_function:
    """`with record_function("name"):`, or a decorator: the block is an event of its own."""

    def __init__(self, name, args=None):
        self.name, self.args = name, args
        self._start = None

    def __enter__(self):
        self._start = _C._profile_now()
        return self

    def __exit__(self, *exc):
        for listener in profile._listening:
            listener._blocks.append((self.name, self._start, _C._profile_now(), []))
        return False

    def __call__(self, func):
        @functools.wraps(func)
        def wrapped(*args, **kwargs):
            with record_function(self.name, self.args):
                return func(*args, **kwargs)

        return wrapped


def _time(us):
    """A time of microseconds as PyTorch writes it."""
    if us >= 1e6:
        return f"{us / 1e6:.3f}s"
    if us >= 1e3:
        return f"{us / 1e3:.3f}ms"
    return f"{us:.3f}us"


class FunctionEvent:
    """One call."""

    def __init__(self, name, start, end, shapes):
        self.name = self.key = name
        self.start, self.end = start, end
        self.input_shapes = shapes
        self.cpu_children = []
        self.count = 1
        self.cpu_parent = None

    @property
    def cpu_time_total(self):
        """Microseconds."""
        return (self.end - self.start) * 1e6

    cpu_time = cpu_time_total

    @property
    def self_cpu_time_total(self):
        """Microseconds without the calls inside."""
        return self.cpu_time_total - sum(c.cpu_time_total for c in self.cpu_children)

    def __repr__(self):
        return (f"<FunctionEvent name={self.name} cpu_time={_time(self.cpu_time_total)} "
                f"input_shapes={self.input_shapes}>")


class FunctionEventAvg:
    """All calls of one name."""

    def __init__(self, key, shapes):
        self.key, self.input_shapes = key, shapes
        self.count = 0
        self.cpu_time_total = self.self_cpu_time_total = 0.0
        self.device_time_total = self.self_device_time_total = 0
        self.cpu_memory_usage = self.self_cpu_memory_usage = 0

    def add(self, event):
        self.count += event.count
        self.cpu_time_total += event.cpu_time_total
        self.self_cpu_time_total += event.self_cpu_time_total
        return self

    @property
    def cpu_time(self):
        """Microseconds a call."""
        return self.cpu_time_total / self.count if self.count else 0.0

    device_time = 0.0
    cpu_time_total_str = property(lambda self: _time(self.cpu_time_total))
    self_cpu_time_total_str = property(lambda self: _time(self.self_cpu_time_total))
    cpu_time_str = property(lambda self: _time(self.cpu_time))

    def __repr__(self):
        return (f"<FunctionEventAvg key={self.key} self_cpu_time={_time(self.self_cpu_time_total)} "
                f"cpu_time={_time(self.cpu_time)}  self_cuda_time=0.000us cuda_time=0.000us "
                f"input_shapes={self.input_shapes or ''} cpu_memory_usage=0 cuda_memory_usage=0>")


class EventList(list):
    """Events, or averages of events."""

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0, group_by_overload_name=False):
        """The calls of each name (and shapes) as one."""
        groups = {}
        for event in self:
            key = (event.name, str(event.input_shapes) if group_by_input_shape else "")
            if key not in groups:
                groups[key] = FunctionEventAvg(event.name, event.input_shapes if group_by_input_shape else "")
            groups[key].add(event)
        averages = EventList(groups.values())
        averages._with_shapes = group_by_input_shape
        return averages

    def total_average(self):
        """All calls as one."""
        total = FunctionEventAvg("Total", "")
        for event in self:
            total.add(event)
        return total

    @property
    def self_cpu_time_total(self):
        """Microseconds of all calls, each counted once."""
        return sum(e.self_cpu_time_total for e in self)

    def table(self, sort_by=None, row_limit=100, max_src_column_width=75, max_name_column_width=55,
              max_shapes_column_width=80, header=None, top_level_events_only=False, time_unit=None):
        """The events as a table."""
        rows = list(self)
        if sort_by is not None:
            key = {"cpu_time_total": "cpu_time_total", "self_cpu_time_total": "self_cpu_time_total",
                   "cpu_time": "cpu_time", "count": "count"}.get(sort_by)
            rows.sort(key=(lambda e: getattr(e, key)) if key else (lambda e: 0), reverse=key is not None)
        shapes = getattr(self, "_with_shapes", False)
        width = max([len(e.key) for e in rows] + [len("Name")]) + 4
        width = min(width, max_name_column_width)
        titles = ["Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", "# of Calls"]
        widths = [width] + [12] * 6
        if shapes:
            titles.append("Input Shapes")
            widths.append(min(max([len(str(e.input_shapes)) for e in rows] + [12]) + 4, max_shapes_column_width))
        total = self.self_cpu_time_total
        line = "  ".join("-" * w for w in widths) + "  "

        def short(text, limit):
            return text if len(text) <= limit else text[:limit - 3] + "..."

        def share(value):
            return f"{value * 100 / total:.2f}%" if total else "NAN"

        lines = [header] if header else []
        lines += [line, "  ".join(t.rjust(w) for t, w in zip(titles, widths)) + "  ", line]
        for event in rows[:row_limit] if row_limit >= 0 else rows:
            cells = [short(event.key, width), share(event.self_cpu_time_total), _time(event.self_cpu_time_total),
                     share(event.cpu_time_total), _time(event.cpu_time_total), _time(event.cpu_time), str(event.count)]
            if shapes:
                cells.append(short(str(event.input_shapes), widths[-1]))
            lines.append("  ".join(c.rjust(w) for c, w in zip(cells, widths)) + "  ")
        lines += [line, f"Self CPU time total: {_time(total)}", ""]
        return "\n".join(lines)

    def __str__(self):
        return self.table()


class profile:
    """Measures the calls of PyTorch's functions in a block."""

    _listening = []

    def __init__(self, enabled=True, *, use_cuda=False, use_device=None, record_shapes=False, with_flops=False,
                 profile_memory=False, with_stack=False, with_modules=False, use_kineto=False, use_cpu=True, **options):
        if profile_memory:
            raise NotImplementedError("profile_memory is part of PyTorch's profiler, but it is not available here")
        if with_stack:
            raise NotImplementedError("with_stack is part of PyTorch's profiler, but it is not available here")
        self.enabled, self.record_shapes = enabled, record_shapes
        self._events = EventList([])
        self._blocks = []
        self._running = False

    def start(self):
        """Begins to measure."""
        self._blocks = []
        self._running = True
        profile._listening.append(self)
        _C._profile(True)

    def stop(self):
        """Ends it."""
        calls = _C._profile(False)
        profile._listening.remove(self)
        if profile._listening:
            _C._profile(True)
        self._running = False
        self._events = self._nested(calls)

    def _nested(self, calls):
        named = [("backward" if name == "backward" else "aten::" + name, start, end, shapes)
                 for name, start, end, shapes in calls]
        events = [FunctionEvent(n, s, e, shapes if self.record_shapes else []) for n, s, e, shapes in
                  named + [b for b in self._blocks]]
        events.sort(key=lambda e: (e.start, -e.end))
        open_events = []
        for event in events:
            while open_events and open_events[-1].end < event.end:
                open_events.pop()
            if open_events:
                event.cpu_parent = open_events[-1]
                open_events[-1].cpu_children.append(event)
            open_events.append(event)
        return EventList(events)

    def __enter__(self):
        if self.enabled:
            self.start()
        return self

    def __exit__(self, *exc):
        if self.enabled and self._running:
            self.stop()
        return False

    def events(self):
        """All calls, in order."""
        return self._events

    @property
    def function_events(self):
        return self._events

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0, group_by_overload_name=False):
        """The calls of each name as one."""
        return self._events.key_averages(group_by_input_shape)

    def table(self, *args, **kwargs):
        return self._events.table(*args, **kwargs)

    def total_average(self):
        return self._events.total_average()

    @property
    def self_cpu_time_total(self):
        return self._events.self_cpu_time_total

    def __str__(self):
        return self._events.table() if len(self._events) or not self._running else "<unfinished torch.autograd.profile>"

    __repr__ = __str__

    def export_chrome_trace(self, path):
        """Writes the events as JSON, in the form that browsers' trace viewers read."""
        import json

        events = [{"name": e.name, "ph": "X", "ts": e.start * 1e6, "dur": e.cpu_time_total, "pid": 0, "tid": 0}
                  for e in self._events]
        with open(path, "w") as f:
            json.dump({"traceEvents": events}, f)


def _gpu(name):
    def missing(*args, **kwargs):
        raise NotImplementedError(f"torch.autograd.profiler.{name} is part of PyTorch, but there is no GPU here")

    return missing


emit_nvtx, emit_itt, load_nvprof = _gpu("emit_nvtx"), _gpu("emit_itt"), _gpu("load_nvprof")
