"""Discrete distributions."""

from torch import _C
from torch.autograd.grad_mode import no_grad
from torch.distributions import constraints
from torch.distributions.distribution import Distribution, broadcast_all

_F = _C._functions


def _clamp(probs):
    """Probabilities away from 0 and 1, so that their logarithms are finite."""
    eps = _C.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def _one_of(probs, logits):
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")


class _Binary(Distribution):
    """Given by `probs` or by `logits`; the other is computed when it is asked for."""

    def __init__(self, probs=None, logits=None, validate_args=None):
        _one_of(probs, logits)
        if probs is not None:
            (self.probs,) = broadcast_all(probs)
        else:
            (self.logits,) = broadcast_all(logits)
        given = self.probs if probs is not None else self.logits
        super().__init__(given.size(), validate_args=validate_args)

    def __getattr__(self, name):
        own = self.__dict__
        if name == "logits" and "probs" in own:
            clamped = _clamp(own["probs"])
            value = _F.log(clamped) - _F.log1p(-clamped)
        elif name == "probs" and "logits" in own:
            value = _F.sigmoid(own["logits"])
        else:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return value

    @property
    def _given(self):
        return self.__dict__["probs"] if "probs" in self.__dict__ else self.__dict__["logits"]


class Bernoulli(_Binary):
    """1 with probability `probs`, 0 else."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.boolean
    has_enumerate_support = True

    @property
    def mean(self):
        return self.probs

    @property
    def variance(self):
        return self.probs * (1 - self.probs)

    @property
    def mode(self):
        mode = (self.probs >= 0.5).to(self.probs)
        mode[self.probs == 0.5] = float("nan")
        return mode

    @no_grad()
    def sample(self, sample_shape=()):
        return _F.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -_F.binary_cross_entropy_with_logits(logits, value, None, None, 0)

    def entropy(self):
        return _F.binary_cross_entropy_with_logits(self.logits, self.probs, None, None, 0)


class Geometric(_Binary):
    """The number of failures before the first success."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.nonnegative_integer

    @property
    def mean(self):
        return 1.0 / self.probs - 1.0

    @property
    def mode(self):
        return _F.zeros_like(self.probs)

    @property
    def variance(self):
        return (1.0 / self.probs - 1.0) / self.probs

    @no_grad()
    def sample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        tiny = _C.finfo(self.probs.dtype).tiny
        u = _F.empty(shape, dtype=self.probs.dtype).uniform_(tiny, 1)
        return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        value, probs = broadcast_all(value, self.probs)
        probs = probs.clone()
        probs[(probs == 1) & (value == 0)] = 0
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self):
        return _F.binary_cross_entropy_with_logits(self.logits, self.probs, None, None, 0) / self.probs


class Categorical(Distribution):
    """One of K classes, with probabilities `probs` (normalised) or exp(`logits`) (normalised)."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real}
    has_enumerate_support = True

    def __init__(self, probs=None, logits=None, validate_args=None):
        _one_of(probs, logits)
        if probs is not None:
            if probs.dim() < 1:
                raise ValueError("`probs` parameter must be at least one-dimensional.")
            self.probs = probs / probs.sum(-1, keepdim=True)
        else:
            if logits.dim() < 1:
                raise ValueError("`logits` parameter must be at least one-dimensional.")
            self.logits = logits - logits.logsumexp(dim=-1, keepdim=True)
        given = self.probs if probs is not None else self.logits
        self._num_events = given.size()[-1]
        super().__init__(given.size()[:-1], validate_args=validate_args)

    def __getattr__(self, name):
        own = self.__dict__
        if name == "logits" and "probs" in own:
            return _F.log(_clamp(own["probs"]))
        if name == "probs" and "logits" in own:
            return own["logits"].softmax(-1)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    @property
    def support(self):
        return constraints.integer_interval(0, self._num_events - 1)

    @property
    def param_shape(self):
        return (self.__dict__.get("probs") if "probs" in self.__dict__ else self.logits).size()

    @property
    def mean(self):
        return _F.full(self._extended_shape(), float("nan"), dtype=self.probs.dtype)

    @property
    def mode(self):
        return self.probs.argmax(dim=-1)

    @property
    def variance(self):
        return self.mean

    @no_grad()
    def sample(self, sample_shape=()):
        count = 1
        for n in sample_shape:
            count *= n
        flat = self.probs.reshape(-1, self._num_events)
        drawn = _F.multinomial(flat, count, True).t()
        return drawn.reshape(self._extended_shape(sample_shape))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        value = value.long().unsqueeze(-1)
        value, log_pmf = _F.broadcast_tensors([value, self.logits])
        return log_pmf.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self):
        logits = _F.clamp(self.logits, min=_C.finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand=True):
        """All classes."""
        values = _F.arange(self._num_events).view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1,) + tuple(self._batch_shape)) if expand else values


class OneHotCategorical(Distribution):
    """`Categorical`, with draws as one-hot vectors."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real}
    support = constraints.one_hot

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._categorical = Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args)

    @property
    def probs(self):
        return self._categorical.probs

    @property
    def logits(self):
        return self._categorical.logits

    @property
    def mean(self):
        return self.probs

    @property
    def variance(self):
        return self.probs * (1 - self.probs)

    @no_grad()
    def sample(self, sample_shape=()):
        index = self._categorical.sample(sample_shape)
        return _C._nn.one_hot(index, self._categorical._num_events).to(self.probs.dtype)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self):
        return self._categorical.entropy()

    def __repr__(self):
        return "OneHotCategorical()"
