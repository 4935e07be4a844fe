"""Gradients: `backward`, `grad`, the grad modes, and functions with a backward of their own."""

from torch import _C
from torch._missing import module_getattr
from torch.autograd.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled
from torch.autograd.anomaly_mode import detect_anomaly, set_detect_anomaly

Tensor = _C.Tensor
_LAZY = {
    "Function": "torch.autograd.function", "gradcheck": "torch.autograd.gradcheck",
    "gradgradcheck": "torch.autograd.gradcheck",
}
_SUBMODULES = frozenset(("function", "functional", "grad_mode", "anomaly_mode", "graph", "forward_ad", "profiler"))
_base_getattr = module_getattr("torch.autograd", _SUBMODULES, _LAZY)


def __getattr__(name):
    if name in ("gradcheck", "gradgradcheck"):
        # The function and its file have the same name; what `torch.autograd.gradcheck` means is the function.
        from torch.autograd import _gradcheck

        return getattr(_gradcheck, name)
    if name == "Variable":
        return _variable
    return _base_getattr(name)


def _variable(data, requires_grad=False, volatile=None):
    """The old name for a tensor that can have a gradient."""
    return data.detach().requires_grad_(requires_grad)


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None, inputs=None):
    """Adds to `.grad` of the leaves the gradients of `tensors`.

    `grad_tensors` are the gradients with respect to the outputs, needed where an output has more than one element.
    `inputs`: only these get a gradient.
    """
    if grad_variables is not None:
        grad_tensors = grad_variables
    if inputs is not None and not isinstance(inputs, Tensor) and len(inputs) == 0:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    tensors = (tensors,) if isinstance(tensors, Tensor) else tuple(tensors)
    if any([hasattr(t, "levels") for t in tensors]):
        raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
    inputs = () if inputs is None else (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    grads = _grad_outputs(tensors, grad_tensors)
    if retain_graph is None:
        retain_graph = create_graph
    _C._run_backward(tensors, grads, retain_graph, create_graph, inputs, True, True)


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True,
         allow_unused=None, is_grads_batched=False, materialize_grads=False):
    """The gradients of `outputs` with respect to `inputs`, as a tuple. Nothing is added to `.grad`."""
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    if allow_unused is None:
        allow_unused = materialize_grads
    outputs = (outputs,) if isinstance(outputs, Tensor) else tuple(outputs)
    inputs = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    for o in outputs:
        if not isinstance(o, Tensor):
            raise AssertionError("Expected output to be a torch.Tensor")
    for i in inputs:
        if not isinstance(i, Tensor):
            raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(i).__name__}")
    if any([hasattr(o, "levels") for o in outputs]):
        # What `vmap` maps over has no graph of its own; `torch.func.grad` gives its gradients.
        raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
    if retain_graph is None:
        retain_graph = create_graph
    if is_grads_batched:
        result = _grad_batched(outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused)
    else:
        grads = _grad_outputs(outputs, grad_outputs)
        result = _C._run_backward(outputs, grads, retain_graph, create_graph, inputs, False, allow_unused)
    if materialize_grads:
        zeros = _C._functions.zeros_like
        result = tuple(zeros(i) if g is None else g for g, i in zip(result, inputs))
    return result


def _grad_outputs(outputs, grads):
    if grads is None:
        return (None,) * len(outputs)
    grads = (grads,) if isinstance(grads, Tensor) else tuple(grads)
    if len(grads) < len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(grads)} gradients")
    return grads[:len(outputs)]


def _grad_batched(outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused):
    """One walk for each entry of the leading dimension of the grad outputs."""
    grads = (grad_outputs,) if isinstance(grad_outputs, Tensor) else tuple(grad_outputs)
    count = len(grads[0])
    rows = []
    for i in range(count):
        keep = retain_graph or i + 1 < count
        row = tuple(None if g is None else g[i] for g in grads)
        rows.append(_C._run_backward(outputs, row, keep, create_graph, inputs, False, allow_unused))
    stack = _C._functions.stack
    return tuple(None if col[0] is None else stack(list(col)) for col in zip(*rows))
