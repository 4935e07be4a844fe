"""`assert_close`: says whether two values are as good as equal, and if not, where and by how much they differ."""

import cmath
import sys
from collections.abc import Mapping, Sequence

from torch import _C

Tensor = _C.Tensor
_F = _C._functions
# What counts as close: relative and absolute tolerance by dtype.
_TOLERANCES = {
    _C.float16: (1e-3, 1e-5), _C.bfloat16: (1.6e-2, 1e-5), _C.float32: (1.3e-6, 1e-5), _C.float64: (1e-7, 1e-7),
    _C.complex64: (1.3e-6, 1e-5), _C.complex128: (1e-7, 1e-7),
}
_NUMBER_DTYPES = {float: _C.float64, complex: _C.complex128}


class _Mismatch(Exception):
    """A difference, with the way to the place where it was found."""

    def __init__(self, kind, text, path=()):
        super().__init__(text)
        self.kind, self.text, self.path = kind, text, path

    def to_error(self, msg):
        text = self.text
        if self.path:
            text += "\n\nThe failure occurred for item " + "".join(f"[{step!r}]" for step in self.path)
        if msg is not None:
            text = msg(text) if callable(msg) else msg
        return self.kind(text)


class _Options:
    def __init__(self, rtol, atol, equal_nan, allow_subclasses, check_device, check_dtype, check_layout, check_stride):
        if (rtol is None) != (atol is None):
            raise ValueError(
                "Both 'rtol' and 'atol' must be either specified or omitted, but got no "
                f"{'rtol' if rtol is None else 'atol'}."
            )
        self.rtol, self.atol, self.equal_nan, self.allow_subclasses = rtol, atol, equal_nan, allow_subclasses
        self.check_device, self.check_dtype = check_device, check_dtype
        self.check_layout, self.check_stride = check_layout, check_stride

    def tolerances(self, *dtypes):
        if self.rtol is not None:
            return self.rtol, self.atol
        pairs = [_TOLERANCES.get(d, (0.0, 0.0)) for d in dtypes]
        return max(p[0] for p in pairs), max(p[1] for p in pairs)


def assert_close(actual, expected, *, allow_subclasses=True, rtol=None, atol=None, equal_nan=False, check_device=True,
                 check_dtype=True, check_layout=True, check_stride=False, msg=None):
    """Raises an AssertionError that tells the differences, unless |actual - expected| <= atol + rtol * |expected|."""
    __tracebackhide__ = True
    options = _Options(rtol, atol, equal_nan, allow_subclasses, check_device, check_dtype, check_layout, check_stride)
    try:
        _compare(actual, expected, options, ())
    except _Mismatch as mismatch:
        error = mismatch.to_error(msg)
    else:
        return
    raise error


def assert_allclose(actual, expected, rtol=None, atol=None, equal_nan=True, msg=""):
    """The older form of `assert_close`: dtypes and devices may differ."""
    import warnings

    warnings.warn(
        "`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a future release. Please use "
        "`torch.testing.assert_close()` instead. You can find detailed upgrade instructions in "
        "https://github.com/pytorch/pytorch/issues/61844.",
        FutureWarning, stacklevel=2,
    )
    actual = actual if isinstance(actual, Tensor) else _F.tensor(actual)
    expected = expected if isinstance(expected, Tensor) else _F.tensor(expected, dtype=actual.dtype)
    if rtol is None and atol is None:
        rtol, atol = max(_TOLERANCES.get(t.dtype, (0.0, 0.0)) for t in (actual, expected))
    assert_close(actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan, check_device=True, check_dtype=False,
                 check_stride=False, msg=msg or None)


def _is_array(value):
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic))


def _compare(actual, expected, options, path):
    for value in (actual, expected):
        if isinstance(value, str):
            raise _unhandled(actual, expected)
    if isinstance(actual, Mapping) and isinstance(expected, Mapping):
        _compare_mappings(actual, expected, options, path)
    elif isinstance(actual, Sequence) and isinstance(expected, Sequence):
        if len(actual) != len(expected):
            raise _Mismatch(AssertionError, f"The length of the sequences mismatch: {len(actual)} != {len(expected)}",
                            path)
        for i, (a, e) in enumerate(zip(actual, expected)):
            _compare(a, e, options, path + (i,))
    elif actual is None or expected is None:
        if actual is not expected:
            raise _Mismatch(AssertionError, f"None mismatch: {actual} is not {expected}", path)
    elif isinstance(actual, bool) and isinstance(expected, bool):
        if actual is not expected:
            raise _Mismatch(AssertionError, f"Booleans mismatch: {actual} is not {expected}", path)
    elif _is_number(actual) and _is_number(expected):
        _compare_numbers(actual, expected, options, path)
    else:
        if _is_array(actual) and _is_array(expected):
            actual, expected = _F.as_tensor(actual), _F.as_tensor(expected)
        related = options.allow_subclasses and (
            isinstance(actual, type(expected)) or isinstance(expected, type(actual)))
        if not isinstance(actual, Tensor) or not isinstance(expected, Tensor) or not (
                related or type(actual) is type(expected)):
            raise _unhandled(actual, expected)
        _compare_tensors(actual, expected, options, path)


