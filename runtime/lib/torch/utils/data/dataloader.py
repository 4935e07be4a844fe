"""`DataLoader`: batches of a data set, in the order a sampler says."""

from torch import _C
from torch.utils.data._utils import default_collate, default_convert
from torch.utils.data.dataset import IterableDataset
from torch.utils.data.sampler import BatchSampler, RandomSampler, SequentialSampler

_F = _C._functions


class _Endless:
    """The sampler of a stream: nothing is chosen, each None asks for the next example."""

    def __iter__(self):
        while True:
            yield None


class DataLoader:
    """Iterates over batches of `dataset`.

    `shuffle`: random order, anew each time. `drop_last`: no smaller batch at the end. `collate_fn`: makes a batch of
    a list of examples. `num_workers` is accepted; the data is loaded in this process all the same.
    """

    __initialized = False

    def __class_getitem__(cls, item):
        return cls

    def __init__(self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0,
                 collate_fn=None, pin_memory=False, drop_last=False, timeout=0, worker_init_fn=None,
                 multiprocessing_context=None, generator=None, *, prefetch_factor=None, persistent_workers=False,
                 pin_memory_device="", in_order=True):
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        if multiprocessing_context is not None and num_workers == 0:
            raise ValueError(
                "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got "
                f"num_workers={num_workers}"
            )
        self.dataset = dataset
        self.num_workers = num_workers
        self.prefetch_factor = 2 if prefetch_factor is None and num_workers > 0 else prefetch_factor
        self.pin_memory, self.pin_memory_device = pin_memory, pin_memory_device
        self.timeout, self.worker_init_fn = timeout, worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order
        self._stream = isinstance(dataset, IterableDataset)
        if self._stream:
            _check_stream(shuffle, sampler, batch_sampler)
        else:
            shuffle = bool(shuffle)
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
                )
            batch_size, drop_last = None, False
        elif batch_size is None and drop_last:
            raise ValueError(
                "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
            )
        if sampler is None:
            if self._stream:
                sampler = _Endless()
            elif shuffle:
                sampler = RandomSampler(dataset, generator=generator)
            else:
                sampler = SequentialSampler(dataset)
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size, self.drop_last = batch_size, drop_last
        self.sampler, self.batch_sampler, self.generator = sampler, batch_sampler, generator
        if collate_fn is None:
            collate_fn = default_collate if batch_sampler is not None else default_convert
        self.collate_fn = collate_fn
        self.persistent_workers = persistent_workers
        self.__initialized = True

    def __setattr__(self, name, value):
        if self.__initialized and name in (
            "batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers"
        ):
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        object.__setattr__(self, name, value)

    @property
    def _index_sampler(self):
        return self.sampler if self.batch_sampler is None else self.batch_sampler

    def __iter__(self):
        return _Iterator(self)

    def __len__(self):
        if not self._stream:
            return len(self._index_sampler)
        length = len(self.dataset)
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else -(-length // self.batch_size)

    def check_worker_number_rationality(self):
        """Nothing to check: no processes are started."""


def _check_workers(num_workers, timeout, prefetch_factor, persistent_workers):
    if num_workers < 0:
        raise ValueError(
            "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing."
        )
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if num_workers == 0 and prefetch_factor is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable "
            "multiprocessing, otherwise set prefetch_factor to None."
        )
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent_workers and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")
    if num_workers > 0:
        import warnings

        warnings.warn(
            f"DataLoader: num_workers={num_workers} is accepted, but there are no worker processes here: the data is "
            "loaded in this process.",
            stacklevel=3,
        )


def _check_stream(shuffle, sampler, batch_sampler):
    if shuffle not in (False, None):
        raise ValueError(
            f"DataLoader with IterableDataset: expected unspecified shuffle option, but got shuffle={shuffle}"
        )
    if sampler is not None:
        raise ValueError(
            f"DataLoader with IterableDataset: expected unspecified sampler option, but got sampler={sampler}"
        )
    if batch_sampler is not None:
        raise ValueError(
            "DataLoader with IterableDataset: expected unspecified batch_sampler option, but got "
            f"batch_sampler={batch_sampler}"
        )


class _Iterator:
    """One pass over the data."""

    def __init__(self, loader):
        if loader.num_workers == 0 and loader.timeout != 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        if loader.pin_memory:
            import warnings

            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be "
                "used.",
                stacklevel=3,
            )
        # PyTorch draws a seed for its workers here, also when there are none: drawn too, so that what
        # is random afterwards is the same.
        _F.empty((), dtype=_C.int64).random_(generator=loader.generator).item()
        self._loader = loader
        self._indices = iter(loader._index_sampler)
        self._many = getattr(loader.dataset, "__getitems__", None)
        self._source = iter(loader.dataset) if loader._stream else None
        self._ended = False

    def __iter__(self):
        return self

    def __next__(self):
        index = next(self._indices)
        loader = self._loader
        if self._source is not None:
            data = self._from_stream(index)
        elif loader.batch_sampler is None:
            data = loader.dataset[index]
        elif self._many is not None:
            data = self._many(index)
        else:
            dataset = loader.dataset
            data = [dataset[i] for i in index]
        return loader.collate_fn(data)

    def _from_stream(self, index):
        if self._ended:
            raise StopIteration
        if self._loader.batch_sampler is None:
            return next(self._source)
        batch = []
        for _ in index:
            try:
                batch.append(next(self._source))
            except StopIteration:
                self._ended = True
                break
        if not batch or self._loader.drop_last and len(batch) < len(index):
            raise StopIteration
        return batch

    def __len__(self):
        return len(self._loader._index_sampler)
