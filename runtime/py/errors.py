# Describes an uncaught exception for the page: its traceback as Python prints it, and where in the cell it happened.
import sys
import linecache


# A traceback longer than this at each end loses its middle.
_KEPT = 1000


def remember(file, source):
    """Makes a cell's lines known to tracebacks."""
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)


def _without_ours(tb, ours):
    """The traceback from the first frame that is not the runtime's own, without such frames in between."""
    import types

    frames = []
    while tb is not None:
        if not tb.tb_frame.f_code.co_filename.startswith(ours):
            frames.append(tb)
        tb = tb.tb_next
    if len(frames) > 2 * _KEPT:
        # Tens of thousands of frames would take minutes to print.
        del frames[_KEPT:-_KEPT]
    chain = None
    for frame in reversed(frames):
        chain = types.TracebackType(chain, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
    return chain


def strip(exc, ours, seen=None):
    """Takes the runtime's own frames out of an exception and those it came from."""
    seen = set() if seen is None else seen
    while exc is not None and id(exc) not in seen:
        seen.add(id(exc))
        exc.__traceback__ = _without_ours(exc.__traceback__, ours)
        if isinstance(exc, RecursionError) and exc.args and isinstance(exc.args[0], str):
            exc.args = (exc.args[0].rstrip() or "maximum recursion depth exceeded", *exc.args[1:])
        strip(exc.__context__, ours, seen)
        exc = exc.__cause__


def _columns(tb):
    positions = list(tb.tb_frame.f_code.co_positions())
    at = tb.tb_lasti // 2
    if not 0 <= at < len(positions):
        return None
    line, end_line, start, end = positions[at]
    if line != tb.tb_lineno or start is None or end is None:
        return None
    text = linecache.getline(tb.tb_frame.f_code.co_filename, line)
    raw = text.encode()
    first = len(raw[:start].decode(errors="replace"))
    if end_line != line:
        return first, len(text.rstrip())
    return first, len(raw[:end].decode(errors="replace"))


def describe(exc, file, ours):
    """`(class, message, traceback, line, columns)` of an exception; the line is the learner's."""
    import traceback

    strip(exc, ours)
    line = columns = None
    if isinstance(exc, SyntaxError) and exc.filename == file and exc.lineno:
        line = exc.lineno
        if exc.offset:
            end = exc.end_offset if exc.end_lineno == exc.lineno and exc.end_offset else exc.offset + 1
            columns = (exc.offset - 1, max(end - 1, exc.offset))
    else:
        tb, last = exc.__traceback__, None
        while tb is not None:
            if tb.tb_frame.f_code.co_filename == file:
                last = tb
            tb = tb.tb_next
        if last is not None:
            line = last.tb_lineno
            columns = _columns(last)
    try:
        message = str(exc)
    except Exception as failure:
        message = f"<exception str() failed: {type(failure).__name__}>"
    text = "".join(traceback.format_exception(exc))
    return type(exc).__qualname__, message, text, line, columns


def print_uncaught(exc, ours):
    """What Python writes to standard error for an exception nobody caught."""
    strip(exc, ours)
    hook = sys.excepthook
    if hook is not sys.__excepthook__:
        try:
            hook(type(exc), exc, exc.__traceback__)
            return
        except Exception as failure:
            print("Error in sys.excepthook:", file=sys.stderr)
            strip(failure, ours)
            import traceback

            traceback.print_exception(failure)
            print("\nOriginal exception was:", file=sys.stderr)
    import traceback

    traceback.print_exception(exc)
