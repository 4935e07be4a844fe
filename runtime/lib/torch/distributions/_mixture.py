"""A mixture of distributions of one family."""

from torch import _C
from torch.autograd.grad_mode import no_grad
from torch.distributions import constraints
from torch.distributions._discrete import Categorical
from torch.distributions.constraints import MixtureSameFamilyConstraint
from torch.distributions.distribution import Distribution

_F = _C._functions


class MixtureSameFamily(Distribution):
    """A `Categorical` says which of the components, the last batch dimension of the second, a draw comes from."""

    arg_constraints = {}
    has_rsample = False

    def __init__(self, mixture_distribution, component_distribution, validate_args=None):
        self._mixture_distribution, self._component_distribution = mixture_distribution, component_distribution
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(" The Mixture distribution needs to be an  instance of torch.distributions.Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError(
                "The Component distribution need to be an instance of torch.distributions.Distribution"
            )
        own, parts = mixture_distribution.batch_shape, component_distribution.batch_shape[:-1]
        for a, b in zip(reversed(own), reversed(parts)):
            if a != 1 and b != 1 and a != b:
                raise ValueError(
                    f"`mixture_distribution.batch_shape` ({own}) is not compatible with "
                    f"`component_distribution.batch_shape`({parts})"
                )
        kinds, count = mixture_distribution.logits.shape[-1], component_distribution.batch_shape[-1]
        if kinds is not None and count is not None and kinds != count:
            raise ValueError(
                f"`mixture_distribution component` ({kinds}) does not equal `component_distribution.batch_shape[-1]` "
                f"({count})"
            )
        self._num_component = count
        event = component_distribution.event_shape
        self._event_ndims = len(event)
        super().__init__(batch_shape=parts, event_shape=event, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        batch = _C.Size(batch_shape)
        new = self._get_checked_instance(MixtureSameFamily, _instance)
        new._component_distribution = self._component_distribution.expand(batch + (self._num_component,))
        new._mixture_distribution = self._mixture_distribution.expand(batch)
        new._num_component, new._event_ndims = self._num_component, self._event_ndims
        super(MixtureSameFamily, new).__init__(batch, new._component_distribution.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @constraints.dependent_property
    def support(self):
        return MixtureSameFamilyConstraint(self._component_distribution.support)

    @property
    def mixture_distribution(self):
        return self._mixture_distribution

    @property
    def component_distribution(self):
        return self._component_distribution

    def _weights(self):
        probs = self.mixture_distribution.probs
        return probs.reshape(tuple(probs.shape) + (1,) * self._event_ndims)

    @property
    def mean(self):
        return (self._weights() * self.component_distribution.mean).sum(-1 - self._event_ndims)

    @property
    def variance(self):
        probs, dim = self._weights(), -1 - self._event_ndims
        within = (probs * self.component_distribution.variance).sum(dim)
        between = (probs * (self.component_distribution.mean - self._pad(self.mean)).pow(2.0)).sum(dim)
        return within + between

    def cdf(self, x):
        x = self._pad(x)
        return (self.component_distribution.cdf(x) * self.mixture_distribution.probs).sum(-1)

    def log_prob(self, x):
        if self._validate_args:
            self._validate_sample(x)
        x = self._pad(x)
        log_prob = self.component_distribution.log_prob(x)
        log_mix = _F.log_softmax(self.mixture_distribution.logits, dim=-1)
        return _F.logsumexp(log_prob + log_mix, dim=-1)

    def sample(self, sample_shape=()):
        with no_grad():
            sample_len, batch_len = len(sample_shape), len(self.batch_shape)
            dim = sample_len + batch_len
            event = tuple(self.event_shape)
            which = self.mixture_distribution.sample(sample_shape)
            parts = self.component_distribution.sample(sample_shape)
            which = which.reshape(tuple(which.shape) + (1,) * (len(event) + 1))
            which = which.repeat((1,) * len(which.shape[:dim]) + (1,) + event)
            return _F.gather(parts, dim, which).squeeze(dim)

    def _pad(self, x):
        return x.unsqueeze(-1 - self._event_ndims)

    def __repr__(self):
        return f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"
