"""`safetensors.numpy`: NumPy arrays to and from safetensors files."""

import numpy as np
from safetensors._format import SafetensorError, parse, read_file, serialize, write_file

_NAMES = {
    "bool": "BOOL", "uint8": "U8", "int8": "I8", "int16": "I16", "uint16": "U16", "float16": "F16", "int32": "I32",
    "uint32": "U32", "float32": "F32", "float64": "F64", "int64": "I64",
}
_DTYPES = {name: dtype for dtype, name in _NAMES.items()}


def tensor_of(dtype, shape, data):
    """The array of one entry of a file."""
    if dtype not in _DTYPES:
        raise SafetensorError(f"arrays of dtype {dtype} are not available here")
    return np.frombuffer(bytes(data), dtype=_DTYPES[dtype]).reshape(shape).copy()


def save(tensor_dict, metadata=None):
    """The bytes of a file with the arrays of a dict."""
    specs = {}
    for name, a in tensor_dict.items():
        if a.dtype.name not in _NAMES:
            raise SafetensorError(f"dtype {a.dtype.name} is not covered")
        specs[name] = {"dtype": _NAMES[a.dtype.name], "shape": list(a.shape), "data": a.tobytes()}
    return serialize(specs, metadata)


def save_file(tensor_dict, filename, metadata=None):
    """`save` into a file."""
    write_file(filename, save(tensor_dict, metadata))


def load(data):
    """The arrays of a file's bytes."""
    return {name: tensor_of(*entry) for name, entry in parse(data)[0].items()}


def load_file(filename):
    """The arrays of a file."""
    return load(read_file(filename))
