# Writing in place under vmap.
import torch
from torch.func import vmap


def t(name, f):
    try:
        r = f()
        print(name, "->", r)
    except Exception as e:
        print(name, "raises", type(e).__name__, str(e))

x = torch.arange(6.0).reshape(3, 2)
y = torch.arange(3.0)
z = torch.zeros(2)
t("unbatched += batched", lambda: vmap(lambda a: z.add_(a))(x))
def iadd(a):
    w = torch.zeros(2)
    w += a
    return w
t("w += a", lambda: vmap(iadd)(x))
def setitem(a):
    w = torch.zeros(2)
    w[0] = a
    return w
t("w[0] = a", lambda: vmap(setitem)(y))
t("copy_", lambda: vmap(lambda a: torch.zeros(2).copy_(a))(x))
t("mul_", lambda: vmap(lambda a: torch.zeros(2).mul_(a))(x))
t("fill_", lambda: vmap(lambda a: torch.zeros(2).fill_(a))(y))
t("addcmul_", lambda: vmap(lambda a: torch.zeros(2).addcmul_(a, a))(x))
t("batched += unbatched", lambda: vmap(lambda a: a.clone().add_(torch.ones(2)))(x))
t("scatter_", lambda: vmap(lambda a: torch.zeros(2).scatter_(0, torch.tensor([0, 1]), a))(x))
t("index_add_", lambda: vmap(lambda a: torch.zeros(2).index_add_(0, torch.tensor([0, 1]), a))(x))
t("zero_ new_zeros", lambda: vmap(lambda a: a.new_zeros(2).add_(a))(x))
t("zeros_like", lambda: vmap(lambda a: torch.zeros_like(a).add_(a))(x))
xi = x.clone()
t("in place on input", lambda: vmap(lambda a: a.add_(1))(xi)); print(xi)
t("clamp_", lambda: vmap(lambda a: a.clone().clamp_(0, 2))(x))
t("out=", lambda: vmap(lambda a: torch.add(a, 1, out=torch.zeros(2)))(x))
calls = []
vmap(lambda a: (calls.append(1), a)[1])(x)
print("calls", len(calls))


