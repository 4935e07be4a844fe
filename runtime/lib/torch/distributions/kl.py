"""The Kullback-Leibler divergence between two distributions."""

import math

from torch import _C
from torch.distributions._continuous import Cauchy, ContinuousBernoulli, Exponential, Laplace, Normal, Uniform
from torch.distributions._discrete import (
    Bernoulli, Binomial, Categorical, Geometric, OneHotCategorical, Poisson,
)
from torch.distributions._gamma import Beta, Dirichlet, Gamma
from torch.distributions._matrices import (
    LowRankMultivariateNormal, MultivariateNormal, _mahalanobis, _solve,
)
from torch.distributions._transformed import Gumbel, HalfNormal, Pareto, TransformedDistribution
from torch.distributions.distribution import Distribution, ExponentialFamily
from torch.distributions.independent import Independent
from torch.distributions.utils import euler_constant, sum_rightmost

_F = _C._functions
_INF = float("inf")
_REGISTRY = {}

__all__ = ["register_kl", "kl_divergence"]


def register_kl(type_p, type_q):
    """Decorates the function for two types of distributions."""
    for kind, name in ((type_p, "type_p"), (type_q, "type_q")):
        if not isinstance(kind, type) or not issubclass(kind, Distribution):
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {kind}")

    def decorate(fn):
        _REGISTRY[type_p, type_q] = fn
        return fn

    return decorate


def _find(type_p, type_q):
    """The function of the nearest pair of base classes: first as `p` wants it."""
    fits = [(p, q) for p, q in _REGISTRY if issubclass(type_p, p) and issubclass(type_q, q)]
    if not fits:
        return None
    # The smaller the place in the method resolution order, the nearer the class.
    best = min(fits, key=lambda pair: (type_p.__mro__.index(pair[0]), type_q.__mro__.index(pair[1])))
    return _REGISTRY[best]


def kl_divergence(p, q):
    """∫ p log(p / q): how far `q` is from `p`."""
    fn = _find(type(p), type(q))
    if fn is None:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}"
        )
    return fn(p, q)


def _infinite_like(tensor):
    return _F.full_like(tensor, _INF)


def _x_log_x(tensor):
    return _F.xlogy(tensor, tensor)


def _trace_xxt(m):
    """The trace of m m'."""
    return m.pow(2).flatten(-2).sum(-1)


# Of the same family.

@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p, q):
    softplus = _C._nn.softplus
    t1 = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    t1[q.probs == 0] = _INF
    t1[p.probs == 0] = 0
    t2 = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    t2[q.probs == 1] = _INF
    t2[p.probs == 1] = 0
    return t1 + t2


@register_kl(Beta, Beta)
def _beta(p, q):
    sum_p, sum_q = p.concentration1 + p.concentration0, q.concentration1 + q.concentration0
    t1 = q.concentration1.lgamma() + q.concentration0.lgamma() + sum_p.lgamma()
    t2 = p.concentration1.lgamma() + p.concentration0.lgamma() + sum_q.lgamma()
    t3 = (p.concentration1 - q.concentration1) * _F.digamma(p.concentration1)
    t4 = (p.concentration0 - q.concentration0) * _F.digamma(p.concentration0)
    return t1 - t2 + t3 + t4 + (sum_q - sum_p) * _F.digamma(sum_p)


@register_kl(Binomial, Binomial)
def _binomial(p, q):
    if (p.total_count < q.total_count).any():
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    kl = p.total_count * (p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p())
    more = p.total_count > q.total_count
    kl[more] = _infinite_like(kl[more])
    return kl


