import torch
import torch.distributions as D

T = torch.tensor
for d in (
    D.Gamma(T([0.5, 2.0]), T([1.0, 3.0])), D.Beta(T([0.5, 2.0]), T([1.0, 3.0])), D.Dirichlet(T([0.5, 1.0, 2.0])),
    D.Chi2(T([1.0, 4.0])), D.StudentT(T([3.0, 10.0])), D.Poisson(T([1.0, 30.0])), D.Binomial(10, T([0.2, 0.7])),
    D.NegativeBinomial(5, T([0.2, 0.7])), D.Multinomial(10, T([0.2, 0.3, 0.5])), D.Cauchy(0.0, T([1.0])),
    D.HalfNormal(T([1.0, 2.0])), D.Gumbel(T([1.0]), T([2.0])), D.Pareto(T([1.0]), T([2.0])),
    D.Weibull(T([1.0]), T([2.0])), D.LogisticNormal(T([0.0, 0.0]), T([1.0, 2.0])), D.VonMises(T([1.0]), T([2.0])),
    D.RelaxedBernoulli(T([0.5]), T([0.2, 0.8])), D.RelaxedOneHotCategorical(T([0.5]), T([0.2, 0.3, 0.5])),
    D.MultivariateNormal(T([1.0, 2.0]), T([[2.0, 0.5], [0.5, 1.0]])), D.LogNormal(T([0.0, 0.5]), T(0.5)),
    D.MixtureSameFamily(D.Categorical(torch.ones(3)), D.Normal(T([0.0, 1.0, 2.0]), torch.ones(3))),
    D.Independent(D.Normal(torch.zeros(3, 2), torch.ones(3, 2)), 1),
):
    torch.manual_seed(0)
    print(d, d.batch_shape, d.event_shape)
    x = d.sample()
    print(x, d.log_prob(x))
print(D.kl_divergence(D.Gamma(T(2.0), T(1.0)), D.Gamma(T(3.0), T(2.0))))
print(D.kl_divergence(D.Beta(2.0, 3.0), D.Uniform(0.0, 1.0)), D.kl_divergence(D.Normal(0.0, 1.0), D.Laplace(1.0, 2.0)))
print(D.biject_to(D.constraints.simplex)(torch.zeros(2)), D.transform_to(D.constraints.interval(1.0, 3.0)))
D.Poisson(T(-1.0))
