"""Padding as modules: what is put around the input."""

from torch import _C
from torch.nn.modules.module import Module

__all__ = [
    "ConstantPad1d", "ConstantPad2d", "ConstantPad3d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d", "ReflectionPad1d",
    "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad2d", "ReplicationPad3d", "CircularPad1d",
    "CircularPad2d", "CircularPad3d",
]
_pad = _C._nn.pad


class _Pad(Module):
    """`_dims` dimensions are padded; the padding is one number, or (before, behind) for each, the last first."""

    _dims = 0
    _mode = "constant"

    def __init__(self, padding):
        super().__init__()
        self.padding = (padding,) * (2 * self._dims) if isinstance(padding, int) else tuple(padding)

    def forward(self, input):
        return _pad(input, self.padding, self._mode)

    def extra_repr(self):
        return f"{self.padding}"


class _ConstantPad(_Pad):
    def __init__(self, padding, value):
        super().__init__(padding)
        self.value = value

    def forward(self, input):
        return _pad(input, self.padding, "constant", self.value)

    def extra_repr(self):
        return f"padding={self.padding}, value={self.value}"


class _ZeroPad(_ConstantPad):
    def __init__(self, padding):
        super().__init__(padding, 0.0)

    def extra_repr(self):
        return f"{self.padding}"


class _CircularPad(_Pad):
    _mode = "circular"

    def forward(self, input):
        n = self._dims
        if input.dim() not in (n + 1, n + 2):
            raise ValueError(f"expected {n + 1}D or {n + 2}D input (got {input.dim()}D input)")
        return _pad(input, self.padding, "circular")


def _make(name, base, dims, what, **more):
    return type(name, (base,), {"_dims": dims, "__module__": __name__, "__doc__": f"{what} ({dims}-d).", **more})


ConstantPad1d, ConstantPad2d, ConstantPad3d = (
    _make(f"ConstantPad{n}d", _ConstantPad, n, "Pads with one value") for n in (1, 2, 3))
ZeroPad1d, ZeroPad2d, ZeroPad3d = (_make(f"ZeroPad{n}d", _ZeroPad, n, "Pads with zeros") for n in (1, 2, 3))
ReflectionPad1d, ReflectionPad2d, ReflectionPad3d = (
    _make(f"ReflectionPad{n}d", _Pad, n, "Pads with the input mirrored at its edge", _mode="reflect")
    for n in (1, 2, 3))
ReplicationPad1d, ReplicationPad2d, ReplicationPad3d = (
    _make(f"ReplicationPad{n}d", _Pad, n, "Pads with the edge's own values", _mode="replicate") for n in (1, 2, 3))
CircularPad1d, CircularPad2d, CircularPad3d = (
    _make(f"CircularPad{n}d", _CircularPad, n, "Pads with the other end of the input") for n in (1, 2, 3))
