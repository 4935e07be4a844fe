"""Linear algebra: `torch.linalg`, whose functions are native."""

from torch import _C
from torch._missing import module_getattr

_PREFIX = "linalg_"
for _name in dir(_C._linalg):
    if _name.startswith(_PREFIX):
        globals()[_name[len(_PREFIX):]] = getattr(_C._linalg, _name)


class _LinAlgError(RuntimeError):
    """What the native functions raise where a matrix is singular or the like."""


LinAlgError = getattr(_C, "_LinAlgError", _LinAlgError)
__getattr__ = module_getattr("torch.linalg")
