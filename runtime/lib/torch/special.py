"""Special functions: `torch.special`, whose functions are native."""

from torch import _C
from torch._missing import module_getattr

_PREFIX = "special_"
for _name in dir(_C._special):
    if _name.startswith(_PREFIX):
        globals()[_name[len(_PREFIX):]] = getattr(_C._special, _name)

__getattr__ = module_getattr("torch.special")