@register_kl(Categorical, Categorical)
def _categorical(p, q):
    t = p.probs * (p.logits - q.logits)
    t[(q.probs == 0).expand_as(t)] = _INF
    t[(p.probs == 0).expand_as(t)] = 0
    return t.sum(-1)


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _continuous_bernoulli(p, q):
    t1 = p.mean * (p.logits - q.logits)
    t2 = p._cont_bern_log_norm() + _F.log1p(-p.probs)
    return t1 + t2 - q._cont_bern_log_norm() - _F.log1p(-q.probs)


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p, q):
    sum_p, sum_q = p.concentration.sum(-1), q.concentration.sum(-1)
    t1 = sum_p.lgamma() - sum_q.lgamma()
    t2 = (p.concentration.lgamma() - q.concentration.lgamma()).sum(-1)
    t4 = p.concentration.digamma() - sum_p.digamma().unsqueeze(-1)
    return t1 - t2 + ((p.concentration - q.concentration) * t4).sum(-1)


@register_kl(Exponential, Exponential)
def _exponential(p, q):
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(ExponentialFamily, ExponentialFamily)
def _exponential_family(p, q):
    if type(p) is not type(q):
        raise NotImplementedError(
            "The cross KL-divergence between different exponential families cannot" + " " * 29
            + "be computed using Bregman divergences"
        )
    from torch.autograd import grad
    from torch.autograd.grad_mode import enable_grad

    p_natural = [n.detach().requires_grad_() for n in p._natural_params]
    q_natural = q._natural_params
    with enable_grad():
        normalizer = p._log_normalizer(*p_natural)
        gradients = grad(normalizer.sum(), p_natural, create_graph=True)
    result = q._log_normalizer(*q_natural) - normalizer
    for a, b, g in zip(p_natural, q_natural, gradients):
        result = result - sum_rightmost((b - a) * g, len(q.event_shape))
    return result


@register_kl(Gamma, Gamma)
def _gamma(p, q):
    t1 = q.concentration * (p.rate / q.rate).log()
    t2 = _F.lgamma(q.concentration) - _F.lgamma(p.concentration)
    t3 = (p.concentration - q.concentration) * _F.digamma(p.concentration)
    return t1 + t2 + t3 + (q.rate - p.rate) * (p.concentration / p.rate)


@register_kl(Gumbel, Gumbel)
def _gumbel(p, q):
    ct1 = p.scale / q.scale
    ct2, ct3 = q.loc / q.scale, p.loc / q.scale
    t1 = -ct1.log() - ct2 + ct3
    t2 = ct1 * euler_constant
    t3 = _F.exp(ct2 + (1 + ct1).lgamma() - ct3)
    return t1 + t2 + t3 - (1 + euler_constant)


@register_kl(Geometric, Geometric)
def _geometric(p, q):
    return -p.entropy() - _F.log1p(-q.probs) / p.probs - q.logits


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p, q):
    return _normal(p.base_dist, q.base_dist)


@register_kl(Laplace, Laplace)
def _laplace(p, q):
    ratio = p.scale / q.scale
    distance = (p.loc - q.loc).abs()
    return -ratio.log() + distance / q.scale + ratio * _F.exp(-distance / p.scale) - 1


def _check_events(p, q):
    if p.event_shape != q.event_shape:
        raise ValueError(
            "KL-divergence between two (Low Rank) Multivariate Normals with" + " " * 26
            + "different event shapes cannot be computed"
        )


def _half_log_det(lower):
    return lower.diagonal(dim1=-2, dim2=-1).log().sum(-1)


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _low_rank(p, q):
    _check_events(p, q)
    term1 = q._log_det() - p._log_det()
    diff = q.loc - p.loc
    scaled = q.cov_factor.mT / q.cov_diag.unsqueeze(-2)
    along = _F.matmul(scaled, diff.unsqueeze(-1)).squeeze(-1)
    term3 = (diff.pow(2) / q.cov_diag).sum(-1) - _mahalanobis(q._capacitance_tril, along)
    a = _solve(q._capacitance_tril, scaled)
    term21 = (p.cov_diag / q.cov_diag).sum(-1)
    term22 = _trace_xxt(p.cov_factor * q.cov_diag.rsqrt().unsqueeze(-1))
    term23 = _trace_xxt(a * p.cov_diag.sqrt().unsqueeze(-2))
    term24 = _trace_xxt(a.matmul(p.cov_factor))
    return 0.5 * (term1 + term21 + term22 - term23 - term24 + term3 - p.event_shape[0])


