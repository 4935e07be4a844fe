"""Checkpointing: backward computes forward again, so that what is between need not be kept."""

from torch import _C
from torch.autograd.function import Function

Tensor = _C.Tensor


class _Recompute(Function):
    """Forward keeps the inputs only; backward runs the function once more, recorded."""

    @staticmethod
    def forward(ctx, run, preserve, *args):
        ctx.run, ctx.preserve = run, preserve
        if preserve:
            ctx.rng_state = _C.default_generator.get_state()
        ctx.places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        ctx.others = [None if isinstance(a, Tensor) else a for a in args]
        ctx.save_for_backward(*[args[i] for i in ctx.places])
        return run(*args)

    @staticmethod
    def backward(ctx, *grads):
        tensors = [t.detach().requires_grad_(t.requires_grad) for t in ctx.saved_tensors]
        args = list(ctx.others)
        for i, t in zip(ctx.places, tensors):
            args[i] = t
        outputs = _again(ctx, args)
        outputs = (outputs,) if isinstance(outputs, Tensor) else outputs
        pairs = [(o, g) for o, g in zip(outputs, grads) if isinstance(o, Tensor) and o.requires_grad]
        if not pairs:
            raise RuntimeError(
                "none of output has requires_grad=True, this checkpoint() is not necessary"
            )
        outs, gs = zip(*pairs)
        # The leaves below (the function's own parameters) get their gradients in this inner walk.
        _C._run_backward(tuple(outs), tuple(gs), False, False, (), True, True)
        result = [None] * len(args)
        for i, t in zip(ctx.places, tensors):
            result[i] = t.grad
        return (None, None) + tuple(result)


def _again(ctx, args):
    before = _C.is_grad_enabled()
    state = _C.default_generator.get_state() if ctx.preserve else None
    if ctx.preserve:
        _C.default_generator.set_state(ctx.rng_state)
    _C._set_grad_enabled(True)
    try:
        return ctx.run(*args)
    finally:
        _C._set_grad_enabled(before)
        if state is not None:
            _C.default_generator.set_state(state)


def checkpoint(function, *args, use_reentrant=None, context_fn=None, determinism_check="default", debug=False,
               early_stop=True, preserve_rng_state=True, **kwargs):
    """`function(*args)`, without keeping what backward needs: it is computed again then."""
    if context_fn is not None:
        raise NotImplementedError("checkpoint: context_fn is part of PyTorch, but it is not available here")
    if use_reentrant and kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))

    def run(*inputs):
        return function(*inputs, **kwargs)

    if use_reentrant is not False or not _C.is_grad_enabled():
        return _Recompute.apply(run, preserve_rng_state, *args)
    # Not reentrant: recorded also when only the function's own parameters require grad.
    if any(isinstance(a, Tensor) and a.requires_grad for a in args):
        return _Recompute.apply(run, preserve_rng_state, *args)
    token = _C._functions.empty(0).requires_grad_()

    def run_with_token(_, *inputs):
        return function(*inputs, **kwargs)

    return _Recompute.apply(run_with_token, preserve_rng_state, token, *args)


def checkpoint_sequential(functions, segments, input, use_reentrant=None, **kwargs):
    """Runs a list of functions (or a `Sequential`) in `segments` checkpointed pieces; the last is not checkpointed."""
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    functions = list(functions.children()) if hasattr(functions, "children") else list(functions)

    def piece(start, end):
        def forward(x):
            for fn in functions[start:end]:
                x = fn(x)
            return x

        return forward

    size = len(functions) // segments
    start = 0
    for _ in range(segments - 1):
        input = checkpoint(piece(start, start + size), input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
        start += size
    return piece(start, len(functions))(input)
