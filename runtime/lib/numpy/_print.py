"""How arrays and scalars are written."""

import math

import _numpy
from numpy import _hub
from numpy._make import asarray

_DEFAULTS = {"edgeitems": 3, "threshold": 1000, "floatmode": "maxprec", "precision": 8, "suppress": False,
             "linewidth": 75, "nanstr": "nan", "infstr": "inf", "sign": "-", "formatter": None, "legacy": False,
             "override_repr": None}
_options = dict(_DEFAULTS)


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, suppress=None, nanstr=None,
                     infstr=None, formatter=None, sign=None, floatmode=None, *, legacy=None, override_repr=None):
    """How arrays are printed from now on."""
    given = {k: v for k, v in locals().items() if v is not None and k in _DEFAULTS}
    if "floatmode" in given and floatmode not in ("fixed", "unique", "maxprec", "maxprec_equal"):
        raise ValueError("floatmode option must be one of \"fixed\", \"unique\", \"maxprec\", \"maxprec_equal\"")
    _options.update(given)
    _options["formatter"] = formatter


def get_printoptions():
    return dict(_options)


class printoptions:
    """Other print options inside a `with`."""

    def __init__(self, *args, **kwargs):
        self._given = (args, kwargs)

    def __enter__(self):
        self._before = dict(_options)
        set_printoptions(*self._given[0], **self._given[1])
        return dict(_options)

    def __exit__(self, *exc):
        _options.clear()
        _options.update(self._before)


def _shortest(x, name):
    """The digits and the exponent of the fewest digits that tell `x` (finite, not negative) from its neighbours."""
    if name == "float64":
        text = repr(x)
        mantissa, _, exponent = text.partition("e")
        whole, _, part = mantissa.partition(".")
        digits = (whole + part).lstrip("0")
        point = len(whole) + int(exponent or 0)
        lead = len(whole + part) - len(digits)
        digits = digits.rstrip("0")
        return (digits or "0"), (point - lead - 1 if digits else 0)
    mantissa, _, exponent = _numpy.digits(x, name == "float16").partition("e")
    digits = mantissa.replace(".", "").rstrip("0")
    return (digits or "0"), int(exponent) if digits else 0


def _positional(x, name, precision, unique=True):
    """`whole`, `fraction` of a number's absolute value; at most `precision` digits of the fraction, no zeros at its end."""
    if unique:
        digits, exponent = _shortest(x, name)
        if precision is None or len(digits) - 1 - exponent <= precision:
            if exponent >= 0:
                digits = digits.ljust(exponent + 1, "0")
                return digits[:exponent + 1], digits[exponent + 1:]
            return "0", "0" * (-exponent - 1) + digits if digits != "0" else ""
    whole, _, part = f"{x:.{precision}f}".partition(".")
    return whole, part.rstrip("0") if unique else part


def _scientific(x, name, precision, unique=True):
    """The first digit, the fraction and the exponent."""
    if unique:
        digits, exponent = _shortest(x, name)
        if precision is None or len(digits) - 1 <= precision:
            return digits[0], digits[1:], exponent
    mantissa, _, exponent = f"{x:.{precision}e}".partition("e")
    whole, _, part = mantissa.partition(".")
    return whole, part.rstrip("0") if unique else part, int(exponent)


def _exponent(n, width=2):
    return ("-" if n < 0 else "+") + str(abs(n)).rjust(width, "0")


def scalar_text(x, name):
    """A float32 or float16 scalar."""
    if x != x:
        return "nan"
    if math.isinf(x):
        return "inf" if x > 0 else "-inf"
    sign = "-" if math.copysign(1.0, x) < 0 else ""
    x = abs(x)
    if x == 0 or 1e-4 <= x < (1e6 if name == "float32" else 1e3):
        whole, part = _positional(x, name, None)
        return f"{sign}{whole}.{part or '0'}"
    first, part, exponent = _scientific(x, name, None)
    return f"{sign}{first}{'.' + part if part else ''}e{_exponent(exponent)}"