@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def _mvn_low_rank(p, q):
    _check_events(p, q)
    lower = p._unbroadcasted_scale_tril
    term1 = q._log_det() - 2 * _half_log_det(lower)
    diff = q.loc - p.loc
    scaled = q.cov_factor.mT / q.cov_diag.unsqueeze(-2)
    along = _F.matmul(scaled, diff.unsqueeze(-1)).squeeze(-1)
    term3 = (diff.pow(2) / q.cov_diag).sum(-1) - _mahalanobis(q._capacitance_tril, along)
    a = _solve(q._capacitance_tril, scaled)
    term21 = _trace_xxt(lower * q.cov_diag.rsqrt().unsqueeze(-1))
    term22 = _trace_xxt(a.matmul(lower))
    return 0.5 * (term1 + term21 - term22 + term3 - p.event_shape[0])


def _batch(shape_p, shape_q):
    from torch.functional import broadcast_shapes

    return tuple(broadcast_shapes(shape_p, shape_q))


@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _low_rank_mvn(p, q):
    _check_events(p, q)
    lower = q._unbroadcasted_scale_tril
    term1 = 2 * _half_log_det(lower) - p._log_det()
    term3 = _mahalanobis(lower, q.loc - p.loc)
    shape = _batch(lower.shape[:-2], p.cov_factor.shape[:-2])
    n = p.event_shape[0]
    q_lower = lower.expand(shape + (n, n))
    factor = p.cov_factor.expand(shape + (n, p.cov_factor.size(-1)))
    diagonal = _F.diag_embed(p.cov_diag.sqrt()).expand(shape + (n, n))
    term2 = _trace_xxt(_solve(q_lower, factor)) + _trace_xxt(_solve(q_lower, diagonal))
    return 0.5 * (term1 + term2 + term3 - p.event_shape[0])


@register_kl(MultivariateNormal, MultivariateNormal)
def _mvn(p, q):
    if p.event_shape != q.event_shape:
        raise ValueError(
            "KL-divergence between two Multivariate Normals with" + " " * 26
            + "different event shapes cannot be computed"
        )
    p_lower, q_lower = p._unbroadcasted_scale_tril, q._unbroadcasted_scale_tril
    half = _half_log_det(q_lower) - _half_log_det(p_lower)
    shape = _batch(q_lower.shape[:-2], p_lower.shape[:-2])
    n = p.event_shape[0]
    term2 = _trace_xxt(_solve(q_lower.expand(shape + (n, n)), p_lower.expand(shape + (n, n))))
    term3 = _mahalanobis(q_lower, q.loc - p.loc)
    return half + 0.5 * (term2 + term3 - n)


@register_kl(Normal, Normal)
def _normal(p, q):
    ratio = (p.scale / q.scale).pow(2)
    shift = ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (ratio + shift - 1 - ratio.log())


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot(p, q):
    return _categorical(p._categorical, q._categorical)


@register_kl(Pareto, Pareto)
def _pareto(p, q):
    ratio = p.scale / q.scale
    alpha = q.alpha / p.alpha
    result = q.alpha * ratio.log() - alpha.log() + alpha - 1
    result[p.support.lower_bound < q.support.lower_bound] = _INF
    return result


@register_kl(Poisson, Poisson)
def _poisson(p, q):
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p, q):
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Uniform, Uniform)
def _uniform(p, q):
    result = ((q.high - q.low) / (p.high - p.low)).log()
    result[(q.low > p.low) | (q.high < p.high)] = _INF
    return result


@register_kl(Independent, Independent)
def _independent(p, q):
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(Cauchy, Cauchy)
def _cauchy(p, q):
    t1 = ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log()
    return t1 - (4 * p.scale * q.scale).log()


