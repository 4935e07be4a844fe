"""Probability distributions: draw from them, and ask for densities, means and entropies."""

import sys
import types

from torch._missing import missing_text
from torch.distributions import constraints
from torch.distributions.distribution import Distribution, ExponentialFamily

_HERE = "torch.distributions."
# Which file a name is in, and the module that PyTorch has it in.
_NAMES = {
    "_continuous": "Normal:normal Laplace:laplace Cauchy:cauchy Uniform:uniform Exponential:exponential "
                   "ContinuousBernoulli:continuous_bernoulli VonMises:von_mises GeneralizedPareto:generalized_pareto",
    "_discrete": "Bernoulli:bernoulli Geometric:geometric Categorical:categorical OneHotCategorical:one_hot_categorical "
                 "OneHotCategoricalStraightThrough:one_hot_categorical Poisson:poisson Binomial:binomial "
                 "NegativeBinomial:negative_binomial Multinomial:multinomial",
    "_gamma": "Gamma:gamma Chi2:chi2 StudentT:studentT FisherSnedecor:fishersnedecor Dirichlet:dirichlet Beta:beta",
    "_transformed": "TransformedDistribution:transformed_distribution LogNormal:log_normal HalfNormal:half_normal "
                    "HalfCauchy:half_cauchy Gumbel:gumbel Pareto:pareto Weibull:weibull Kumaraswamy:kumaraswamy "
                    "LogisticNormal:logistic_normal InverseGamma:inverse_gamma",
    "_relaxed": "RelaxedBernoulli:relaxed_bernoulli LogitRelaxedBernoulli:relaxed_bernoulli "
                "RelaxedOneHotCategorical:relaxed_categorical ExpRelaxedCategorical:relaxed_categorical",
    "_matrices": "MultivariateNormal:multivariate_normal LowRankMultivariateNormal:lowrank_multivariate_normal "
                 "Wishart:wishart LKJCholesky:lkj_cholesky",
    "_mixture": "MixtureSameFamily:mixture_same_family",
}
_PLACES, _MODULES = {}, {}
for _file, _entries in _NAMES.items():
    for _entry in _entries.split():
        _name, _module = _entry.split(":")
        _PLACES[_name] = (_file, _module)
        _MODULES.setdefault(_module, []).append(_name)
for _name in ("AbsTransform AffineTransform CatTransform ComposeTransform CorrCholeskyTransform "
              "CumulativeDistributionTransform ExpTransform IndependentTransform LowerCholeskyTransform "
              "PositiveDefiniteTransform PowerTransform ReshapeTransform SigmoidTransform SoftplusTransform "
              "TanhTransform SoftmaxTransform StackTransform StickBreakingTransform Transform "
              "identity_transform").split():
    _PLACES[_name] = ("transforms", "transforms")
_PLACES.update(kl_divergence=("kl", "kl"), register_kl=("kl", "kl"), biject_to=("constraint_registry",) * 2,
               transform_to=("constraint_registry",) * 2, Independent=("independent", "independent"))
_HIDDEN = {"LogitRelaxedBernoulli", "ExpRelaxedCategorical"}
__all__ = sorted({*_PLACES, "Distribution", "ExponentialFamily"} - _HIDDEN)


def _load(name):
    file, module = _PLACES[name]
    __import__(_HERE + file)
    value = getattr(sys.modules[_HERE + file], name)
    if isinstance(value, type) and file.startswith("_"):
        value.__module__ = _HERE + module
    return value


class _Place(types.ModuleType):
    """A module of PyTorch's with a distribution or two, which are in other files here."""

    def __getattr__(self, name):
        if name in _MODULES[self.__name__[len(_HERE):]]:
            value = getattr(sys.modules["torch.distributions"], name)
            setattr(self, name, value)
            return value
        raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")


for _module, _members in _MODULES.items():
    _place = _Place(_HERE + _module, "The distributions " + ", ".join(_members) + ".")
    _place.__all__ = list(_members)
    _place.__package__ = "torch.distributions"
    sys.modules[_place.__name__] = globals()[_module] = _place


def __getattr__(name):
    if name in _PLACES and name not in _HIDDEN:
        value = globals()[name] = _load(name)
        return value
    if name in _HIDDEN:
        return _load(name)
    if name in ("transforms", "kl", "constraint_registry", "utils", "distribution", "independent"):
        __import__(_HERE + name)
        return sys.modules[_HERE + name]
    raise AttributeError(missing_text("torch.distributions", name))


def __dir__():
    return sorted(set(globals()) | set(_PLACES))
