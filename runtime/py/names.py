# Lists a session's names for the inspector.
import sys

_MOST = 200
_WIDTH = 80


def _one_line(text):
    text = " ".join(text.split())
    return text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "\u2026"


def _preview(value):
    kind = type(value)
    if kind in (list, tuple, set, frozenset, dict) and len(value) > 20:
        import itertools

        if kind is dict:
            head = ", ".join(f"{_preview(k)}: {_preview(v)}" for k, v in itertools.islice(value.items(), 6))
        else:
            head = ", ".join(map(_preview, itertools.islice(value, 6)))
        opening, closing = {list: "[]", tuple: "()"}.get(kind, "{}")
        return _one_line(f"{opening}{head}, \u2026{closing}") + f" ({len(value)} items)"
    if kind in (str, bytes) and len(value) > _WIDTH:
        return repr(value[: _WIDTH - 2]) + "\u2026"
    return _one_line(repr(value))


def _tensor(value):
    grad_fn = value.grad_fn
    return (
        list(value.shape),
        list(value.stride()),
        value.storage_offset(),
        str(value.dtype),
        str(value.device),
        bool(value.requires_grad),
        None if grad_fn is None else grad_fn.name(),
        value.untyped_storage().data_ptr(),
        value._version,
    )


class _Nowhere:
    """A stream that keeps nothing: what `__repr__` or `__torch_function__` print here, no program has asked for."""

    def write(self, text):
        return len(text)

    def flush(self):
        pass


def names(namespace):
    """`(name, class, preview, tensor or None)` of every name the program made, in order."""
    streams = sys.stdout, sys.stderr
    sys.stdout = sys.stderr = _Nowhere()
    try:
        return _names(namespace)
    finally:
        sys.stdout, sys.stderr = streams


def _names(namespace):
    torch = sys.modules.get("torch")
    tensor_class = getattr(torch, "Tensor", None)
    module_class = type(sys)
    found = []
    for name, value in list(namespace.items()):
        if name.startswith("_") or isinstance(value, module_class):
            continue
        info = None
        try:
            preview = _preview(value)
        except Exception as error:
            preview = f"<{type(error).__name__} in repr>"
        if tensor_class is not None and isinstance(value, tensor_class):
            try:
                with torch._C.DisableTorchFunctionSubclass():
                    info = _tensor(value)
                    if preview.startswith("<") and value.device.type != "cpu":
                        # The GPU is lost, or still busy with a program that was stopped.
                        preview = f"tensor(..., device='{value.device}', size={tuple(value.shape)})"
            except Exception:
                info = None
        found.append((name, type(value).__name__, preview, info))
        if len(found) == _MOST:
            break
    return found