def _is_number(value):
    return isinstance(value, (int, float, complex)) and not isinstance(value, bool)


def _unhandled(actual, expected):
    return TypeError(
        f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}."
    )


def _compare_mappings(actual, expected, options, path):
    missing, extra = [k for k in expected if k not in actual], [k for k in actual if k not in expected]
    if missing or extra:
        raise _Mismatch(
            AssertionError,
            "The keys of the mappings do not match:\n"
            f"Missing keys in the actual mapping: {sorted(missing)}\n"
            f"Additional keys in the actual mapping: {sorted(extra)}",
            path,
        )
    keys = list(actual)
    try:
        keys = sorted(keys)
    except TypeError:
        pass
    for key in keys:
        _compare(actual[key], expected[key], options, path + (key,))


def _number_text(actual, expected, rtol, atol, first=None):
    difference = abs(actual - expected)
    exact = rtol == 0 and atol == 0
    relative = float("inf") if expected == 0 else difference / abs(expected)
    lines = [first or f"Scalars are not {'equal' if exact else 'close'}!", "",
             f"Expected {expected} but got {actual}.",
             f"Absolute difference: {difference}" + ("" if exact else f" (up to {atol} allowed)"),
             f"Relative difference: {relative}" + ("" if exact else f" (up to {rtol} allowed)")]
    return "\n".join(lines)


def _compare_numbers(actual, expected, options, path):
    rtol, atol = options.tolerances(*[_NUMBER_DTYPES.get(type(v), _C.int64) for v in (actual, expected)])
    if options.check_dtype and type(actual) is not type(expected):
        raise _Mismatch(AssertionError, f"The (d)types do not match: {type(actual)} != {type(expected)}.", path)
    if actual == expected or options.equal_nan and cmath.isnan(actual) and cmath.isnan(expected):
        return
    difference = abs(actual - expected)
    if cmath.isfinite(difference) and difference <= atol + rtol * abs(expected):
        return
    raise _Mismatch(AssertionError, _number_text(actual, expected, rtol, atol), path)


def _compare_tensors(actual, expected, options, path):
    def attribute(name, a, e):
        raise _Mismatch(AssertionError, f"The values for attribute '{name}' do not match: {a} != {e}.", path)

    if actual.shape != expected.shape:
        attribute("shape", actual.shape, expected.shape)
    if options.check_device and actual.device != expected.device:
        attribute("device", actual.device, expected.device)
    if options.check_dtype and actual.dtype != expected.dtype:
        attribute("dtype", actual.dtype, expected.dtype)
    if options.check_stride and actual.stride() != expected.stride():
        attribute("stride()", actual.stride(), expected.stride())
    rtol, atol = options.tolerances(actual.dtype, expected.dtype)
    actual, expected = actual.detach(), expected.detach()
    if actual.dtype != expected.dtype:
        dtype = _F.promote_types(actual.dtype, expected.dtype)
        actual, expected = actual.to(dtype), expected.to(dtype)
    matches = _F.isclose(actual, expected, rtol=rtol, atol=atol, equal_nan=options.equal_nan)
    if matches.all():
        return
    if not actual.dim():
        text = _number_text(actual.item(), expected.item(), rtol, atol)
    else:
        text = _tensor_text(actual, expected, ~matches, rtol, atol)
    raise _Mismatch(AssertionError, text, path)


def _tensor_text(actual, expected, wrong, rtol, atol):
    exact = rtol == 0 and atol == 0
    count, total = int(wrong.sum()), wrong.numel()
    if not (actual.dtype.is_floating_point or actual.dtype.is_complex):
        actual, expected = actual.to(_C.int64), expected.to(_C.int64)
    absolute = (actual - expected).abs()
    shown = absolute.masked_fill(~wrong, 0)
    relative = (absolute / expected.abs()).masked_fill(~wrong, 0)
    lines = [f"Tensor-likes are not {'equal' if exact else 'close'}!", "",
             f"Mismatched elements: {count} / {total} ({count / total:.1%})"]
    for kind, values, allowed in (("absolute", shown, atol), ("relative", relative, rtol)):
        flat = int(values.flatten().argmax())
        index = []
        for size in reversed(values.shape):
            index.append(flat % size)
            flat //= size
        index = tuple(reversed(index))
        text = f"Greatest {kind} difference: {values[index].item()} at index {index}"
        lines.append(text + ("" if exact else f" (up to {allowed} allowed)"))
    return "\n".join(lines)