# Of different families. Where q gives nothing to a part of p's support, the divergence is infinite.

def _always_infinite(value):
    def fn(p, q):
        return _infinite_like(value(p))

    return fn


for _p, _value, _others in (
    (Beta, lambda p: p.concentration1, (Pareto,)),
    (ContinuousBernoulli, lambda p: p.probs, (Pareto,)),
    (Exponential, lambda p: p.rate, (Beta, ContinuousBernoulli, Pareto, Uniform)),
    (Gamma, lambda p: p.concentration, (Beta, ContinuousBernoulli, Pareto, Uniform)),
    (Gumbel, lambda p: p.loc, (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)),
    (Laplace, lambda p: p.loc, (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)),
    (Normal, lambda p: p.loc, (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)),
    (Pareto, lambda p: p.scale, (Beta, ContinuousBernoulli, Uniform)),
    (Poisson, lambda p: p.rate, (Bernoulli, Binomial)),
):
    for _q in _others:
        register_kl(_p, _q)(_always_infinite(_value))


@register_kl(Bernoulli, Poisson)
def _bernoulli_poisson(p, q):
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@register_kl(Beta, ContinuousBernoulli)
def _beta_continuous_bernoulli(p, q):
    return -p.entropy() - p.mean * q.logits - _F.log1p(-q.probs) - q._cont_bern_log_norm()


@register_kl(Beta, Exponential)
def _beta_exponential(p, q):
    return -p.entropy() - q.rate.log() + q.rate * (p.concentration1 / (p.concentration1 + p.concentration0))


@register_kl(Beta, Gamma)
def _beta_gamma(p, q):
    total = p.concentration1 + p.concentration0
    t2 = q.concentration.lgamma() - q.concentration * q.rate.log()
    t3 = (q.concentration - 1) * (p.concentration1.digamma() - total.digamma())
    return -p.entropy() + t2 - t3 + q.rate * p.concentration1 / total


@register_kl(Beta, Normal)
def _beta_normal(p, q):
    mean = p.concentration1 / (p.concentration1 + p.concentration0)
    var = q.scale.pow(2)
    t2 = 0.5 * (var * 2 * math.pi).log()
    t3 = (mean * (1 - mean) / (p.concentration1 + p.concentration0 + 1) + mean.pow(2)) * 0.5
    return -p.entropy() + t2 + (t3 - mean * q.loc + q.loc.pow(2) * 0.5) / var


@register_kl(Beta, Uniform)
def _beta_uniform(p, q):
    result = -p.entropy() + (q.high - q.low).log()
    result[(q.low > p.support.lower_bound) | (q.high < p.support.upper_bound)] = _INF
    return result


@register_kl(ContinuousBernoulli, Exponential)
def _continuous_bernoulli_exponential(p, q):
    return -p.entropy() - _F.log(q.rate) + q.rate * p.mean


@register_kl(ContinuousBernoulli, Normal)
def _continuous_bernoulli_normal(p, q):
    t2 = 0.5 * (math.log(2.0 * math.pi) + _F.square(q.loc / q.scale)) + _F.log(q.scale)
    t3 = (p.variance + _F.square(p.mean) - 2.0 * q.loc * p.mean) / (2.0 * _F.square(q.scale))
    return -p.entropy() + t2 + t3


@register_kl(ContinuousBernoulli, Uniform)
def _continuous_bernoulli_uniform(p, q):
    result = -p.entropy() + (q.high - q.low).log()
    outside = _F.max(_F.ge(q.low, p.support.lower_bound), _F.le(q.high, p.support.upper_bound))
    return _F.where(outside, _F.ones_like(result) * _INF, result)


@register_kl(Exponential, Gamma)
def _exponential_gamma(p, q):
    ratio = q.rate / p.rate
    t1 = -q.concentration * _F.log(ratio)
    return t1 + ratio + q.concentration.lgamma() + q.concentration * euler_constant - (1 + euler_constant)


