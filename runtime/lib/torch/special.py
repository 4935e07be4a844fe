"""Special functions: `torch.special`, whose functions are native but for the polynomials."""

from torch import _C
from torch._missing import module_getattr

_PREFIX = "special_"
for _name in dir(_C._special):
    if _name.startswith(_PREFIX):
        globals()[_name[len(_PREFIX):]] = getattr(_C._special, _name)

_CHEBYSHEV = [f"chebyshev_polynomial_{kind}" for kind in "tuvw"]
_POLYNOMIALS = (*_CHEBYSHEV, *["shifted_" + name for name in _CHEBYSHEV], "hermite_polynomial_h",
                "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p")
__getattr__ = module_getattr("torch.special", (), dict.fromkeys(_POLYNOMIALS, "torch._composite.polynomials"))