class _Floats:
    """Writes floats so that they stand in columns."""

    def __init__(self, values, name, options):
        self.name, self.options = name, options
        self.precision = options["precision"]
        self.mode = options["floatmode"]
        self.unique = self.mode != "fixed"
        if self.mode == "unique":
            self.precision = None
        self.sign = options["sign"]
        finite = [v for v in values if math.isfinite(v)]
        sizes = [abs(v) for v in finite if v != 0]
        self.science = bool(sizes) and (
            max(sizes) >= {"float16": 1e3, "float32": 1e6}.get(name, 1e8) or not options["suppress"] and (min(sizes) < 1e-4 or max(sizes) / min(sizes) > 1000.0))
        negative = any(math.copysign(1.0, v) < 0 for v in finite)
        signed = self.sign != "-" and bool(finite)
        self.left = self.right = self.least = 0
        self.width = 2
        if finite and self.science:
            parts = [_scientific(abs(v), name, self.precision, self.unique) for v in finite]
            self.right = max(len(p[1]) for p in parts)
            self.width = max(max(len(str(abs(p[2]))) for p in parts), 2)
            self.left = 1 + (negative or signed)
            if self.mode in ("fixed", "maxprec_equal"):
                self.right = self.precision if self.mode == "fixed" else self.right
            self.least = self.right
        elif finite:
            parts = [_positional(abs(v), name, self.precision, self.unique) for v in finite]
            self.left = max(len(p[0]) + (math.copysign(1.0, v) < 0 or signed) for p, v in zip(parts, finite))
            self.right = max(len(p[1]) for p in parts)
            if self.mode == "fixed":
                self.right = self.precision
            self.least = self.right if self.mode in ("fixed", "maxprec_equal") else 0
        if len(finite) != len(values):
            minus = self.sign != "-" or any(math.isinf(v) and v < 0 for v in values)
            exponent = 2 + self.width if self.science and finite else 0
            room = self.right + 1 + exponent
            self.left = max(self.left, len(options["nanstr"]) - room, len(options["infstr"]) + minus - room)
        self.total = self.left + self.right + 1 + (2 + self.width if self.science and finite else 0)

    def __call__(self, x):
        if not math.isfinite(x):
            plus = "+" if self.sign == "+" else ""
            text = plus + self.options["nanstr"] if x != x else ("-" if x < 0 else plus) + self.options["infstr"]
            return text.rjust(self.total)
        sign = "-" if math.copysign(1.0, x) < 0 else "" if self.sign == "-" else self.sign
        if self.science:
            first, part, exponent = _scientific(abs(x), self.name, self.right if self.unique else self.precision,
                                                self.unique)
            return (sign + first).rjust(self.left) + "." + part.ljust(self.right, "0") + "e" + _exponent(
                exponent, self.width)
        whole, part = _positional(abs(x), self.name, self.right if self.precision is not None else None, self.unique)
        return (sign + whole).rjust(self.left) + "." + part.ljust(self.least, "0").ljust(self.right)


def _writer(a, values, options):
    custom = options["formatter"] or {}
    kind = a._dt.kind
    for key in {"b": ("bool",), "i": ("int", "int_kind"), "u": ("int", "int_kind"), "f": ("float", "float_kind"),
                "U": ("numpystr", "str_kind", "str"), "S": ("numpystr", "str_kind"), "O": ("object",)}[kind] + ("all",):
        if key in custom:
            fn = custom[key]
            make = a._dt.type._of
            return lambda v: fn(make(v))
    if kind == "f":
        return _Floats(values, a._dt.name, options)
    if kind == "b":
        return lambda v: ("True" if v else "False") if a.ndim == 0 else str(v).rjust(5)
    if kind in "iu":
        width = max((len(str(v)) for v in values), default=0)
        if options["sign"] != "-":
            return lambda v: f"{v:{options['sign']}d}".rjust(width + 1)
        return lambda v: str(v).rjust(width)
    if kind == "O":
        return lambda v: f"list({v!r})" if type(v) is list and a.ndim else repr(v)
    return repr


def array2string(a, max_line_width=None, precision=None, suppress_small=None, separator=" ", prefix="", *,
                 formatter=None, threshold=None, edgeitems=None, sign=None, floatmode=None, suffix="", legacy=None):
    """The text of an array."""
    options = dict(_options)
    for key, value in {"precision": precision, "suppress": suppress_small, "formatter": formatter, "sign": sign,
                       "threshold": threshold, "edgeitems": edgeitems, "floatmode": floatmode,
                       "linewidth": max_line_width}.items():
        if value is not None:
            options[key] = value
    a = asarray(a)
    if a.size == 0:
        return "[]"
    edge = options["edgeitems"]
    cut = a.size > options["threshold"]
    shown = a
    if cut:
        for d, n in enumerate(a.shape):
            if n > 2 * edge:
                before = (slice(None),) * d
                shown = _hub.concatenate([shown[before + (slice(0, edge),)], shown[before + (slice(n - edge, n),)]], d)
    nested = shown.tolist()
    values = shown.ravel().tolist() if shown.ndim else [nested]
    write = _writer(a, values, options)
    if a.ndim == 0:
        return write(nested)
    cuts = [cut and n > 2 * edge for n in a.shape]
    width = options["linewidth"] - len(suffix)
    return _nest(nested, 0, a.ndim, cuts, edge, write, separator, width, " " * (len(prefix) + 1) if prefix else " ", "")


