"""`Optimizer`: parameter groups, their settings and their state."""

from collections import defaultdict

from torch import _C
from torch.autograd.grad_mode import enable_grad
from torch.utils.hooks import RemovableHandle

Tensor = _C.Tensor
_zeros_like = _C._functions.zeros_like
GLOBAL = {"pre": {}, "post": {}}  # hooks of all optimizers' steps
required = object()  # the value of a setting that has no default


_SET = (
    "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets will change "
    "between runs. Please use a list instead"
)


def number(value):
    """A setting (a learning rate, say) that may be a tensor, as a number."""
    return value.item() if isinstance(value, Tensor) else value


def check(value, name):
    """Most settings must not be negative."""
    if not 0.0 <= value:
        raise ValueError(f"Invalid {name}: {value}")


def check_lr(lr):
    """The learning rate must not be negative; it may be a tensor of one element."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    check(lr, "learning rate")


def check_betas(betas):
    """Both decay rates lie in [0, 1)."""
    for i in (0, 1):
        beta = betas[i]
        if not 0.0 <= beta < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {beta}")


def _register_global(kind, hook):
    handle = RemovableHandle(GLOBAL[kind])
    GLOBAL[kind][handle.id] = hook
    return handle


def register_optimizer_step_pre_hook(hook):
    """`hook(optimizer, args, kwargs)` before each step of any optimizer."""
    return _register_global("pre", hook)


def register_optimizer_step_post_hook(hook):
    """`hook(optimizer, args, kwargs)` after each step of any optimizer."""
    return _register_global("post", hook)


class Optimizer:
    """Base of all optimizers. `params` are tensors, (name, tensor) pairs, or dicts with settings of their own."""

    def __init__(self, params, defaults):
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                + params.type()
            )
        self.defaults = defaults
        self.state = defaultdict(dict)
        self.param_groups = []
        self._optimizer_step_pre_hooks = {}
        self._optimizer_step_post_hooks = {}
        self._optimizer_state_dict_pre_hooks = {}
        self._optimizer_state_dict_post_hooks = {}
        self._optimizer_load_state_dict_pre_hooks = {}
        self._optimizer_load_state_dict_post_hooks = {}
        if isinstance(params, set):
            import warnings

            warnings.warn(_SET + ". This will be an error in a future release.", FutureWarning, stacklevel=4)
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def add_param_group(self, param_group):
        """Adds parameters with settings of their own: `{"params": [...], "lr": 0.1}`."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, Tensor):
            params = [params]
        elif isinstance(params, set):
            raise TypeError(_SET + ".")
        else:
            params = list(params)
        param_group["params"] = params
        _take_names(param_group)
        for param in param_group["params"]:
            if not isinstance(param, Tensor):
                raise TypeError(
                    f"optimizer can only optimize Tensors, but one of the params is {type(param).__name__}"
                )
            if not self.defaults.get("differentiable") and not (param.is_leaf or param.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        params = param_group["params"]
        ids = set(map(id, params))
        if len(params) != len(ids):
            import warnings

            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
                "see github.com/pytorch/pytorch/issues/40967 for more information",
                stacklevel=3,
            )
        if any(("param_names" in group) != ("param_names" in param_group) for group in self.param_groups):
            raise ValueError(
                "all optimizer param groups should be with/without names. cannot add param group "
                + ("with names" if "param_names" in param_group else "without names") + " to the optimizer"
            )
        if any(id(p) in ids for group in self.param_groups for p in group["params"]):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    def step(self, closure=None):
        """Changes the parameters once. `closure` computes the loss anew, for those that need it more often."""
        raise NotImplementedError

    def zero_grad(self, set_to_none=True):
        """Clears the gradients: to None, or to zeros."""
        for group in self.param_groups:
            for param in group["params"]:
                if param.grad is None:
                    continue
                if set_to_none:
                    param.grad = None
                else:
                    if param.grad.grad_fn is not None:
                        param.grad.detach_()
                    else:
                        param.grad.requires_grad_(False)
                    param.grad.zero_()

    def state_dict(self):
        """State and settings, the parameters as numbers: {"state": ..., "param_groups": ...}."""
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        numbers = {}
        groups = []
        for group in self.param_groups:
            for param in group["params"]:
                numbers.setdefault(id(param), len(numbers))
            packed = {k: v for k, v in group.items() if k != "params"}
            packed["params"] = [numbers[id(p)] for p in group["params"]]
            groups.append(packed)
        state = {(numbers[id(k)] if isinstance(k, Tensor) else k): v for k, v in self.state.items()}
        result = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            changed = hook(self, result)
            result = result if changed is None else changed
        return result

    def load_state_dict(self, state_dict):
        """Takes over what `state_dict` gave, for parameters in the same order."""
        from copy import deepcopy

        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            changed = hook(self, state_dict)
            state_dict = state_dict if changed is None else changed
        saved = deepcopy(state_dict["param_groups"])
        groups = self.param_groups
        if len(groups) != len(saved):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(a["params"]) != len(b["params"]) for a, b in zip(groups, saved)):
            raise ValueError("loaded state dict contains a parameter group that doesn't match the size of "
                             "optimizer's group")
        by_number = {}
        for group, new in zip(groups, saved):
            by_number.update(zip(new["params"], group["params"]))
        state = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in by_number:
                state[by_number[key]] = _cast(by_number[key], value)
            else:
                state[key] = value
        for group, new in zip(groups, saved):
            new["params"] = group["params"]
            if "param_names" in group and "param_names" not in new:
                new["param_names"] = group["param_names"]
        self.__setstate__({"state": state, "param_groups": saved})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)

    def __getstate__(self):
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state):
        self.__dict__.update(state)
        for name in ("step_pre", "step_post", "state_dict_pre", "state_dict_post", "load_state_dict_pre",
                     "load_state_dict_post"):
            self.__dict__.setdefault(f"_optimizer_{name}_hooks", {})
        self.defaults.setdefault("differentiable", False)

    def __repr__(self):
        text = type(self).__name__ + " ("
        for i, group in enumerate(self.param_groups):
            text += f"\nParameter Group {i}\n"
            for key in sorted(group):
                if key != "params":
                    text += f"    {key}: {group[key]}\n"
        return text + ")"

    def _register(self, kind, hook, prepend=False):
        hooks = getattr(self, f"_optimizer_{kind}_hooks")
        handle = RemovableHandle(hooks)
        if prepend:
            rest = dict(hooks)
            hooks.clear()
            hooks[handle.id] = hook
            hooks.update(rest)
        else:
            hooks[handle.id] = hook
        return handle

    def register_step_pre_hook(self, hook):
        """`hook(optimizer, args, kwargs)` before each step."""
        return self._register("step_pre", hook)

    def register_step_post_hook(self, hook):
        """`hook(optimizer, args, kwargs)` after each step."""
        return self._register("step_post", hook)

    def register_state_dict_pre_hook(self, hook, prepend=False):
        """`hook(optimizer)` before `state_dict`."""
        return self._register("state_dict_pre", hook, prepend)

    def register_state_dict_post_hook(self, hook, prepend=False):
        """`hook(optimizer, state_dict)` after `state_dict`."""
        return self._register("state_dict_post", hook, prepend)

    def register_load_state_dict_pre_hook(self, hook, prepend=False):
        """`hook(optimizer, state_dict)` before loading."""
        return self._register("load_state_dict_pre", hook, prepend)

    def register_load_state_dict_post_hook(self, hook, prepend=False):
        """`hook(optimizer)` after loading."""
        return self._register("load_state_dict_post", hook, prepend)


