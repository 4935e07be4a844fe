"""`np.testing`: assertions about arrays."""

from numpy import _hub
from numpy import errstate
from numpy._compare import isclose
from numpy._make import asarray
from numpy._search import argwhere


def _fail(head, err_msg, x, y, more, verbose=True):
    lines = ["", head] + ([err_msg] if err_msg else []) + more
    if verbose:
        lines += [f" ACTUAL: {_text(x)}", f" DESIRED: {_text(y)}"]
    raise AssertionError("\n".join(lines))


def _text(x):
    return repr(x)


def _compare(ok, x, y, header, err_msg, verbose, relative=True):
    a, b = asarray(x), asarray(y)
    if a.shape != b.shape and a.ndim and b.ndim:
        _mismatch(header, err_msg, a, b, [f"(shapes {a.shape}, {b.shape} mismatch)"], verbose)
    same = asarray(ok(a, b))
    if same.all():
        return
    bad = ~same
    count, n = int(bad.sum()), same.size
    more = [f"Mismatched elements: {count} / {n} ({100 * count / n:.3g}%)"]
    if same.ndim and a.shape == b.shape:
        places = argwhere(bad)[:5].tolist()
        more.append("Mismatch at index:" if count == 1 else "Mismatch at indices:" if count <= 5 else
                    "First 5 mismatches are at indices:")
        more += [f" {p}: {a[tuple(p)]} (ACTUAL), {b[tuple(p)]} (DESIRED)" for p in places]
    if a._dt.kind in "iuf" and b._dt.kind in "iuf" and relative:
        gap = abs(a - b)
        wide, full = _hub.broadcast_arrays(gap, b)
        with errstate(all="ignore"):
            share = wide / abs(full)
        if wide.ndim:
            wide, share = wide[bad].max(), share[bad].max()
        more += [f"Max absolute difference among violations: {_number(wide)}",
                 f"Max relative difference among violations: {_number(share)}"]
    _mismatch(header, err_msg, a, b, more, verbose)


def _number(x):
    from numpy._print import array2string

    return array2string(asarray(x))


def _mismatch(header, err_msg, a, b, more, verbose):
    lines = ["", header] + ([err_msg] if err_msg else []) + more
    if verbose:
        lines += [f" ACTUAL: {a!r}", f" DESIRED: {b!r}"]
    raise AssertionError("\n".join(lines))


def assert_allclose(actual, desired, rtol=1e-7, atol=0, equal_nan=True, err_msg="", verbose=True, *, strict=False):
    """The two differ by no more than a tolerance."""
    header = f"Not equal to tolerance rtol={rtol:g}, atol={atol:g}"
    _compare(lambda a, b: isclose(a, b, rtol, atol, equal_nan), actual, desired, header + "\n" if not err_msg else header,
             err_msg, verbose)


def assert_array_equal(actual, desired, err_msg="", verbose=True, *, strict=False):
    """The two are equal."""
    def same(a, b):
        value = asarray(a == b)
        if a._dt.kind == "f" and b._dt.kind == "f":
            value = value | ((a != a) & (b != b))
        return value

    _compare(same, actual, desired, "Arrays are not equal" + ("" if err_msg else "\n"), err_msg, verbose)


def assert_equal(actual, desired, err_msg="", verbose=True, *, strict=False):
    """The two are equal, whatever they are."""
    if isinstance(desired, dict):
        for key in desired:
            assert_equal(actual[key], desired[key])
    elif isinstance(desired, (list, tuple)) and isinstance(actual, (list, tuple)):
        assert_equal(len(actual), len(desired))
        for k, (a, b) in enumerate(zip(actual, desired)):
            assert_equal(a, b, f"item={k}\n{err_msg}", verbose)
    elif hasattr(actual, "shape") or hasattr(desired, "shape"):
        assert_array_equal(actual, desired, err_msg, verbose)
    elif not (actual == desired or actual != actual and desired != desired):
        _fail("Items are not equal:", err_msg, actual, desired, [], verbose)


def assert_almost_equal(actual, desired, decimal=7, err_msg="", verbose=True):
    """The two agree to so many decimals."""
    if hasattr(actual, "shape") or isinstance(actual, (list, tuple)) or hasattr(desired, "shape"):
        assert_array_almost_equal(actual, desired, decimal, err_msg, verbose)
    elif not abs(desired - actual) < 1.5 * 10.0 ** -decimal:
        _fail(f"Arrays are not almost equal to {decimal} decimals", err_msg, actual, desired, [], verbose)


def assert_array_almost_equal(actual, desired, decimal=6, err_msg="", verbose=True):
    """The two agree to so many decimals."""
    header = f"Arrays are not almost equal to {decimal} decimals"
    _compare(lambda a, b: abs(a - b) < 1.5 * 10.0 ** -decimal, actual, desired, header + ("" if err_msg else "\n"),
             err_msg, verbose)



def assert_array_less(x, y, err_msg="", verbose=True, *, strict=False):
    _compare(lambda a, b: a < b, x, y, "Arrays are not strictly ordered `x < y`", err_msg, verbose)


def assert_(val, msg=""):
    if not val:
        raise AssertionError(msg() if callable(msg) else msg)


def assert_raises(exception, function=None, *args, **kwargs):
    """The call raises."""
    from unittest import TestCase

    return TestCase().assertRaises(exception, function, *args, **kwargs) if function else TestCase().assertRaises(
        exception)


