"""Parts of PyTorch that can be imported here, and say on use that they are not available.

Programs import them before they know whether they need them; so the import succeeds, and the error names what is missing
where it is used.
"""

import sys
from _frozen_importlib import ModuleSpec  # `importlib.machinery` would load five modules more with every `import torch`

ModuleType = type(sys)

# Module -> names that are functions of it, classes (with a capital) among them.
_ABSENT = {
    "torch.onnx": "export dynamo_export is_in_onnx_export ONNXProgram ExportOptions OnnxExporterError",
    "torch.export": "export save load Dim ExportedProgram draft_export register_dataclass unflatten",
    "torch.quantization": "quantize quantize_dynamic quantize_qat prepare prepare_qat convert get_default_qconfig "
                          "get_default_qat_qconfig fuse_modules QuantStub DeQuantStub QConfig default_qconfig",
    "torch.ao": "", "torch.ao.quantization": "quantize quantize_dynamic prepare prepare_qat convert fuse_modules "
                                             "get_default_qconfig get_default_qat_qconfig QuantStub DeQuantStub QConfig",
    "torch.ao.nn": "", "torch.ao.pruning": "",
    "torch.sparse": "mm addmm sum softmax log_softmax sampled_addmm spdiags spsolve to_sparse_semi_structured",
    "torch.nested": "nested_tensor as_nested_tensor to_padded_tensor narrow nested_tensor_from_jagged masked_select",
    "torch.masked": "masked_tensor as_masked_tensor is_masked_tensor MaskedTensor sum mean prod amax amin argmax argmin "
                    "softmax log_softmax softmin normalize norm var std cumsum cumprod logsumexp logaddexp median",
    "torch.fx": "symbolic_trace Tracer GraphModule Graph Node Interpreter Transformer wrap replace_pattern",
    "torch.library": "custom_op register_fake register_kernel register_autograd define impl Library opcheck",
    "torch.package": "PackageExporter PackageImporter", "torch.monitor": "", "torch.futures": "Future collect_all wait_all",
    "torch.hub": "load list help load_state_dict_from_url download_url_to_file get_dir set_dir",
    "torch.multiprocessing": "Process Pool Queue spawn start_processes get_context set_start_method get_start_method "
                             "set_sharing_strategy get_sharing_strategy cpu_count Manager",
    "torch.utils.tensorboard": "SummaryWriter", "torch.utils.model_zoo": "load_url",
    "torch.utils.cpp_extension": "load load_inline CppExtension CUDAExtension BuildExtension",
    "torch.utils.mobile_optimizer": "optimize_for_mobile", "torch.utils.bottleneck": "",
    "torch.utils.dlpack": "to_dlpack from_dlpack", "torch.utils.collect_env": "main get_pretty_env_info get_env_info",
    "torch.utils.flop_counter": "FlopCounterMode", "torch.utils.module_tracker": "ModuleTracker",
    "torch.distributed.optim": "ZeroRedundancyOptimizer DistributedOptimizer",
    "torch.distributed.fsdp": "FullyShardedDataParallel fully_shard ShardingStrategy CPUOffload MixedPrecision",
    "torch.distributed.rpc": "init_rpc rpc_sync rpc_async remote shutdown",
    "torch.distributed.pipelining": "pipeline PipelineStage", "torch.distributed.tensor": "DTensor distribute_tensor",
    "torch.distributed.checkpoint": "save load", "torch.distributed.elastic": "",
    "torch.distributed.algorithms": "", "torch.nn.quantized": "", "torch.nn.qat": "", "torch.nn.intrinsic": "",
    "torch.nn.quantizable": "", "torch.mtia": "",
}
_FALSE = {"torch.onnx": ("is_in_onnx_export",), "torch.mtia": ("is_available", "is_initialized")}


class _Absent(ModuleType):
    """A module whose functions and classes raise."""

    def __getattr__(self, name):
        path = self.__name__ + "." + name
        if path in _ABSENT:
            __import__(path)
            return sys.modules[path]
        if name in _FALSE.get(self.__name__, ()):
            return lambda *args, **kwargs: False
        if name not in _ABSENT[self.__name__].split():
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        value = _raising_class(path, name) if name[0].isupper() else _raising(path)
        setattr(self, name, value)
        return value


def _error(path):
    return NotImplementedError(f"{path} is part of PyTorch, but it is not available here")


def _raising(path):
    def missing(*args, **kwargs):
        raise _error(path)

    missing.__name__ = missing.__qualname__ = path.rpartition(".")[2]
    missing._not_available = True
    return missing


def _raising_class(path, name):
    def __init__(self, *args, **kwargs):
        raise _error(path)

    return type(name, (), {"__init__": __init__, "_not_available": True, "__module__": path.rpartition(".")[0]})


class _Finder:
    """Finds the modules of the table."""

    @staticmethod
    def find_spec(fullname, path=None, target=None):
        if fullname not in _ABSENT:
            return None
        return ModuleSpec(fullname, _Finder, is_package=any(n.startswith(fullname + ".") for n in _ABSENT))

    @staticmethod
    def create_module(spec):
        module = _Absent(spec.name, f"{spec.name} is part of PyTorch, but it is not available here.")
        module.__all__ = [n for n in _ABSENT[spec.name].split()]
        return module

    @staticmethod
    def exec_module(module):
        """There is nothing to run."""


def install():
    """Makes the modules importable."""
    sys.meta_path.append(_Finder)


NAMES = frozenset(n[len("torch."):] for n in _ABSENT if n.count(".") == 1)
UTILS = frozenset(n[len("torch.utils."):] for n in _ABSENT if n.startswith("torch.utils."))
