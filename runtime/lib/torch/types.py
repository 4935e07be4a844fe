"""Names for types, as annotations use them."""

from torch import _C

Tensor = _C.Tensor
Device = _C.device
Number = (int, float, bool)
