"""What all distributions share."""

from torch import _C
from torch.autograd.grad_mode import no_grad

_F = _C._functions
Tensor = _C.Tensor


def broadcast_all(*values):
    """Numbers and tensors as tensors of one shape."""
    kinds = [v for v in values if isinstance(v, Tensor)]
    dtype = kinds[0].dtype if kinds else _C.get_default_dtype()
    return _F.broadcast_tensors([v if isinstance(v, Tensor) else _F.tensor(v, dtype=dtype) for v in values])


class Distribution:
    """Base of distributions, of batch shape and event shape. Arguments are checked unless `validate_args=False`."""

    has_rsample = False
    has_enumerate_support = False
    arg_constraints = {}
    _validate_args = True

    def __init__(self, batch_shape=(), event_shape=(), validate_args=None):
        self._batch_shape, self._event_shape = _C.Size(batch_shape), _C.Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            for name, constraint in self.arg_constraints.items():
                if name not in self.__dict__:
                    continue  # computed when asked for
                value = getattr(self, name)
                if not constraint.check(value).all():
                    raise ValueError(
                        f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of "
                        f"distribution {self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n"
                        f"{_plain(value)}"
                    )

    @staticmethod
    def set_default_validate_args(value):
        """Whether arguments are checked."""
        if value not in (True, False):
            raise ValueError
        Distribution._validate_args = value

    @property
    def batch_shape(self):
        """The shape of the parameters, without the event."""
        return self._batch_shape

    @property
    def event_shape(self):
        """The shape of one draw."""
        return self._event_shape

    @property
    def support(self):
        """The constraint that draws satisfy."""
        raise NotImplementedError

    @property
    def mean(self):
        raise NotImplementedError

    @property
    def mode(self):
        raise NotImplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self):
        raise NotImplementedError

    @property
    def stddev(self):
        """The root of the variance."""
        return self.variance.sqrt()

    @no_grad()
    def sample(self, sample_shape=()):
        """Draws, of shape sample_shape + batch_shape + event_shape, without gradient."""
        return self.rsample(sample_shape)

    def rsample(self, sample_shape=()):
        """Draws that can be differentiated with respect to the parameters."""
        raise NotImplementedError

    def sample_n(self, n):
        return self.sample((n,))

    def log_prob(self, value):
        """The logarithm of the density (or probability) at `value`."""
        raise NotImplementedError

    def cdf(self, value):
        """The probability of a value not larger."""
        raise NotImplementedError

    def icdf(self, value):
        """The value whose `cdf` this is."""
        raise NotImplementedError

    def entropy(self):
        raise NotImplementedError

    def enumerate_support(self, expand=True):
        raise NotImplementedError

    def perplexity(self):
        """exp(entropy)."""
        return self.entropy().exp()

    def expand(self, batch_shape, _instance=None):
        """The same distribution for a larger batch."""
        shape = tuple(batch_shape)
        arguments = {}
        for name in self.arg_constraints:
            if name in self.__dict__:
                value = self.__dict__[name]
                tail = tuple(value.shape)[len(self._batch_shape):]
                arguments[name] = value.expand(shape + tail)
        return type(self)(**arguments, validate_args=False)

    def _extended_shape(self, sample_shape=()):
        return tuple(sample_shape) + tuple(self._batch_shape) + tuple(self._event_shape)

    def _validate_sample(self, value):
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        start = len(value.size()) - len(self._event_shape)
        if value.size()[start:] != self._event_shape:
            raise ValueError(
                "The right-most size of value must match event_shape: "
                f"{value.size()} vs {self._event_shape}."
            )
        own = tuple(self._batch_shape) + tuple(self._event_shape)
        for i, j in zip(reversed(value.size()), reversed(own)):
            if i != 1 and j != 1 and i != j:
                raise ValueError(
                    f"Value is not broadcastable with batch_shape+event_shape: {value.size()} vs {_C.Size(own)}."
                )
        support = self.support
        if not support.check(value).all():
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the "
                f"support ({support!r}) of the distribution {self!r}, but found invalid values:\n{_plain(value)}"
            )

    def __repr__(self):
        names = [n for n in self.arg_constraints if n in self.__dict__]
        parts = []
        for name in names:
            value = self.__dict__[name]
            parts.append(f"{name}: {_plain(value) if value.numel() == 1 else value.size()}")
        return type(self).__name__ + "(" + ", ".join(parts) + ")"


def _plain(value):
    """A tensor as messages and reprs show it: one of no dimensions as a number."""
    return value.item() if value.dim() == 0 else value
