"""Samplers: in which order, and in which batches, the examples are taken."""

from torch import _C

_F = _C._functions


class Sampler:
    """Base of samplers. Define `__iter__()`, which gives indices, and usually `__len__()`."""

    def __init__(self, data_source=None):
        pass

    def __class_getitem__(cls, item):
        return cls

    def __iter__(self):
        raise NotImplementedError


class SequentialSampler(Sampler):
    """0, 1, 2, …"""

    def __init__(self, data_source):
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


def _positive(num_samples):
    if not isinstance(num_samples, int) or isinstance(num_samples, bool) or num_samples <= 0:
        raise ValueError(f"num_samples should be a positive integer value, but got num_samples={num_samples}")


class RandomSampler(Sampler):
    """All indices in random order, or random ones with replacement."""

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        self.data_source, self.replacement = data_source, replacement
        self._num_samples, self.generator = num_samples, generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        _positive(self.num_samples)

    @property
    def num_samples(self):
        """How many are drawn: the size of the data, unless told otherwise."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self):
        n, count = len(self.data_source), self.num_samples
        generator = self.generator
        if generator is None:
            # A generator of its own, seeded by the default one: draws in between do not change the order.
            seed = int(_F.empty((), dtype=_C.int64).random_().item())
            generator = _C.Generator().manual_seed(seed)
        if self.replacement:
            for _ in range(count // 32):
                yield from _F.randint(n, (32,), dtype=_C.int64, generator=generator).tolist()
            yield from _F.randint(n, (count % 32,), dtype=_C.int64, generator=generator).tolist()
        else:
            for _ in range(count // n):
                yield from _F.randperm(n, generator=generator).tolist()
            yield from _F.randperm(n, generator=generator).tolist()[:count % n]

    def __len__(self):
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """The given indices in random order."""

    def __init__(self, indices, generator=None):
        self.indices, self.generator = indices, generator

    def __iter__(self):
        kwargs = {} if self.generator is None else {"generator": self.generator}
        for i in _F.randperm(len(self.indices), **kwargs).tolist():
            yield self.indices[i]

    def __len__(self):
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """Indices drawn with the given weights."""

    def __init__(self, weights, num_samples, replacement=True, generator=None):
        _positive(num_samples)
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        weights = _F.as_tensor(weights, dtype=_C.float64)
        if weights.dim() != 1:
            raise ValueError(f"weights should be a 1d sequence but given weights have shape {tuple(weights.shape)}")
        self.weights, self.num_samples = weights, num_samples
        self.replacement, self.generator = replacement, generator

    def __iter__(self):
        kwargs = {} if self.generator is None else {"generator": self.generator}
        yield from _F.multinomial(self.weights, self.num_samples, self.replacement, **kwargs).tolist()

    def __len__(self):
        return self.num_samples


def check_batch_size(batch_size):
    """A batch has at least one example."""
    if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size <= 0:
        raise ValueError(f"batch_size should be a positive integer value, but got batch_size={batch_size}")


class BatchSampler(Sampler):
    """Lists of `batch_size` indices of another sampler."""

    def __init__(self, sampler, batch_size, drop_last):
        check_batch_size(batch_size)
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self):
        batch = []
        for index in self.sampler:
            batch.append(index)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def __len__(self):
        n = len(self.sampler)
        return n // self.batch_size if self.drop_last else (n + self.batch_size - 1) // self.batch_size
