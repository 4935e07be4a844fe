"""Are the gradients right? Compares backward with finite differences."""

from torch import _C
from torch.autograd.grad_mode import enable_grad

_F = _C._functions
Tensor = _C.Tensor


class GradcheckError(RuntimeError):
    """What `gradcheck` raises when the gradients are not right."""


def gradcheck(func, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, nondet_tol=0.0,
              check_undefined_grad=True, check_grad_dtypes=False, check_batched_grad=False,
              check_batched_forward_grad=False, check_forward_ad=False, check_backward_ad=True, fast_mode=False,
              masked=None):
    """True when backward through `func` agrees with central differences at `inputs` (float64, requires_grad).

    Else raises `GradcheckError`, or returns False with `raise_exception=False`.
    """
    try:
        if check_forward_ad:
            _check_forward(func, inputs, eps, atol, rtol)
        return not check_backward_ad or _check(func, inputs, eps, atol, rtol, nondet_tol, check_undefined_grad, check_grad_dtypes)
    except GradcheckError:
        if raise_exception:
            raise
        return False


def gradgradcheck(func, inputs, grad_outputs=None, *, eps=1e-6, atol=1e-5, rtol=1e-3, gen_non_contig_grad_outputs=False,
                  raise_exception=True, nondet_tol=0.0, check_undefined_grad=True, check_grad_dtypes=False,
                  check_batched_grad=False, check_fwd_over_rev=False, check_rev_over_rev=True, fast_mode=False,
                  masked=False):
    """`gradcheck` for the gradient of `func` itself, that is for second derivatives."""
    inputs = _tuple(inputs)
    if grad_outputs is None:
        outputs = [o for o in _tuple(func(*inputs)) if isinstance(o, Tensor) and o.requires_grad]
        grad_outputs = tuple(_F.randn_like(o.detach()).requires_grad_() for o in outputs)
    else:
        grad_outputs = _tuple(grad_outputs)
    count = len(grad_outputs)

    @enable_grad()
    def gradient(*args):
        ins, gs = args[:-count], args[-count:]
        ins = tuple(i.clone() if isinstance(i, Tensor) and i.requires_grad and i.is_leaf else i for i in ins)
        outputs = tuple(o for o in _tuple(func(*ins)) if isinstance(o, Tensor) and o.requires_grad)
        wanted = tuple(i for i in ins if isinstance(i, Tensor) and i.requires_grad)
        result = _C._run_backward(outputs, gs, True, True, wanted, False, True)
        return tuple(r for r in result if r is not None)

    return gradcheck(gradient, inputs + grad_outputs, eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception,
                     nondet_tol=nondet_tol, check_undefined_grad=check_undefined_grad,
                     check_grad_dtypes=check_grad_dtypes)


def _tuple(x):
    return tuple(x) if isinstance(x, (tuple, list)) else (x,)


def _check(func, inputs, eps, atol, rtol, nondet_tol, check_undefined, check_dtypes):
    inputs = _tuple(inputs)
    wanted = [x for x in inputs if isinstance(x, Tensor) and x.requires_grad]
    _check_inputs(inputs, wanted)
    func, inputs = _as_real(func, inputs)
    wanted = [x for x in inputs if isinstance(x, Tensor) and x.requires_grad]
    for x in wanted:
        x.retain_grad()
    outputs = [o for o in _tuple(func(*inputs)) if isinstance(o, Tensor) and o.is_floating_point()]
    diff = [o for o in outputs if o.requires_grad]
    if not diff:
        for i, x in enumerate(wanted):
            for j, num in enumerate(_numerical(func, inputs, x, eps)):
                if not _F.allclose(num, _F.zeros_like(num), rtol=0.0, atol=atol):
                    raise GradcheckError("Numerical gradient for function expected to be zero")
        return True
    for i, x in enumerate(wanted):
        columns = _numerical(func, inputs, x, eps)
        for j, o in enumerate(outputs):
            analytical = _analytical(o, x, check_dtypes)
            again = _analytical(o, x, check_dtypes)
            numerical = columns[j]
            if not _F.allclose(analytical, numerical.to(analytical.dtype), rtol=rtol, atol=atol):
                raise GradcheckError(
                    f"Jacobian mismatch for output {j} with respect to input {i},\n"
                    f"numerical:{numerical}\nanalytical:{analytical}\n"
                )
            if (analytical - again).abs().max().item() > nondet_tol if analytical.numel() else False:
                raise GradcheckError(
                    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple "
                    "times gives different values, although analytical gradient matches numerical gradient."
                    f"The tolerance for nondeterminism was {nondet_tol}.\n\n"
                )
    _check_zero_grads(diff, wanted)
    if check_undefined:
        _check_undefined(func, inputs, wanted)
    return True


def _check_forward(func, inputs, eps, atol, rtol):
    """Compares the directional derivative along each element with differences."""
    from torch.autograd import forward_ad

    inputs = _tuple(inputs)
    wanted = [x for x in inputs if isinstance(x, Tensor) and x.requires_grad]
    _check_inputs(inputs, wanted)
    for i, x in enumerate(wanted):
        numerical = _numerical(func, inputs, x, eps)
        columns = [_F.zeros_like(n) for n in numerical]
        for k, index in enumerate(_indices(x.size())):
            tangent = _F.zeros_like(x.detach())
            tangent[index] = 1
            with forward_ad.dual_level():
                args = [forward_ad.make_dual(a.detach(), tangent) if a is x else a for a in inputs]
                outs = [o for o in _tuple(func(*args)) if isinstance(o, Tensor) and o.is_floating_point()]
                for column, o in zip(columns, outs):
                    change = forward_ad.unpack_dual(o).tangent
                    if change is not None:
                        column[k] = change.detach().reshape(-1)
        for j, (numeric, column) in enumerate(zip(numerical, columns)):
            if not _F.allclose(column, numeric.to(column.dtype), rtol=rtol, atol=atol):
                raise GradcheckError(
                    f"Jacobian computed with forward mode mismatch for output {j} with respect to input {i},\n"
                    f"numerical:{numeric}\nanalytical:{column}\n"
                )


