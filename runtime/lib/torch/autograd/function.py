"""`Function`: an operation whose forward and backward are written in Python.

    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return 2 * x

        @staticmethod
        def backward(ctx, grad):
            return 2 * grad

    y = Double.apply(x)

`ctx` is the node that stands in the graph: `y.grad_fn` is the same object.
"""

import sys

from torch import _C
from torch.autograd.grad_mode import no_grad

Tensor = _C.Tensor


class FunctionCtx(_C.FunctionNode):
    """What forward hands on to backward."""

    to_save = ()
    dirty = ()
    non_differentiable = ()
    materialize_grads = True
    needs_input_grad = ()

    def save_for_backward(self, *tensors):
        """Keeps tensors for backward, where `saved_tensors` gives them back."""
        self.to_save = tensors

    to_save_for_forward = ()

    def save_for_forward(self, *tensors):
        """Keeps tensors for `jvp`, where `saved_tensors` gives them too."""
        self.to_save_for_forward = tensors

    def mark_dirty(self, *args):
        """Says which inputs forward has changed in place; it must return them too."""
        self.dirty = args

    def mark_non_differentiable(self, *args):
        """Says which outputs have no gradient."""
        self.non_differentiable = args

    def set_materialize_grads(self, value):
        """Whether backward gets zeros (the default) or None for an output nobody used."""
        self.materialize_grads = value

    @property
    def saved_tensors(self):
        """The tensors given to `save_for_backward`, or inside `jvp` to `save_for_forward`."""
        kept = self.__dict__.get("saved_for_forward")
        return self._saved() if kept is None else tuple(kept)

    def _run_backward_hook(self, *grads):
        """Called by the walk: one grad for each tensor output; gives one for each tensor input."""
        if self.materialize_grads and None in [None if g is None else 0 for g in grads]:
            zeros = _C._functions.zeros
            grads = tuple(
                zeros(meta[0], dtype=meta[1]) if g is None else g for g, meta in zip(grads, self._outputs_meta)
            )
        if self._output_slots is not None:
            full = [None] * self._output_count
            for slot, g in zip(self._output_slots, grads):
                full[slot] = g
            grads = full
        result = self._function._backward_of()(self, *grads)
        if not isinstance(result, tuple):
            result = tuple(result) if isinstance(result, list) else (result,)
        return self._check_grads(result)

    def _check_grads(self, result):
        count = len(self.needs_input_grad)
        if len(result) > count and all(g is None for g in result[count:]):
            result = result[:count]
        if len(result) != count:
            raise RuntimeError(
                f"function {self.name()} returned an incorrect number of gradients "
                f"(expected {count}, got {len(result)})"
            )
        slots = self._input_slots
        for i, g in enumerate(result):
            if g is None:
                continue
            if i not in slots:
                raise RuntimeError(
                    f"function {self.name()} returned a gradient different than None at position {i + 1}, "
                    "but the corresponding forward input was not a Variable"
                )
            if not isinstance(g, Tensor):
                raise RuntimeError(f"expected Variable or None (got {type(g).__name__})")
        return tuple([result[i] for i in slots])


