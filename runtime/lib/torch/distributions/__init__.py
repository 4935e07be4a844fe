"""Probability distributions: draw from them, and ask for densities, means and entropies."""

from torch._missing import module_getattr
from torch.distributions import constraints
from torch.distributions.continuous import Exponential, Laplace, LogNormal, Normal, Uniform
from torch.distributions.discrete import Bernoulli, Categorical, Geometric, OneHotCategorical
from torch.distributions.distribution import Distribution
from torch.distributions.independent import Independent
from torch.distributions.kl import kl_divergence, register_kl

__getattr__ = module_getattr("torch.distributions")
