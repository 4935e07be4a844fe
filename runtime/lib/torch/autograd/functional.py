"""Jacobians, Hessians and their products with vectors, for functions of tensors."""

from torch import _C
from torch.autograd.grad_mode import enable_grad

_F = _C._functions
Tensor = _C.Tensor


def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """(outputs, vᵀJ): the product of a vector with the Jacobian of `func` at `inputs`."""
    with enable_grad():
        single, inputs = _inputs(inputs, "inputs", "vjp", create_graph)
        out_single, outputs = _outputs(func(*inputs), "vjp")
        _check_graph(outputs, "outputs", strict)
        v = _vector(v, outputs, "vjp", "The vector v can only be None if the user-provided function returns "
                                       "a single Tensor with a single element.")
    grads = _grad(outputs, inputs, v, create_graph)
    result = _fill(grads, inputs, strict, create_graph, "back")
    return _finish(outputs, out_single, create_graph), _finish(result, single, create_graph)


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """(outputs, Jv): the product of the Jacobian of `func` at `inputs` with a vector. Two backward passes."""
    with enable_grad():
        single, inputs = _inputs(inputs, "inputs", "jvp", create_graph)
        v = _vector(v, inputs, "jvp", "The vector v can only be None if the input to the user-provided function "
                                      "is a single Tensor with a single element.")
        out_single, outputs = _outputs(func(*inputs), "jvp")
        _check_graph(outputs, "outputs", strict)
        dummy = tuple(_F.zeros_like(o).requires_grad_() for o in outputs)
        grads = _fill(_grad(outputs, inputs, dummy, True), inputs, strict, True, "back")
        result = _grad(grads, dummy, v, create_graph)
        result = _fill(result, outputs, strict, create_graph, "back_trick")
    return _finish(outputs, out_single, create_graph), _finish(result, out_single, create_graph)


def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"):
    """The Jacobian of `func` at `inputs`: shape output.shape + input.shape, nested as outputs and inputs are."""
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs '
            'than inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".'
        )
    with enable_grad():
        single, inputs = _inputs(inputs, "inputs", "jacobian", create_graph)
        out_single, outputs = _outputs(func(*inputs), "jacobian")
        _check_graph(outputs, "outputs", strict)
        rows = []
        for out in outputs:
            columns = [[] for _ in inputs]
            for element in out.reshape(-1).unbind() if out.numel() else ():
                grads = _grad((element,), inputs, (None,), create_graph, keep=True)
                for i, g in enumerate(_fill(grads, inputs, strict, create_graph, "back")):
                    columns[i].append(g)
            rows.append(tuple(
                _F.stack(c).view(tuple(out.size()) + tuple(x.size())) if c
                else x.new_zeros(tuple(out.size()) + tuple(x.size()))
                for c, x in zip(columns, inputs)
            ))
        if not create_graph:
            rows = [tuple(j.detach() for j in row) for row in rows]
    if single:
        rows = [row[0] for row in rows]
    return rows[0] if out_single else tuple(rows)


def hessian(func, inputs, create_graph=False, strict=False, vectorize=False, outer_jacobian_strategy="reverse-mode"):
    """The Hessian of a function with one number as output: shape input.shape + input.shape, nested as inputs are."""
    single, inputs = _tuple(inputs)

    def gradient(*args):
        out = func(*args)
        _check_scalar(out, "hessian")
        grads = _grad((out,), args, (None,), True)
        return _fill(grads, args, strict, True, "back")

    try:
        result = jacobian(gradient, inputs, create_graph=create_graph, strict=strict)
    except RuntimeError as error:
        if not strict or "independent of input" not in str(error) and "does not require gradients" not in str(error):
            raise
        raise RuntimeError(
            "While computing the hessian, found that the jacobian of the user-provided function with respect to input "
            "0 is independent of the input. This is not allowed in strict mode. You should ensure that your function "
            "is twice differentiable and that the jacobian depends on the inputs (this would be violated by a linear "
            "function for example)."
        ) from None
    return result[0][0] if single else result


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    """(output, vᵀH): the product of a vector with the Hessian of a function with one number as output."""
    with enable_grad():
        single, inputs = _inputs(inputs, "inputs", "vhp", create_graph)
        v = _vector(v, inputs, "vhp", "The vector v can only be None if the input to the user-provided function "
                                      "is a single Tensor with a single element.")
        out = func(*inputs)
        _check_scalar(out, "vhp")
        jac = _fill(_grad((out,), inputs, (None,), True), inputs, strict, True, "double_back")
    grads = _fill(_grad(jac, inputs, v, create_graph), inputs, strict, create_graph, "double_back")
    return _finish((out,), True, create_graph), _finish(grads, single, create_graph)


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """(output, Hv): the product of the Hessian of a function with one number as output and a vector."""
    with enable_grad():
        single, inputs = _inputs(inputs, "inputs", "hvp", create_graph)
        v = _vector(v, inputs, "hvp", "The vector v can only be None if the input to the user-provided function "
                                      "is a single Tensor with a single element.")
        out = func(*inputs)
        _check_scalar(out, "hvp")
        jac = _fill(_grad((out,), inputs, (None,), True), inputs, strict, True, "back")
        dummy = tuple(_F.zeros_like(x).requires_grad_() for x in inputs)
        double = _fill(_grad(jac, inputs, dummy, True), inputs, strict, True, "double_back")
    result = _fill(_grad(double, dummy, v, create_graph), inputs, strict, create_graph, "double_back_trick")
    return _finish((out,), True, create_graph), _finish(result, single, create_graph)


