"""`torch.save` and `torch.load`, in PyTorch's file format: a zip archive with a pickle and the storages' bytes."""

import io
import os
import pickle
import zipfile
from collections import OrderedDict

from torch import _C, _gpu, _storages, _tensor, _utils

Tensor = _C.Tensor
_ALIGN = 64
_safe_globals = {}


class _StorageRef:
    """One storage, as the pickle names it."""

    def __init__(self, tensor, key):
        self.kind = _storages.OF_DTYPE[tensor.dtype]
        self.key = key
        self.data = _C._storage_bytes(tensor)
        # Only PyTorch's own devices are known to those who read the file.
        self.location = str(tensor.device) if tensor.device.type == "cuda" else "cpu"
        self.numel = len(self.data) // tensor.element_size()


class _Pickler(pickle._Pickler):
    """Writes tensors as (storage, offset, size, stride); each storage once."""

    def __init__(self, file, protocol):
        super().__init__(file, protocol)
        self.storages = {}

    def persistent_id(self, obj):
        if isinstance(obj, _StorageRef):
            return ("storage", obj.kind, obj.key, obj.location, obj.numel)
        return None

    def reducer_override(self, obj):
        if not isinstance(obj, Tensor):
            return NotImplemented
        func, args = self._rebuilt(obj)
        state = getattr(obj, "__dict__", None)
        if type(obj) not in (Tensor, _parameter()) or state and type(obj) is Tensor:
            return _tensor._rebuild_from_type_v2, (func, type(obj), args, state or {})
        if state:
            return _utils._rebuild_parameter_with_state, (*args, state)
        return func, args

    def _rebuilt(self, obj):
        """The function, and its arguments, that make this tensor again."""
        if isinstance(obj, _parameter()):
            return _utils._rebuild_parameter, (obj.data, obj.requires_grad, OrderedDict())
        plain = obj.detach()
        number = _C._storage_id(plain)
        ref = self.storages.get(number)
        if ref is None:
            # The tensor is kept too, so that its storage's number is not given away while saving.
            ref = self.storages[number] = (_StorageRef(plain, str(len(self.storages))), plain)
        return _utils._rebuild_tensor_v2, (
            ref[0], plain.storage_offset(), tuple(plain.size()), plain.stride(), obj.requires_grad, OrderedDict()
        )


def _parameter():
    from torch.nn.parameter import Parameter

    return Parameter


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
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")
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
    read_storage = place = None

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
            flat = _C._from_storage_bytes(self.read_storage(key), storage_type.dtype)
            flat = self.loaded[key] = self.place(flat, location)
        return flat


def _safe_global(module, name):
    if module == "torch":
        for kind in _storages.ALL:
            if kind.__name__ == name:
                return kind
        value = getattr(_C, name, None)
        if isinstance(value, _C.dtype) or name in ("Size", "device", "Tensor"):
            return value
    if module == "torch._utils" and name in ("_rebuild_tensor", "_rebuild_tensor_v2", "_rebuild_parameter",
                                             "_rebuild_parameter_with_state"):
        return getattr(_utils, name)
    if module == "torch._tensor" and name == "_rebuild_from_type_v2":
        return _tensor._rebuild_from_type_v2
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
        f"default. Please use `torch.serialization.add_safe_globals([{module}.{name}])` or the "
        f"`torch.serialization.safe_globals([{module}.{name}])` context manager to allowlist this global if you trust this "
        "class/function.\n\nCheck the documentation of torch.load to learn more about types accepted by default with "
        "weights_only https://pytorch.org/docs/stable/generated/torch.load.html."
    )


def load(f, map_location=None, pickle_module=None, *, weights_only=None, mmap=None, **pickle_load_args):
    """Loads what `save` (or PyTorch) saved, from a path or an open binary file."""
    if isinstance(f, (str, os.PathLike)):
        with open(os.fspath(f), "rb") as file:
            return _read(file, map_location, weights_only)
    if not hasattr(f, "read"):
        raise AttributeError(
            f"'{type(f).__name__}' object has no attribute 'seek'. You can only torch.load from a file that is "
            "seekable. Please pre-load the data into a buffer like io.BytesIO and try to load from it instead."
        )
    return _read(f, map_location, weights_only)


