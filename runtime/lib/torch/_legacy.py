"""The constructors of old: `torch.FloatTensor([1, 2])`, `torch.LongTensor(3)`. New code says `torch.tensor`."""

from torch import _C


class _LegacyType(type):
    """Lets `isinstance(x, torch.FloatTensor)` look at the dtype."""

    def __instancecheck__(cls, obj):
        return isinstance(obj, _C.Tensor) and obj.dtype is cls.dtype


def _legacy(name, dtype):
    def __new__(cls, *args):
        """From a list or tensor: its values. From ints: that shape, uninitialised."""
        if len(args) == 1 and not isinstance(args[0], int):
            data = args[0]
            if isinstance(data, _C.Tensor):
                return data.to(dtype)
            if isinstance(data, _C.Size):
                return _C._functions.empty(data, dtype=dtype)
            return _C._functions.tensor(data, dtype=dtype)
        return _C._functions.empty(args if args else (0,), dtype=dtype)

    return _LegacyType(name, (), {"__new__": __new__, "__module__": "torch", "__doc__": f"Old name for dtype {dtype}.",
                                  "dtype": dtype})


FloatTensor = _legacy("FloatTensor", _C.float32)
DoubleTensor = _legacy("DoubleTensor", _C.float64)
HalfTensor = _legacy("HalfTensor", _C.float16)
BFloat16Tensor = _legacy("BFloat16Tensor", _C.bfloat16)
LongTensor = _legacy("LongTensor", _C.int64)
IntTensor = _legacy("IntTensor", _C.int32)
ShortTensor = _legacy("ShortTensor", _C.int16)
CharTensor = _legacy("CharTensor", _C.int8)
ByteTensor = _legacy("ByteTensor", _C.uint8)
BoolTensor = _legacy("BoolTensor", _C.bool)