class Function:
    """Base of operations written in Python: define static `forward` and `backward`, call `apply`."""

    generate_vmap_rule = False

    def __init__(self, *args, **kwargs):
        import warnings

        warnings.warn(f"{self.__class__} should not be instantiated. Methods on autograd functions are all static, so "
                      "you should invoke them on the class itself. Instantiating an autograd function will raise an "
                      "error in a future version of PyTorch.", DeprecationWarning, stacklevel=2)

    def __call__(self, *args, **kwargs):
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd "
            "function with static forward method. "
            "(Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @staticmethod
    def forward(*args, **kwargs):
        """Computes the outputs; takes `ctx` first unless `setup_context` is defined."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Fills `ctx`, when forward does not take it."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx, *grad_outputs):
        """From the gradients of the outputs to those of the inputs, None where an input has none."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it "
            "with backward mode AD."
        )

    @staticmethod
    def jvp(ctx, *grad_inputs):
        """Forward-mode derivatives."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    vjp = backward

    @staticmethod
    def vmap(info, in_dims, *args):
        """How this operation runs on a batch: (output, out_dims) of arguments whose batch is at `in_dims`."""
        raise NotImplementedError("To use autograd.Function with vmap, you must either override the vmap staticmethod "
                                  "or set generate_vmap_rule=True.")

    @classmethod
    def _backward_of(cls):
        if cls.backward is not Function.backward:
            if cls.vjp is not Function.vjp:
                raise RuntimeError(
                    "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only "
                    "implement one of them."
                )
            return cls.backward
        return cls.vjp

    @classmethod
    def _ctx_class(cls):
        own = cls.__dict__.get("_backward_cls")
        if own is None:
            # Where PyTorch has it, as `print(y.grad_fn)` shows.
            own = type(cls.__name__ + "Backward", (FunctionCtx,), {"_function": cls, "__module__": __name__})
            cls._backward_cls = own
        return own

    @classmethod
    def apply(cls, *args, **kwargs):
        """Runs forward, and puts this operation into the graph when an input requires grad."""
        _check_transforms(cls)
        batched = sys.modules.get("torch.func._batched")
        if batched is not None and any(isinstance(a, batched.Batched) for a in args):
            return batched.apply(cls, args)
        if cls.jvp is not Function.jvp and "torch.autograd.forward_ad" in sys.modules:
            dual = _forward_mode(cls, args, kwargs)
            if dual is not None:
                return dual[0]
        ctx = cls._ctx_class()()
        needs = tuple([isinstance(a, Tensor) and a.requires_grad for a in args])
        ctx.needs_input_grad = needs
        record = True in needs and _C.is_grad_enabled()
        with no_grad():
            output = _forward(cls, ctx, args, kwargs)
        for i, t in enumerate(ctx.to_save if record else ()):
            if t is not None and not isinstance(t, Tensor):
                raise TypeError(
                    f"save_for_backward can only save variables, but argument {i} is of type {type(t).__name__}"
                )
        return _attach(ctx, args, output) if record else _plain(ctx, args, output)


def _forward(cls, ctx, args, kwargs):
    """The output of a function written in either of the two ways: with `ctx` in `forward`, or in `setup_context`."""
    if cls.setup_context is Function.setup_context:
        return cls.forward(ctx, *args, **kwargs)
    output = cls.forward(*args, **kwargs)
    cls.setup_context(ctx, args, output)
    return output


def _check_transforms(cls):
    """The transforms of `torch.func` ask more of a function."""
    func = sys.modules.get("torch.func._grad")
    batched = sys.modules.get("torch.func._batched")
    mapped = batched is not None and bool(batched.active)
    if not mapped and (func is None or func._depth == 0):
        return
    notes = "For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"
    if cls.setup_context is Function.setup_context:
        raise RuntimeError(
            "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must "
            f"override the setup_context staticmethod. {notes}"
        )
    if not mapped:
        return
    own = cls.vmap is not Function.vmap
    if cls.generate_vmap_rule and own:
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it has both generate_vmap_rule=True and an overriden vmap "
            f"staticmethod. Please set generate_vmap_rule=False or delete the overriden vmap staticmethod to avoid "
            f"ambiguity. {notes}"
        )
    if not cls.generate_vmap_rule and not own:
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it does not have vmap support. Please override and implement "
            f"the vmap staticmethod or set generate_vmap_rule=True. {notes}"
        )


def _forward_mode(cls, args, kwargs):
    """The outputs of a function with a `jvp` of its own, with their tangents; None where no input has a tangent."""
    from torch.autograd import forward_ad

    if forward_ad._level is None:
        return None
    pairs = [forward_ad.unpack_dual(a) if isinstance(a, Tensor) else (a, None) for a in args]
    if all(t is None for _, t in pairs):
        return None
    primals = [p for p, _ in pairs]
    ctx = cls._ctx_class()()
    ctx.needs_input_grad = tuple([isinstance(p, Tensor) and p.requires_grad for p in primals])
    with no_grad():
        output = _forward(cls, ctx, tuple(primals), kwargs)
        ctx.saved_for_forward = ctx.to_save_for_forward
        tangents = cls.jvp(ctx, *[t for _, t in pairs])
    single = not isinstance(output, tuple)
    outputs = (output,) if single else output
    tangents = tangents if isinstance(tangents, tuple) else (tangents,)
    made = tuple(o if t is None else forward_ad.make_dual(o, t) for o, t in zip(outputs, tangents))
    return (made[0] if single else made,)


def _plain(ctx, args, output):
    """Outputs without a node. An input that forward gave back unchanged is a tensor of its own, as with a node."""
    given = [id(a) for a in args if isinstance(a, Tensor)]
    dirty = [id(d) for d in ctx.dirty]

    def own(o):
        return o.detach() if isinstance(o, Tensor) and id(o) in given and id(o) not in dirty else o

    if isinstance(output, tuple):
        return tuple([own(o) for o in output])
    return own(output)


def _attach(ctx, args, output):
    single = not isinstance(output, (tuple, list))
    outputs = (output,) if single else tuple(output)
    slots = [i for i, o in enumerate(outputs) if isinstance(o, Tensor)]
    if not slots:
        return output
    tensors = tuple([outputs[i] for i in slots])
    ctx._input_slots = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
    ctx._outputs_meta = [(tuple(t.size()), t.dtype) for t in tensors]
    ctx._output_slots = None if len(slots) == len(outputs) else slots
    ctx._output_count = len(outputs)
    saved, ctx.to_save = ctx.to_save, ()
    dirty, ctx.dirty = ctx.dirty, ()
    plain = tuple(ctx.non_differentiable) + tuple([t for t in tensors if not t.is_floating_point()])
    ctx.non_differentiable = ()
    inputs = tuple([args[i] for i in ctx._input_slots])
    made = _C._attach_function(ctx, inputs, tensors, tuple(saved), tuple(dirty), plain)
    if single:
        return made[0] if isinstance(made, tuple) else made
    result = list(outputs)
    for slot, t in zip(slots, made):
        result[slot] = t
    return tuple(result)


class _DifferentiatedTwice(Function):
    """Stands behind the result of a backward that can only be run once."""

    @staticmethod
    def forward(ctx, *tensors):
        outputs = tuple([t.detach() if isinstance(t, Tensor) else t for t in tensors])
        return outputs if len(outputs) > 1 else outputs[0]

    @staticmethod
    def backward(ctx, *grads):
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")


def once_differentiable(fn):
    """Marks a backward that itself cannot be differentiated; trying to is then an error."""
    from functools import wraps

    @wraps(fn)
    def wrapper(ctx, *args):
        grad_mode = _C.is_grad_enabled()
        _C._set_grad_enabled(False)
        try:
            outputs = fn(ctx, *args)
        finally:
            _C._set_grad_enabled(grad_mode)
        if not grad_mode or not any(isinstance(a, Tensor) and a.requires_grad for a in args):
            return outputs
        outs = outputs if isinstance(outputs, tuple) else (outputs,)
        slots = [i for i, o in enumerate(outs) if isinstance(o, Tensor)]
        if not slots:
            return outputs
        made = _DifferentiatedTwice.apply(*[outs[i].detach().requires_grad_() for i in slots])
        made = made if isinstance(made, tuple) else (made,)
        result = list(outs)
        for slot, t in zip(slots, made):
            result[slot] = t
        return tuple(result) if len(result) > 1 else result[0]

    return wrapper


class InplaceFunction(Function):
    """A Function with an `inplace` choice, kept for old code."""