def _read(file, map_location, weights_only):
    data = file.read()
    weights_only = True if weights_only is None else weights_only
    if data[:2] != b"PK":
        _not_a_zip(data, weights_only)
    try:
        archive = zipfile.ZipFile(io.BytesIO(data), metadata_encoding="utf-8")
    except zipfile.BadZipFile:
        what = "not a ZIP archive" if len(data) < 22 else "failed finding central directory"
        raise RuntimeError(
            f"PytorchStreamReader failed reading zip archive: {what}. This is an internal miniz error. If you are "
            "seeing this error, there is a high likelihood that your checkpoint file is corrupted. This can happen if "
            "the checkpoint was not saved properly, was transferred incorrectly, or the file was modified after saving."
        ) from None
    with archive:
        names = {n.split("/", 1)[1]: n for n in archive.namelist() if "/" in n}
        if "data.pkl" not in names:
            raise RuntimeError("PytorchStreamReader failed locating file data.pkl: file not found")
        if "byteorder" in names and archive.read(names["byteorder"]) != b"little":
            raise NotImplementedError("files of big-endian machines cannot be read here")
        unpickler = _Unpickler(io.BytesIO(archive.read(names["data.pkl"])), encoding="utf-8")
        unpickler.weights_only = weights_only
        unpickler.place = _placement(map_location)
        unpickler.read_storage = lambda key: archive.read(names["data/" + key])
        unpickler.loaded = {}
        return unpickler.load()


def _not_a_zip(data, weights_only):
    if not data:
        raise EOFError
    # The number that files of PyTorch before 1.6 begin with, as pickle writes it.
    if data[:13] == b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P":
        raise NotImplementedError(
            "this file is in the format of PyTorch before 1.6, which cannot be read here; load it with PyTorch and "
            "save it again"
        )
    if not weights_only:
        raise pickle.UnpicklingError(f"invalid load key, {chr(data[0])!r}.")
    raise pickle.UnpicklingError(
        "Weights only load failed. In PyTorch 2.6, we changed the default value of the `weights_only` argument in "
        "`torch.load` from `False` to `True`. Re-running `torch.load` with `weights_only` set to `False` will likely "
        "succeed, but it can result in arbitrary code execution. Do it only if you got the file from a trusted "
        "source.\nPlease file an issue with the following so that we can make `weights_only=True` compatible with "
        f"your use case: WeightsUnpickler error: \n\nUnsupported operand {data[0]}\n\nCheck the documentation of "
        "torch.load to learn more about types accepted by default with weights_only "
        "https://pytorch.org/docs/stable/generated/torch.load.html."
    )


def _placement(map_location):
    """A function of a storage (as a flat tensor) and where it was saved: gives it, where it is to be."""
    if map_location is None:
        return lambda flat, location: _to(flat, location)
    if callable(map_location):
        def chosen(flat, location):
            storage = map_location(flat.untyped_storage(), location)
            # None means: as if there were no map_location.
            return _to(flat, location) if storage is None else flat

        return chosen
    if isinstance(map_location, dict):
        return lambda flat, location: _to(flat, map_location.get(location, location))
    device = _C.device(map_location)
    return lambda flat, location: _to(flat, device)


def _to(flat, location):
    device = _C.device(location)
    kind = device.type
    if kind in ("cuda", "webgpu") and _gpu.is_available():
        return flat.to(kind)
    if kind == "cuda":
        raise RuntimeError(
            "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are "
            "running on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your "
            "storages to the CPU."
        )
    if kind != "cpu":
        raise RuntimeError(f"don't know how to restore data location of torch.UntypedStorage (tagged with {location})")
    return flat


def get_unsafe_globals_in_checkpoint(f):
    """The names in a file that `weights_only` loading would refuse."""
    if isinstance(f, (str, os.PathLike)):
        with open(os.fspath(f), "rb") as file:
            return get_unsafe_globals_in_checkpoint(file)
    with zipfile.ZipFile(io.BytesIO(f.read()), metadata_encoding="utf-8") as archive:
        body = next(archive.read(n) for n in archive.namelist() if n.endswith("/data.pkl"))
    scout = _Scout(io.BytesIO(body), encoding="utf-8")
    scout.unsafe = set()
    scout.load()
    return sorted(scout.unsafe)


class _Scout(pickle._Unpickler):
    """Reads which names a file uses, and builds nothing."""

    def find_class(self, module, name):
        try:
            _safe_global(module, name)
        except pickle.UnpicklingError:
            self.unsafe.add(f"{module}.{name}")
        return _Anything

    def persistent_load(self, saved_id):
        return None


class _Anything:
    """Stands for each object that a file builds."""

    def __init__(self, *args, **kwargs):
        pass

    def ignore(self, *args):
        pass

    __setstate__ = __setitem__ = append = extend = update = add = ignore


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
