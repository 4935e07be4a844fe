"""Hooks of modules: functions that are called before or after forward, and in backward."""

from torch import _C
from torch.utils.hooks import RemovableHandle

Tensor = _C.Tensor

# Hooks for every module there is. `registered` is what the fast path of `Module.__call__` looks at.
GLOBAL = {"forward_pre": {}, "forward": {}, "backward_pre": {}, "backward": {}}
registered = []


class _GlobalHandle(RemovableHandle):
    def remove(self):
        super().remove()
        registered[:] = [1] if any(GLOBAL.values()) else []


def _register_global(kind, hook):
    handle = _GlobalHandle(GLOBAL[kind])
    GLOBAL[kind][handle.id] = hook
    registered[:] = [1]
    return handle


def register_module_forward_pre_hook(hook):
    """Calls `hook(module, args)` before the forward of every module."""
    return _register_global("forward_pre", hook)


def register_module_forward_hook(hook, *, with_kwargs=False, always_call=False):
    """Calls `hook(module, args, output)` after the forward of every module."""
    return _register_global("forward", hook)


def register_module_full_backward_pre_hook(hook):
    """Calls `hook(module, grad_output)` before the gradients of every module are computed."""
    return _register_global("backward_pre", hook)


def register_module_full_backward_hook(hook):
    """Calls `hook(module, grad_input, grad_output)` when the gradients of every module are computed."""
    return _register_global("backward", hook)


class HookMixin:
    """The registering half of `Module`'s hooks."""

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        """`hook(module, args)` before forward; what it returns (if not None) replaces the arguments."""
        return self._add_hook("_forward_pre_hooks", hook, prepend,
                              "_forward_pre_hooks_with_kwargs" if with_kwargs else None)

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        """`hook(module, args, output)` after forward; what it returns (if not None) replaces the output."""
        handle = self._add_hook("_forward_hooks", hook, prepend, "_forward_hooks_with_kwargs" if with_kwargs else None)
        if always_call:
            self._forward_hooks_always_called[handle.id] = True
            handle.extra.append(self._forward_hooks_always_called)
        return handle

    def register_full_backward_pre_hook(self, hook, prepend=False):
        """`hook(module, grad_output)` before the module's gradients are computed."""
        return self._add_hook("_backward_pre_hooks", hook, prepend)

    def register_full_backward_hook(self, hook, prepend=False):
        """`hook(module, grad_input, grad_output)` when the gradients of the module's inputs are computed."""
        if self._is_full_backward_hook is False:
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single Module. "
                "Please use only one of them."
            )
        self._is_full_backward_hook = True
        return self._add_hook("_backward_hooks", hook, prepend)

    def register_backward_hook(self, hook):
        """The old kind, of which PyTorch says: use `register_full_backward_hook`."""
        if self._is_full_backward_hook is True:
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single Module. "
                "Please use only one of them."
            )
        self._is_full_backward_hook = False
        return self._add_hook("_backward_hooks", hook, False)

    def register_state_dict_pre_hook(self, hook):
        """`hook(module, prefix, keep_vars)` before `state_dict` collects."""
        return self._add_hook("_state_dict_pre_hooks", hook, False)

    def register_state_dict_post_hook(self, hook):
        """`hook(module, state_dict, prefix, local_metadata)` after `state_dict` collected."""
        return self._add_hook("_state_dict_hooks", hook, False)

    _register_state_dict_hook = register_state_dict_post_hook

    def register_load_state_dict_pre_hook(self, hook):
        """`hook(module, state_dict, prefix, local_metadata, strict, missing, unexpected, errors)` before loading."""
        def with_module(*args):
            return hook(self, *args)

        return self._add_hook("_load_state_dict_pre_hooks", with_module, False)

    def _register_load_state_dict_pre_hook(self, hook, with_module=False):
        return self.register_load_state_dict_pre_hook(hook) if with_module else \
            self._add_hook("_load_state_dict_pre_hooks", hook, False)

    def register_load_state_dict_post_hook(self, hook):
        """`hook(module, incompatible_keys)` after loading."""
        return self._add_hook("_load_state_dict_post_hooks", hook, False)

    def _add_hook(self, where, hook, prepend, flags=None):
        hooks = self.__dict__[where]
        handle = RemovableHandle(hooks)
        if prepend:
            rest = dict(hooks)
            hooks.clear()
            hooks[handle.id] = hook
            hooks.update(rest)
        else:
            hooks[handle.id] = hook
        if flags is not None:
            flagged = self.__dict__[flags]
            flagged[handle.id] = True
            handle.extra.append(flagged)
        self.__dict__["_hooked"] = True
        return handle

    def _call_with_hooks(self, args, kwargs):
        """Forward, with everything registered before and after it."""
        called = set()
        try:
            return self._run_hooks(args, kwargs, called)
        except Exception:
            for key, hook in self._forward_hooks.items():
                if key in self._forward_hooks_always_called and key not in called:
                    try:
                        self._forward_hook(key, hook, args, kwargs, None)
                    except Exception as err:
                        import warnings

                        warnings.warn(
                            "module forward hook with ``always_call=True`` raised an exception that was silenced "
                            f"as another error was raised in forward: {err}"
                        )
            raise

    def _run_hooks(self, args, kwargs, called):
        for hook in list(GLOBAL["forward_pre"].values()):
            args = _as_args(hook(self, args), args)
        for key, hook in list(self._forward_pre_hooks.items()):
            if key in self._forward_pre_hooks_with_kwargs:
                result = hook(self, args, kwargs)
                if result is not None:
                    if not (isinstance(result, tuple) and len(result) == 2):
                        raise RuntimeError(
                            "forward pre-hook must return None or a tuple of (new_args, new_kwargs), "
                            f"but got {result}."
                        )
                    args, kwargs = result
            else:
                args = _as_args(hook(self, args), args)
        backward = None
        full = self._backward_hooks if self._is_full_backward_hook is not False else {}
        if full or self._backward_pre_hooks or GLOBAL["backward"] or GLOBAL["backward_pre"]:
            backward = _BackwardHooks(self, full)
            args = backward.watch_inputs(args)
        result = self.forward(*args, **kwargs)
        for hook in list(GLOBAL["forward"].values()):
            changed = hook(self, args, result)
            result = result if changed is None else changed
        for key, hook in list(self._forward_hooks.items()):
            called.add(key)
            changed = self._forward_hook(key, hook, args, kwargs, result)
            result = result if changed is None else changed
        if backward is not None:
            result = backward.watch_outputs(result)
        if self._is_full_backward_hook is False and self._backward_hooks:
            self._watch_grad_fn(result)
        return result

    def _forward_hook(self, key, hook, args, kwargs, result):
        if key in self._forward_hooks_with_kwargs:
            return hook(self, args, kwargs, result)
        return hook(self, args, result)

    def _watch_grad_fn(self, result):
        """The old backward hooks hang on the node of the output."""
        out = result
        while not isinstance(out, Tensor):
            out = next(iter(out.values())) if isinstance(out, dict) else out[0]
        if out.grad_fn is not None:
            for hook in self._backward_hooks.values():
                out.grad_fn.register_hook(lambda gi, go, hook=hook: hook(self, gi, go))