@register_kl(Exponential, Gumbel)
def _exponential_gumbel(p, q):
    scaled = p.rate * q.scale
    loc = q.loc / q.scale
    t1 = scaled.log() - 1
    return t1 + loc.exp() * scaled / (scaled + 1) - loc + scaled.reciprocal()


@register_kl(Exponential, Normal)
def _exponential_normal(p, q):
    var = q.scale.pow(2)
    square = p.rate.pow(2)
    t1 = 0.5 * _F.log(square * var * 2 * math.pi)
    return t1 - 1 + (square.reciprocal() - q.loc / p.rate + q.loc.pow(2) / 2) / var


@register_kl(Gamma, Exponential)
def _gamma_exponential(p, q):
    return -p.entropy() - q.rate.log() + q.rate * p.concentration / p.rate


@register_kl(Gamma, Gumbel)
def _gamma_gumbel(p, q):
    scaled = p.rate * q.scale
    loc = q.loc / q.scale
    t1 = (p.concentration - 1) * p.concentration.digamma() - p.concentration.lgamma() - p.concentration
    t2 = scaled.log() + p.concentration / scaled
    t3 = _F.exp(loc) * (1 + scaled.reciprocal()).pow(-p.concentration) - loc
    return t1 + t2 + t3


@register_kl(Gamma, Normal)
def _gamma_normal(p, q):
    var = q.scale.pow(2)
    square = p.rate.pow(2)
    t1 = 0.5 * _F.log(square * var * 2 * math.pi) - p.concentration - p.concentration.lgamma()
    t2 = 0.5 * (p.concentration.pow(2) + p.concentration) / square
    t3 = q.loc * p.concentration / p.rate
    return t1 + (p.concentration - 1) * p.concentration.digamma() + (t2 - t3 + 0.5 * q.loc.pow(2)) / var


@register_kl(Gumbel, Normal)
def _gumbel_normal(p, q):
    ratio = p.scale / q.scale
    t1 = (ratio / math.sqrt(2 * math.pi)).log()
    t2 = (math.pi * ratio * 0.5).pow(2) / 3
    t3 = ((p.loc + p.scale * euler_constant - q.loc) / q.scale).pow(2) * 0.5
    return -t1 + t2 + t3 - (euler_constant + 1)


@register_kl(Laplace, Normal)
def _laplace_normal(p, q):
    var = q.scale.pow(2)
    ratio = p.scale.pow(2) / var
    t1 = 0.5 * _F.log(2 * ratio / math.pi)
    t2 = 0.5 * p.loc.pow(2)
    t3 = p.loc * q.loc
    return -t1 + ratio + (t2 - t3 + 0.5 * q.loc.pow(2)) / var - 1


@register_kl(Normal, Gumbel)
def _normal_gumbel(p, q):
    mean = p.loc / q.scale
    ratio = (p.scale / q.scale).pow(2)
    loc = q.loc / q.scale
    t1 = mean - loc
    t2 = _F.exp(-mean + 0.5 * ratio + loc)
    t3 = _F.log(p.scale) - _F.log(q.scale)
    return -t3 + t1 + t2 - (0.5 * (1 + math.log(2 * math.pi)))


@register_kl(Normal, Laplace)
def _normal_laplace(p, q):
    diff = p.loc - q.loc
    ratio = diff / p.scale
    t1 = _F.log(q.scale / p.scale)
    t2 = math.sqrt(2 / math.pi) * p.scale * _F.exp(-0.5 * ratio.pow(2))
    t3 = diff * _F.erf(math.sqrt(0.5) * ratio)
    return t1 + (t2 + t3) / q.scale - (0.5 * (1 + math.log(0.5 * math.pi)))


@register_kl(Pareto, Exponential)
def _pareto_exponential(p, q):
    scaled = p.scale * q.rate
    t1 = (p.alpha / scaled).log()
    t2 = p.alpha.reciprocal()
    result = t1 - t2 + p.alpha * scaled / (p.alpha - 1) - 1
    result[p.alpha <= 1] = _INF
    return result


