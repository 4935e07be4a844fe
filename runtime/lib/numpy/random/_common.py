"""Distributions that both kinds of generator have."""

from numpy import _hub
from numpy._array import ndarray, wrap
from numpy._create import shape_of
from numpy._dtype import FLOAT64, INT64, dtype as Dtype, limits
from numpy._make import asarray


def sizes(size):
    """A size as a shape; None for a single number."""
    return None if size is None else shape_of(size)


def count(shape):
    n = 1
    for s in shape or ():
        n *= s
    return n


def words_of(seed):
    """A number's 32-bit words, lowest first."""
    words = []
    while True:
        words.append(seed & 0xFFFFFFFF)
        seed >>= 32
        if not seed:
            return words


class Distributions:
    """Draws from a stream."""

    __module__ = "numpy.random"

    def _floats(self, drawn, shape, dt=FLOAT64):
        if shape is None:
            return drawn.item()
        return wrap(drawn.reshape(shape), dt)

    def _draw(self, kind, size):
        shape = sizes(size)
        return self._floats(getattr(self._stream, kind)(count(shape)), shape)

    def _shaped(self, size, *parameters):
        """The parameters' common shape, when they are arrays."""
        if all(not isinstance(p, (ndarray, list, tuple)) and not hasattr(p, "dim") for p in parameters):
            return parameters, size
        arrays = [asarray(p) for p in parameters]
        if size is None:
            size = _hub.broadcast_shapes(*(a.shape for a in arrays))
        return arrays, size

    def _each(self, draw, size, *parameters):
        """A draw for each element of parameters that may be arrays."""
        parameters, size = self._shaped(size, *parameters)
        shape = sizes(size)
        if not isinstance(parameters[0], ndarray):
            drawn = draw(*parameters, count(shape))
            return drawn.item() if shape is None else _hub.of(drawn.reshape(shape))
        rows = [_hub.broadcast_to(asarray(p), shape).ravel().tolist() for p in parameters]
        flat = [draw(*row, 1).item() for row in zip(*rows)]
        return asarray(flat).reshape(shape)

    def standard_exponential(self, size=None, dtype=float, method="zig", out=None):
        return self._draw("exponential", size)

    def uniform(self, low=0.0, high=1.0, size=None):
        """Evenly between two numbers."""
        (low, high), size = self._shaped(size, low, high)
        span = high - low
        if not isinstance(span, ndarray) and (span != span or span in (float("inf"), -float("inf"))):
            raise OverflowError("Range exceeds valid bounds" if isinstance(self, _OLD[0]) else
                                "high - low range exceeds valid bounds")
        drawn = self._draw("random", size)
        return _plain(low + span * drawn, size)

    def normal(self, loc=0.0, scale=1.0, size=None):
        """Of a bell curve."""
        (loc, scale), size = self._shaped(size, loc, scale)
        if (asarray(scale) < 0).any():
            raise ValueError("scale < 0")
        return _plain(loc + scale * self._draw("normal", size), size)

    def exponential(self, scale=1.0, size=None):
        (scale,), size = self._shaped(size, scale)
        if (asarray(scale) < 0).any():
            raise ValueError("scale < 0")
        return _plain(scale * self._draw("exponential", size), size)

    def lognormal(self, mean=0.0, sigma=1.0, size=None):
        return _plain(_hub.ufuncs["exp"](self.normal(mean, sigma, size)), size)

    def poisson(self, lam=1.0, size=None):
        """Counts of rare events."""
        if (asarray(lam) < 0).any():
            raise ValueError("lam < 0 or lam contains NaNs")
        return self._each(lambda m, n: self._stream.poisson(float(m), n), size, lam)

    def binomial(self, n, p, size=None):
        """How many of `n` tries succeed."""
        if (asarray(n) < 0).any():
            raise ValueError("n < 0")
        if (asarray(p) < 0).any() or (asarray(p) > 1).any():
            raise ValueError("p < 0, p > 1 or p is NaN")
        return self._each(lambda t, q, k: self._stream.binomial(int(t), float(q), k), size, n, p)

    def standard_gamma(self, shape, size=None, dtype=float, out=None):
        if (asarray(shape) < 0).any():
            raise ValueError("shape < 0")
        return self._each(lambda s, n: self._stream.gamma(float(s), n), size, shape)

    def gamma(self, shape, scale=1.0, size=None):
        return _plain(scale * self.standard_gamma(shape, size), size)

    def chisquare(self, df, size=None):
        return self._each(lambda d, n: 2.0 * self._stream.gamma(d / 2.0, n), size, df)

    def beta(self, a, b, size=None):
        """Between 0 and 1, by two shapes."""
        if a <= 1.0 and b <= 1.0:
            raise NotImplementedError("beta with both shapes at most 1 is not available here")

        def one():
            x = self._stream.gamma(float(a), 1).item()
            return x / (x + self._stream.gamma(float(b), 1).item())

        return one() if size is None else asarray([one() for _ in range(count(sizes(size)))]).reshape(sizes(size))

    def standard_t(self, df, size=None):
        def one():
            top = self._stream.normal(1).item()
            return (df / 2.0) ** 0.5 * top / self._stream.gamma(df / 2.0, 1).item() ** 0.5

        return one() if size is None else asarray([one() for _ in range(count(sizes(size)))]).reshape(sizes(size))

    def dirichlet(self, alpha, size=None):
        """Shares that add up to 1."""
        shape = [] if size is None else sizes(size)
        rows = []
        for _ in range(count(shape)):
            row = [self._stream.gamma(float(a), 1).item() for a in alpha]
            total = 0.0
            for x in row:
                total += x
            inverse = 1.0 / total
            rows.append([x * inverse for x in row])
        return asarray(rows).reshape(list(shape) + [len(alpha)])

    def multinomial(self, n, pvals, size=None):
        """How often each of several outcomes comes."""
        p = [float(x) for x in pvals]
        if sum(p[:-1]) > 1.0 + 1e-12:
            raise ValueError("sum(pvals[:-1]) > 1.0")
        shape = [] if size is None else sizes(size)
        rows = []
        for _ in range(count(shape)):
            left, share, row = int(n), 1.0, [0] * len(p)
            for j in range(len(p) - 1):
                row[j] = self._stream.binomial(left, p[j] / share, 1).item()
                left -= row[j]
                if left <= 0:
                    break
                share -= p[j]
            if left > 0:
                row[-1] = left
            rows.append(row)
        return asarray(rows).reshape(list(shape) + [len(p)])

    def _inverse(self, size, transform):
        u = self._draw("random", size)
        return _plain(transform(u), size)

    def laplace(self, loc=0.0, scale=1.0, size=None):
        log = _hub.ufuncs["log"]

        def transform(u):
            u = asarray(u)
            return _hub.where(u >= 0.5, loc - scale * log(2.0 - u - u), loc + scale * log(u + u))[()]

        return self._inverse(size, transform)

    def logistic(self, loc=0.0, scale=1.0, size=None):
        log = _hub.ufuncs["log"]
        return self._inverse(size, lambda u: loc + scale * log(u / (1.0 - u)))

    def gumbel(self, loc=0.0, scale=1.0, size=None):
        log = _hub.ufuncs["log"]
        return self._inverse(size, lambda u: loc - scale * log(-log(1.0 - u)))

    def rayleigh(self, scale=1.0, size=None):
        if isinstance(self, _OLD[0]):
            return self._inverse(size, lambda u: scale * _hub.ufuncs["sqrt"](-2.0 * _hub.ufuncs["log"](1.0 - u)))
        return _plain(scale * _hub.ufuncs["sqrt"](2.0 * asarray(self._draw("exponential", size)))[()], size)

    def weibull(self, a, size=None):
        return _plain(asarray(self._draw("exponential", size))[()] ** (1.0 / a), size)

    def pareto(self, a, size=None):
        if isinstance(self, _OLD[0]):
            return _plain(_hub.ufuncs["exp"](self._draw("exponential", size) / a) - 1, size)
        return _plain(_hub.ufuncs["expm1"](self._draw("exponential", size) / a), size)

    def power(self, a, size=None):
        if not isinstance(self, _OLD[0]):
            e = _hub.ufuncs["expm1"](-asarray(self._draw("exponential", size)))
            return _plain((-e)[()] ** (1.0 / a), size)
        e = _hub.ufuncs["exp"](-asarray(self._draw("exponential", size)))
        return _plain((1 - e)[()] ** (1.0 / a), size)

    def standard_cauchy(self, size=None):
        n = count(sizes(size))
        flat = self._stream.normal(2 * n).reshape(n, 2)
        value = flat[:, 0] / flat[:, 1]
        return self._floats(value, sizes(size))

    def triangular(self, left, mode, right, size=None):
        base, leftbase = right - left, mode - left
        ratio = leftbase / base
        sqrt = _hub.ufuncs["sqrt"]

        def transform(u):
            u = asarray(u)
            return _hub.where(u <= ratio, left + sqrt(u * (leftbase * base)),
                              right - sqrt(_hub.ufuncs["maximum"]((1.0 - u) * ((right - mode) * base), 0.0)))[()]

        return self._inverse(size, transform)

    def geometric(self, p, size=None):
        def one():
            if p >= 1 / 3:
                x, total, share = 1, p, p
                u = self._stream.random(1).item()
                while u > total:
                    share *= 1.0 - p
                    total += share
                    x += 1
                return x
            from math import ceil, log, log1p

            if isinstance(self, _OLD[0]):
                return int(ceil(log(1.0 - self._stream.random(1).item()) / log(1.0 - p)))
            return int(ceil(-self._stream.exponential(1).item() / log1p(-p)))

        return one() if size is None else asarray([one() for _ in range(count(sizes(size)))]).reshape(sizes(size))

    def bytes(self, length):
        words = [self._stream.bits32() for _ in range((length - 1) // 4 + 1)]
        return b"".join(w.to_bytes(4, "little") for w in words)[:length]

    def _integers(self, low, high, size, dtype, endpoint):
        if high is None:
            low, high = 0, low
        dt = Dtype(dtype)
        (low, high), size = self._shaped(size, low, high)
        if isinstance(low, ndarray):
            shape = sizes(size)
            pairs = zip(*(_hub.broadcast_to(asarray(p), shape).ravel().tolist() for p in (low, high)))
            flat = [self._integers(a, b, None, dtype, endpoint) for a, b in pairs]
            return asarray(flat, dt).reshape(shape)
        low, high = int(low), int(high) - (not endpoint)
        least, most = limits(dt)
        if low < least:
            raise ValueError(f"low is out of bounds for {dt.name}")
        if high > most:
            raise ValueError(f"high is out of bounds for {dt.name}")
        if low > high:
            raise ValueError("low >= high" if not endpoint else "low > high")
        shape = sizes(size)
        width = 1 if dt.kind == "b" else 8 * dt.itemsize
        drawn = self._stream.bounded(low, high - low, width, count(shape))
        if shape is None:
            if Dtype(dtype) is INT64 and (dtype is int or isinstance(self, _OLD[0]) and dtype is int):
                return drawn.item()
            return dt.type._of(bool(drawn.item()) if dt.kind == "b" else drawn.item())
        return wrap(_hub.convert(drawn.reshape(shape), INT64, dt), dt)

    def multivariate_normal(self, mean, cov, size=None, check_valid="warn", tol=1e-8, *, method="svd"):
        """Of a bell curve in several dimensions."""
        from numpy import linalg

        mean, cov = asarray(mean, float), asarray(cov, float)
        shape = [] if size is None else sizes(size)
        n = len(mean)
        if cov.shape != (n, n):
            raise ValueError("mean and cov must have same length")
        x = self.standard_normal(list(shape) + [n]).reshape(-1, n)
        if method == "cholesky":
            x = mean + x @ linalg.cholesky(cov).T
        elif method == "eigh":
            s, u = linalg.eigh(cov)
            x = mean + x @ (u * _hub.ufuncs["sqrt"](s)).T
        else:
            u, s, v = linalg.svd(cov)
            if isinstance(self, _OLD[0]):
                x = x @ (_hub.ufuncs["sqrt"](s)[:, None] * v) + mean
            else:
                x = mean + x @ (u * _hub.ufuncs["sqrt"](s)).T
        return x.reshape(list(shape) + [n])


def _plain(value, size):
    """A single draw is one of Python's floats."""
    return value.item() if size is None and hasattr(value, "item") and not getattr(value, "shape", ()) else value


_OLD = [()]
