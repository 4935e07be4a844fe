"""Orthogonal polynomials, by their recurrences; `n` is a number or a tensor of degrees."""

from torch import _C
from torch._composite import written

_F = _C._functions
Tensor = _C.Tensor


def _polynomial(name, doc, first, step):
    """`p_0 = 1`, `p_1 = first(x)`, `p_(k+1) = step(k, x, p_k, p_(k-1))`; 0 below degree 0."""
    def function(input, n, *, out=None):
        x = input if isinstance(input, Tensor) else _F.tensor(input)
        x = x if x.is_floating_point() else x.to(_C.get_default_dtype())
        degrees = n if isinstance(n, Tensor) else _F.tensor(n)
        top = int(degrees.max()) if degrees.numel() else 0
        x, degrees = _F.broadcast_tensors([x.detach(), degrees.trunc().to(x.dtype)])
        result, before, now = _F.zeros_like(x), None, _F.ones_like(x)
        for k in range(max(top, 0) + 1):
            result = _F.where(degrees == k, now, result)
            before, now = now, first(x) if k == 0 else step(k, x, now, before)
        return written(result, out)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    globals()[name] = function


def _chebyshev(shifted):
    prefix, name = ("shifted_", "Shifted Chebyshev") if shifted else ("", "Chebyshev")
    place = (lambda x: 2 * x - 1) if shifted else (lambda x: x)
    starts = {"t": lambda y: y, "u": lambda y: 2 * y, "v": lambda y: 2 * y - 1, "w": lambda y: 2 * y + 1}
    for kind, start in starts.items():
        _polynomial(
            f"{prefix}chebyshev_polynomial_{kind}", f"{name} polynomials, kind {kind.upper()}.",
            lambda x, start=start: start(place(x)), lambda k, x, now, before: 2 * place(x) * now - before,
        )


_chebyshev(False)
_chebyshev(True)
_polynomial("hermite_polynomial_h", "Hermite polynomials of physics.", lambda x: 2 * x,
            lambda k, x, now, before: 2 * x * now - 2 * k * before)
_polynomial("hermite_polynomial_he", "Hermite polynomials of probability.", lambda x: x,
            lambda k, x, now, before: x * now - k * before)
_polynomial("laguerre_polynomial_l", "Laguerre polynomials.", lambda x: 1 - x,
            lambda k, x, now, before: ((2 * k + 1 - x) * now - k * before) / (k + 1))
_polynomial("legendre_polynomial_p", "Legendre polynomials.", lambda x: x,
            lambda k, x, now, before: ((2 * k + 1) * x * now - k * before) / (k + 1))
