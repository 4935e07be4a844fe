import torch
from torch import nn
from torch.nn.utils import prune

torch.manual_seed(0)
layer = nn.Linear(4, 3)
prune.random_unstructured(layer, name="weight", amount=0.3)
print(layer.weight, layer.weight_mask)
print([n for n, _ in layer.named_parameters()], [n for n, _ in layer.named_buffers()])
prune.ln_structured(layer, name="weight", amount=0.5, n=2, dim=0)
print(layer.weight)
prune.l1_unstructured(layer, name="bias", amount=1)
print(list(layer.state_dict()), prune.is_pruned(layer))
prune.remove(layer, "weight")
print(layer.weight, [n for n, _ in layer.named_parameters()])
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
prune.global_unstructured([(net[0], "weight"), (net[2], "weight")], pruning_method=prune.L1Unstructured, amount=0.4)
zeros = sum(float((m.weight == 0).sum()) for m in (net[0], net[2]))
print(zeros, net(torch.ones(1, 3)))
try:
    prune.l1_unstructured(nn.Linear(2, 2), "weight", amount=1.5)
except ValueError as e:
    print(e)
prune.remove(nn.Linear(2, 2), "weight")
