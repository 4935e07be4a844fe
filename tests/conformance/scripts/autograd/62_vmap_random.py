# Random numbers under vmap.
import torch
import torch.nn.functional as F
from torch.func import vmap


def t(name, f):
    try:
        r = f()
        print(name, "->", r)
    except Exception as e:
        print(name, "raises", type(e).__name__, str(e))

x = torch.arange(6.0).reshape(3, 2)
y = torch.arange(3.0)
for r in ("error", "same", "different"):
    for n, f in dict(rand=lambda a: a + torch.rand(2), randn_like=lambda a: torch.randn_like(a), dropout=lambda a: F.dropout(a, 0.5), normal_=lambda a: a.clone().normal_(), bernoulli=lambda a: torch.bernoulli(a / 10), randperm=lambda a: torch.randperm(3), randint=lambda a: torch.randint(0, 9, (2,)), uniform_=lambda a: torch.zeros(2).uniform_(), multinomial=lambda a: torch.multinomial(a + 1, 1), rand_=lambda a: torch.rand(2), drop0=lambda a: F.dropout(a, 0.5, training=False), rrelu=lambda a: F.rrelu(-a - 1, training=True), poisson=lambda a: torch.poisson(a), normal=lambda a: torch.normal(a, 1.0)).items():
        torch.manual_seed(0)
        t(f"{n} {r}", lambda: vmap(f, randomness=r)(x))