def _nest(items, depth, ndim, cuts, edge, write, separator, width, indent, outer):
    """One level of brackets; `indent` is what a new line begins with inside this bracket."""
    left = ndim - depth
    inner_width = width - 1
    rows, shown = [], items
    middle = None
    if cuts[depth]:
        middle = edge
    if left == 1:
        pieces = [write(v) for v in shown]
        if middle is not None:
            pieces.insert(middle, "...")
        return "[" + _wrap(pieces, separator, inner_width, indent) + "]"
    for i, item in enumerate(shown):
        if middle is not None and i == middle:
            rows.append("...")
        rows.append(_nest(item, depth + 1, ndim, cuts, edge, write, separator, inner_width, indent + " ", ""))
    sep = separator.rstrip() + "\n" * (left - 1) + indent
    return "[" + sep.join(rows) + "]"


def _wrap(pieces, separator, width, indent):
    """Pieces on lines of a width."""
    lines, line = [], indent
    last = len(pieces) - 1
    for i, piece in enumerate(pieces):
        # The last piece needs room for the brackets that close, the others for the separator.
        need = max(len(separator.rstrip()), 1) if i < last else 1
        room = width - need + 1 if i < last else width
        if len(line) + len(piece) > (room if i < last else width) - 0 and line != indent:
            lines.append(line.rstrip())
            line = indent
        line += piece + (separator if i < last else "")
    lines.append(line)
    text = "\n".join(lines)
    return text[len(indent):]


def array_str(a, max_line_width=None, precision=None, suppress_small=None):
    """As `str` writes it."""
    a = asarray(a)
    if a.ndim == 0:
        return str(a._dt.type._of(a.item()))
    return array2string(a, max_line_width, precision, suppress_small, " ", "")


def array_repr(arr, max_line_width=None, precision=None, suppress_small=None):
    """As `repr` writes it."""
    a = asarray(arr)
    width = _options["linewidth"] if max_line_width is None else max_line_width
    if a.size == 0 and a.shape != (0,):
        text = "[]"
    else:
        text = array2string(a, max_line_width, precision, suppress_small, ", ", "array(", suffix=")")
    more = []
    cut = a.size > _options["threshold"]
    if a.size == 0 and a.shape != (0,) or cut:
        more.append(f"shape={a.shape}")
    known = a._dt.name in ("int64", "float64", "bool") and a.size > 0 and a._dt.isnative
    if not known:
        more.append(f"dtype={_dtype_text(a._dt)}")
    head = "array(" + text
    if not more:
        return head + ")"
    tail = ", ".join(more) + ")"
    last = len(head) - (head.rfind("\n") + 1)
    space = " " if last + len(tail) + 2 <= width else "\n" + " " * len("array(")
    return head + "," + space + tail


def _dtype_text(dt):
    if dt.kind in "US" or dt.byteorder == ">":
        return repr(dt.str if dt.kind != "S" else dt.str[1:])
    return dt.name


def format_float_positional(x, precision=None, unique=True, fractional=True, trim="k", sign=False, pad_left=None,
                            pad_right=None, min_digits=None):
    """A number without an exponent."""
    name = x.dtype.name if hasattr(x, "dtype") else "float64"
    x = float(x)
    whole, part = _positional(abs(x), name, precision, unique)
    if precision is not None and not unique:
        part = part.ljust(precision, "0") if trim == "k" else part.rstrip("0")
    text = ("-" if x < 0 else "+" if sign else "") + whole
    return text + ("" if trim == "-" and not part else "." + (part or ("0" if trim == "0" else "")))


def format_float_scientific(x, precision=None, unique=True, trim="k", sign=False, pad_left=None, exp_digits=None,
                            min_digits=None):
    """A number with an exponent."""
    name = x.dtype.name if hasattr(x, "dtype") else "float64"
    x = float(x)
    first, part, exponent = _scientific(abs(x), name, precision, unique)
    text = ("-" if x < 0 else "+" if sign else "") + first + "."
    return text + part + "e" + _exponent(exponent, exp_digits or 2)


def base_repr(number, base=2, padding=0):
    """A number's digits in another base."""
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    n, out = abs(int(number)), ""
    while n:
        n, d = divmod(n, base)
        out = digits[d] + out
    return ("-" if number < 0 else "") + "0" * padding + (out or "0" if not padding else out)


def binary_repr(num, width=None):
    """A number's bits."""
    n = int(num)
    if n < 0 and width:
        return bin((1 << width) + n)[2:]
    return bin(n)[2:].rjust(width or 0, "0") if n >= 0 else "-" + bin(-n)[2:]
