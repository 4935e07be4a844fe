"""Signals, of which there are none here.

A program in the browser has no process that could be sent a signal. The names exist so that modules which mention them
can be imported; to set a handler is an error.
"""

from enum import IntEnum


class Signals(IntEnum):
    """Signal numbers, as on Linux."""

    SIGINT = 2
    SIGABRT = 6
    SIGKILL = 9
    SIGSEGV = 11
    SIGALRM = 14
    SIGTERM = 15


class Handlers(IntEnum):
    """What may happen on a signal."""

    SIG_DFL = 0
    SIG_IGN = 1


globals().update(Signals.__members__)
globals().update(Handlers.__members__)


def default_int_handler(signum, frame):
    """What an interrupt does: Stop raises the same."""
    raise KeyboardInterrupt


def getsignal(signalnum):
    """The handler of a signal: the default one."""
    if signalnum == Signals.SIGINT:
        return default_int_handler
    return Handlers.SIG_DFL


def signal(signalnum, handler):
    """Refused: nothing would ever call the handler."""
    raise OSError("signal handlers are not available in Rushlight")
