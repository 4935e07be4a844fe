"""Reading and writing the format itself: names, dtypes, shapes and bytes, whatever library the tensors are of."""

import json
import os

# From the smallest to the widest: files hold the widest first.
_WIDTHS = {"BOOL": 1, "U8": 1, "I8": 1, "I16": 2, "U16": 2, "F16": 2, "BF16": 2, "I32": 4, "U32": 4, "F32": 4, "C64": 8,
           "F64": 8, "I64": 8, "U64": 8}
_RANK = {name: i for i, name in enumerate(_WIDTHS)}
_LARGEST_HEADER = 100_000_000


class SafetensorError(Exception):
    """A file that is no safetensors file, or a tensor that is not in it."""


SafetensorError.__module__ = "safetensors._safetensors_rust"


def serialize(tensor_dict, metadata=None):
    """The bytes of a file: `tensor_dict` maps names to `{"dtype": "F32", "shape": [..], "data": bytes}`."""
    for name in tensor_dict:
        _want_str("tensor_dict", name)
    header = {}
    if metadata is not None:
        for key, value in metadata.items():
            _want_str("metadata", key)
            _want_str("metadata", value)
        header["__metadata__"] = metadata
    parts, start = [], 0
    for name in sorted(tensor_dict, key=lambda n: (-_RANK[tensor_dict[n]["dtype"]], n)):
        spec = tensor_dict[name]
        end = start + len(spec["data"])
        header[name] = {"dtype": spec["dtype"], "shape": list(spec["shape"]), "data_offsets": [start, end]}
        parts.append(spec["data"])
        start = end
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + b"".join(parts)


def serialize_file(tensor_dict, filename, metadata=None):
    """`serialize` into a file."""
    write_file(filename, serialize(tensor_dict, metadata))


def _want_str(argument, value):
    if not isinstance(value, str):
        raise TypeError(f"argument '{argument}': '{type(value).__name__}' object is not an instance of 'str'")


def _fail(text):
    raise SafetensorError("Error while deserializing: " + text)


def parse(data):
    """`(tensors, metadata)` of a file's bytes: names to (dtype, shape, bytes), in the file's order."""
    if len(data) < 8:
        _fail("header too small")
    length = int.from_bytes(data[:8], "little")
    if length > _LARGEST_HEADER:
        _fail("header too large")
    if len(data) < 8 + length:
        _fail("invalid header length")
    try:
        header = json.loads(data[8:8 + length].decode())
    except UnicodeDecodeError as e:
        _fail(f"invalid UTF-8 in header: {e}")
    except ValueError as e:
        _fail(f"invalid JSON in header: {e}")
    if not isinstance(header, dict):
        _fail("invalid JSON in header: it is not an object")
    metadata = header.pop("__metadata__", None)
    body = data[8 + length:]
    tensors, at = {}, 0
    for name, info in sorted(header.items(), key=_offsets):
        dtype, shape, (start, end) = info["dtype"], info["shape"], info["data_offsets"]
        if dtype not in _WIDTHS:
            _fail(f"invalid JSON in header: unknown dtype `{dtype}`")
        if start != at or end < start:
            _fail(f"invalid offset for tensor `{name}`")
        size = _WIDTHS[dtype]
        for n in shape:
            size *= n
        if size != end - start:
            _fail("invalid shape, data type, or offset for tensor")
        tensors[name] = (dtype, shape, body[start:end])
        at = end
    if at != len(body):
        _fail("incomplete metadata, file not fully covered")
    return tensors, metadata


def _offsets(item):
    name, info = item
    wrong = (
        not isinstance(info, dict)
        or not isinstance(info.get("dtype"), str)
        or not _whole_numbers(info.get("shape"))
        or not _whole_numbers(info.get("data_offsets"))
        or len(info["data_offsets"]) != 2
    )
    if wrong:
        _fail(f"invalid JSON in header: `{name}` is not a description of a tensor")
    return info["data_offsets"]


def _whole_numbers(value):
    return isinstance(value, list) and all(isinstance(n, int) and n >= 0 for n in value)


def deserialize(data):
    """The tensors of a file's bytes: pairs of a name and `{"dtype", "shape", "data"}`."""
    return [(name, {"dtype": d, "shape": s, "data": b}) for name, (d, s, b) in parse(data)[0].items()]


def write_file(filename, data):
    """Bytes into a file."""
    with open(os.fspath(filename), "wb") as file:
        file.write(data)


def read_file(filename):
    """The bytes of a file."""
    name = os.fspath(filename)
    if not os.path.exists(name):
        raise FileNotFoundError(f"No such file or directory: {name}")
    with open(name, "rb") as file:
        return file.read()


class safe_open:
    """`with safe_open(path, framework="pt") as f`: names, metadata, and single tensors of a file."""

    def __init__(self, filename, framework, device="cpu"):
        if framework in ("pt", "torch", "pytorch"):
            from safetensors.torch import tensor_of
        elif framework in ("np", "numpy"):
            from safetensors.numpy import tensor_of
        else:
            raise SafetensorError(f"framework {framework} is invalid")
        self._make = tensor_of
        self._device = device
        self._tensors, self._metadata = parse(read_file(filename))

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        pass

    def keys(self):
        """The names, sorted."""
        return sorted(self._tensors)

    def offset_keys(self):
        """The names, in the order of the data."""
        return list(self._tensors)

    def metadata(self):
        """The strings that were saved beside the tensors, or `None`."""
        return self._metadata

    def get_tensor(self, name):
        """One tensor."""
        if name not in self._tensors:
            raise SafetensorError(f"File does not contain tensor {name}")
        tensor = self._make(*self._tensors[name])
        return tensor.to(self._device) if hasattr(tensor, "to") else tensor

    def get_tensors(self, names=None):
        """Several tensors, by name."""
        return {name: self.get_tensor(name) for name in (self.keys() if names is None else names)}

    def get_slice(self, name):
        """A tensor to be indexed: `f.get_slice("w")[:, 1:]`."""
        return _Slice(self.get_tensor(name), self._tensors[name])


class _Slice:
    def __init__(self, tensor, entry):
        self._tensor, self._entry = tensor, entry

    def __getitem__(self, index):
        return self._tensor[index]

    def get_shape(self):
        """The sizes, as a list."""
        return list(self._entry[1])

    def get_dtype(self):
        """The format's name of the dtype, such as `F32`."""
        return self._entry[0]
