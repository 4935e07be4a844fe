"""Continuous distributions of single numbers: normal, uniform, exponential and their like."""

import math

from torch import _C
from torch.autograd.grad_mode import no_grad
from torch.distributions import constraints
from torch.distributions.distribution import Distribution, ExponentialFamily
from torch.distributions.utils import (
    broadcast_all, clamp_probs, lazy_property, logits_to_probs, probs_to_logits, standard_normal,
)

_F = _C._functions


class Normal(ExponentialFamily):
    """The normal distribution with mean `loc` and standard deviation `scale`."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.size(), validate_args=validate_args)

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc

    @property
    def stddev(self):
        return self.scale

    @property
    def variance(self):
        return self.stddev.pow(2)

    def sample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return _F.normal(self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape=()):
        eps = standard_normal(self._extended_shape(sample_shape), self.loc.dtype)
        return self.loc + eps * self.scale

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        var = self.scale ** 2
        return -((value - self.loc) ** 2) / (2 * var) - self.scale.log() - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return 0.5 * (1 + _F.erf((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)))

    def icdf(self, value):
        return self.loc + self.scale * _F.erfinv(2 * value - 1) * math.sqrt(2)

    def entropy(self):
        return 0.5 + 0.5 * math.log(2 * math.pi) + _F.log(self.scale)

    @property
    def _natural_params(self):
        return (self.loc / self.scale.pow(2), -0.5 * self.scale.pow(2).reciprocal())

    def _log_normalizer(self, x, y):
        return -0.25 * x.pow(2) / y + 0.5 * _F.log(-math.pi / y)


class Laplace(Distribution):
    """The distribution with density exp(-|x - loc| / scale) / (2 scale)."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.size(), validate_args=validate_args)

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        return 2 * self.scale.pow(2)

    @property
    def stddev(self):
        return (2 ** 0.5) * self.scale

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        u = self.loc.new_empty(shape).uniform_(_C.finfo(self.loc.dtype).eps - 1, 1)
        return self.loc - self.scale * u.sign() * _F.log1p(-u.abs())

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return -_F.log(2 * self.scale) - _F.abs(value - self.loc) / self.scale

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return 0.5 - 0.5 * (value - self.loc).sign() * _F.expm1(-(value - self.loc).abs() / self.scale)

    def icdf(self, value):
        term = value - 0.5
        return self.loc - self.scale * term.sign() * _F.log1p(-2 * term.abs())

    def entropy(self):
        return 1 + _F.log(2 * self.scale)


