"""Distributions of vectors with covariance, and of matrices."""

import math

from torch import _C
from torch.autograd.grad_mode import no_grad
from torch.distributions import constraints
from torch.distributions._gamma import Beta, Chi2
from torch.distributions.distribution import Distribution, ExponentialFamily
from torch.distributions.utils import lazy_property, standard_normal

_F = _C._functions
_L = _C._linalg


def _mv(matrix, vector):
    """Matrix times vector, batched."""
    return _F.matmul(matrix, vector.unsqueeze(-1)).squeeze(-1)


def _solve(matrix, other):
    """matrix⁻¹ other, for a lower triangle."""
    return _L.linalg_solve_triangular(matrix, other, upper=False)


def _mahalanobis(lower, x):
    """x' (L L')⁻¹ x, batched."""
    shape = _broadcast(lower.shape[:-2], x.shape[:-1])
    lower = lower.expand(tuple(shape) + tuple(lower.shape[-2:]))
    x = x.expand(tuple(shape) + tuple(x.shape[-1:]))
    return _solve(lower, x.unsqueeze(-1)).pow(2).sum([-2, -1])


def _broadcast(*shapes):
    from torch.functional import broadcast_shapes

    return broadcast_shapes(*shapes)


def _precision_to_scale_tril(p):
    flipped = _L.linalg_cholesky(_F.flip(p, (-2, -1)))
    upper = _F.transpose(_F.flip(flipped, (-2, -1)), -2, -1)
    return _solve(upper, _F.eye(p.shape[-1], dtype=p.dtype, device=p.device).expand_as(upper))


class MultivariateNormal(Distribution):
    """Normal vectors, by their covariance, its inverse, or its Cholesky factor."""

    arg_constraints = {"loc": constraints.real_vector, "covariance_matrix": constraints.positive_definite,
                       "precision_matrix": constraints.positive_definite, "scale_tril": constraints.lower_cholesky}
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, loc, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        given = {"covariance_matrix": covariance_matrix, "scale_tril": scale_tril, "precision_matrix": precision_matrix}
        given = {k: v for k, v in given.items() if v is not None}
        if len(given) != 1:
            raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        ((name, matrix),) = given.items()
        if matrix.dim() < 2:
            raise ValueError(
                f"{name} {'matrix ' if name == 'scale_tril' else ''}must be at least two-dimensional, with optional "
                "leading batch dimensions"
            )
        batch = _broadcast(matrix.shape[:-2], loc.shape[:-1])
        setattr(self, name, matrix.expand(tuple(batch) + (-1, -1)))
        self.loc = loc.expand(tuple(batch) + (-1,))
        super().__init__(batch, self.loc.shape[-1:], validate_args=validate_args)
        if name == "scale_tril":
            self._unbroadcasted_scale_tril = matrix
        elif name == "covariance_matrix":
            self._unbroadcasted_scale_tril = _L.linalg_cholesky(matrix)
        else:
            self._unbroadcasted_scale_tril = _precision_to_scale_tril(matrix)

    def expand(self, batch_shape, _instance=None):
        kept = self.__dict__.pop("_unbroadcasted_scale_tril")
        try:
            new = super().expand(batch_shape, _instance)
        finally:
            self._unbroadcasted_scale_tril = kept
        new._unbroadcasted_scale_tril = kept
        return new

    def _square(self):
        return tuple(self._batch_shape) + tuple(self._event_shape) * 2

    @lazy_property
    def scale_tril(self):
        return self._unbroadcasted_scale_tril.expand(self._square())

    @lazy_property
    def covariance_matrix(self):
        lower = self._unbroadcasted_scale_tril
        return _F.matmul(lower, lower.mT).expand(self._square())

    @lazy_property
    def precision_matrix(self):
        return _F.cholesky_inverse(self._unbroadcasted_scale_tril).expand(self._square())

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand(
            tuple(self._batch_shape) + tuple(self._event_shape))

    def rsample(self, sample_shape=()):
        eps = standard_normal(self._extended_shape(sample_shape), self.loc.dtype)
        return self.loc + _mv(self._unbroadcasted_scale_tril, eps)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        m = _mahalanobis(self._unbroadcasted_scale_tril, value - self.loc)
        half_log_det = self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + m) - half_log_det

    def entropy(self):
        half_log_det = self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        h = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + half_log_det
        return h if len(self._batch_shape) == 0 else h.expand(self._batch_shape)


