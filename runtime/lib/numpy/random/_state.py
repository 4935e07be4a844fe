"""`RandomState`: the Mersenne Twister, as `np.random.seed` knows it."""

import os

import _numpy
from numpy import _hub
from numpy._array import ndarray
from numpy._dtype import INT64
from numpy._make import array, asarray
from numpy.random._common import _OLD, Distributions, count, sizes


class MT19937:
    """The twister as a source of bits."""

    __module__ = "numpy.random"

    def __init__(self, seed=None):
        self._stream = _stream(seed)


def _stream(seed):
    if seed is None:
        return _numpy.Stream(1, list(int.from_bytes(os.urandom(4), "little") for _ in range(4)))
    if isinstance(seed, (list, tuple, ndarray)) and getattr(seed, "ndim", 1):
        words = [int(s) for s in seed]
        if not words:
            raise ValueError("Seed must be non-empty")
        if any(not 0 <= w < 1 << 32 for w in words):
            raise ValueError("Seed must be between 0 and 2**32 - 1")
        return _numpy.Stream(1, words)
    try:
        number = seed.__index__()
    except AttributeError:
        raise TypeError(f"Cannot cast scalar from dtype('{type(seed).__name__}64') to dtype('int64') according to the "
                        "rule 'safe'") from None
    if not 0 <= number < 1 << 32:
        raise ValueError("Seed must be between 0 and 2**32 - 1")
    return _numpy.Stream(0, [number])


class RandomState(Distributions):
    """A stream of its own with the old functions."""

    __module__ = "numpy.random"

    def __init__(self, seed=None):
        self._stream = seed._stream if isinstance(seed, MT19937) else _stream(seed)

    def __repr__(self):
        return f"RandomState(MT19937) at 0x{id(self):X}"

    def seed(self, seed=None):
        """Begin the stream anew."""
        self._stream.take(_stream(seed))

    def get_state(self, legacy=True):
        words, at, second = self._stream.words()
        from numpy._dtype import dtype

        return ("MT19937", asarray(words, dtype("uint32")), at, int(second is not None), second or 0.0)

    def set_state(self, state):
        if isinstance(state, dict):
            inner = state["state"]
            state = (state["bit_generator"], inner["key"], inner["pos"], state["has_gauss"], state["gauss"])
        name, words, at = state[:3]
        second = state[4] if len(state) > 3 and state[3] else None
        self._stream.set_words([int(w) for w in words], int(at), second)

    def rand(self, *shape):
        """Numbers in [0, 1), in a shape."""
        return self._draw("random", shape or None)

    def randn(self, *shape):
        """Normal numbers, in a shape."""
        return self._draw("normal", shape or None)

    def random_sample(self, size=None):
        return self._draw("random", size)

    random = random_sample

    def standard_normal(self, size=None):
        return self._draw("normal", size)

    def randint(self, low, high=None, size=None, dtype=int):
        """Integers from `low` to before `high`."""
        return self._integers(low, high, size, dtype, False)

    def random_integers(self, low, high=None, size=None):
        low, high = (1, low) if high is None else (low, high)
        return self._integers(low, high, size, int, True)

    def shuffle(self, x):
        """Put the rows in a random order, in place."""
        shuffle_with(self._stream.order, x)

    def permutation(self, x):
        """The rows, or the numbers below `x`, in a random order."""
        if isinstance(x, int) or hasattr(x, "__index__") and not isinstance(x, ndarray) and not hasattr(x, "dim"):
            return _hub.wrap(self._stream.order(int(x)), INT64)
        a = asarray(x)
        if a.ndim == 0:
            raise IndexError("x must be an integer or at least 1-dimensional")
        return a[_hub.wrap(self._stream.order(len(a)), INT64)]

    def choice(self, a, size=None, replace=True, p=None):
        """Elements of `a`, or numbers below it, at random."""
        pool, n = pool_of(a)
        if pool is not None and pool.ndim != 1:
            raise ValueError("a must be 1-dimensional")
        if n <= 0 and count(sizes(size)):
            raise ValueError("a must be greater than 0 unless no samples are taken" if pool is None else
                             "'a' cannot be empty unless no samples are taken")
        shape = sizes(size)
        p = chances(p, n)
        if replace:
            if p is not None:
                index = asarray(by_chance(p, asarray(self.random_sample(size))))
            else:
                index = asarray(self._integers(0, n, size, int, False))
        else:
            index = without_replacement(self, n, shape, p, lambda k: self.permutation(n)[:k])
        return chosen(pool, index, shape)


def pool_of(a):
    if isinstance(a, int) or hasattr(a, "__index__") and not isinstance(a, ndarray):
        return None, int(a)
    pool = asarray(a)
    return (None, int(pool)) if pool.ndim == 0 else (pool, len(pool))


def chances(p, n):
    if p is None:
        return None
    p = array(p, float)
    if p.ndim != 1:
        raise ValueError("'p' must be 1-dimensional")
    if len(p) != n:
        raise ValueError("'a' and 'p' must have same size")
    if (p < 0).any():
        raise ValueError("Probabilities are not non-negative")
    if abs(p.sum() - 1.0) > 1.5e-8:
        raise ValueError("probabilities do not sum to 1")
    return p


def by_chance(p, u):
    cdf = p.cumsum()
    cdf /= cdf[-1]
    return cdf.searchsorted(u, side="right")


def without_replacement(rng, n, shape, p, pick):
    k = count(shape)
    if k > n:
        raise ValueError("Cannot take a larger sample than population when 'replace=False'" if type(rng).__name__ ==
                         "RandomState" else "Cannot take a larger sample than population when replace is False")
    if p is None:
        return asarray(pick(k))
    if int((p > 0).sum()) < k:
        raise ValueError("Fewer non-zero entries in p than size")
    found = []
    p = p.copy()
    while len(found) < k:
        x = rng.random(k - len(found)) if type(rng).__name__ != "RandomState" else rng.rand(k - len(found))
        if found:
            p[found] = 0
        cdf = p.cumsum()
        cdf /= cdf[-1]
        new = cdf.searchsorted(x, side="right").tolist()
        for i in new:
            if i not in found:
                found.append(i)
    return array(found[:k], int)


def chosen(pool, index, shape):
    """The elements at places, in the shape asked for."""
    if shape is None:
        at = int(index.ravel()[0]) if index.ndim else int(index)
        return at if pool is None else pool[at]
    index = index.reshape(shape)
    return index if pool is None else pool[index]


def shuffle_with(order, x):
    if isinstance(x, ndarray):
        if x.ndim == 0:
            raise TypeError("len() of unsized object")
        if x._ro:
            raise ValueError("array is read-only")
        x[...] = x[_hub.wrap(order(len(x)), INT64)]
        return
    places = order(len(x)).tolist()
    if hasattr(x, "dim"):
        x.copy_(x[places])
        return
    items = [x[i] for i in places]
    for i, item in enumerate(items):
        x[i] = item


_OLD[0] = RandomState
