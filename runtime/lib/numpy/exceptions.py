"""Exceptions of NumPy."""

from numpy._array import AxisError  # noqa: F401


class ComplexWarning(RuntimeWarning):
    __module__ = "numpy.exceptions"


class VisibleDeprecationWarning(UserWarning):
    __module__ = "numpy.exceptions"


class RankWarning(RuntimeWarning):
    __module__ = "numpy.exceptions"
