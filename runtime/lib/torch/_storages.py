"""Storage types by name. Saved files name them to say which dtype a storage holds."""

from torch import _C


class _StorageType:
    """Stands in saved files for the dtype of a storage."""

    dtype = None


def _type(name, dtype):
    return type(name, (_StorageType,), {"dtype": dtype, "__module__": "torch", "__doc__": f"Holds {dtype}."})


FloatStorage = _type("FloatStorage", _C.float32)
DoubleStorage = _type("DoubleStorage", _C.float64)
HalfStorage = _type("HalfStorage", _C.float16)
BFloat16Storage = _type("BFloat16Storage", _C.bfloat16)
LongStorage = _type("LongStorage", _C.int64)
IntStorage = _type("IntStorage", _C.int32)
ShortStorage = _type("ShortStorage", _C.int16)
CharStorage = _type("CharStorage", _C.int8)
ByteStorage = _type("ByteStorage", _C.uint8)
BoolStorage = _type("BoolStorage", _C.bool)
ComplexFloatStorage = _type("ComplexFloatStorage", _C.complex64)
ComplexDoubleStorage = _type("ComplexDoubleStorage", _C.complex128)
ALL = (FloatStorage, DoubleStorage, HalfStorage, BFloat16Storage, LongStorage, IntStorage, ShortStorage, CharStorage,
       ByteStorage, BoolStorage, ComplexFloatStorage, ComplexDoubleStorage)
OF_DTYPE = {kind.dtype: kind for kind in ALL}