class LowRankMultivariateNormal(Distribution):
    """Normal vectors with covariance W W' + diag(D)."""

    arg_constraints = {"loc": constraints.real_vector, "cov_factor": constraints.independent(constraints.real, 2),
                       "cov_diag": constraints.independent(constraints.positive, 1)}
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, loc, cov_factor, cov_diag, validate_args=None):
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
        if cov_factor.shape[-2:-1] != event:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {event[0]} x m")
        if cov_diag.shape[-1:] != event:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event}")
        try:
            batch = tuple(_broadcast(loc.shape, cov_factor.shape[:-1], cov_diag.shape))[:-1]
        except RuntimeError as err:
            raise ValueError(
                f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag {cov_diag.shape}"
            ) from err
        self.loc = loc.expand(batch + (-1,))
        self.cov_diag = cov_diag.expand(batch + (-1,))
        self.cov_factor = cov_factor.expand(batch + (-1, -1))
        super().__init__(batch, event, validate_args=validate_args)

    @property
    def _capacitance_tril(self):
        """The factor of I + W' D⁻¹ W."""
        w, d = self.cov_factor, self.cov_diag
        capacitance = _F.matmul(w.mT / d.unsqueeze(-2), w)
        return _L.linalg_cholesky(capacitance + _F.eye(w.size(-1), dtype=w.dtype, device=w.device))

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        return self.cov_factor.pow(2).sum(-1) + self.cov_diag

    @lazy_property
    def covariance_matrix(self):
        return _F.matmul(self.cov_factor, self.cov_factor.mT) + _F.diag_embed(self.cov_diag)

    @lazy_property
    def scale_tril(self):
        return _L.linalg_cholesky(self.covariance_matrix)

    @lazy_property
    def precision_matrix(self):
        scaled = self.cov_factor.mT / self.cov_diag.unsqueeze(-2)
        a = _solve(self._capacitance_tril, scaled)
        return _F.diag_embed(self.cov_diag.reciprocal()) - a.mT @ a

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        eps_w = standard_normal(shape[:-1] + self.cov_factor.shape[-1:], self.loc.dtype)
        eps_d = standard_normal(shape, self.loc.dtype)
        return self.loc + _mv(self.cov_factor, eps_w) + self.cov_diag.sqrt() * eps_d

    def _log_det(self):
        half = self._capacitance_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        return 2 * half + self.cov_diag.log().sum(-1)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        diff = value - self.loc
        term = _mv(self.cov_factor.mT / self.cov_diag.unsqueeze(-2), diff)
        m = (diff.pow(2) / self.cov_diag).sum(-1) - _mahalanobis(self._capacitance_tril, term)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + self._log_det() + m)

    def entropy(self):
        h = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._log_det())
        return h if len(self._batch_shape) == 0 else h.expand(self._batch_shape)


def _mvdigamma(x, p):
    steps = _F.arange(p, dtype=x.dtype, device=x.device)
    return _F.digamma(x.unsqueeze(-1) - steps.div(2).expand(tuple(x.shape) + (-1,))).sum(-1)