@register_kl(Pareto, Gamma)
def _pareto_gamma(p, q):
    both = p.scale.log() + p.alpha.reciprocal()
    t1 = p.alpha.log() - both
    t2 = q.concentration.lgamma() - q.concentration * q.rate.log()
    t3 = (1 - q.concentration) * both
    result = t1 + t2 + t3 + q.rate * p.alpha * p.scale / (p.alpha - 1) - 1
    result[p.alpha <= 1] = _INF
    return result


@register_kl(Pareto, Normal)
def _pareto_normal(p, q):
    var = 2 * q.scale.pow(2)
    less = p.scale / (p.alpha - 1)
    t1 = (math.sqrt(2 * math.pi) * q.scale * p.alpha / p.scale).log()
    t3 = p.alpha * less.pow(2) / (p.alpha - 2)
    result = t1 - p.alpha.reciprocal() + (t3 + (p.alpha * less - q.loc).pow(2)) / var - 1
    result[p.alpha <= 2] = _INF
    return result


@register_kl(Uniform, Beta)
def _uniform_beta(p, q):
    width = p.high - p.low
    t1 = _F.log(width)
    t2 = (q.concentration1 - 1) * (_x_log_x(p.high) - _x_log_x(p.low) - width) / width
    t3 = (q.concentration0 - 1) * (_x_log_x(1 - p.high) - _x_log_x(1 - p.low) + width) / width
    t4 = q.concentration1.lgamma() + q.concentration0.lgamma() - (q.concentration1 + q.concentration0).lgamma()
    result = t3 + t4 - t1 - t2
    result[(p.high > q.support.upper_bound) | (p.low < q.support.lower_bound)] = _INF
    return result


@register_kl(Uniform, ContinuousBernoulli)
def _uniform_continuous_bernoulli(p, q):
    result = -p.entropy() - p.mean * q.logits - _F.log1p(-q.probs) - q._cont_bern_log_norm()
    outside = _F.max(_F.ge(p.high, q.support.upper_bound), _F.le(p.low, q.support.lower_bound))
    return _F.where(outside, _F.ones_like(result) * _INF, result)


@register_kl(Uniform, Exponential)
def _uniform_exponential(p, q):
    result = q.rate * (p.high + p.low) / 2 - ((p.high - p.low) * q.rate).log()
    result[p.low < q.support.lower_bound] = _INF
    return result


@register_kl(Uniform, Gamma)
def _uniform_gamma(p, q):
    width = p.high - p.low
    t1 = width.log()
    t2 = q.concentration.lgamma() - q.concentration * q.rate.log()
    t3 = (1 - q.concentration) * (_x_log_x(p.high) - _x_log_x(p.low) - width) / width
    result = -t1 + t2 + t3 + q.rate * (p.high + p.low) / 2
    result[p.low < q.support.lower_bound] = _INF
    return result


@register_kl(Uniform, Gumbel)
def _uniform_gumbel(p, q):
    ratio = q.scale / (p.high - p.low)
    high, low = (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
    t1 = ratio.log() + 0.5 * (high + low)
    return t1 - ratio * (_F.exp(-high) - _F.exp(-low))


@register_kl(Uniform, Normal)
def _uniform_normal(p, q):
    width = p.high - p.low
    t1 = (math.sqrt(math.pi * 2) * q.scale / width).log()
    t2 = width.pow(2) / 12
    t3 = ((p.high + p.low - 2 * q.loc) / 2).pow(2)
    return t1 + 0.5 * (t2 + t3) / q.scale.pow(2)


@register_kl(Uniform, Pareto)
def _uniform_pareto(p, q):
    width = p.high - p.low
    t1 = (q.alpha * q.scale.pow(q.alpha) * width).log()
    t2 = (_x_log_x(p.high) - _x_log_x(p.low) - width) / width
    result = t2 * (q.alpha + 1) - t1
    result[p.low < q.support.lower_bound] = _INF
    return result
