"""Several processes: there is one here. Questions are answered as PyTorch does before a process group is made, and a
group cannot be made."""

from enum import Enum

_NONE = "Default process group has not been initialized, please make sure to call init_process_group."


class ReduceOp(Enum):
    """How values of several processes become one."""

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7

    def __repr__(self):
        return f"<RedOpType.{self.name}: {self.value}>"


class Backend(str):
    """The name of a way to exchange values."""

    UNDEFINED, GLOO, NCCL, MPI, UCC = "undefined", "gloo", "nccl", "mpi", "ucc"


class DistError(RuntimeError):
    """An error of the exchange."""


class DistBackendError(DistError):
    """An error of a way to exchange."""


class DistNetworkError(DistError):
    """An error of the network."""


class DistStoreError(DistError):
    """An error of the store."""


class _Group:
    WORLD = None


group = GroupMember = _Group
ProcessGroup = _Group


def is_available():
    """False: there are no other processes."""
    return False


def is_initialized():
    return False


def is_torchelastic_launched():
    return False


def is_nccl_available():
    return False


is_gloo_available = is_mpi_available = is_ucc_available = is_xccl_available = is_nccl_available


def is_backend_available(backend):
    return False


def init_process_group(backend=None, init_method=None, timeout=None, world_size=-1, rank=-1, store=None, **options):
    """A group of processes cannot be made here."""
    raise NotImplementedError(
        "torch.distributed.init_process_group is part of PyTorch, but there is one process here: several cannot be "
        "joined"
    )


def destroy_process_group(group=None):
    raise AssertionError("Process group cannot be None")


def _needs_group(*args, **kwargs):
    raise ValueError(_NONE)


for _name in (
    "get_rank get_world_size get_backend barrier all_reduce broadcast all_gather all_gather_object gather scatter reduce "
    "reduce_scatter all_to_all send recv isend irecv new_group broadcast_object_list all_gather_into_tensor "
    "all_to_all_single gather_object scatter_object_list reduce_scatter_tensor monitored_barrier batch_isend_irecv "
    "get_process_group_ranks get_global_rank get_group_rank new_subgroups"
).split():
    globals()[_name] = _needs_group


def get_node_local_rank(fallback_rank=None):
    """The rank on this machine, if nobody gave another."""
    if fallback_rank is not None:
        return int(fallback_rank)
    raise RuntimeError(
        "LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow `get_node_local_rank` to work, "
        "assuming you are not running in a multi-device context and want the code to run locally instead."
    )


__path__ = []
