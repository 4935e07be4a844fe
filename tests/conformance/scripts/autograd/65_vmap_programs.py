# Programs under vmap: functions of their own, closures, what Python does with tensors.
import torch
from torch.func import vmap, grad, jacrev, hessian, jacfwd
import torch.nn.functional as F
def t(name, f):
    try:
        r = f()
        print(name, "->", r)
    except Exception as e:
        print(name, "raises", type(e).__name__, str(e))
x = torch.arange(6.0).reshape(3, 2)
class Square(torch.autograd.Function):
    generate_vmap_rule = True
    @staticmethod
    def forward(a):
        return a ** 2
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])
    @staticmethod
    def backward(ctx, g):
        return 2 * ctx.saved_tensors[0] * g
class Own(torch.autograd.Function):
    @staticmethod
    def forward(a):
        return a ** 2
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])
    @staticmethod
    def backward(ctx, g):
        return 2 * ctx.saved_tensors[0] * g
    @staticmethod
    def vmap(info, in_dims, a):
        print(info, in_dims, a.shape)
        return Own.apply(a.movedim(in_dims[0], 0)), 0
t("rule", lambda: vmap(Square.apply)(x))
t("rule grad", lambda: vmap(grad(lambda a: Square.apply(a).sum()))(x))
t("own", lambda: vmap(Own.apply)(x))
t("own 1", lambda: vmap(Own.apply, in_dims=1)(x))
t("own grad", lambda: grad(lambda a: vmap(Own.apply)(a).sum())(x))
# state in the function
seen = []
def count(a):
    seen.append(a.shape)
    return a.sum()
vmap(count)(x); print(seen)
# closures
k = torch.tensor(3.0)
t("closure", lambda: vmap(lambda a: a * k)(x))
kr = torch.tensor(3.0, requires_grad=True)
def closed():
    vmap(lambda a: (a * kr).sum())(x).sum().backward()
    return kr.grad
t("closure grad", closed)
t("no_grad", lambda: vmap(lambda a: (lambda: a * kr)())(x).requires_grad)
with torch.no_grad():
    t("no grad", lambda: vmap(lambda a: a * kr)(x).requires_grad)
# newton, batched
def newton(f, a, n=5):
    for _ in range(n):
        a = a - f(a) / grad(f)(a)
    return a
print(vmap(lambda c: newton(lambda a: a ** 2 - c, torch.tensor(1.0) + 0 * c))(torch.tensor([2.0, 9.0, 16.0])))
# dists
c = torch.arange(8.0).reshape(4, 2)
print(vmap(lambda p: ((c - p) ** 2).sum(-1).argmin())(x))
print(vmap(vmap(lambda a, b: (a - b).norm(), in_dims=(None, 0)), in_dims=(0, None))(x, c))
t("scan", lambda: vmap(lambda a: torch.stack([a[:i + 1].sum() for i in range(2)]))(x))
t("try item", lambda: vmap(lambda a: a.sum() * (1 if a.shape[0] == 2 else 0))(x))
t("assert", lambda: vmap(lambda a: [1 for _ in (assert_(a),)] and a)(x))
def assert_(a):
    assert (a > 0).all()