class Wishart(ExponentialFamily):
    """Covariance matrices: sums of `df` outer products of normal vectors."""

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0

    @property
    def arg_constraints(self):
        return {"covariance_matrix": constraints.positive_definite, "precision_matrix": constraints.positive_definite,
                "scale_tril": constraints.lower_cholesky,
                "df": constraints.greater_than(self.event_shape[-1] - 1)}

    def __init__(self, df, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        given = {"covariance_matrix": covariance_matrix, "scale_tril": scale_tril, "precision_matrix": precision_matrix}
        given = {k: v for k, v in given.items() if v is not None}
        if len(given) != 1:
            raise AssertionError(
                "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified."
            )
        ((name, matrix),) = given.items()
        if matrix.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        if isinstance(df, (int, float)):
            batch = tuple(matrix.shape[:-2])
            self.df = _F.tensor(float(df), dtype=matrix.dtype, device=matrix.device)
        else:
            batch = tuple(_broadcast(matrix.shape[:-2], df.shape))
            self.df = df.expand(batch)
        event = matrix.shape[-2:]
        if self.df.le(event[-1] - 1).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {event[-1] - 1}.")
        setattr(self, name, matrix.expand(batch + (-1, -1)))
        if self.df.lt(event[-1]).any():
            import warnings

            warnings.warn(
                "Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.",
                stacklevel=2,
            )
        super().__init__(batch, event, validate_args=validate_args)
        if name == "scale_tril":
            self._unbroadcasted_scale_tril = matrix
        elif name == "covariance_matrix":
            self._unbroadcasted_scale_tril = _L.linalg_cholesky(matrix)
        else:
            self._unbroadcasted_scale_tril = _precision_to_scale_tril(matrix)
        steps = _F.arange(event[-1], dtype=self.df.dtype, device=self.df.device).expand(batch + (-1,))
        self._dist_chi2 = Chi2(df=self.df.unsqueeze(-1) - steps)

    def _square(self):
        return tuple(self._batch_shape) + tuple(self._event_shape)

    @lazy_property
    def scale_tril(self):
        return self._unbroadcasted_scale_tril.expand(self._square())

    @lazy_property
    def covariance_matrix(self):
        lower = self._unbroadcasted_scale_tril
        return (lower @ lower.mT).expand(self._square())

    @lazy_property
    def precision_matrix(self):
        p = self._event_shape[-1]
        identity = _F.eye(p, dtype=self._unbroadcasted_scale_tril.dtype, device=self._unbroadcasted_scale_tril.device)
        return _F.cholesky_solve(identity, self._unbroadcasted_scale_tril).expand(self._square())

    @property
    def _natural_params(self):
        nu, p = self.df, self._event_shape[-1]
        return -self.precision_matrix / 2, (nu - p - 1) / 2

    def _log_normalizer(self, x, y):
        p = self._event_shape[-1]
        return ((y + (p + 1) / 2) * (-_L.linalg_slogdet(-2 * x)[1] + math.log(2) * p)
                + _F.mvlgamma(y + (p + 1) / 2, p=p))

    @property
    def mean(self):
        return self.df.view(tuple(self._batch_shape) + (1, 1)) * self.covariance_matrix

    @property
    def mode(self):
        factor = self.df - self.covariance_matrix.shape[-1] - 1
        factor = _F.where(factor <= 0, _F.full_like(factor, math.nan), factor)
        return factor.view(tuple(self._batch_shape) + (1, 1)) * self.covariance_matrix

    @property
    def variance(self):
        v = self.covariance_matrix
        diagonal = v.diagonal(dim1=-2, dim2=-1)
        outer = diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2)
        return self.df.view(tuple(self._batch_shape) + (1, 1)) * (v.pow(2) + outer)

    def _bartlett(self, sample_shape):
        p = self._event_shape[-1]
        noise = self._dist_chi2.rsample(sample_shape).sqrt().diag_embed(dim1=-2, dim2=-1)
        i, j = _F.tril_indices(p, p, offset=-1)
        shape = tuple(sample_shape) + tuple(self._batch_shape) + (int(p * (p - 1) / 2),)
        noise[..., i, j] = _F.randn(shape, dtype=noise.dtype, device=noise.device)
        chol = self._unbroadcasted_scale_tril @ noise
        return chol @ chol.mT

    def rsample(self, sample_shape=(), max_try_correction=None):
        """Draws by Bartlett's decomposition.

        PyTorch 2.15 takes the first draws, which are positive definite, for singular ones and draws those once more; so
        it is done here, for the same numbers.
        """
        max_try_correction = 10 if max_try_correction is None else max_try_correction
        sample = self._bartlett(_C.Size(sample_shape))
        again = self._definite(sample)
        if again.any():
            import warnings

            warnings.warn("Singular sample detected.", stacklevel=2)
            for _ in range(max_try_correction):
                new = self._bartlett(again[again].shape)
                sample[again] = new
                again[again.clone()] = ~self._definite(new)
                if not again.any():
                    break
        return sample

    def _definite(self, sample):
        check = self.support.check(sample)
        return check.amax([-1 - d for d in range(len(self._batch_shape))]) if self._batch_shape else check

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        nu, p = self.df, self._event_shape[-1]
        log_det = self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        trace = _F.cholesky_solve(value, self._unbroadcasted_scale_tril).diagonal(dim1=-2, dim2=-1).sum(dim=-1)
        return (-nu * (p * math.log(2) / 2 + log_det) - _F.mvlgamma(nu / 2, p=p)
                + (nu - p - 1) / 2 * _L.linalg_slogdet(value)[1] - trace / 2)

    def entropy(self):
        nu, p = self.df, self._event_shape[-1]
        log_det = self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        return ((p + 1) * (p * math.log(2) / 2 + log_det) + _F.mvlgamma(nu / 2, p=p)
                - (nu - p - 1) / 2 * _mvdigamma(nu / 2, p=p) + nu * p / 2)