def _as_args(result, args):
    if result is None:
        return args
    return result if isinstance(result, tuple) else (result,)


class _BackwardHooks:
    """Watches the gradients of one call: those that come in at its outputs, those that leave at its inputs."""

    def __init__(self, module, hooks):
        self.module = module
        self.hooks = list(GLOBAL["backward"].values()) + list(hooks.values())
        self.pre_hooks = list(GLOBAL["backward_pre"].values()) + list(module._backward_pre_hooks.values())
        self.grad_outputs = None
        self.input_slots = None
        self.input_count = 0

    def watch_inputs(self, args):
        self.input_count = len(args)
        slots = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        if not slots or not _C.is_grad_enabled() or not any(args[i].requires_grad for i in slots):
            return args
        self.input_slots = slots
        return _tap(args, slots, self._inputs_done)

    def watch_outputs(self, result):
        outputs = (result,) if isinstance(result, Tensor) else result
        if not isinstance(outputs, tuple):
            if not isinstance(outputs, list):
                import warnings

                warnings.warn(
                    "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but "
                    f"received {type(result)}"
                )
                return result
            outputs = tuple(outputs)
        slots = [i for i, o in enumerate(outputs) if isinstance(o, Tensor) and o.requires_grad]
        if not slots or not _C.is_grad_enabled():
            return result
        self.output_slots, self.output_count = slots, len(outputs)
        tapped = _tap(outputs, slots, self._outputs_done)
        return tapped[0] if isinstance(result, Tensor) else type(result)(tapped)

    def _outputs_done(self, grads):
        full = [None] * self.output_count
        for i, g in zip(self.output_slots, grads):
            full[i] = g
        full = tuple(full)
        for hook in self.pre_hooks:
            changed = hook(self.module, full)
            if changed is not None:
                full = changed if isinstance(changed, tuple) else (changed,)
        self.grad_outputs = full
        if self.input_slots is None:
            nothing = (None,) * self.input_count
            for hook in self.hooks:
                changed = hook(self.module, nothing, full)
                if changed is not None and not all(c is None for c in _as_args(changed, ())):
                    raise RuntimeError(
                        "Backward hook for Modules where no input requires gradient should always return None or "
                        "None for all gradients."
                    )
        return tuple(full[i] for i in self.output_slots)

    def _inputs_done(self, grads):
        if self.grad_outputs is None:  # the outputs are not watched: a dict, for instance
            return tuple(grads)
        full = [None] * self.input_count
        for i, g in zip(self.input_slots, grads):
            full[i] = g
        full = tuple(full)
        for hook in self.hooks:
            changed = hook(self.module, full, self.grad_outputs)
            if changed is not None:
                changed = changed if isinstance(changed, tuple) else (changed,)
                if len(changed) != len(full):
                    raise RuntimeError(
                        "Backward hook returned an invalid number of grad_input, "
                        f"got {len(changed)}, but expected {len(full)}"
                    )
                full = changed
        return tuple(full[i] for i in self.input_slots)


def _tap(values, slots, callback):
    """The same values, the tensors among them led through a node that shows their gradients to `callback`."""
    tapped = _tap_function().apply(callback, *[values[i] for i in slots])
    tapped = tapped if isinstance(tapped, tuple) else (tapped,)
    result = list(values)
    for i, t in zip(slots, tapped):
        result[i] = t
    return tuple(result)


_TAP = []


def _tap_function():
    if not _TAP:
        from torch.autograd.function import Function

        class BackwardHookFunction(Function):
            @staticmethod
            def forward(ctx, callback, *tensors):
                ctx.callback = callback
                ctx.mark_non_differentiable(*[t for t in tensors if not t.requires_grad])
                ctx.set_materialize_grads(False)
                return tuple(t.view_as(t) for t in tensors)

            @staticmethod
            def backward(ctx, *grads):
                return (None,) + tuple(ctx.callback(grads))

        _TAP.append(BackwardHookFunction)
    return _TAP[0]