def _as_real(func, inputs):
    """The same function with complex numbers as pairs of reals, whose Jacobian says all about the complex gradient."""
    is_complex = [isinstance(x, Tensor) and x.is_complex() for x in inputs]

    def pairs(x, leaf=False):
        if not isinstance(x, Tensor) or not x.is_complex():
            return x
        return _F.view_as_real(x.detach().clone()).requires_grad_(x.requires_grad) if leaf else _F.view_as_real(x)

    def real(*xs):
        out = func(*[_F.view_as_complex(x) if c else x for x, c in zip(xs, is_complex)])
        return tuple(pairs(o) for o in _tuple(out))

    return real, tuple(pairs(x, leaf=True) for x in inputs)


def _check_inputs(inputs, wanted):
    if not wanted:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, "
            "but none of them have requires_grad=True."
        )
    for i, x in enumerate(inputs):
        if not isinstance(x, Tensor) or not x.requires_grad:
            continue
        if x.dtype not in (_C.float64, _C.complex128):
            import warnings

            warnings.warn(
                f"Input #{i} requires gradient and is not a double precision floating point or complex. "
                "This check will likely fail if all the inputs are not of double precision floating point or complex. "
            )
        for stride, size in zip(x.stride(), x.size()):
            if stride == 0 and size > 1:
                raise RuntimeError(
                    f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                    "non-overlapping to be able to compute the numerical gradients correctly. You should call "
                    ".contiguous on the input before passing it to gradcheck."
                )


def _numerical(func, inputs, x, eps):
    """One matrix for each output: how it changes (columns) with each element of `x` (rows)."""
    data = x.data
    rows = []
    for index in _indices(data.size()):
        before = data[index].item()
        data[index] = before - eps
        low = _values(func, inputs)
        data[index] = before + eps
        high = _values(func, inputs)
        data[index] = before
        rows.append([(b - a) / (2 * eps) for a, b in zip(low, high)])
    outputs = _values(func, inputs) if not rows else rows[0]
    return [_F.stack([r[j] for r in rows]) if rows else _F.zeros(0, o.numel(), dtype=o.dtype, device=o.device)
            for j, o in enumerate(outputs)]


def _values(func, inputs):
    outputs = [o for o in _tuple(func(*inputs)) if isinstance(o, Tensor) and o.is_floating_point()]
    return [o.detach().reshape(-1).clone() for o in outputs]


def _indices(size):
    from itertools import product

    return product(*[range(n) for n in size])


def _analytical(output, x, check_dtypes):
    """The same matrix by backward, one walk for each element of the output."""
    flat = output.numel()
    result = _F.zeros(x.numel(), flat, dtype=output.dtype, device=output.device)
    if not output.requires_grad:
        return result
    for j in range(flat):
        seed = _F.zeros(flat, dtype=output.dtype, device=output.device)
        seed[j] = 1
        g = _C._run_backward((output,), (seed.reshape(output.size()),), True, False, (x,), False, True)[0]
        if g is None:
            continue
        if g.size() != x.size():
            raise GradcheckError("Analytical gradient has incorrect size")
        if check_dtypes and g.dtype != x.dtype:
            raise GradcheckError("Analytical gradient has incorrect type")
        result[:, j] = g.reshape(-1)
    return result.detach()


def _check_zero_grads(outputs, wanted):
    """The gradient of zero must be zero."""
    zeros = tuple(_F.zeros_like(o.detach()) for o in outputs)
    grads = _C._run_backward(tuple(outputs), zeros, True, False, tuple(wanted), False, True)
    for g, x in zip(grads, wanted):
        if g is None:
            continue
        if not _F.allclose(g, _F.zeros_like(g)):
            raise GradcheckError("backward not multiplied by grad_output")
        if g.dtype != x.dtype:
            raise GradcheckError("grad is incorrect type")
        if g.size() != x.size():
            raise GradcheckError("grad is incorrect size")


def _check_undefined(func, inputs, wanted):
    """Backward must cope with an output that nobody used."""
    outputs = tuple(o for o in _tuple(func(*inputs)) if isinstance(o, Tensor) and o.requires_grad)
    if len(outputs) < 2:
        return
    for skip in range(len(outputs)):
        grads = tuple(None if i == skip else _F.zeros_like(o.detach()) for i, o in enumerate(outputs))
        rest = tuple(o for i, o in enumerate(outputs) if i != skip)
        result = _C._run_backward(rest, tuple(g for g in grads if g is not None), True, False, tuple(wanted), False, True)
        for g in result:
            if g is not None and not (g == 0).all():
                raise GradcheckError(
                    "Expected all input grads to be undefined or zero when all output grads are undefined or zero. "
                    "Please look at \"Notes about undefined output gradients\" in \"tools/autograd/derivatives.yaml\""
                )


gradcheck.gradcheck = gradcheck
gradcheck.gradgradcheck = gradgradcheck
gradcheck.GradcheckError = GradcheckError