def _tuple(value):
    return (False, tuple(value)) if isinstance(value, (tuple, list)) else (True, (value,))


def _check_tensors(values, what, fn):
    for i, x in enumerate(values):
        if not isinstance(x, Tensor):
            single = len(values) == 1
            where = "" if single else f" at index {i}"
            raise TypeError(
                f"The {what} given to {fn} must be either a Tensor or a tuple of Tensors but the "
                f"given {what}{where} has type {type(x)}."
            )


def _inputs(inputs, what, fn, create_graph):
    """Inputs of our own that require grad: connected to the user's when the result is to be differentiated."""
    single, inputs = _tuple(inputs)
    _check_tensors(inputs, what, fn)
    if create_graph:
        return single, tuple(x.view_as(x) if x.requires_grad else x.detach().requires_grad_() for x in inputs)
    return single, tuple(x.detach().requires_grad_() for x in inputs)


def _outputs(outputs, fn):
    single, outputs = _tuple(outputs)
    _check_tensors(outputs, "outputs of the user-provided function", fn)
    return single, outputs


def _check_scalar(out, fn):
    if not isinstance(out, Tensor):
        raise RuntimeError(f"The function given to {fn} should return a single Tensor")
    if out.numel() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {fn} should contain a single element")


def _check_graph(outputs, what, strict):
    if not strict:
        return
    for i, o in enumerate(outputs):
        if not o.requires_grad:
            raise RuntimeError(
                f"Output {i} of the user-provided function does not require gradients. The outputs must be computed "
                "in a differentiable manner from the input when running in strict mode."
            )


def _vector(v, like, fn, message):
    if v is None:
        if len(like) != 1 or like[0].nelement() != 1:
            raise RuntimeError(message)
        return (_F.ones_like(like[0].detach()),)
    _, v = _tuple(v)
    _check_tensors(v, "v", fn)
    if len(v) != len(like):
        raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(v)}.")
    for i, (a, b) in enumerate(zip(v, like)):
        if a.size() != b.size():
            where = f"Entry {i} in " if len(v) > 1 else ""
            raise RuntimeError(
                f"{where}v has invalid size: should be {b.size()} but got {a.size()}."
            )
    return v


def _grad(outputs, inputs, vectors, create_graph, keep=None):
    """Gradients, None where an output does not depend on an input."""
    pairs = [(o, v) for o, v in zip(outputs, vectors) if o is not None and o.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    outs, vs = zip(*pairs)
    keep = create_graph if keep is None else keep
    return _C._run_backward(outs, vs, keep, create_graph, tuple(inputs), False, True)


_INDEPENDENT = {
    "back": "The output of the user-provided function is independent of input {i}. This is not allowed in strict mode.",
    "back_trick": "The gradient with respect to the input is independent of entry {i} in the grad_outputs when using "
                  "the double backward trick to compute forward mode gradients. This is not allowed in strict mode.",
    "double_back": "The jacobian of the user-provided function is independent of input {i}. This is not allowed in "
                   "strict mode.",
    "double_back_trick": "The hessian of the user-provided function is independent of entry {i} in the grad_jacobian. "
                         "This is not allowed in strict mode as it prevents from using the double backward trick to "
                         "replace forward mode AD.",
}


def _fill(grads, like, strict, create_graph, stage):
    """Zeros in place of None, or an error in strict mode."""
    result = []
    for i, (g, x) in enumerate(zip(grads, like)):
        if g is None:
            if strict:
                raise RuntimeError(_INDEPENDENT[stage].format(i=i))
            g = _F.zeros_like(x)
        result.append(g)
    return tuple(result)


def _finish(tensors, single, create_graph):
    if not create_graph:
        tensors = tuple(t.detach() for t in tensors)
    return tensors[0] if single else tuple(tensors)
