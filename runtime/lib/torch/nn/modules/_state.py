"""Saving and loading what a module has learned: `state_dict` and `load_state_dict`."""

from collections import OrderedDict, namedtuple

from torch import _C

Tensor = _C.Tensor
_EXTRA = "_extra_state"


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What did not fit, as `load_state_dict` returns it."""

    __slots__ = ()

    def __repr__(self):
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"

    __str__ = __repr__


class StateMixin:
    """The saving and loading half of `Module`."""

    _version = 1

    def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
        """Name -> tensor, for all parameters and persistent buffers. The tensors share memory with the module's."""
        if args:
            destination = args[0] if destination is None else destination
            prefix = args[1] if len(args) > 1 and prefix == "" else prefix
            keep_vars = args[2] if len(args) > 2 and keep_vars is False else keep_vars
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=prefix + name + ".", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            changed = hook(self, destination, prefix, metadata)
            destination = destination if changed is None else changed
        return destination

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        for name, param in self._parameters.items():
            if param is not None:
                destination[prefix + name] = param if keep_vars else param.detach()
        for name, buf in self._buffers.items():
            if buf is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = buf if keep_vars else buf.detach()
        if type(self).get_extra_state is not StateMixin.get_extra_state:
            destination[prefix + _EXTRA] = self.get_extra_state()

    def get_extra_state(self):
        """What else to save with this module; override together with `set_extra_state`."""
        raise RuntimeError(
            "Reached a code path in Module.get_extra_state() that should never be called. Please file an issue at "
            "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
        )

    def set_extra_state(self, state):
        """Takes back what `get_extra_state` gave."""
        raise RuntimeError(
            "Reached a code path in Module.set_extra_state() that should never be called. Please file an issue at "
            "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
        )

    def load_state_dict(self, state_dict, strict=True, assign=False):
        """Copies the tensors of `state_dict` into the parameters and buffers of the same names.

        `strict`: every name must be there, and no other. `assign`: takes the tensors themselves, no copy.
        """
        if not hasattr(state_dict, "keys"):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing, unexpected, errors = [], [], []
        metadata = getattr(state_dict, "_metadata", None)
        state_dict = OrderedDict(state_dict)
        if metadata is not None:
            state_dict._metadata = metadata
        _load(self, state_dict, "", metadata, assign, missing, unexpected, errors)
        if strict:
            if unexpected:
                names = ", ".join(f'"{k}"' for k in unexpected)
                errors.insert(0, f"Unexpected key(s) in state_dict: {names}. ")
            if missing:
                names = ", ".join(f'"{k}"' for k in missing)
                errors.insert(0, f"Missing key(s) in state_dict: {names}. ")
        if errors:
            raise RuntimeError(
                f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(errors)
            )
        return _IncompatibleKeys(missing, unexpected)

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
                              error_msgs):
        """Loads this module's own tensors; problems are added to the three lists."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        assign = local_metadata.get("assign_to_params_buffers", False)
        own = {n: p for n, p in self._parameters.items() if p is not None}
        own.update(
            (n, b) for n, b in self._buffers.items() if b is not None and n not in self._non_persistent_buffers_set
        )
        for name, param in own.items():
            key = prefix + name
            if key in state_dict:
                self._load_one(name, key, param, state_dict[key], assign, error_msgs)
            elif strict:
                missing_keys.append(key)
        has_extra = type(self).set_extra_state is not StateMixin.set_extra_state
        key = prefix + _EXTRA
        if has_extra:
            if key in state_dict:
                self.set_extra_state(state_dict[key])
            elif strict:
                missing_keys.append(key)
        if strict:
            for key in state_dict:
                if key.startswith(prefix):
                    if key == prefix + _EXTRA:
                        if not has_extra:
                            unexpected_keys.append(key)
                        continue
                    head, dot, _ = key[len(prefix):].partition(".")
                    if head not in self._modules if dot else head not in own:
                        unexpected_keys.append(key)

    def _load_one(self, name, key, param, value, assign, error_msgs):
        if not isinstance(value, Tensor):
            error_msgs.append(
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from '
                f"checkpoint but received {type(value)}"
            )
            return
        from torch.nn.parameter import Parameter, is_lazy

        if is_lazy(param):
            if name in self._parameters:
                self._parameters[name] = Parameter(value.detach().clone(), param.requires_grad)
            else:
                self._buffers[name] = value.detach().clone()
            return
        if value.dim() == 1 and param.dim() == 0 and value.numel() == 1:
            value = value[0]
        if value.shape != param.shape:
            error_msgs.append(
                f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, "
                f"the shape in current model is {param.shape}."
            )
            return
        try:
            if not assign:
                grad_mode = _C.is_grad_enabled()
                _C._set_grad_enabled(False)
                try:
                    param.copy_(value)
                finally:
                    _C._set_grad_enabled(grad_mode)
            elif name in self._parameters:
                if not isinstance(value, Parameter):
                    value = Parameter(value, param.requires_grad)
                self._parameters[name] = value
            else:
                self._buffers[name] = value
        except Exception as err:
            action = "swapping" if assign else "copying"
            error_msgs.append(
                f'While {action} the parameter named "{key}", whose dimensions in the model are {param.size()} and '
                f"whose dimensions in the checkpoint are {value.size()}, an exception occurred : {err.args}."
            )


def _load(module, state_dict, prefix, metadata, assign, missing, unexpected, errors):
    local = {} if metadata is None else dict(metadata.get(prefix[:-1], {}))
    if assign:
        local["assign_to_params_buffers"] = True
    module._load_from_state_dict(state_dict, prefix, local, True, missing, unexpected, errors)
    for name, child in module._modules.items():
        if child is not None:
            below = prefix + name + "."
            part = {k: v for k, v in state_dict.items() if k.startswith(below)}
            _load(child, part, below, metadata, assign, missing, unexpected, errors)
    incompatible = _IncompatibleKeys(missing, unexpected)
    for hook in module._load_state_dict_post_hooks.values():
        if hook(module, incompatible) is not None:
            raise AssertionError(
                "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new values, "
                "if incompatible_keys need to be modified, it should be done inplace."
            )
