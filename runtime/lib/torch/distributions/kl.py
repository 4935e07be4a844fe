"""The Kullback-Leibler divergence between two distributions."""

from torch import _C
from torch.distributions.continuous import Exponential, Laplace, Normal, Uniform
from torch.distributions.discrete import Bernoulli, Categorical, OneHotCategorical
from torch.distributions.independent import Independent

_F = _C._functions
_REGISTRY = {}


def register_kl(type_p, type_q):
    """Decorates the function for two types of distributions."""
    def decorate(fn):
        _REGISTRY[type_p, type_q] = fn
        return fn

    return decorate


def kl_divergence(p, q):
    """∫ p log(p / q): how far `q` is from `p`."""
    for kind_p in type(p).__mro__:
        for kind_q in type(q).__mro__:
            fn = _REGISTRY.get((kind_p, kind_q))
            if fn is not None:
                return fn(p, q)
    raise NotImplementedError(
        f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}"
    )


@register_kl(Normal, Normal)
def _normal(p, q):
    ratio = (p.scale / q.scale).pow(2)
    shift = ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (ratio + shift - 1 - ratio.log())


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p, q):
    softplus = _C._nn.softplus
    ones = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    ones = _F.where(q.probs == 0, _F.full_like(ones, float("inf")), ones).masked_fill(p.probs == 0, 0)
    zeros = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    zeros = _F.where(q.probs == 1, _F.full_like(zeros, float("inf")), zeros).masked_fill(p.probs == 1, 0)
    return ones + zeros


@register_kl(Categorical, Categorical)
def _categorical(p, q):
    t = p.probs * (p.logits - q.logits)
    t = t.masked_fill((q.probs == 0).expand_as(t), float("inf")).masked_fill((p.probs == 0).expand_as(t), 0)
    return t.sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot(p, q):
    return kl_divergence(p._categorical, q._categorical)


@register_kl(Exponential, Exponential)
def _exponential(p, q):
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(Laplace, Laplace)
def _laplace(p, q):
    ratio = p.scale / q.scale
    distance = (p.loc - q.loc).abs()
    return -ratio.log() + distance / q.scale + ratio * _F.exp(-distance / p.scale) - 1


@register_kl(Uniform, Uniform)
def _uniform(p, q):
    result = ((q.high - q.low) / (p.high - p.low)).log()
    return result.masked_fill((q.low > p.low) | (q.high < p.high), float("inf"))


@register_kl(Independent, Independent)
def _independent(p, q):
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return p._sum(kl_divergence(p.base_dist, q.base_dist))
