"""From a list of examples to a batch."""

from torch import _C

_F = _C._functions
Tensor = _C.Tensor
_FORMAT = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"


def default_collate(batch):
    """Stacks tensors, makes tensors of numbers, and does so inside tuples, lists and dicts."""
    return collate(batch)


def collate(batch, *, collate_fn_map=None):
    """As `default_collate`; `collate_fn_map` says how to put values of further types together."""
    first = batch[0]
    kind = type(first)
    if collate_fn_map is not None:
        for known, fn in collate_fn_map.items():
            if isinstance(first, known):
                return fn(batch, collate_fn_map=collate_fn_map)
    if isinstance(first, Tensor):
        return _F.stack(batch, 0)
    if isinstance(first, float):
        return _F.tensor(batch, dtype=_C.float64)
    if isinstance(first, int):
        return _F.tensor(batch)
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, dict):
        return _like(kind, {k: collate([d[k] for d in batch], collate_fn_map=collate_fn_map) for k in first})
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return kind(*(collate(list(part), collate_fn_map=collate_fn_map) for part in zip(*batch)))
    if kind.__module__ == "numpy":
        return _numpy(batch, first)
    if isinstance(first, (tuple, list)):
        size = len(first)
        if not all(len(e) == size for e in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        # Of texts, a tuple's column stays a tuple, as `zip` gives it.
        parts = [part if isinstance(part[0], (str, bytes)) else collate(list(part), collate_fn_map=collate_fn_map)
                 for part in zip(*batch)]
        return parts if isinstance(first, tuple) else _like(kind, parts)
    raise TypeError(_FORMAT.format(kind))


def _like(kind, value):
    """The value in the examples' own type, where that can be made so."""
    if type(value) is kind:
        return value
    try:
        return kind(value)
    except TypeError:
        return value


def _numpy(batch, first):
    name = type(first).__name__
    if name in ("ndarray", "memmap"):
        if first.dtype.kind in "SaUO":
            raise TypeError(_FORMAT.format(first.dtype))
        return _F.stack([_F.as_tensor(b) for b in batch], 0)
    if getattr(first, "shape", None) == ():
        return _F.as_tensor(batch)
    raise TypeError(_FORMAT.format(type(first)))


def default_convert(data):
    """Without batches: numpy arrays become tensors, also inside tuples, lists and dicts."""
    kind = type(data)
    if isinstance(data, (Tensor, str, bytes)):
        return data
    if kind.__module__ == "numpy":
        return data if kind.__name__ == "ndarray" and data.dtype.kind in "SaUO" else _F.as_tensor(data)
    if isinstance(data, dict):
        return _like(kind, {k: default_convert(v) for k, v in data.items()})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return kind(*(default_convert(v) for v in data))
    if isinstance(data, tuple):
        return [default_convert(v) for v in data]
    if isinstance(data, list):
        return [default_convert(v) for v in data]
    return data


def get_worker_info():
    """None: the data is loaded in the process that uses it."""
    return None
