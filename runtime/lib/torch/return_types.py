"""The named tuples that some functions return."""

from torch import _C

for _name in dir(_C.return_types):
    if not _name.startswith("_"):
        globals()[_name] = getattr(_C.return_types, _name)
