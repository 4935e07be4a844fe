from collections import namedtuple

import torch
from torch.utils.data import DataLoader, default_collate, default_convert

Point = namedtuple("Point", "x y")
print(default_collate([(1, "a"), (2, "b")]))
print(default_collate([{"a": 1, "b": [2.0, torch.ones(1)]}, {"a": 3, "b": [4.0, torch.zeros(1)]}]))
print(default_collate([Point(1, 2.0), Point(3, 4.0)]))
print(default_convert([1, "a", {"k": 2.5}]))
print(list(DataLoader([(0, "zero", True), (1, "one", False), (2, "two", True)], batch_size=2)))
for batch in ([[1, 2], [3]], [None, None], [torch.ones(2), torch.ones(3)], [{"a": 1}, {"b": 2}]):
    try:
        print(default_collate(batch))
    except (RuntimeError, TypeError, KeyError) as e:
        print(type(e).__name__, e)
for options in ({"timeout": 2}, {"multiprocessing_context": "fork"}, {"prefetch_factor": 2}, {"batch_size": 0}):
    try:
        list(DataLoader([1, 2], **options))
    except (ValueError, AssertionError) as e:
        print(type(e).__name__, e)
