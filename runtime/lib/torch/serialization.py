"""`torch.save` and `torch.load`, in PyTorch's file format: a zip archive with a pickle and the storages' bytes."""

import io
import os
import pickle
import zipfile
from collections import OrderedDict

from torch import _C, _storages, _utils

Tensor = _C.Tensor
_ALIGN = 64
_safe_globals = {}


class _StorageRef:
    """One storage, as the pickle names it."""

    def __init__(self, tensor, key):
        self.kind = _storages.OF_DTYPE[tensor.dtype]
        self.key = key
        self.data = _C._storage_bytes(tensor)
        self.numel = len(self.data) // tensor.element_size()


class _Pickler(pickle._Pickler):
    """Writes tensors as (storage, offset, size, stride); each storage once."""

    def __init__(self, file, protocol):
        super().__init__(file, protocol)
        self.storages = {}

    def persistent_id(self, obj):
        if isinstance(obj, _StorageRef):
            return ("storage", obj.kind, obj.key, "cpu", obj.numel)
        return None

    def reducer_override(self, obj):
        if not isinstance(obj, Tensor):
            return NotImplemented
        from torch.nn.parameter import Parameter

        if isinstance(obj, Parameter):
            return _utils._rebuild_parameter, (obj.data, obj.requires_grad, OrderedDict())
        if obj.requires_grad and not obj.is_leaf:
            raise RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) can be saved here; call detach() first"
            )
        plain = obj.detach()
        number = _C._storage_id(plain)
        ref = self.storages.get(number)
        if ref is None:
            # The tensor is kept too, so that its storage's number is not given away while saving.
            ref = self.storages[number] = (_StorageRef(plain, str(len(self.storages))), plain)
        return _utils._rebuild_tensor_v2, (
            ref[0], plain.storage_offset(), tuple(plain.size()), plain.stride(), obj.requires_grad, OrderedDict()
        )


def save(obj, f, pickle_module=None, pickle_protocol=2, _use_new_zipfile_serialization=True,
         _disable_byteorder_record=False):
    """Saves an object with all its tensors to a path or an open binary file."""
    if isinstance(f, (str, os.PathLike)):
        path = os.fspath(f)
        folder = os.path.dirname(path)
        if folder and not os.path.isdir(folder):
            raise RuntimeError(f"Parent directory {folder} does not exist.")
        name = os.path.splitext(os.path.basename(path))[0] or "archive"
        with open(path, "wb") as file:
            _write(obj, file, name, pickle_protocol)
        return
    if not hasattr(f, "write"):
        raise AttributeError(
            f"expected 'f' to be string, path, or a file-like object with a 'write' attribute, not {type(f).__name__}"
        )
    _write(obj, f, "archive", pickle_protocol)


def _write(obj, file, name, protocol):
    body = io.BytesIO()
    pickler = _Pickler(body, protocol)
    pickler.dump(obj)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        _put(archive, f"{name}/data.pkl", body.getvalue())
        _put(archive, f"{name}/.format_version", b"1")
        _put(archive, f"{name}/.storage_alignment", str(_ALIGN).encode())
        _put(archive, f"{name}/byteorder", b"little")
        for ref, _ in pickler.storages.values():
            _put(archive, f"{name}/data/{ref.key}", ref.data)
        _put(archive, f"{name}/version", b"3\n")
    file.write(buffer.getvalue())


def _put(archive, name, data):
    info = zipfile.ZipInfo(name)
    # The bytes begin at a multiple of 64: the local header has 30 bytes, the name and this padding.
    start = archive.fp.tell() + 30 + len(name.encode())
    need = -(start + 4) % _ALIGN
    info.extra = b"FB" + need.to_bytes(2, "little") + b"Z" * need
    archive.writestr(info, data)


class _Unpickler(pickle._Unpickler):
    """Reads storages out of the archive; `weights_only` allows nothing that could run code."""

    weights_only = True
    read_storage = None

    def find_class(self, module, name):
        if self.weights_only:
            return _safe_global(module, name)
        return super().find_class(module, name)

    def persistent_load(self, saved_id):
        kind, storage_type, key, location, numel = saved_id
        if kind != "storage":
            raise RuntimeError(f"Unknown typename for persistent_load, expected 'storage' but got '{kind}'")
        flat = self.loaded.get(key)
        if flat is None:
            flat = self.loaded[key] = _C._from_storage_bytes(self.read_storage(key), storage_type.dtype)
        return flat