class Cauchy(Distribution):
    """The ratio of two normal variables: no mean, no variance."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.size(), validate_args=validate_args)

    @property
    def mean(self):
        return _F.full(self._extended_shape(), math.nan, dtype=self.loc.dtype, device=self.loc.device)

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        return _F.full(self._extended_shape(), math.inf, dtype=self.loc.dtype, device=self.loc.device)

    def rsample(self, sample_shape=()):
        eps = self.loc.new_empty(self._extended_shape(sample_shape)).cauchy_()
        return self.loc + eps * self.scale

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return -math.log(math.pi) - self.scale.log() - (((value - self.loc) / self.scale) ** 2).log1p()

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return _F.atan((value - self.loc) / self.scale) / math.pi + 0.5

    def icdf(self, value):
        return _F.tan(math.pi * (value - 0.5)) * self.scale + self.loc

    def entropy(self):
        return math.log(4 * math.pi) + self.scale.log()


class Uniform(Distribution):
    """All values from `low` up to `high` alike."""

    has_rsample = True

    @property
    def arg_constraints(self):
        return {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}

    def __init__(self, low, high, validate_args=None):
        self.low, self.high = broadcast_all(low, high)
        super().__init__(self.low.size(), validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        return constraints.interval(self.low, self.high)

    @property
    def mean(self):
        return (self.high + self.low) / 2

    @property
    def mode(self):
        return math.nan * self.high

    @property
    def stddev(self):
        return (self.high - self.low) / 12 ** 0.5

    @property
    def variance(self):
        return (self.high - self.low).pow(2) / 12

    def rsample(self, sample_shape=()):
        rand = _F.rand(self._extended_shape(sample_shape), dtype=self.low.dtype, device=self.low.device)
        return self.low + rand * (self.high - self.low)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        inside = self.low.le(value).type_as(self.low) * self.high.gt(value).type_as(self.low)
        return _F.log(inside) - _F.log(self.high - self.low)

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value):
        return value * (self.high - self.low) + self.low

    def entropy(self):
        return _F.log(self.high - self.low)


class Exponential(ExponentialFamily):
    """The distribution with density rate * exp(-rate * x)."""

    arg_constraints = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, rate, validate_args=None):
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.size(), validate_args=validate_args)

    @property
    def mean(self):
        return self.rate.reciprocal()

    @property
    def mode(self):
        return _F.zeros_like(self.rate)

    @property
    def stddev(self):
        return self.rate.reciprocal()

    @property
    def variance(self):
        return self.rate.pow(-2)

    def rsample(self, sample_shape=()):
        return self.rate.new_empty(self._extended_shape(sample_shape)).exponential_() / self.rate

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return self.rate.log() - self.rate * value

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return 1 - _F.exp(-self.rate * value)

    def icdf(self, value):
        return -_F.log1p(-value) / self.rate

    def entropy(self):
        return 1.0 - _F.log(self.rate)

    @property
    def _natural_params(self):
        return (-self.rate,)

    def _log_normalizer(self, x):
        return -_F.log(-x)


class GeneralizedPareto(Distribution):
    """What exceeds a high threshold: with density (1 + c (x - loc) / scale) ** (-1 / c - 1) / scale."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real}
    has_rsample = True

    def __init__(self, loc, scale, concentration, validate_args=None):
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.size(), validate_args=validate_args)

    def rsample(self, sample_shape=()):
        return self.icdf(_F.rand(self._extended_shape(sample_shape), dtype=self.loc.dtype, device=self.loc.device))

    def _is_zero(self):
        return _F.isclose(self.concentration, _F.zeros_like(self.concentration))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        y = (value - self.loc) / self.scale
        zero = self._is_zero()
        c = _F.where(zero, _F.ones_like(self.concentration), self.concentration)
        term = _F.where(zero, y, (1 + 1 / c) * _F.log1p(c * y))
        return -self.scale.log() - term

    def _log_survival(self, value):
        y = (value - self.loc) / self.scale
        zero = self._is_zero()
        c = _F.where(zero, _F.ones_like(self.concentration), self.concentration)
        return _F.where(zero, -y, -_F.log1p(c * y) / c)

    def log_survival_function(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return self._log_survival(value)

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return -_F.expm1(self._log_survival(value))

    def log_cdf(self, value):
        return _F.log1p(-_F.exp(self.log_survival_function(value)))

    def icdf(self, value):
        zero = self._is_zero()
        c = _F.where(zero, _F.ones_like(self.concentration), self.concentration)
        logu = _F.log1p(-value)
        return _F.where(zero, self.loc - self.scale * logu, self.loc + self.scale * _F.expm1(-c * logu) / c)

    @property
    def mean(self):
        c = self.concentration
        safe = _F.where(c < 1, c, 0.5)
        return _F.where(c < 1, self.loc + self.scale / (1 - safe), math.inf)

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        c = self.concentration
        safe = _F.where(c < 0.5, c, 0.25)
        return _F.where(c < 0.5, self.scale ** 2 / ((1 - safe) ** 2 * (1 - 2 * safe)), math.inf)

    def entropy(self):
        return (_F.log(self.scale) + self.concentration + 1).expand(self._batch_shape)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        low = self.loc
        high = _F.where(self.concentration < 0, low - self.scale / self.concentration, math.inf)
        return constraints.interval(low, high)


class ContinuousBernoulli(ExponentialFamily):
    """On [0, 1], with density proportional to probs ** x * (1 - probs) ** (1 - x)."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, probs=None, logits=None, lims=(0.499, 0.501), validate_args=None):
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        if probs is not None:
            (self.probs,) = broadcast_all(probs)
            if validate_args is not None and not self.arg_constraints["probs"].check(self.probs).all():
                raise ValueError("The parameter probs has invalid values")
            self.probs = clamp_probs(self.probs)
        else:
            (self.logits,) = broadcast_all(logits)
        self._param = self.probs if probs is not None else self.logits
        self._lims = lims
        super().__init__(self._param.size(), validate_args=validate_args)

    @lazy_property
    def logits(self):
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self):
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    @property
    def param_shape(self):
        return self._param.size()

    def _outside(self):
        """Where probs is far enough from 1/2 for the formulas; near it, a series is used."""
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _cut(self):
        return _F.where(self._outside(), self.probs, self._lims[0] * _F.ones_like(self.probs))

    def _cont_bern_log_norm(self):
        cut = self._cut()
        below = _F.where(cut <= 0.5, cut, _F.zeros_like(cut))
        above = _F.where(cut >= 0.5, cut, _F.ones_like(cut))
        log_norm = _F.log(_F.abs(_F.log1p(-cut) - _F.log(cut))) - _F.where(
            cut <= 0.5, _F.log1p(-2.0 * below), _F.log(2.0 * above - 1.0))
        x = (self.probs - 0.5) ** 2
        series = math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x
        return _F.where(self._outside(), log_norm, series)

    @property
    def mean(self):
        cut = self._cut()
        means = cut / (2.0 * cut - 1.0) + 1.0 / (_F.log1p(-cut) - _F.log(cut))
        x = self.probs - 0.5
        return _F.where(self._outside(), means, 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x ** 2) * x)

    @property
    def stddev(self):
        return _F.sqrt(self.variance)

    @property
    def variance(self):
        cut = self._cut()
        square = cut * (cut - 1.0) / (1.0 - 2.0 * cut) ** 2 + 1.0 / (_F.log1p(-cut) - _F.log(cut)) ** 2
        x = (self.probs - 0.5) ** 2
        return _F.where(self._outside(), square, 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x)

    def sample(self, sample_shape=()):
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape=()):
        return self.icdf(_F.rand(self._extended_shape(sample_shape), dtype=self.probs.dtype, device=self.probs.device))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return (-_F.binary_cross_entropy_with_logits(logits, value, None, None, 0) + self._cont_bern_log_norm())

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        cut = self._cut()
        cdfs = (_F.pow(cut, value) * _F.pow(1.0 - cut, 1.0 - value) + cut - 1.0) / (2.0 * cut - 1.0)
        inner = _F.where(self._outside(), cdfs, value)
        return _F.where(_F.le(value, 0.0), _F.zeros_like(value),
                        _F.where(_F.ge(value, 1.0), _F.ones_like(value), inner))

    def icdf(self, value):
        cut = self._cut()
        draws = (_F.log1p(-cut + value * (2.0 * cut - 1.0)) - _F.log1p(-cut)) / (_F.log(cut) - _F.log1p(-cut))
        return _F.where(self._outside(), draws, value)

    def entropy(self):
        log0, log1 = _F.log1p(-self.probs), _F.log(self.probs)
        return self.mean * (log0 - log1) - self._cont_bern_log_norm() - log0

    @property
    def _natural_params(self):
        return (self.logits,)

    def _log_normalizer(self, x):
        outside = (x <= self._lims[0] - 0.5) | (x > self._lims[1] - 0.5)
        cut = _F.where(outside, x, (self._lims[0] - 0.5) * _F.ones_like(x))
        log_norm = _F.log(_F.abs(_C._special.special_expm1(cut))) - _F.log(_F.abs(cut))
        return _F.where(outside, log_norm, 0.5 * x + x ** 2 / 24.0 - x ** 4 / 2880.0)


# Coefficients of Abramowitz and Stegun 9.8.1 to 9.8.4 for the modified Bessel functions.
_BESSEL = (
    ((1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.360768e-1, 0.45813e-2),
     (0.39894228, 0.1328592e-1, 0.225319e-2, -0.157565e-2, 0.916281e-2, -0.2057706e-1, 0.2635537e-1, -0.1647633e-1,
      0.392377e-2)),
    ((0.5, 0.87890594, 0.51498869, 0.15084934, 0.2658733e-1, 0.301532e-2, 0.32411e-3),
     (0.39894228, -0.3988024e-1, -0.362018e-2, 0.163801e-2, -0.1031555e-1, 0.2282967e-1, -0.2895312e-1, 0.1787654e-1,
      -0.420059e-2)),
)


def _polynomial(y, coefficients):
    result = coefficients[-1]
    for c in reversed(coefficients[:-1]):
        result = c + y * result
    return result


def _log_modified_bessel_fn(x, order=0):
    """log I0 or log I1 of positive numbers."""
    y = (x / 3.75) * (x / 3.75)
    small = _polynomial(y, _BESSEL[order][0])
    small = (x.abs() * small if order == 1 else small).log()
    y = 3.75 / x
    large = x - 0.5 * x.log() + _polynomial(y, _BESSEL[order][1]).log()
    return _F.where(x < 3.75, small, large)


class VonMises(Distribution):
    """The normal distribution of the circle: angles around `loc`."""

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    has_rsample = False

    def __init__(self, loc, concentration, validate_args=None):
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        result = self.concentration * _F.cos(value - self.loc)
        return result - math.log(2 * math.pi) - _log_modified_bessel_fn(self.concentration, order=0)

    @lazy_property
    def _loc(self):
        return self.loc.to(_C.double)

    @lazy_property
    def _concentration(self):
        return self.concentration.to(_C.double)

    @lazy_property
    def _proposal_r(self):
        kappa = self._concentration
        tau = 1 + (1 + 4 * kappa ** 2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
        return _F.where(kappa < 1e-5, 1 / kappa + kappa, (1 + rho ** 2) / (2 * rho))

    def sample(self, sample_shape=()):
        """Draws by rejection, after Best and Fisher."""
        with no_grad():
            shape = self._extended_shape(sample_shape)
            x = _F.empty(shape, dtype=self._loc.dtype, device=self._loc.device)
            r, kappa, loc = self._proposal_r, self._concentration, self._loc
            done = _F.zeros(shape, dtype=_C.bool)
            while not done.all():
                u1, u2, u3 = _F.rand((3,) + tuple(shape), dtype=loc.dtype, device=loc.device).unbind()
                z = _F.cos(math.pi * u1)
                f = (1 + r * z) / (r + z)
                c = kappa * (r - f)
                accept = ((c * (2 - c) - u2) > 0) | ((c / u2).log() + 1 - c >= 0)
                if accept.any():
                    x = _F.where(accept, (u3 - 0.5).sign() * f.acos(), x)
                    done = done | accept
            return ((x + math.pi + loc) % (2 * math.pi) - math.pi).to(self.loc.dtype)

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc

    @lazy_property
    def variance(self):
        ratio = _log_modified_bessel_fn(self.concentration, order=1) - _log_modified_bessel_fn(self.concentration, order=0)
        return 1 - ratio.exp()
