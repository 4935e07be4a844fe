# What a function under vmap may not do, and what it sees.
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
# what is refused
t("item", lambda: vmap(lambda a: a.item())(y))
t("float", lambda: vmap(lambda a: float(a))(y))
t("int", lambda: vmap(lambda a: int(a))(y))
t("tolist", lambda: vmap(lambda a: a.tolist())(x))
t("numpy", lambda: vmap(lambda a: torch.tensor(a.numpy()))(x))
t("if", lambda: vmap(lambda a: a * 2 if a.sum() > 0 else a)(x))
t("bool", lambda: vmap(lambda a: bool(a))(y))
t("and", lambda: vmap(lambda a: a and a)(y))
t("while", lambda: vmap(lambda a: [a := a - 1 for _ in iter(lambda: bool(a > 0), False)] and a)(y))
t("nonzero", lambda: vmap(lambda a: a.nonzero())(x))
t("mask", lambda: vmap(lambda a: a[a > 1])(x))
t("masked_select", lambda: vmap(lambda a: torch.masked_select(a, a > 1))(x))
t("unique", lambda: vmap(lambda a: torch.unique(a))(x))
t("where1", lambda: vmap(lambda a: torch.where(a > 1))(x))
t("where", lambda: vmap(lambda a: torch.where(a > 1, a, -a))(x))
t("mask assign", lambda: vmap(lambda a: a.clone().masked_fill_(a > 1, 0.0))(x))
def setmask(a):
    a = a.clone()
    a[a > 1] = 0.0
    return a
t("a[mask]=", lambda: vmap(setmask)(x))
def setzero(a):
    a = a.clone()
    a[0] = 7.0
    return a
t("a[0]=", lambda: vmap(setzero)(x))
t("equal", lambda: vmap(lambda a: torch.tensor(torch.equal(a, a)))(x))
t("allclose", lambda: vmap(lambda a: torch.tensor(torch.allclose(a, a)))(x))
t("is_nonzero", lambda: vmap(lambda a: torch.is_nonzero(a))(y))
t("range", lambda: vmap(lambda a: torch.zeros(int(a)))(y))
t("index py list", lambda: vmap(lambda a: torch.tensor([1, 2, 3])[a])(torch.tensor([0, 2])))
t("list index", lambda: vmap(lambda a: [1, 2, 3][a])(torch.tensor([0, 2])))
t("in", lambda: vmap(lambda a: torch.tensor(1.0 in a))(x))
t("data", lambda: vmap(lambda a: a.data * 2)(x))
t("detach", lambda: vmap(lambda a: a.detach() * 2)(x))
t("backward", lambda: vmap(lambda a: a.sum().backward())(x.clone().requires_grad_()))
t("repeat_interleave", lambda: vmap(lambda a: torch.repeat_interleave(a, 2))(x))

# what is seen
def show(a):
    print("in:", a, a.shape, a.dim(), a.dtype, a.requires_grad, a.size(0), len(a), a.numel(), a.stride(), a.is_contiguous(), a.device)
    return a * 2
t("print", lambda: vmap(show)(x))
t("print in_dims=1", lambda: vmap(show, in_dims=1)(x))
t("type", lambda: vmap(lambda a: print(type(a), isinstance(a, torch.Tensor)) or a)(x))
t("repr 0d", lambda: vmap(lambda a: print(repr(a)) or a)(y))
t("fstring", lambda: vmap(lambda a: print(f"{a}") or a)(y))
t("fstring fmt", lambda: vmap(lambda a: print(f"{a:.2f}") or a)(y))
t("iter", lambda: vmap(lambda a: sum(b * 2 for b in a))(x))
t("unpack", lambda: vmap(lambda a: (lambda p, q: p * q)(*a))(x))
t("zeros inside", lambda: vmap(lambda a: torch.zeros(2) + a)(x))
t("const out", lambda: vmap(lambda a: torch.ones(2))(x))
t("unbatched out None", lambda: vmap(lambda a: torch.ones(2), out_dims=None)(x))
t("batched out None", lambda: vmap(lambda a: a, out_dims=None)(x))
t("int out", lambda: vmap(lambda a: 3)(x))
t("none out", lambda: vmap(lambda a: None)(x))
t("str out", lambda: vmap(lambda a: "s")(x))
t("tuple out", lambda: vmap(lambda a: (a, a.sum()))(x))
t("dict out", lambda: vmap(lambda a: {"a": a, "s": a.sum()})(x))
t("list out", lambda: vmap(lambda a: [a, a.sum()])(x))
t("tuple with int", lambda: vmap(lambda a: (a, 3))(x))
t("empty tuple out", lambda: vmap(lambda a: ())(x))

