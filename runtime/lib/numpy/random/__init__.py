"""Random numbers: the old functions (`seed`, `rand`, `RandomState`) and `default_rng`, with NumPy's own streams."""

from numpy.random._generator import PCG64, BitGenerator, Generator, SeedSequence, default_rng
from numpy.random._state import MT19937, RandomState

_rand = RandomState()
for _name in ("beta", "binomial", "bytes", "chisquare", "choice", "dirichlet", "exponential", "gamma", "geometric",
              "get_state", "gumbel", "laplace", "logistic", "lognormal", "multinomial", "multivariate_normal", "normal",
              "pareto", "permutation", "poisson", "rand", "randint", "randn", "random", "random_sample", "rayleigh",
              "seed", "set_state", "shuffle", "standard_exponential", "standard_gamma", "standard_normal",
              "standard_t", "standard_cauchy", "triangular", "uniform", "weibull", "power", "random_integers"):
    globals()[_name] = getattr(_rand, _name)
ranf = sample = random_sample  # noqa: F821
