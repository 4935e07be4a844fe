"""Checkpointing: what backward needs is not kept but computed again, when backward comes to it.

Without reentry (`use_reentrant=False`) the saved tensors of the function are replaced by placeholders, by the hooks of
`torch.autograd.graph.saved_tensors_hooks`; the first placeholder that backward asks for runs the function once more
and fills all of them. With reentry the whole function is one node, whose backward runs a walk of its own.
See https://docs.pytorch.org/docs/stable/checkpoint.html
"""

import contextlib
import uuid
import warnings
import weakref

from torch import _C
from torch.autograd.function import Function
from torch.autograd.grad_mode import set_grad_enabled
from torch.autograd.graph import saved_tensors_hooks

Tensor = _C.Tensor

_TIP = (
    "\n\nTip: To see a more detailed error message, either pass `debug=True` to\n"
    "`torch.utils.checkpoint.checkpoint(...)` or wrap the code block\n"
    "with `with torch.utils.checkpoint.set_checkpoint_debug_enabled(True):` to\n"
    "enable checkpoint\u2011debug mode globally.\n"
)
_early_stop = True
_debug = None


class CheckpointError(RuntimeError):
    """The second run of a checkpointed function did not save what the first one saved."""


class _Done(Exception):
    """Everything that was saved is there again: the rest of the function need not run."""


def noop_context_fn():
    """Two contexts that do nothing: the default of `context_fn`."""
    return contextlib.nullcontext(), contextlib.nullcontext()


@contextlib.contextmanager
def set_checkpoint_early_stop(enable):
    """Whether the second run stops when all saved tensors are there (the default), or runs to its end."""
    global _early_stop
    before, _early_stop = _early_stop, enable
    try:
        yield
    finally:
        _early_stop = before


@contextlib.contextmanager
def set_checkpoint_debug_enabled(enabled):
    """Accepted as PyTorch's; messages carry no list of operators here."""
    global _debug
    before, _debug = _debug, enabled
    try:
        yield
    finally:
        _debug = before


def detach_variable(inputs):
    """The tensors among `inputs`, detached, requiring grad as before."""
    if not isinstance(inputs, tuple):
        raise RuntimeError(
            "Only tuple of tensors is supported. Got Unsupported input type: ", type(inputs).__name__
        )
    return tuple(a.detach().requires_grad_(a.requires_grad) if isinstance(a, Tensor) else a for a in inputs)


def check_backward_validity(inputs):
    """Warns when no tensor among `inputs` requires grad."""
    if not any(a.requires_grad for a in inputs if isinstance(a, Tensor)):
        warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2)


class _Rng:
    """The random generator's state when the function first ran, and autocast's."""

    def __init__(self, preserve):
        self.state = _C.default_generator.get_state() if preserve else None
        self.dtype = _C._set_autocast(None)
        _C._set_autocast(self.dtype)

    @contextlib.contextmanager
    def again(self):
        before = _C.default_generator.get_state() if self.state is not None else None
        dtype = _C._set_autocast(self.dtype)
        if self.state is not None:
            _C.default_generator.set_state(self.state)
        try:
            yield
        finally:
            _C._set_autocast(dtype)
            if before is not None:
                _C.default_generator.set_state(before)


class CheckpointFunction(Function):
    """With reentry: forward keeps the inputs only; backward runs the function once more, recorded, and walks it."""

    @staticmethod
    def forward(ctx, run_function, preserve_rng_state, *args):
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.rng = _Rng(preserve_rng_state)
        ctx.places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        ctx.others = [None if isinstance(a, Tensor) else a for a in args]
        ctx.save_for_backward(*[args[i] for i in ctx.places])
        with set_grad_enabled(False):
            return run_function(*args)

    @staticmethod
    def backward(ctx, *grads):
        if not _C._is_checkpoint_valid():
            raise RuntimeError(
                "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` "
                "parameter to .backward(). To resolve this error, you can either set use_reentrant=False, or call "
                ".backward() without passing the `inputs` argument."
            )
        args = list(ctx.others)
        for i, t in zip(ctx.places, ctx.saved_tensors):
            args[i] = t
        args = detach_variable(tuple(args))
        with ctx.rng.again(), set_grad_enabled(True):
            outputs = ctx.run_function(*args)
        outputs = (outputs,) if isinstance(outputs, Tensor) else outputs
        pairs = [(o, g) for o, g in zip(outputs, grads) if isinstance(o, Tensor) and o.requires_grad]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        outs, gs = zip(*pairs)
        # The leaves below (the function's own parameters) get their gradients in this inner walk.
        _C._run_backward(tuple(outs), tuple(gs), False, False, (), True, True)
        return (None, None) + tuple(a.grad if isinstance(a, Tensor) else None for a in args)


class _Holder:
    """Stands in the graph where a tensor was saved. `keys`: walk -> the recomputed tensor's key."""

    def __init__(self):
        self.keys = {}


class _SaveInputs(Function):
    """Keeps the function's tensor inputs in the graph, so that an outer checkpoint's hooks see them."""

    @staticmethod
    def forward(ctx, *tensors):
        ctx.places = [i for i, t in enumerate(tensors) if isinstance(t, Tensor)]
        ctx.others = [None if isinstance(t, Tensor) else t for t in tensors]
        ctx.save_for_backward(*[tensors[i] for i in ctx.places])
        return _C._functions.empty((0,))

    @staticmethod
    def backward(ctx, *grads):
        raise AssertionError("Did not expect to backward on this graph")

    @staticmethod
    def inputs(ctx):
        args = list(ctx.others)
        for i, saved in zip(ctx.places, ctx.saved_tensors):
            args[i] = saved.detach().requires_grad_(saved.requires_grad)
        return args


