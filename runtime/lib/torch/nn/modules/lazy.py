"""Modules that learn their input size from the first input they see."""

from torch.nn.parameter import is_lazy


class LazyMixin:
    """Put before the real class; defines when the parameters come to be. Then the module becomes the real class."""

    cls_to_become = None

    def has_uninitialized_params(self):
        """Whether some parameter or buffer still waits for its shape."""
        return any(is_lazy(p) for p in list(self._parameters.values()) + list(self._buffers.values()))

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        super()._save_to_state_dict(destination, prefix, keep_vars)
        for name, value in {**self._parameters, **self._buffers}.items():
            if is_lazy(value) and prefix + name in destination:
                destination[prefix + name] = value

    def initialize_parameters(self, *args, **kwargs):
        """Gives the parameters their shape, seeing the first input."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def __call__(self, *args, **kwargs):
        if self.has_uninitialized_params():
            self.initialize_parameters(*args, **kwargs)
        self.__class__ = self.cls_to_become
        return self(*args, **kwargs)
