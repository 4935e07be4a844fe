# What a lesson's check block may call besides Python: check, close, and (made for each check) rerun.
import math


class Closeness:
    """The answer of `close`: true or false, and what differs."""

    def __init__(self, detail=None):
        self.detail = detail

    def __bool__(self):
        return self.detail is None

    def __repr__(self):
        return "close" if self else self.detail


class Ran:
    """The names a cell made when it ran again."""

    def __init__(self, names, output):
        self.__dict__.update(names)
        self.__dict__["__output__"] = output

    def __getattr__(self, name):
        raise AttributeError(f"the cell does not define `{name}`")

    def __getitem__(self, name):
        return getattr(self, name)


def _plain(value):
    """Tensors and arrays as numbers and lists; the rest as it is."""
    if hasattr(value, "detach"):
        value = value.detach()
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def _shape(value):
    """The shape of nested lists, or None when they are ragged."""
    if not isinstance(value, list):
        return ()
    if not value:
        return (0,)
    shapes = {_shape(item) for item in value}
    if len(shapes) != 1 or None in shapes:
        return None
    return (len(value), *shapes.pop())


def _flat(value, at=()):
    if isinstance(value, list):
        for i, item in enumerate(value):
            yield from _flat(item, (*at, i))
    else:
        yield at, value


def _show(value):
    if isinstance(value, float):
        return f"{value:.6g}"
    return repr(value)


def _near(got, want, rtol, atol):
    number = (int, float, complex)
    if isinstance(got, bool) is not isinstance(want, bool):
        return False
    if isinstance(got, number) and isinstance(want, number):
        if got == want:
            return True
        if isinstance(got, complex) or isinstance(want, complex):
            return abs(got - want) <= atol + rtol * abs(want)
        if math.isnan(got) or math.isnan(want):
            return math.isnan(got) and math.isnan(want)
        if math.isinf(got) or math.isinf(want):
            return False
        return abs(got - want) <= atol + rtol * abs(want)
    return type(got) is type(want) and got == want


def close(got, want, rtol=1e-4, atol=1e-5):
    """Whether two values agree, number by number; says where and by how much they differ."""
    if callable(got) and not hasattr(got, "tolist"):
        return Closeness(f"it is a function ({getattr(got, '__name__', '?')}), not a value: call it")
    got, want = _plain(got), _plain(want)
    if isinstance(want, dict) and isinstance(got, dict):
        if got.keys() != want.keys():
            return Closeness(f"the keys are {sorted(map(str, got))} instead of {sorted(map(str, want))}")
        for key in want:
            answer = close(got[key], want[key], rtol, atol)
            if not answer:
                return Closeness(f"at {key!r}: {answer.detail}")
        return Closeness()
    if got is None and want is not None:
        return Closeness("it is None")
    have, need = _shape(got), _shape(want)
    if have != need:
        return Closeness(f"the shape is {have} instead of {need}")
    wrong = total = 0
    first = None
    for (at, a), (_, b) in zip(_flat(got), _flat(want)):
        total += 1
        if not _near(a, b, rtol, atol):
            wrong += 1
            if first is None:
                first = at, a, b
    if first is None:
        return Closeness()
    at, a, b = first
    if total == 1 and not at:
        return Closeness(f"it is {_show(a)} instead of {_show(b)}")
    where = ", ".join(map(str, at))
    return Closeness(f"at [{where}] it is {_show(a)} instead of {_show(b)} ({wrong} of {total} differ)")


def explain(error):
    """What went wrong, in a line."""
    text = str(error)
    text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    where = getattr(error, "__rushlight_rerun__", None)
    return text if where is None else f"with other values the cell stops{where}: {text}"


def make_check(report):
    def check(text, condition, hint=None):
        detail = None
        try:
            value = condition() if callable(condition) and not hasattr(condition, "detach") else condition
            passed = bool(value)
            if not passed:
                detail = getattr(value, "detail", None)
                detail = detail if isinstance(detail, str) else None
        except Exception as error:
            passed = False
            detail = explain(error)
        report(str(text), passed, None if hint is None else str(hint), detail)
        return passed

    return check


def make_rerun(run, file):
    def rerun(**inputs):
        try:
            names, output = run(inputs)
        except Exception as error:
            tb, line = error.__traceback__, None
            while tb is not None:
                if tb.tb_frame.f_code.co_filename == file:
                    line = tb.tb_lineno
                tb = tb.tb_next
            if line is not None:
                error.__rushlight_rerun__ = f" in line {line}"
            raise
        return Ran(names, output)

    return rerun


def fresh_random():
    """Draws the checks' own random numbers; gives back what restores the learner's."""
    import sys

    torch = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "get_rng_state"):
        return lambda: None
    state = torch.get_rng_state()
    torch.seed()
    return lambda: torch.set_rng_state(state)
