import torch
from torch import nn
from torch.nn.utils import parametrize
from torch.nn.utils.parametrizations import orthogonal, spectral_norm, weight_norm


class Symmetric(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).T

    def right_inverse(self, A):
        return A.triu()


torch.manual_seed(0)
layer = nn.Linear(3, 3)
parametrize.register_parametrization(layer, "weight", Symmetric())
print(layer, torch.equal(layer.weight, layer.weight.T))
print([n for n, _ in layer.named_parameters()], type(layer))
layer.weight = torch.eye(3)
print(layer.parametrizations.weight.original)
parametrize.remove_parametrizations(layer, "weight")
print(layer, layer.weight)
o = orthogonal(nn.Linear(3, 3))
print(o, o.weight, (o.weight @ o.weight.T - torch.eye(3)).abs().max() < 1e-5)
o.weight.sum().backward()
print(o.parametrizations.weight.original.grad)
w = weight_norm(nn.Linear(2, 3))
print(list(w.state_dict()), w.weight.shape)
s = spectral_norm(nn.Linear(3, 3))
print(s.weight, torch.linalg.matrix_norm(s.weight, 2) < 1.2)
