"""Data sets, samplers, and the `DataLoader` that makes batches of them."""

from torch._missing import module_getattr
from torch.utils.data._utils import default_collate, default_convert, get_worker_info
from torch.utils.data.dataloader import DataLoader
from torch.utils.data.dataset import (
    ChainDataset, ConcatDataset, Dataset, IterableDataset, StackDataset, Subset, TensorDataset, random_split,
)
from torch.utils.data.sampler import (
    BatchSampler, RandomSampler, Sampler, SequentialSampler, SubsetRandomSampler, WeightedRandomSampler,
)

_LAZY = {"DistributedSampler": "torch.utils.data.distributed"}
__getattr__ = module_getattr("torch.utils.data", frozenset(("distributed",)), _LAZY)