def _safe_global(module, name):
    if module == "torch":
        for kind in _storages.ALL:
            if kind.__name__ == name:
                return kind
        value = getattr(_C, name, None)
        if isinstance(value, _C.dtype) or name in ("Size", "device"):
            return value
    if module == "torch._utils" and name in ("_rebuild_tensor", "_rebuild_tensor_v2", "_rebuild_parameter",
                                             "_rebuild_parameter_with_state"):
        return getattr(_utils, name)
    if module == "torch._tensor" and name == "_rebuild_from_type_v2":
        return _rebuild_from_type
    if module == "torch.nn.parameter" and name == "Parameter":
        from torch.nn.parameter import Parameter

        return Parameter
    if (module, name) == ("collections", "OrderedDict"):
        return OrderedDict
    if (module, name) == ("collections", "defaultdict"):
        from collections import defaultdict

        return defaultdict
    if (module, name) == ("collections", "Counter"):
        from collections import Counter

        return Counter
    if (module, name) == ("_codecs", "encode"):
        return lambda text, encoding: text.encode(encoding)
    if module in ("builtins", "__builtin__") and name in ("set", "frozenset", "bytearray", "complex", "dict", "list"):
        return {"set": set, "frozenset": frozenset, "bytearray": bytearray, "complex": complex, "dict": dict,
                "list": list}[name]
    if f"{module}.{name}" in _safe_globals:
        return _safe_globals[f"{module}.{name}"]
    raise pickle.UnpicklingError(
        "Weights only load failed. This file can still be loaded, to do so you have two options, "
        "\033[1mdo those steps only if you trust the source of the checkpoint\033[0m. \n\t"
        "(1) In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` from `False` "
        "to `True`. Re-running `torch.load` with `weights_only` set to `False` will likely succeed, but it can result "
        "in arbitrary code execution. Do it only if you got the file from a trusted source.\n\t"
        "(2) Alternatively, to load with `weights_only=True` please check the recommended steps in the following error "
        f"message.\n\tWeightsUnpickler error: Unsupported global: GLOBAL {module}.{name} was not an allowed global by "
        f"default. Please use `torch.serialization.add_safe_globals([{name}])` or the "
        f"`torch.serialization.safe_globals([{name}])` context manager to allowlist this global if you trust this "
        "class/function.\n\nCheck the documentation of torch.load to learn more about types accepted by default with "
        "weights_only https://pytorch.org/docs/stable/generated/torch.load.html."
    )


def _rebuild_from_type(func, type, args, state):
    result = func(*args)
    for key, value in (state.items() if isinstance(state, dict) else ()):
        setattr(result, key, value)
    return result


def load(f, map_location=None, pickle_module=None, *, weights_only=None, mmap=None, **pickle_load_args):
    """Loads what `save` (or PyTorch) saved, from a path or an open binary file."""
    if isinstance(f, (str, os.PathLike)):
        with open(os.fspath(f), "rb") as file:
            return _read(file, map_location, weights_only)
    if not hasattr(f, "read"):
        raise AttributeError(
            f"'{type(f).__name__}' object has no attribute 'read'. You can only torch.load from a file that is "
            "seekable. Please pre-load the data into a buffer like io.BytesIO and try to load from it instead."
        )
    return _read(f, map_location, weights_only)


def _read(file, map_location, weights_only):
    data = file.read()
    if data[:2] != b"PK":
        raise RuntimeError(
            "this file is not in PyTorch's zip format; files of PyTorch before 1.6 cannot be read here"
        )
    with zipfile.ZipFile(io.BytesIO(data), metadata_encoding="utf-8") as archive:
        names = {n.split("/", 1)[1]: n for n in archive.namelist() if "/" in n}
        if "data.pkl" not in names:
            raise RuntimeError("PytorchStreamReader failed locating file data.pkl: file not found")
        if "byteorder" in names and archive.read(names["byteorder"]) != b"little":
            raise NotImplementedError("files of big-endian machines cannot be read here")
        unpickler = _Unpickler(io.BytesIO(archive.read(names["data.pkl"])), encoding="utf-8")
        unpickler.weights_only = True if weights_only is None else weights_only
        unpickler.read_storage = lambda key: archive.read(names["data/" + key])
        unpickler.loaded = {}
        result = unpickler.load()
    if map_location is not None and not callable(map_location) and not isinstance(map_location, dict):
        if _C.device(map_location).type != "cpu":
            raise RuntimeError(f"torch.load: there is no device '{map_location}' here; use map_location='cpu'")
    return result


def add_safe_globals(safe_globals):
    """Allows further classes and functions to `weights_only` loading."""
    for item in safe_globals:
        obj, name = item if isinstance(item, tuple) else (item, f"{item.__module__}.{item.__qualname__}")
        _safe_globals[name] = obj


def get_safe_globals():
    """What `add_safe_globals` has allowed."""
    return list(_safe_globals.values())


def clear_safe_globals():
    """Allows nothing further any more."""
    _safe_globals.clear()


class safe_globals:
    """`with safe_globals([...])`: allowed inside."""

    def __init__(self, safe_globals):
        self.items = safe_globals

    def __enter__(self):
        self.before = dict(_safe_globals)
        add_safe_globals(self.items)

    def __exit__(self, *exc):
        _safe_globals.clear()
        _safe_globals.update(self.before)
