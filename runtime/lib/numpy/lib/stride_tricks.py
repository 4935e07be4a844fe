"""Views with strides of one's own."""

from numpy._make import asarray
from numpy._shape import broadcast_arrays, broadcast_to, sliding_window_view  # noqa: F401


def as_strided(x, shape=None, strides=None, subok=False, writeable=True):
    """A view of any shape and strides (in bytes)."""
    a = asarray(x)
    steps = [s // a.itemsize for s in (a.strides if strides is None else strides)]
    return a._view(a._t.as_strided(tuple(a.shape if shape is None else shape), steps, a._t.storage_offset()))