def _take_names(group):
    """(name, parameter) pairs become parameters, and `param_names` beside them."""
    params = group["params"]
    named = [isinstance(p, tuple) for p in params]
    if not any(named):
        return
    if not all(named):
        raise ValueError("all optimizer params should be with/without names. Some param names are missing")
    group["param_names"] = [p[0] for p in params]
    group["params"] = [p[1] for p in params]


def _cast(param, value, key=None):
    """Loaded state in the parameter's dtype; the step counter stays as it is."""
    if isinstance(value, Tensor):
        return value.to(param.dtype) if key != "step" and param.is_floating_point() else value
    if isinstance(value, dict):
        return {k: _cast(param, v, k) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_cast(param, v, key) for v in value)
    return value


def check_modes(defaults):
    """The ways to compute a step all give the same here, but PyTorch does not let them be combined at will."""
    if defaults.get("fused"):
        if defaults.get("differentiable"):
            raise RuntimeError("`fused` does not support `differentiable`")
        if defaults.get("foreach"):
            raise RuntimeError("`fused` and `foreach` cannot be `True` together.")


class GradientStep(Optimizer):
    """An optimizer whose step goes through the groups: subclasses define `_step_group(group)`."""

    def __init__(self, params, defaults):
        check_modes(defaults)
        super().__init__(params, defaults)

    def step(self, closure=None):
        """Changes the parameters once, by their gradients. Returns the closure's loss."""
        arguments = (self,) if closure is None else (self, closure)
        if self._optimizer_step_pre_hooks or GLOBAL["pre"]:
            for hook in [*GLOBAL["pre"].values(), *self._optimizer_step_pre_hooks.values()]:
                result = hook(self, arguments, {})
                if result is None:
                    continue
                if not (isinstance(result, tuple) and len(result) == 2):
                    raise RuntimeError(
                        f"{type(self).step} must return None or a tuple of (new_args, new_kwargs), but got {result}."
                    )
                arguments, settings = result
                closure = settings.get("closure", arguments[1] if len(arguments) > 1 else None)
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        if any(group.get("capturable") for group in self.param_groups):
            raise AssertionError(
                "If capturable=True, params and state_steps must be on supported devices: "
                "['cuda', 'xpu', 'hpu', 'privateuseone', 'xla']."
            )
        before = _C.is_grad_enabled()
        _C._set_grad_enabled(self.defaults.get("differentiable", False))
        try:
            for group in self.param_groups:
                self._step_group(group)
        finally:
            _C._set_grad_enabled(before)
        if self._optimizer_step_post_hooks or GLOBAL["post"]:
            for hook in [*self._optimizer_step_post_hooks.values(), *GLOBAL["post"].values()]:
                hook(self, arguments, {})
        return loss

    def _step_group(self, group):
        raise NotImplementedError

    def _each(self, group, **zeros):
        """(parameter, gradient, state) of the group's parameters that have a gradient.

        State that isn't there yet is made: `step=True` a counter, other names zeros like the parameter.
        """
        for param in group["params"]:
            grad = param.grad
            if grad is None:
                continue
            state = self.state[param]
            if not state:
                for name, wanted in zeros.items():
                    if not wanted:
                        continue
                    state[name] = _counter() if name == "step" else _zeros_like(param)
            if group["maximize"]:
                grad = -grad
            if not param.is_complex():
                yield param, grad, state
                continue
            # Complex parameters change as their real and imaginary parts would.
            pairs = {name: _real(value) for name, value in state.items()}
            known = dict(pairs)
            yield _real(param), _real(grad), pairs
            state.update((name, value) for name, value in pairs.items() if value is not known.get(name))


def _real(value):
    complex_tensor = isinstance(value, _C.TensorBase) and value.is_complex()
    return _C._functions.view_as_real(value) if complex_tensor else value


def _counter():
    return _C._functions.tensor(0.0, dtype=_C.float32)
