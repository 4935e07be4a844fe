"""Draws by rejection: counts and waiting times."""
import torch

torch.manual_seed(42)
print(torch.poisson(torch.tensor([0.5, 4.0, 12.0, 100.0])))
print(torch.poisson(torch.full((2, 3), 3.0, dtype=torch.float64)))
print(torch.binomial(torch.tensor([10.0, 100.0, 1000.0]), torch.tensor([0.3, 0.5, 0.9])))
print(torch.binomial(torch.full((5,), 20.0), torch.full((5,), 0.25)))
rates = torch.rand(2, 2) * 5
print(torch.poisson(rates), torch.poisson(rates).dtype)
g = torch.Generator().manual_seed(7)
print(torch.poisson(torch.tensor([3.0, 30.0]), generator=g), torch.binomial(torch.tensor([9.0]), torch.tensor([0.5]), generator=g))
shape = torch.tensor([0.5, 2.0, 9.0], requires_grad=True)
draws = torch._standard_gamma(shape)
print(draws)
draws.sum().backward()
print(shape.grad)
print(torch._sample_dirichlet(torch.tensor([[1.0, 2.0, 3.0], [0.3, 0.3, 0.3]])))
print(torch.rand(2))
many = torch.poisson(torch.full((2000,), 6.0))
print(many.mean(), many.var())
for call in (lambda: torch.poisson(torch.tensor([-1.0])), lambda: torch.poisson(torch.tensor([1]))):
    try:
        call()
    except Exception as e:
        print(type(e).__name__, e)
