"""`Generator`: what `default_rng` gives, over PCG64."""

import os

import _numpy
from numpy import _hub
from numpy._array import ndarray, wrap
from numpy._dtype import FLOAT32, FLOAT64, INT64, dtype as Dtype
from numpy._make import asarray
from numpy.random._common import Distributions, count, sizes, words_of
from numpy.random._state import by_chance, chances, chosen, pool_of, shuffle_with, without_replacement


class SeedSequence:
    """Seeds of any length, stirred."""

    __module__ = "numpy.random"

    def __init__(self, entropy=None, *, spawn_key=(), pool_size=4, n_children_spawned=0):
        if entropy is None:
            entropy = int.from_bytes(os.urandom(16), "little")
        self.entropy, self.spawn_key, self.n_children_spawned = entropy, tuple(spawn_key), n_children_spawned

    def _words(self):
        items = self.entropy if isinstance(self.entropy, (list, tuple, ndarray)) and getattr(
            self.entropy, "ndim", 1) else [self.entropy]
        words = []
        for item in items:
            item = item.__index__()
            if item < 0:
                raise ValueError("expected non-negative integer")
            words += words_of(item)
        if self.spawn_key:
            words += [0] * (4 - len(words))
            for key in self.spawn_key:
                words += words_of(key)
        return words

    def generate_state(self, n_words, dtype="uint32"):
        dt = Dtype(dtype)
        return asarray(_numpy.seed_words(self._words(), n_words), dt)

    def spawn(self, n_children):
        first = self.n_children_spawned
        self.n_children_spawned += n_children
        return [SeedSequence(self.entropy, spawn_key=self.spawn_key + (i,)) for i in range(first, first + n_children)]

    def __repr__(self):
        more = f"    spawn_key={self.spawn_key},\n" if self.spawn_key else ""
        return f"SeedSequence(\n    entropy={self.entropy},\n{more})"


class BitGenerator:
    """A source of random bits."""

    __module__ = "numpy.random"


class PCG64(BitGenerator):
    """The source behind `default_rng`."""

    __module__ = "numpy.random._pcg64"

    def __init__(self, seed=None):
        self.seed_seq = seed if isinstance(seed, SeedSequence) else SeedSequence(seed)
        self._stream = _numpy.Stream(2, self.seed_seq._words())


class Generator(Distributions):
    """A stream with the new functions."""

    __module__ = "numpy.random._generator"

    def __init__(self, bit_generator):
        self.bit_generator = bit_generator
        self._stream = bit_generator._stream

    def __repr__(self):
        return f"Generator({type(self.bit_generator).__name__}) at 0x{id(self):X}"

    def __str__(self):
        return f"Generator({type(self.bit_generator).__name__})"

    def spawn(self, n_children):
        return [Generator(PCG64(s)) for s in self.bit_generator.seed_seq.spawn(n_children)]

    def _typed(self, kind, size, dtype, out):
        dt = Dtype(dtype)
        if dt.kind != "f" or dt.itemsize < 4:
            raise TypeError(f"Unsupported dtype {dt!r} for {'random' if kind == 'random' else 'standard_normal'}")
        shape = sizes(size) if out is None else list(out.shape)
        name = kind if dt is FLOAT64 else kind + "32"
        drawn = getattr(self._stream, name)(count(shape))
        if out is not None:
            out[...] = wrap(drawn.reshape(shape), dt)
            return out
        if shape is None:
            return drawn.item()
        return wrap(drawn.reshape(shape), dt)

    def random(self, size=None, dtype=float, out=None):
        """Numbers in [0, 1)."""
        return self._typed("random", size, dtype, out)

    def standard_normal(self, size=None, dtype=float, out=None):
        """Normal numbers."""
        return self._typed("normal", size, dtype, out)

    def integers(self, low, high=None, size=None, dtype=Dtype("int64"), endpoint=False):
        """Integers from `low` to before `high` (or with it)."""
        return self._integers(low, high, size, dtype, endpoint)

    def shuffle(self, x, axis=0):
        """Put the rows in a random order, in place."""
        shuffle_with(self._stream.order, _hub.moveaxis(x, axis, 0) if axis else x)

    def permutation(self, x, axis=0):
        """The rows, or the numbers below `x`, in a random order."""
        if isinstance(x, int) or hasattr(x, "__index__") and not isinstance(x, ndarray) and not hasattr(x, "dim"):
            return wrap(self._stream.order(int(x)), INT64)
        a = asarray(x)
        order = wrap(self._stream.order(a.shape[axis]), INT64)
        return a[(slice(None),) * axis + (order,)]

    def permuted(self, x, *, axis=None, out=None):
        """Each row shuffled by itself."""
        a = asarray(x).copy()
        if axis is None:
            return self.permutation(a.ravel()).reshape(a.shape)
        rows = _hub.moveaxis(a, axis, -1)
        flat = rows.copy().reshape(-1, rows.shape[-1])
        for i in range(len(flat)):
            self.shuffle(flat[i])
        return _hub.moveaxis(flat.reshape(rows.shape), -1, axis).copy()

    def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
        """Elements of `a`, or numbers below it, at random."""
        pool, n = pool_of(a)
        if pool is not None and axis:
            pool = _hub.moveaxis(pool, axis, 0)
        if n <= 0 and count(sizes(size)):
            raise ValueError("a must be a positive integer unless no samples are taken" if pool is None else
                             "a cannot be empty unless no samples are taken")
        shape = sizes(size)
        p = chances(p, n)
        if replace:
            if p is not None:
                index = asarray(by_chance(p, asarray(self.random(size))))
            else:
                index = asarray(self._integers(0, n, size, Dtype("int64"), False))
        else:
            index = without_replacement(self, n, shape, p, lambda k: wrap(self._stream.sample(n, k, shuffle), INT64))
        if shape is None and pool is None:
            return int(index.ravel()[0] if index.ndim else index)
        value = chosen(pool, index, shape)
        return _hub.moveaxis(value, 0, axis) if axis and isinstance(value, ndarray) else value


def default_rng(seed=None):
    """A new stream, the same one for the same seed."""
    if isinstance(seed, Generator):
        return seed
    return Generator(seed if isinstance(seed, PCG64) else PCG64(seed))
