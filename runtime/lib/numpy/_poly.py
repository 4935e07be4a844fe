"""Polynomials as lists of coefficients, the highest power first: arithmetic, roots, `poly1d`."""

import re

from numpy import _hub
from numpy._make import asarray
from numpy._products import polyfit, polyval  # noqa: F401


def _coefficients(p):
    return p.coeffs if isinstance(p, poly1d) else _hub.atleast_1d(asarray(p))


def _as_given(result, *given):
    """A `poly1d` where one was given."""
    return poly1d(result) if any(isinstance(p, poly1d) for p in given) else result


def _padded(a, b):
    """Both with the same number of coefficients."""
    x, y = _coefficients(a), _coefficients(b)
    size = max(len(x), len(y))
    fill = lambda c: _hub.concatenate([_hub.zeros(size - len(c), c.dtype), c])
    return fill(x), fill(y)


def polyadd(a1, a2):
    """The sum of two polynomials."""
    x, y = _padded(a1, a2)
    return _as_given(x + y, a1, a2)


def polysub(a1, a2):
    """The difference of two polynomials."""
    x, y = _padded(a1, a2)
    return _as_given(x - y, a1, a2)


def polymul(a1, a2):
    """The product of two polynomials."""
    return _as_given(_hub.convolve(_coefficients(a1), _coefficients(a2)), a1, a2)


def polydiv(u, v):
    """Quotient and remainder."""
    rest, divisor = _coefficients(u) + 0.0, _coefficients(v) + 0.0
    steps = len(rest) - len(divisor) + 1
    quotient = _hub.zeros(max(steps, 1), float)
    for k in range(max(steps, 0)):
        factor = rest[k] / divisor[0]
        quotient[k] = factor
        rest[k:k + len(divisor)] -= factor * divisor
    while len(rest) > 1 and abs(rest[0]) <= 1e-14:
        rest = rest[1:]
    return _as_given(quotient, u, v), _as_given(rest, u, v)


def polyder(p, m=1):
    """The derivative, `m` times."""
    c = _coefficients(p)
    for _ in range(m):
        c = c[:-1] * _hub.arange(len(c) - 1, 0, -1)
    return _as_given(c, p)


def polyint(p, m=1, k=None):
    """The antiderivative, `m` times; `k` are its constants."""
    c = _coefficients(p)
    constants = [0.0] * m if k is None else [k] * m if isinstance(k, (int, float)) else list(k)
    for i in range(m):
        c = _hub.concatenate([c / _hub.arange(len(c), 0, -1), _hub.array([float(constants[i])])])
    return _as_given(c, p)


def poly(seq_of_zeros):
    """The polynomial with these roots, or a square matrix's characteristic polynomial."""
    zeros = _hub.atleast_1d(asarray(seq_of_zeros))
    if zeros.ndim == 2:
        from numpy.linalg import eigvals

        zeros = eigvals(zeros)
    c = _hub.array([1.0])
    for zero in zeros:
        c = _hub.convolve(c, _hub.array([1.0, -float(zero)]))
    return c


def roots(p):
    """Where a polynomial is zero."""
    from numpy.linalg import eigvals

    c = _coefficients(p)
    if c.ndim != 1:
        raise ValueError("Input must be a rank-1 array.")
    values = [float(v) for v in c]
    while values and values[0] == 0:
        values.pop(0)
    ends = 0
    while values and values[-1] == 0:
        values.pop()
        ends += 1
    found = _hub.array([])
    if len(values) > 1:
        n = len(values) - 1
        companion = [[-v / values[0] for v in values[1:]]]
        companion += [[1.0 if i == j else 0.0 for j in range(n)] for i in range(n - 1)]
        found = eigvals(_hub.array(companion))
    return _hub.concatenate([found, _hub.zeros(ends, float)])


class poly1d:
    """A polynomial that can be called, printed, and calculated with; `r`: the numbers are its roots."""

    __module__ = "numpy"
    __hash__ = None

    def __init__(self, c_or_r, r=False, variable=None):
        c = poly(c_or_r) if r else _coefficients(c_or_r)
        while len(c) > 1 and c[0] == 0:
            c = c[1:]
        self.coeffs = self.c = self.coef = self.coefficients = c
        self.order = self.o = len(c) - 1
        self.variable = variable or (c_or_r.variable if isinstance(c_or_r, poly1d) else "x")

    roots = r = property(lambda self: roots(self.coeffs))

    def __call__(self, x):
        if isinstance(x, poly1d):
            value = poly1d([0])
            for c in self.coeffs:
                value = value * x + c
            return value
        return polyval(self.coeffs, x)

    def __repr__(self):
        return f"poly1d({repr(self.coeffs)[6:-1]})"

    def __str__(self):
        text = ""
        for i, c in enumerate(self.coeffs):
            number, power = "%.4g" % float(c), self.order - i
            if power == 0:
                term = number if number != "0" or i == 0 else ""
            elif number == "0":
                term = ""
            else:
                term = f"{number} {self.variable}" + (f"**{power}" if power > 1 else "")
            if i == 0:
                text = term
            elif term:
                text += f" - {term[1:]}" if term.startswith("-") else f" + {term}"
        return _raised(text)

    def __len__(self):
        return self.order

    def __iter__(self):
        return iter(self.coeffs)

    def __array__(self, dtype=None, copy=None):
        return self.coeffs if dtype is None else self.coeffs.astype(dtype)

    def __getitem__(self, power):
        return self.coeffs[self.order - power] if 0 <= power <= self.order else self.coeffs[0] * 0

    def __neg__(self):
        return poly1d(-self.coeffs)

    def __pos__(self):
        return self

    def __add__(self, other):
        return poly1d(polyadd(self, poly1d(other)))

    __radd__ = __add__

    def __sub__(self, other):
        return poly1d(polysub(self, poly1d(other)))

    def __rsub__(self, other):
        return poly1d(polysub(poly1d(other), self))

    def __mul__(self, other):
        if isinstance(other, (int, float)):
            return poly1d(self.coeffs * other)
        return poly1d(polymul(self, poly1d(other)))

    __rmul__ = __mul__

    def __truediv__(self, other):
        if isinstance(other, (int, float)):
            return poly1d(self.coeffs / other)
        return polydiv(self, poly1d(other))

    def __pow__(self, n):
        value = poly1d([1])
        for _ in range(n):
            value = value * self
        return value

    def __eq__(self, other):
        if not isinstance(other, poly1d):
            return NotImplemented
        return self.order == other.order and bool((self.coeffs == other.coeffs).all())

    def deriv(self, m=1):
        return poly1d(polyder(self.coeffs, m))

    def integ(self, m=1, k=0):
        return poly1d(polyint(self.coeffs, m, k))


def _raised(text, width=70):
    """The powers on a line of their own, above."""
    out, above, below, at = "", " ", "", 0
    for match in re.finditer(r"\*\*([0-9]+)", text):
        part, power = text[at:match.start()], match[1]
        at = match.end()
        if len(below) + len(part) + len(power) > width:
            out += f"{above}\n{below}\n "
            above, below = " " * len(part) + power, part + " " * (len(power) - 1)
        else:
            # The power stands over the blank after the letter.
            above += " " * (len(below) + len(part) - len(above)) + power
            below += part + " " * (len(power) - 1)
    return f"{out}{above}\n{below}{text[at:]}"