t("assert2", lambda: vmap(lambda a: (assert_(a), a)[1])(x))
t("max py", lambda: vmap(lambda a: max(a[0], a[1]))(x))
t("sorted py", lambda: vmap(lambda a: sorted(a)[0])(x))
t("abs round", lambda: vmap(lambda a: abs(a) + round(a))(x))
t("np", lambda: vmap(lambda a: __import__("numpy").sum(a))(x))
t("tensor()", lambda: vmap(lambda a: torch.tensor(a))(x))
t("tensor([..])", lambda: vmap(lambda a: torch.tensor([a[0], a[1]]))(x))
t("stack list", lambda: vmap(lambda a: torch.stack([a[0], a[1]]))(x))
t("manual loop if shape", lambda: vmap(lambda a: a if a.dim() == 1 else a * 0)(x))
t("enumerate", lambda: vmap(lambda a: sum(i * v for i, v in enumerate(a)))(x))
t("zip", lambda: vmap(lambda a, b: sum(p * q for p, q in zip(a, b)))(x, x))
t("*args", lambda: vmap(lambda *a: a[0] + a[1])(x, x))
t("bool tensor and", lambda: vmap(lambda a: (a > 1) and (a < 3))(x))
t("ternary", lambda: vmap(lambda a: a if a.mean() > 2 else -a)(x))
t("where instead", lambda: vmap(lambda a: torch.where(a.mean() > 2, a, -a))(x))
t("dropout eval", lambda: vmap(torch.nn.Dropout(0.5).eval())(x))
t("dropout train", lambda: vmap(torch.nn.Dropout(0.5))(x))
t("grad of nonscalar", lambda: vmap(grad(lambda a: a * 2))(x))
t("jac of scalar fn", lambda: vmap(jacrev(lambda a: (a ** 2).sum()))(x))
t("hess mat", lambda: vmap(hessian(lambda a: (a[0] ** 2) * a[1]))(x))
t("bool out", lambda: vmap(lambda a: a.sum() > 3)(x))
t("index_select", lambda: vmap(lambda a, i: a.index_select(0, i))(x, torch.tensor([[0], [1], [1]])))
t("scatter", lambda: vmap(lambda a, i: torch.zeros_like(a).scatter(0, i, 1.0))(x, torch.tensor([[0], [1], [1]])))
t("masked_fill", lambda: vmap(lambda a: a.masked_fill(a > 2, -1.0))(x))
t("setitem idx", lambda: vmap(lambda a: (lambda c: (c.__setitem__(0, a[1]), c)[1])(a.clone()))(x))
t("linspace", lambda: vmap(lambda a: torch.linspace(0, 1, 3) * a[0])(x))
t("arange len", lambda: vmap(lambda a: torch.arange(len(a)) * a)(x))
t("new_tensor", lambda: vmap(lambda a: a.new_tensor([1.0, 2.0]) + a)(x))
t("full_like", lambda: vmap(lambda a: torch.full_like(a, 2.0) * a)(x))
t("cdist", lambda: vmap(lambda a: torch.cdist(a[None], c))(x))
t("cov", lambda: vmap(torch.cov)(torch.arange(12.0).reshape(2, 2, 3)))
t("pad", lambda: vmap(lambda a: F.pad(a, (1, 1)))(x))
t("interp", lambda: vmap(lambda a: F.interpolate(a[None, None], scale_factor=2)[0, 0])(x))
t("conv1d", lambda: vmap(lambda a: F.conv1d(a[None], torch.ones(1, 1, 2)))(x))
t("embedding", lambda: vmap(lambda i: F.embedding(i, c))(torch.tensor([[0, 1], [2, 3]])))
t("bce", lambda: vmap(F.binary_cross_entropy_with_logits)(x, (x > 2).float()))
t("nll", lambda: vmap(lambda a, b: F.cross_entropy(a, b))(x, torch.tensor([0, 1, 0])))
t("type promo", lambda: vmap(lambda a, b: a + b)(torch.arange(3), torch.arange(3.0, dtype=torch.float64)))
t("complex", lambda: vmap(lambda a: (a * 1j).abs())(x))
t("int div", lambda: vmap(lambda a: a // 2)(torch.arange(6).reshape(3, 2)))
t("bool sum", lambda: vmap(lambda a: (a > 1).sum())(x))
t("stack of vmaps", lambda: torch.stack([vmap(lambda a: a * k)(x) for k in range(2)]))
t("vmap over module list", lambda: vmap(lambda a: [torch.nn.functional.relu(a - k) for k in range(2)])(x))
t("in_dims -1", lambda: vmap(lambda a, b: a @ b, in_dims=(-1, 0))(torch.ones(2, 2, 3), x))
t("expand as", lambda: vmap(lambda a: a.unsqueeze(-1).expand_as(torch.ones(2, 3)))(x))
t("jac of batch", lambda: jacrev(lambda w: vmap(lambda a: (a * w).sum())(x))(torch.ones(2)))
t("jacfwd vmap", lambda: jacfwd(lambda w: vmap(lambda a: (a * w).sum() ** 2)(x))(torch.ones(2)))
t("diag hessian", lambda: vmap(lambda a: torch.diagonal(hessian(lambda b: (b ** 3).sum())(a)))(x))
t("lap", lambda: vmap(lambda a: hessian(lambda b: (b ** 3).sum())(a).trace())(x))
t("grad in grad_dims", lambda: vmap(grad(lambda a, b: (a * b).sum(), argnums=1), in_dims=(0, None))(x, torch.ones(2)))
def pinn(u, p):
    return torch.tanh(u * p[0]) * p[1]
t("d2u", lambda: vmap(grad(grad(pinn)), in_dims=(0, None))(torch.linspace(0, 1, 4), (torch.tensor(2.0), torch.tensor(3.0))))
w = torch.ones(2, requires_grad=True)
def train():
    opt = torch.optim.SGD([w], lr=0.1)
    for _ in range(3):
        loss = vmap(lambda a: ((a * w).sum() - 1) ** 2)(x).mean()
        opt.zero_grad(); loss.backward(); opt.step()
    return w.detach()
t("train", train)
t("ensemble sgd", lambda: vmap(lambda p: p - 0.1 * grad(lambda q: (q ** 2).sum())(p))(x))
def rk(f, s, h=0.1):
    k1 = f(s); k2 = f(s + h * k1)
    return s + h * (k1 + k2) / 2
t("ode", lambda: vmap(lambda s: rk(lambda z: torch.stack([z[1], -z[0]]), s))(x))
t("batched index", lambda: vmap(lambda i, j: x[i, j])(torch.tensor([0, 1]), torch.tensor([1, 0])))
t("slice of batch", lambda: vmap(lambda a: a[-1] - a[:-1])(x))
t("float pow", lambda: vmap(lambda a: a ** 0.5)(x))
t("clamp", lambda: vmap(lambda a: a.clamp(1, 3))(x))
t("softmax loss", lambda: vmap(lambda a: -torch.log_softmax(a, 0)[1])(x))
t("size str", lambda: vmap(lambda a: (print(f"{a.shape} {a.dtype} {tuple(a.shape)}"), a)[1])(x))
t("kwargs partial", lambda: vmap(lambda a, *, s=1: a * s)(x, s=3))
t("method", lambda: vmap(torch.Tensor.sum)(x))
t("builtin", lambda: vmap(torch.add, in_dims=(0, None))(x, 5))
t("is leaf", lambda: vmap(lambda a: (print(a.is_leaf, a.grad, a.grad_fn), a)[1])(x))
t("copy", lambda: vmap(lambda a: __import__("copy").copy(a))(x))
t("deepcopy", lambda: vmap(lambda a: __import__("copy").deepcopy(a))(x))
t("tensor in list eq", lambda: vmap(lambda a: torch.equal(a, a))(x))
t("isinstance", lambda: vmap(lambda a: a * isinstance(a, torch.Tensor))(x))
t("is_tensor", lambda: vmap(lambda a: a * torch.is_tensor(a))(x))
t("type name", lambda: vmap(lambda a: (print(type(a).__name__), a)[1])(x))
t("like", lambda: vmap(lambda a: torch.empty_like(a).fill_(1.0))(x))
t("new", lambda: vmap(lambda a: a.new_ones(2) * a)(x))
t("pow neg", lambda: vmap(lambda a: (-a).pow(2))(x))
t("assign cols", lambda: vmap(lambda a: (lambda m: (m[:, 0].copy_(a), m)[1])(torch.zeros_like(torch.outer(a, a))))(x))
