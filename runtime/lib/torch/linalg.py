"""Linear algebra: `torch.linalg`, whose functions are native but for those of `torch._composite.linalg`."""

from torch import _C
from torch._missing import module_getattr

_PREFIX = "linalg_"
for _name in dir(_C._linalg):
    if _name.startswith(_PREFIX):
        globals()[_name[len(_PREFIX):]] = getattr(_C._linalg, _name)


class _LinAlgError(RuntimeError):
    """What the native functions raise where a matrix is singular or the like."""


LinAlgError = getattr(_C, "_LinAlgError", _LinAlgError)
__getattr__ = module_getattr("torch.linalg", (), dict.fromkeys((
    "cholesky_ex", "diagonal", "eig", "eigvals", "householder_product", "inv_ex", "ldl_factor", "ldl_factor_ex",
    "ldl_solve", "lu_solve", "matrix_sqrth", "polar", "solve_ex", "tensorinv", "tensorsolve", "vander",
), "torch._composite.linalg"))