def _shape_and_kind(x):
    return {"shape": x.shape, "dtype": x.dtype, "device": x.device}


_DETERMINISM = {"default": _shape_and_kind, "none": lambda x: None}


class _Frame:
    """One call of a checkpointed function: what it saved, and how to run it again."""

    def __init__(self, function, early_stop, metadata):
        self.function, self.early_stop, self.metadata = function, early_stop, metadata
        self.inputs = None
        self.holders = []
        self.facts = []
        self.filled = {}

    def pack(self, x):
        holder = _Holder()
        self.holders.append(weakref.ref(holder))
        with set_grad_enabled(False):
            self.facts.append(self.metadata(x))
        return holder

    def unpack(self, holder):
        walk = _C._current_graph_task_id()
        if walk == -1:
            # Asked for outside of a backward pass: a run of its own.
            walk = uuid.uuid4().int
        if walk not in self.filled:
            self.filled[walk] = self._recompute(walk)
        if walk not in holder.keys:
            raise CheckpointError(
                "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked once. If "
                "you are calling ctx.saved_tensors in backward, make sure to do so only once. Otherwise please open "
                "an issue with details on your use case."
            )
        recomputed = self.filled[walk]
        value = recomputed.pop(holder.keys.pop(walk))
        if value is None:
            raise CheckpointError("torch.utils.checkpoint: a saved tensor was not computed again")
        return value

    def _recompute(self, walk):
        values, facts = {}, []

        def pack(x):
            position = len(facts)
            x = x.detach()
            if position >= len(self.holders):
                if not self.early_stop:
                    raise CheckpointError(
                        "torch.utils.checkpoint: trying to save more tensors during recomputation than during the "
                        "original forward pass." + _TIP
                    )
                raise _Done
            with set_grad_enabled(False):
                facts.append(self.metadata(x))
            holder = self.holders[position]()
            if holder is not None:
                holder.keys[walk] = position
                values[position] = x
            if self.early_stop and len(facts) == len(self.holders):
                raise _Done
            return x

        inputs = _SaveInputs.inputs(self.inputs.grad_fn)
        try:
            with saved_tensors_hooks(pack, _identity), set_grad_enabled(True):
                self.function(*inputs)
        except _Done:
            pass
        self._compare(facts)
        return values

    def _compare(self, facts):
        if len(facts) != len(self.holders):
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
                f"recomputation.\nNumber of tensors saved during forward: {len(self.holders)}\nNumber of tensors saved "
                f"during recomputation: {len(facts)}." + _TIP
            )
        different = [
            f"tensor at position {i}:\nsaved metadata: {old}\nrecomputed metadata: {new}\n"
            for i, (old, new) in enumerate(zip(self.facts, facts))
            if old != new and self.holders[i]() is not None
        ]
        if different:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than "
                "during the forward pass.\n" + "".join(different) + "." + _TIP
            )


def _identity(x):
    return x


def _without_reentrant(function, preserve, context_fn, determinism_check, early_stop, args, kwargs):
    metadata = _DETERMINISM.get(determinism_check)
    if metadata is None:
        raise ValueError(
            f"determinism_check should be one of {list(_DETERMINISM)}, but got {determinism_check}"
        )
    contexts = context_fn()
    if not (isinstance(contexts, tuple) and len(contexts) == 2):
        raise ValueError("context_fn must return a tuple of two context managers")
    forward_context, again_context = contexts
    rng = _Rng(preserve)

    def recompute(*inputs):
        with rng.again(), again_context:
            function(*inputs, **kwargs)

    frame = _Frame(recompute, early_stop, metadata)
    if not _C.is_grad_enabled():
        return function(*args, **kwargs)
    token = _C._functions.empty((0,)).requires_grad_()
    frame.inputs = _SaveInputs.apply(token, *args)
    # The token is not an input of the function.
    whole = frame.function
    frame.function = lambda _, *inputs: whole(*inputs)
    with saved_tensors_hooks(frame.pack, frame.unpack), forward_context:
        return function(*args, **kwargs)


def checkpoint(function=None, *args, use_reentrant=None, preserve_rng_state=True, context_fn=noop_context_fn,
               determinism_check="default", debug=False, early_stop=True, respect_saved_tensors_hooks=None, **kwargs):
    """`function(*args)`, without keeping what backward needs: it is computed again then."""
    if use_reentrant is None:
        warnings.warn(
            "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. In a future release, "
            "calling checkpoint without use_reentrant will raise an exception. use_reentrant=False is recommended, but "
            "if you need to preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for "
            "more details on the differences between the two variants.",
            stacklevel=2,
        )
        use_reentrant = True
    if not use_reentrant:
        early = early_stop and _early_stop
        return _without_reentrant(function, preserve_rng_state, context_fn, determinism_check, early, args, kwargs)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if context_fn is not noop_context_fn or debug is not False:
        raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
    return CheckpointFunction.apply(function, preserve_rng_state, *args)


def checkpoint_sequential(functions, segments, input, use_reentrant=None, **kwargs):
    """Runs a list of functions (or a `Sequential`) in `segments` checkpointed pieces; the last is not checkpointed."""
    if use_reentrant is None:
        warnings.warn(
            "torch.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be passed explicitly. "
            "In version 2.5 we will raise an exception if use_reentrant is not passed. use_reentrant=False is "
            "recommended, but if you need to preserve the current default behavior, you can pass use_reentrant=True. "
            "Refer to docs for more details on the differences between the two variants.",
            stacklevel=2,
        )
        use_reentrant = True
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
