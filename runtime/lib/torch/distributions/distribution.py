"""What all distributions share."""

from torch import _C
from torch.autograd.grad_mode import no_grad
from torch.distributions import constraints
from torch.distributions.utils import lazy_property

_F = _C._functions
Tensor = _C.Tensor


class Distribution:
    """Base of distributions, of batch shape and event shape. Arguments are checked unless `validate_args=False`."""

    has_rsample = False
    has_enumerate_support = False
    _validate_args = True

    def __init__(self, batch_shape=(), event_shape=(), validate_args=None):
        self._batch_shape, self._event_shape = _C.Size(batch_shape), _C.Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            try:
                wanted = self.arg_constraints
            except NotImplementedError:
                wanted = {}
                _warn(
                    f"{type(self)} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or initialize "
                    "the distribution with `validate_args=False` to turn off validation."
                )
            for name, constraint in wanted.items():
                if constraints.is_dependent(constraint):
                    continue
                if name not in self.__dict__ and isinstance(getattr(type(self), name), lazy_property):
                    continue  # computed when asked for
                value = getattr(self, name)
                if not constraint.check(value).all():
                    raise ValueError(
                        f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of "
                        f"distribution {self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n"
                        f"{value}"
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
    def arg_constraints(self):
        """The constraint of each parameter."""
        raise NotImplementedError

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

    def sample(self, sample_shape=()):
        """Draws, of shape sample_shape + batch_shape + event_shape, without gradient."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape=()):
        """Draws that can be differentiated with respect to the parameters."""
        raise NotImplementedError

    def sample_n(self, n):
        """`n` draws; the older form of `sample((n,))`."""
        _warn("`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", FutureWarning)
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
        """All values a discrete distribution can give."""
        raise NotImplementedError

    def perplexity(self):
        """exp(entropy)."""
        return _F.exp(self.entropy())

    def expand(self, batch_shape, _instance=None):
        """The same distribution for a larger batch. Its parameters are views."""
        batch, own = tuple(batch_shape), tuple(self._batch_shape)
        new = type(self).__new__(type(self)) if _instance is None else _instance
        for name, value in self.__dict__.items():
            if isinstance(value, Tensor) and tuple(value.shape)[:len(own)] == own:
                value = value.expand(batch + tuple(value.shape)[len(own):])
            elif isinstance(value, Distribution):
                value = value.expand(batch + tuple(value.batch_shape)[len(own):])
            new.__dict__[name] = value
        new._batch_shape = _C.Size(batch)
        return new

    def _get_checked_instance(self, cls, _instance=None):
        if _instance is None and type(self).__init__ != cls.__init__:
            raise NotImplementedError(
                f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ method must also "
                "define a custom .expand() method."
            )
        return self.__new__(type(self)) if _instance is None else _instance

    def _extended_shape(self, sample_shape=()):
        return _C.Size(tuple(sample_shape) + tuple(self._batch_shape) + tuple(self._event_shape))

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
        try:
            support = self.support
        except NotImplementedError:
            _warn(
                f"{type(self)} does not define `support` to enable sample validation. Please initialize the "
                "distribution with `validate_args=False` to turn off validation."
            )
            return
        if not support.check(value).all():
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the "
                f"support ({support!r}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    def __repr__(self):
        parts = []
        for name in self.arg_constraints:
            if name in self.__dict__:
                value = self.__dict__[name]
                parts.append(f"{name}: {value if value.numel() == 1 else value.size()}")
        return type(self).__name__ + "(" + ", ".join(parts) + ")"


class ExponentialFamily(Distribution):
    """Distributions with density exp(η·t(x) - A(η)) h(x): their entropy is a Bregman divergence of A."""

    @property
    def _natural_params(self):
        raise NotImplementedError

    def _log_normalizer(self, *natural_params):
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self):
        raise NotImplementedError

    def entropy(self):
        from torch.autograd import grad
        from torch.autograd.grad_mode import enable_grad

        result = -self._mean_carrier_measure
        natural = [p.detach().requires_grad_() for p in self._natural_params]
        with enable_grad():
            normalizer = self._log_normalizer(*natural)
            gradients = grad(normalizer.sum(), natural, create_graph=True)
        result = result + normalizer
        for parameter, gradient in zip(natural, gradients):
            product = parameter * gradient
            keep = len(self._batch_shape)
            result = result - product.reshape(tuple(product.shape)[:keep] + (-1,)).sum(-1)
        return result


def _warn(text, kind=UserWarning):
    import warnings

    warnings.warn(text, kind, stacklevel=3)
