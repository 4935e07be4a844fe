"""Several devices. There is one here, so a wrapped model runs as it would without the wrapping."""

from torch.nn.modules.module import Module


class DataParallel(Module):
    """Runs a module on several GPUs, each a part of the batch. Without GPUs, it calls the module."""

    def __init__(self, module, device_ids=None, output_device=None, dim=0):
        super().__init__()
        self.device_ids = []
        self.module = module
        self.dim = dim

    def forward(self, *inputs, **kwargs):
        return self.module(*inputs, **kwargs)


class DistributedDataParallel(Module):
    """Trains copies of a module in several processes: there are none here, and PyTorch says so in these words."""

    def __init__(self, module, device_ids=None, output_device=None, dim=0, **options):
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")


def data_parallel(module, inputs, device_ids=None, output_device=None, dim=0, module_kwargs=None):
    """Runs `module` once on several GPUs, of which there are none."""
    raise RuntimeError("device type could not be determined")


def __getattr__(name):
    if name == "distributed":
        import sys

        return sys.modules[__name__]
    raise AttributeError(f"torch.nn.parallel.{name} needs several devices, and there is one here")