ops = dict(sub_=lambda a: torch.zeros(2).sub_(a),
           div_=lambda a: torch.ones(2).div_(a),
           pow_=lambda a: torch.ones(2).pow_(a),
           clamp_=lambda a: torch.ones(2).clamp_(a),
           clamp_min_=lambda a: torch.ones(2).clamp_min_(a),
           masked_fill_=lambda a: torch.zeros(2).masked_fill_(a > 1, 1.0),
           masked_fill_v=lambda a: torch.zeros(2).masked_fill_(torch.tensor([True, False]), a[0]),
           scatter_add_=lambda a: torch.zeros(2).scatter_add_(0, torch.tensor([0, 1]), a),
           index_copy_=lambda a: torch.zeros(2).index_copy_(0, torch.tensor([0, 1]), a),
           index_fill_=lambda a: torch.zeros(2).index_fill_(0, torch.tensor([0]), a[0]),
           index_put_=lambda a: torch.zeros(2).index_put_((torch.tensor([0]),), a[:1]),
           logical_and_=lambda a: torch.zeros(2).logical_and_(a),
           lerp_=lambda a: torch.zeros(2).lerp_(a, 0.5),
           addcdiv_=lambda a: torch.zeros(2).addcdiv_(a, a),
           atan2_=lambda a: torch.zeros(2).atan2_(a),
           remainder_=lambda a: torch.ones(2).remainder_(a),
           eq_=lambda a: torch.ones(2).eq_(a),
           floor_divide_=lambda a: torch.ones(2).floor_divide_(a),
           bitwise_and_=lambda a: torch.ones(2, dtype=torch.int64).bitwise_and_(a.long()),
           addmm_=lambda a: torch.ones(2, 2).addmm_(a[None].T, a[None]),
           baddbmm_=lambda a: torch.ones(1, 2, 2).baddbmm_(a[None, None].mT, a[None, None]),
           copy0=lambda a: torch.zeros(2).copy_(a[0]),
           setslice=lambda a: torch.zeros(2).__setitem__(slice(0, 1), a[:1]),
           setmask=lambda a: torch.zeros(2).__setitem__(a > 1, 1.0),
           setidx=lambda a: torch.zeros(2).__setitem__(a.long() % 2, 1.0),
           iand=lambda a: torch.ones(2, dtype=torch.bool).__iand__(a > 1),
           imul=lambda a: torch.ones(2).__imul__(a),
           ipow=lambda a: torch.ones(2).__ipow__(a),
           add_scalar=lambda a: torch.ones(2).add_(a[0]),
           add_1=lambda a: torch.zeros(1).add_(a[:1]),
           fmod_=lambda a: torch.ones(2).fmod_(a),
           xlogy_=lambda a: torch.ones(2).xlogy_(a),
           hypot_=lambda a: torch.ones(2).hypot_(a),
           where=lambda a: torch.where(torch.tensor([True, False]), a, torch.ones(2)),
           relu_=lambda a: a.clone().relu_(),
           zero_=lambda a: a.clone().zero_(),
           t_=lambda a: a.clone()[None].t_(),
           squeeze_=lambda a: a.clone()[None].squeeze_(0),
           unsqueeze_=lambda a: a.clone().unsqueeze_(0),
           detach_=lambda a: (a * 2).detach_(),
           requires_grad_=lambda a: a.clone().requires_grad_().requires_grad,
           index_reduce_=lambda a: torch.zeros(2).index_reduce_(0, torch.tensor([0, 1]), a, "amax"),
           put_=lambda a: torch.zeros(2).put_(torch.tensor([0, 1]), a),
           triu_=lambda a: a.clone()[None].triu_(),
           fill_diagonal_=lambda a: torch.outer(a, a).fill_diagonal_(0.0),
           cumsum_=lambda a: a.clone().cumsum_(0),
           exp_=lambda a: a.clone().exp_(),
           nan_to_num_=lambda a: a.clone().nan_to_num_(),
           round_=lambda a: a.clone().round_(),
           sort_out=lambda a: torch.sort(a, out=(torch.ones(2), torch.ones(2, dtype=torch.int64))),
           tolist0=lambda a: torch.tensor(a[0].tolist()),
           len0=lambda a: len(a[0]),
           hash=lambda a: hash(a) and a,
           idset=lambda a: {a: 1}[a],
           eqlist=lambda a: a in [a],
           sizes=lambda a: torch.zeros(a.size()) + a,
           repeat=lambda a: a.repeat(2),
           chunk=lambda a: a.chunk(2)[0],
           unbind=lambda a: a.unbind()[1],
           meshgrid=lambda a: torch.meshgrid(a, a, indexing="ij")[0],
           broadcast=lambda a: torch.broadcast_tensors(a, torch.ones(2, 2))[0],
           cart=lambda a: torch.cartesian_prod(a, a),
           tril_indices=lambda a: torch.tril(a[None].expand(2, 2)),
           bincount=lambda a: torch.bincount(a.long()),
           histc=lambda a: torch.histc(a, 2),
           multinomial=lambda a: torch.multinomial(a + 1, 1),
           manual=lambda a: (torch.manual_seed(0), a)[1],
           all=lambda a: (a > 1).all(),
           any=lambda a: torch.any(a > 1),
           isclose=lambda a: torch.isclose(a, a),
           softplus=lambda a: torch.nn.functional.softplus(a),
           cosine=lambda a: torch.nn.functional.cosine_similarity(a, a, dim=0),
           quantile=lambda a: a.quantile(0.5),
           median=lambda a: a.median(),
           mode=lambda a: a.mode().values,
           prod=lambda a: a.prod(),
           amax=lambda a: a.amax(),
           min=lambda a: a.min(),
           std_mean=lambda a: torch.std_mean(a),
           norm1=lambda a: torch.norm(a, 1),
           renorm=lambda a: torch.nn.functional.normalize(a, dim=0),
           diag=lambda a: torch.diag(a),
           trace=lambda a: torch.outer(a, a).trace(),
           det=lambda a: torch.linalg.det(torch.outer(a, a) + torch.eye(2)),
           solve=lambda a: torch.linalg.solve(torch.outer(a, a) + torch.eye(2), a),
           fft=lambda a: torch.fft.fft(a).real,
           pixel=lambda a: torch.roll(a, 1),
           rot=lambda a: torch.flip(a, (0,)),
           isin=lambda a: torch.isin(a, torch.tensor([1.0, 2.0])),
           complex=lambda a: torch.complex(a, a).abs(),
           polyval=lambda a: sum(c * a ** i for i, c in enumerate([1, 2, 3])))
for n, f in ops.items():
    torch.manual_seed(0)
    t(n, lambda: vmap(f)(x))
