"""`safetensors.torch`: PyTorch tensors and modules to and from safetensors files."""

from collections import defaultdict

import torch
from safetensors._format import SafetensorError, parse, read_file, serialize, write_file
from torch import _C

_NAMES = {
    torch.bool: "BOOL", torch.uint8: "U8", torch.int8: "I8", torch.int16: "I16", torch.float16: "F16",
    torch.bfloat16: "BF16", torch.int32: "I32", torch.float32: "F32", torch.complex64: "C64", torch.float64: "F64",
    torch.int64: "I64",
}
_DTYPES = {name: dtype for dtype, name in _NAMES.items()}


def tensor_of(dtype, shape, data):
    """The tensor of one entry of a file."""
    if dtype not in _DTYPES:
        raise SafetensorError(f"tensors of dtype {dtype} are not available here")
    return _C._from_storage_bytes(bytes(data), _DTYPES[dtype]).reshape(shape)


def _check(tensors):
    if not isinstance(tensors, dict):
        raise ValueError(f"Expected a dict of [str, torch.Tensor] but received {type(tensors)}")
    for name, t in tensors.items():
        if not isinstance(t, torch.Tensor):
            raise ValueError(f"Key `{name}` is invalid, expected torch.Tensor but received {type(t)}")
    shared = [names for names in _shared(tensors) if len(names) > 1]
    if shared:
        raise RuntimeError(
            f"\n            Some tensors share memory, this will lead to duplicate memory on disk and potential "
            f"differences when loading them again: {shared}.\n            A potential way to correctly save your model "
            f"is to use `save_model`.\n            More information at "
            f"https://huggingface.co/docs/safetensors/torch_shared_tensors\n            "
        )
    for name, t in tensors.items():
        if not t.is_contiguous():
            raise ValueError(
                f"You are trying to save a non contiguous tensor: `{name}` which is not allowed. It either means you "
                "are trying to save tensors which are reference of each other in which case it's recommended to save "
                "only the full tensors, and reslice at load time, or simply call `.contiguous()` on your tensor to "
                "pack it before saving."
            )


def _span(t):
    """The first and the last byte of the storage that a tensor reaches."""
    last = sum((n - 1) * s for n, s in zip(t.shape, t.stride()))
    start = t.storage_offset() * t.element_size()
    return start, start + (last + 1) * t.element_size()


def _shared(tensors):
    """The names, in sets of those whose elements overlap in memory."""
    by_storage = defaultdict(list)
    for name, t in tensors.items():
        if t.numel():
            by_storage[_C._storage_id(t)].append((*_span(t), name))
    groups = []
    for spans in by_storage.values():
        end = None
        for start, stop, name in sorted(spans):
            if end is None or start >= end:
                groups.append(set())
                end = stop
            groups[-1].add(name)
            end = max(end, stop)
    return groups


def save(tensors, metadata=None):
    """The bytes of a file with `tensors`, a dict of names to contiguous tensors."""
    _check(tensors)
    specs = {}
    for name, t in tensors.items():
        specs[name] = {"dtype": _NAMES[t.dtype], "shape": t.shape, "data": _C._element_bytes(t.detach())}
    return serialize(specs, metadata)


def save_file(tensors, filename, metadata=None):
    """`save` into a file."""
    write_file(filename, save(tensors, metadata))


def load(data):
    """The tensors of a file's bytes."""
    return {name: tensor_of(*entry) for name, entry in parse(data)[0].items()}


def load_file(filename, device="cpu", *, backend="mmap"):
    """The tensors of a file, on a device."""
    return {name: t.to(device) for name, t in load(read_file(filename)).items()}


def _duplicates(state):
    """Name -> the name under which the same tensor is saved, where a state dict holds it twice."""
    drop = {}
    for names in _shared(state):
        whole = sorted(n for n in names if state[n].untyped_storage().nbytes() == _size(state[n]))
        if not whole:
            if len(names) == 1:
                continue
            raise RuntimeError(
                "Error while trying to find names to remove to save state dict, but found no suitable name to keep for "
                f"saving amongst: {names}. None is covering the entire storage.Refusing to save/load the model since "
                "you could be storing much more memory than needed. Please refer to "
                "https://huggingface.co/docs/safetensors/torch_shared_tensors for more information. Or open an issue."
            )
        drop.update((name, whole[0]) for name in sorted(names) if name != whole[0])
    return drop


def _size(t):
    return t.numel() * t.element_size()


def save_model(model, filename, metadata=None, force_contiguous=True):
    """A module's state dict into a file; tensors that it holds twice are saved once."""
    state = dict(model.state_dict())
    metadata = dict(metadata or {})
    for name, kept in _duplicates(state).items():
        metadata.setdefault(name, kept)
        del state[name]
    if force_contiguous:
        state = {name: t.contiguous() for name, t in state.items()}
    try:
        save_file(state, filename, metadata=metadata or None)
    except ValueError as e:
        raise ValueError(str(e) + " Or use save_model(..., force_contiguous=True), read the docs for potential "
                                  "caveats.") from None


def load_model(model, filename, strict=True, device="cpu", *, backend="mmap"):
    """A file's tensors into a module; gives the missing and the unexpected names."""
    state = load_file(filename, device=device)
    missing, unexpected = model.load_state_dict(state, strict=False)
    missing = set(missing)
    for name in _duplicates(dict(model.state_dict())):
        if name in missing:
            missing.remove(name)
        elif name not in unexpected:
            unexpected.append(name)
    if strict and (missing or unexpected):
        text = f"Error(s) in loading state_dict for {model.__class__.__name__}:"
        for title, names in (("Missing", missing), ("Unexpected", unexpected)):
            if names:
                text += f"\n    {title} key(s) in state_dict: " + ", ".join(f'"{k}"' for k in sorted(names))
        raise RuntimeError(text)
    return missing, unexpected
