"""torch's functions as NumPy uses them: arrays are in the host's memory, wherever torch makes its tensors."""

from functools import partial
from types import SimpleNamespace

from torch import _C

_HOST = _C.device("cpu")

functions = SimpleNamespace(**vars(_C._functions))
for _name in ("arange", "full", "tensor", "zeros"):
    setattr(functions, _name, partial(getattr(functions, _name), device=_HOST))