class LKJCholesky(Distribution):
    """Cholesky factors of correlation matrices, the nearer to independence the larger the concentration."""

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(self, dim, concentration=1.0, validate_args=None):
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        from torch.distributions.utils import broadcast_all

        (self.concentration,) = broadcast_all(concentration)
        batch = self.concentration.size()
        marginal = self.concentration + 0.5 * (self.dim - 2)
        offset = _F.arange(self.dim - 1, dtype=self.concentration.dtype, device=self.concentration.device)
        offset = _F.cat([offset.new_zeros((1,)), offset])
        self._beta = Beta(offset + 0.5, marginal.unsqueeze(-1) - 0.5 * offset)
        super().__init__(batch, _C.Size((dim, dim)), validate_args)

    def expand(self, batch_shape, _instance=None):
        new = super().expand(batch_shape, _instance)
        new._beta = self._beta.expand(tuple(batch_shape) + (self.dim,))
        return new

    def sample(self, sample_shape=()):
        """Draws by the onion method."""
        with no_grad():
            y = self._beta.sample(sample_shape).unsqueeze(-1)
            normal = _F.randn(self._extended_shape(sample_shape), dtype=y.dtype, device=y.device).tril(-1)
            sphere = normal / normal.norm(dim=-1, keepdim=True)
            sphere[..., 0, :].fill_(0.0)
            w = _F.sqrt(y) * sphere
            tiny = _C.finfo(w.dtype).tiny
            diagonal = _F.clamp(1 - _F.sum(w ** 2, dim=-1), min=tiny).sqrt()
            return w + _F.diag_embed(diagonal)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        order = _F.arange(2, self.dim + 1, dtype=self.concentration.dtype, device=self.concentration.device)
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - order
        unnormalized = _F.sum(order * diagonal.log(), dim=-1)
        below = self.dim - 1
        alpha = self.concentration + 0.5 * below
        denominator = _F.lgamma(alpha) * below
        numerator = _F.mvlgamma(alpha - 0.5, below)
        return unnormalized - (0.5 * below * math.log(math.pi) + numerator - denominator)
