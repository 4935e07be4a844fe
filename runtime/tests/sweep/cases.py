# The cases of `sweep.py`: what is called, on inputs of which shapes and values. The sweep makes the empty, 0-d and
# five-dimensional ones of them by itself.
CASES = []
R, P, M = (-2, 2), (0.2, 3), (-0.9, 0.9)


def case(code, vary=True, **specs):
    CASES.append((code, specs, vary))


def pointwise(names, low, high, prefix="torch"):
    for name in names.split():
        case(f"{prefix}.{name}(x)", x=((2, 3), low, high))


def pairs(names, a, b, prefix="torch"):
    for name in names.split():
        case(f"{prefix}.{name}(x, y)", x=((2, 3), *a), y=((2, 3), *b))
        case(f"{prefix}.{name}(x, y)", False, x=((2, 3), *a), y=((3,), *b))
        case(f"{prefix}.{name}(x, y)", False, x=((2, 1, 3), *a), y=((4, 1), *b))


# What PyTorch itself leaves open, by layouts or shapes.
LEFT_OUT = {
    # It reads past the element that an expanded dimension repeats.
    "torch.median(x, 0)": "expanded", "torch.nanmedian(x, 0)": "expanded",
    # Ties: which of the equal elements gets the gradient, and eigenvectors of equal eigenvalues.
    "torch.quantile(x, 0.4)": "expanded", "L.qr(x)": "expanded", "L.svdvals(x)": "expanded",
    "L.eigh(spd(x))[0]": "expanded", "L.eigvalsh(spd(x))": "expanded", "L.eigvals(spd(x)).real": "expanded",
    # Memory that nobody wrote, and a class that is not there.
    "F.multi_margin_loss(x, i)": "0x3,0,3", "F.cross_entropy(x, i, reduction='none', label_smoothing=0.2)": "2x0,2,0",
    "F.cross_entropy(x, i, w.detach(), ignore_index=1)": "2x0,2,0",
    # Gradients of no elements get a wrong shape.
    "F.pixel_shuffle(x, 2)": "0x4x0x3 2x0x2x3 2x4x2x0", "F.pixel_unshuffle(x, 2)": "0x1x4x0 2x1x0x2",
    "F.channel_shuffle(x, 2)": "2x0x2x3",
    # The text holds a tensor as C++ prints it.
    "torch.meshgrid(x, y, indexing='ij')": "2x1x2x1x2,2x1x2x1x3 2x2x1x2x1,3x2x1x2x1",
}

# One element at a time.
pointwise("exp exp2 expm1 sin cos sinh cosh tanh atan arctan asinh arcsinh sigmoid erf erfc square neg negative deg2rad "
          "rad2deg sinc i0 positive ravel clone", *R)
pointwise("log log2 log10 log1p sqrt rsqrt reciprocal lgamma digamma", *P)
pointwise("tan asin arcsin acos arccos atanh arctanh erfinv", *M)
pointwise("acosh arccosh", 1.1, 3)
pointwise("logit", 0.1, 0.9)
pointwise("abs absolute floor ceil trunc fix round frac sign sgn relu signbit isnan isinf isfinite isposinf isneginf isreal "
          "angle nan_to_num real conj conj_physical resolve_conj resolve_neg", -1.83, 1.71)
pointwise("logical_not count_nonzero nonzero argwhere", -1, 1)
pointwise("expit i0e i1 i1e ndtr log_ndtr erfcx exp2 expm1 erf erfc sinc spherical_bessel_j0", -1.9, 2.1, prefix="S")
pointwise("bessel_j0 bessel_j1 modified_bessel_i0 modified_bessel_i1", -1.9, 2.1, prefix="S")
pointwise("entr log1p gammaln digamma psi bessel_y0 bessel_y1 modified_bessel_k0 modified_bessel_k1 "
          "scaled_modified_bessel_k0 scaled_modified_bessel_k1", *P, prefix="S")
pointwise("ndtri logit", 0.1, 0.9, prefix="S")
pointwise("erfinv", *M, prefix="S")
pointwise("i0 round", -1.83, 1.71, prefix="S")
pointwise("relu relu6 elu celu selu gelu silu mish softplus softsign tanhshrink logsigmoid hardswish hardsigmoid "
          "leaky_relu hardtanh softshrink hardshrink", -1.83, 1.71, prefix="F")
for code in ("x + 2", "3 - x", "x * 0.5", "2 / x", "x ** 3", "2 ** x", "x % 0.7", "x // 0.7", "-x", "torch.pow(x, 2.5)",
             "torch.clamp(x, 0.5, 1.5)", "torch.clip(x, max=1.5)", "torch.clamp_min(x, 0.7)", "torch.clamp_max(x, 1.3)",
             "F.threshold(x, 1.0, 0.3)", "F.elu(x, 0.7)", "F.softplus(x, 2, 1)", "F.gelu(x, approximate='tanh')",
             "torch.round(x, decimals=1)", "torch.polygamma(1, x)", "S.polygamma(2, x)", "torch.mvlgamma(x + 2, 3)",
             "S.multigammaln(x + 2, 3)", "torch.float_power(x, 1.5)", "torch.logit(x / 4, eps=0.3)",
             "torch.nan_to_num(x / 0, 1.0, 2.0, 3.0)", "torch.complex(x, x * 2) * (1 + 2j)", "torch.polar(x, x + 1)",
             "torch.threshold(x, 1.0, 0.3)", "torch.celu(x, 0.7)", "torch.rsub(x, 2.0)", "torch.frexp(x)",
             "torch.fill(x, 2.0)", "torch.ldexp(x, torch.tensor(2))", "torch.rrelu(x, training=False)"):
    case(code, x=((2, 3), 0.3, 2.9))

# Two at a time.
pairs("add sub subtract mul multiply hypot logaddexp logaddexp2", R, (-1.7, 2.2))
pairs("div divide true_divide atan2 arctan2", R, P)
pairs("pow float_power xlogy igamma igammac", P, P)
pairs("fmod remainder floor_divide maximum minimum fmax fmin copysign heaviside nextafter", R, (0.31, 2.2))
pairs("eq ne lt le gt ge greater greater_equal less less_equal not_equal isclose logical_and logical_or logical_xor", R, R)
pairs("xlog1py xlogy zeta gammainc gammaincc", (1.2, 3), (0.4, 2), prefix="S")
for name in "bitwise_and bitwise_or bitwise_xor gcd lcm bitwise_left_shift bitwise_right_shift floor_divide fmod".split():
    case(f"torch.{name}(x, y)", x=((2, 3), 1, 30, "i"), y=((2, 3), 1, 6, "i"))
case("torch.bitwise_not(x)", x=((2, 3), -9, 9, "i"))
for code in ("torch.add(x, y, alpha=2)", "torch.sub(x, y, alpha=0.5)", "torch.div(x, y, rounding_mode='floor')",
             "torch.div(x, y, rounding_mode='trunc')", "torch.addcmul(x, y, z, value=0.5)",
             "torch.addcdiv(x, y, z, value=0.5)", "torch.lerp(x, y, z)", "torch.lerp(x, y, 0.3)", "torch.where(y > 1, x, z)",
             "torch.where(y > 1, x, 0.5)", "torch.clamp(x, y - 1, z)", "torch.dist(x, y)", "torch.dist(x, y, 3)",
             "torch.equal(x, y)", "torch.allclose(x, y)", "F.kl_div(x, y)", "F.kl_div(x, y, reduction='sum')",
             "F.mse_loss(x, y)", "F.l1_loss(x, y, reduction='none')", "F.smooth_l1_loss(x, y, beta=0.5)",
             "F.huber_loss(x, y, reduction='sum', delta=0.7)", "F.poisson_nll_loss(x, y)",
             "F.gaussian_nll_loss(x, y, z, full=True)", "F.soft_margin_loss(x, y.detach())", "F.hinge_embedding_loss(x, y.detach().sign())",
             "F.margin_ranking_loss(x, y, z.sign(), margin=0.4)", "F.binary_cross_entropy_with_logits(x, y / 4)",
             "F.binary_cross_entropy(x / 4, y / 4)", "torch.masked_fill(x, y > 1, 0.25)", "torch.vdot(x.ravel(), y.ravel())",
             "torch.dot(x.ravel(), y.ravel())", "torch.isin(x.contiguous(), y.contiguous())", "torch.view_as_complex(torch.stack([x, y], -1))",
             "torch.view_as_real(torch.complex(x, y))", "torch.imag(torch.complex(x, y))", "torch.result_type(x, y)"):
    case(code, x=((2, 3), 0.3, 2.9), y=((2, 3), 0.25, 2.4), z=((2, 3), 0.4, 2.6))

# Sums and the like: over all, over one dimension, over two.
for name in ("sum mean amax amin logsumexp std var nansum nanmean all any norm count_nonzero argmax argmin").split():
    call = f"torch.{name}(x > 0" if name in ("all", "any") else f"torch.{name}(x"
    case(call + ")", x=((2, 3), *R))
    for dim in ("dim=0", "dim=-1" if "count" in name else "dim=-1, keepdim=True", "dim=(0, 2)"):
        case(f"{call}, {dim})", x=((2, 3, 4), *R))
for name in "prod cumsum cumprod logcumsumexp cummax cummin softmax log_softmax median nanmedian mode sort argsort".split():
    for dim in (0, 1, -1):
        case(f"torch.{name}(x, {dim})", x=((2, 3, 4), *R))
case("torch.msort(x)", x=((4, 3), *R))
for name in "softmin softmax log_softmax normalize".split():
    case(f"F.{name}(x, dim=1)", x=((2, 3, 4), *R))
case("S.softmax(x, 1)", x=((2, 3), *R))
case("S.log_softmax(x, 1)", x=((2, 3), *R))
case("S.logsumexp(x, 1)", x=((2, 3), *R))
for code in ("torch.prod(x)", "torch.max(x)", "torch.min(x)", "torch.median(x)", "torch.nanmedian(x)", "torch.max(x, 1)",
             "torch.min(x, 0, keepdim=True)", "torch.aminmax(x)", "torch.aminmax(x, dim=1)", "torch.kthvalue(x, 2, 0)",
             "torch.topk(x, 2, 1)", "torch.topk(x, 2, 0, largest=False)", "torch.sort(x, 1, descending=True)",
             "torch.std(x, 1, correction=0)", "torch.var(x, (0, 1), keepdim=True)", "torch.std_mean(x, 1)",
             "torch.var_mean(x, 0)", "torch.quantile(x, 0.4)", "torch.quantile(x, 0.3, dim=0)", "torch.nanquantile(x, 0.6, 1)",
             "torch.cov(x)", "torch.corrcoef(x.detach())", "torch.diff(x)", "torch.diff(x, 2, 0)", "torch.trapz(x)",
             "torch.trapezoid(x, dx=0.5, dim=0)", "torch.cumulative_trapezoid(x)", "torch.histc(x, 4, -2, 2)",
             "torch.histogram(x, 3)", "torch.gradient(x)", "torch.renorm(x, 2, 0, 1.5)", "torch.logcumsumexp(x, 0)",
             "torch.argsort(x, descending=True)", "torch.argsort(x, 0)", "torch.unique_consecutive(x.floor())",
             "torch.unique(x.floor(), return_inverse=True, return_counts=True)", "torch.unique(x.floor(), dim=0)",
             "torch.numel(x)", "torch.is_nonzero(x.sum())", "torch.is_floating_point(x)", "torch.is_complex(x)",
             "torch.is_conj(x)", "x.numel()"):
    case(code, x=((3, 4), *R))

# Shapes.
for code in ("x.reshape(4, 6)", "x.reshape(-1)", "torch.reshape(x, (3, 2, -1))", "x.flatten()",
             "torch.flatten(x, 1)", "torch.ravel(x)", "torch.permute(x, (2, 0, 1))", "torch.transpose(x, 0, 2)",
             "torch.swapaxes(x, 0, 1)", "torch.swapdims(x, 1, 2)", "torch.movedim(x, 0, 2)", "torch.moveaxis(x, (0, 1), (1, 2))",
             "torch.unsqueeze(x, 1)", "torch.squeeze(x.unsqueeze(0), 0)", "torch.squeeze(x)", "torch.unflatten(x, 2, (2, 2))",
             "x.expand(2, 2, 3, 4)", "torch.broadcast_to(x, (2, 2, 3, 4))", "x.repeat(2, 1, 2)", "torch.tile(x, (2, 1))",
             "torch.repeat_interleave(x, 2, 1)", "torch.repeat_interleave(x, torch.tensor([2, 0, 1]), 1)",
             "torch.flip(x, (0, 2))", "torch.fliplr(x)", "torch.flipud(x)", "torch.rot90(x, 1, (0, 2))",
             "torch.roll(x, 1, 2)", "torch.roll(x, (1, 2), (0, 1))", "torch.roll(x, 5)", "torch.narrow(x, 2, 1, 2)",
             "torch.select(x, 1, 2)", "x[1]", "x[:, 1:]", "x[..., ::2]", "x[None, :, 1]", "x[:, [0, 2]]",
             "x[torch.tensor([1, 0, 1])]", "x[x > 0]", "x[:, torch.tensor([[0], [2]]), torch.tensor([1, 3])]",
             "torch.split(x, 2, 2)", "torch.split(x, [1, 3], 2)", "torch.split_with_sizes(x, [1, 2], 1)",
             "torch.chunk(x, 2, 1)", "torch.tensor_split(x, 3, 2)", "torch.hsplit(x, 3)", "torch.vsplit(x, 2)",
             "torch.dsplit(x, 2)", "torch.unbind(x, 1)", "torch.diagonal(x)", "torch.diagonal(x, 1, 0, 2)",
             "torch.diag_embed(x)", "torch.tril(x)", "torch.triu(x, 1)", "torch.tril(x, -1)", "x.unfold(2, 2, 1)",
             "torch.as_strided(x.contiguous(), (2, 3), (3, 1), 1)", "torch.adjoint(x)", "x.mT", "torch.slice_scatter(x, x[:, :1], 1, 0, 1)",
             "torch.select_scatter(x, x[:, 0], 1, 1)", "torch.diagonal_scatter(x, x[0, :2].T)", "torch.detach(x)",
             "torch.atleast_1d(x)", "torch.atleast_2d(x)", "torch.atleast_3d(x)", "torch.constant_pad_nd(x, (1, 2), 0.5)",
             "F.pad(x, (1, 0, 2, 1))", "F.pad(x, (1, 2), mode='reflect')", "F.pad(x, (1, 2), mode='replicate')",
             "F.pad(x, (1, 2), mode='circular')", "F.pad(x, (-1, 1), mode='circular')", "F.pad(x, (-1, 1))",
             "torch.zeros_like(x)", "torch.ones_like(x)", "torch.full_like(x, 2.0)", "torch.empty_like(x) * 0",
             "torch.view_as_real(torch.view_as_complex(x.reshape(2, 3, 2, 2).contiguous()))"):
    case(code, x=((2, 3, 4), *R))
for code in ("torch.reshape(x, (x.size(-1), 0))", "torch.cat([x, x])", "torch.stack([x, x])", "x.t()", "x.repeat(2, 2)", "x @ x.mT",
             "x.mT @ x", "torch.var(x, 1)", "torch.nonzero(x)", "F.linear(x, torch.ones(2, 3, dtype=x.dtype))", "x.reshape(1)",
             "x.expand(3)", "x.unsqueeze(0)", "x.repeat(3)", "torch.diff(x.reshape(-1))", "torch.topk(x, 1)", "x[None]"):
    case(code, x=((2, 3), *R))
case("torch.t(x)", x=((2, 3), *R))
case("torch.diag(x)", x=((3, 4), *R))
case("torch.diag(x, 1)", x=((3,), *R))
case("torch.diagflat(x)", x=((2, 2), *R))
case("torch.trace(x)", x=((3, 4), *R))
case("torch.vander(x.detach(), 3)", x=((3,), *R))
case("F.pixel_shuffle(x, 2)", x=((2, 4, 2, 3), *R))
case("F.pixel_unshuffle(x, 2)", x=((2, 1, 4, 2), *R))
case("F.channel_shuffle(x, 2)", x=((2, 4, 2, 3), *R))
case("F.one_hot(x, 5)", x=((2, 3), 0, 5, "i"))
for name in "cat concat concatenate stack hstack vstack dstack row_stack column_stack".split():
    case(f"torch.{name}([x, y])", x=((2, 3), *R), y=((2, 3), *R))
case("torch.cat([x, y], 1)", x=((2, 3), *R), y=((2, 1), *R))
case("torch.stack([x, y], -1)", x=((2, 3), *R), y=((2, 3), *R))
case("torch.block_diag(x, y)", x=((2, 3), *R), y=((1, 2), *R))
case("torch.cartesian_prod(x, y)", x=((2,), *R), y=((3,), *R))
case("torch.combinations(x, 2)", x=((4,), *R))
case("torch.meshgrid(x, y, indexing='ij')", x=((2,), *R), y=((3,), *R))
case("torch.broadcast_tensors(x, y)", x=((2, 1), *R), y=((3,), *R))

# Places.
INDEX = dict(i=((2, 3), 0, 2, "i"))
for code in ("torch.gather(x, 0, i)", "torch.gather(x, 1, i)", "torch.take_along_dim(x, i, 1)", "torch.take(x, i)",
             "torch.scatter(x, 0, i, y)", "torch.scatter(x, 1, i, 0.5)", "torch.scatter_add(x, 1, i, y)",
             "torch.scatter_reduce(x, 0, i, y, 'prod')", "torch.scatter_reduce(x, 1, i, y, 'amax', include_self=False)",
             "torch.scatter_reduce(x, 1, i, y, 'mean')", "torch.index_select(x, 1, i[0])", "torch.index_add(x, 1, i[0], y, alpha=2)",
             "torch.index_copy(x, 0, torch.tensor([1, 0]), y)", "torch.index_fill(x, 1, i[0], 0.5)",
             "torch.index_reduce(x, 1, i[0], y, 'amin')", "torch.index_put(x, (i[0], i[1]), y[0], accumulate=True)",
             "torch.put(x, i, y, accumulate=True)", "torch.masked_select(x, y > 0)", "torch.masked_scatter(x, y > 0, y)",
             "torch.searchsorted(x.sort(1).values, y)", "torch.bucketize(x, torch.tensor([-1.0, 0.0, 1.0]).double())"):
    scatters = "scatter" in code and "add" not in code
    case(code, x=((2, 3), *R), y=((2, 3), *R), **INDEX)
case("torch.bincount(i)", i=((5,), 0, 4, "i"))
case("torch.bincount(i, x)", i=((5,), 0, 4, "i"), x=((5,), *R))

# Products of matrices.
for code, a, b in (("torch.matmul(x, y)", (2, 3), (3, 4)), ("torch.mm(x, y)", (2, 3), (3, 4)), ("torch.matmul(x, y)", (3,), (3, 4)),
                   ("torch.matmul(x, y)", (2, 3), (3,)), ("torch.matmul(x, y)", (2, 1, 3, 4), (5, 4, 2)), ("torch.mv(x, y)", (2, 3), (3,)),
                   ("torch.bmm(x, y)", (2, 3, 4), (2, 4, 1)), ("torch.dot(x, y)", (3,), (3,)), ("torch.outer(x, y)", (2,), (3,)),
                   ("torch.ger(x, y)", (2,), (3,)), ("torch.inner(x, y)", (2, 3), (4, 3)), ("torch.kron(x.contiguous(), y.contiguous())", (2, 2), (1, 3)),
                   ("torch.tensordot(x, y, dims=1)", (2, 3), (3, 4)), ("torch.tensordot(x, y, dims=([0], [1]))", (2, 3), (3, 2)),
                   ("torch.einsum('ij,kj->ik', x, y)", (2, 3), (4, 3)), ("torch.einsum('bij,bj->b', x, y)", (2, 3, 4), (2, 4)),
                   ("torch.einsum('ii->i', x[:2, :2]) * y", (2, 3), (2,)), ("F.linear(x, y)", (2, 3), (4, 3)),
                   ("F.linear(x, y)", (2, 2, 3), (4, 3)), ("torch.cross(x, y, dim=1)", (2, 3), (2, 3)), ("L.cross(x, y)", (2, 3), (2, 3)),
                   ("torch.cdist(x, y)", (3, 2), (4, 2)), ("torch.cdist(x, y, p=1)", (3, 2), (4, 2)), ("L.matmul(x, y)", (2, 3), (3, 2)),
                   ("L.vecdot(x, y)", (2, 3), (2, 3)), ("L.multi_dot([x, y, x])", (2, 3), (3, 2)), ("torch.chain_matmul(x, y, x)", (2, 3), (3, 2)),
                   ("F.cosine_similarity(x, y)", (2, 3), (2, 3)), ("F.cosine_similarity(x, y, dim=0)", (2, 3), (2, 1)),
                   ("F.pairwise_distance(x, y)", (2, 3), (2, 3)), ("F.cosine_embedding_loss(x, y, torch.tensor([1, -1]))", (2, 3), (2, 3)),
                   ("F.triplet_margin_loss(x, y, x * y)", (2, 3), (2, 3))):
    case(code, x=(a, *R), y=(b, -1.7, 2.2))
for code, a in (("torch.addmm(x, y, z, beta=0.5, alpha=2)", ((2, 4), (2, 3), (3, 4))), ("torch.addmv(x, y, z)", ((2,), (2, 3), (3,))),
                ("torch.addr(x, y, z)", ((2, 3), (2,), (3,))), ("torch.addbmm(x, y, z)", ((2, 4), (2, 2, 3), (2, 3, 4))),
                ("torch.baddbmm(x, y, z)", ((2, 2, 4), (2, 2, 3), (2, 3, 4))), ("F.linear(y, z, x)", ((4,), (2, 3), (4, 3))),
                ("F.bilinear(x, y, z)", ((2, 3), (2, 4), (2, 3, 4))), ("F.scaled_dot_product_attention(x, y, z)", ((1, 3, 4), (1, 2, 4), (1, 2, 3))),
                ("F.scaled_dot_product_attention(x, y, z, is_causal=True)", ((1, 3, 4), (1, 3, 4), (1, 3, 2)))):
    case(code, **{name: (shape, *R) for name, shape in zip("xyz", a)})

# Linear algebra, on matrices far from singular.
for code in ("L.inv(A)", "torch.inverse(A)", "L.det(A)", "torch.det(A)", "L.slogdet(A)", "torch.slogdet(A)", "torch.logdet(S_)",
             "L.cholesky(S_)", "L.cholesky(S_, upper=True)", "torch.cholesky_inverse(L.cholesky(S_))",
             "torch.cholesky_solve(x, L.cholesky(S_))", "L.qr(A)", "L.eigh(S_)[0]", "L.eigvalsh(S_)", "L.svdvals(A)", "L.svd(A)[1]",
             "torch.svd(A)[1]", "L.matrix_power(A, 3)", "L.matrix_power(A, -1)", "torch.matrix_power(A, 2)", "L.matrix_exp(x.contiguous())",
             "torch.matrix_exp(x.contiguous())", "L.pinv(A)", "torch.pinverse(A)", "L.matrix_rank(A)", "L.cond(A)", "L.solve(A, x)", "L.norm(A)",
             "L.solve_triangular(A.triu(), x, upper=True)", "L.solve_triangular(A.tril(), x, upper=False, left=False)",
             "torch.triangular_solve(x, A)[0]", "L.lu(A)", "L.lu_factor(A)[0]", "L.lu_factor_ex(A)[0]", "L.matrix_norm(A)",
             "L.matrix_norm(A, 2)", "L.matrix_norm(A, 'nuc')", "L.matrix_norm(A, 1)", "L.vector_norm(x)", "L.vector_norm(x, 3, dim=-1)",
             "L.vector_norm(x, 1)", "L.lstsq(A, x).solution", "torch.geqrf(A.detach())", "L.inv_ex(A)[0]", "L.eigvals(S_).real",
             "torch.norm(x, p=1, dim=-1)", "torch.norm_except_dim(x, 2, 0)"):
    case(code.replace("S_", "spd(x)").replace("A", "far(x)"), x=((3, 3), -1, 1))
case("L.qr(x)", x=((2, 4), *R))
case("L.qr(x)", x=((4, 2), *R))
case("L.pinv(x)", x=((4, 2), *R))
case("L.lstsq(x, y).solution", x=((4, 2), *R), y=((4, 3), *R))
case("L.svdvals(x)", x=((2, 4), *R))
case("torch.lu(x)[0]", x=((2, 4), *R))

# Fourier.
for name in "fft ifft rfft hfft ihfft fft2 ifft2 rfft2 fftn ifftn rfftn fftshift ifftshift".split():
    case(f"torch.fft.{name}(x)", x=((3, 4), *R))
case("torch.fft.irfft(torch.complex(x, y))", x=((2, 3), *R), y=((2, 3), *R))
case("torch.fft.fft(x, 6, 0, 'ortho')", x=((3, 4), *R))

# Networks.
for n, name, shape, weight in ((1, "conv1d", (2, 4, 7), (6, 2, 3)), (2, "conv2d", (1, 4, 5, 4), (2, 2, 3, 2)), (3, "conv3d", (1, 2, 3, 3, 4), (2, 1, 2, 2, 2))):
    for extra in ("", ", stride=2, padding=1", ", dilation=2, padding=2"):
        case(f"F.{name}(x, w, groups=2{extra})", x=(shape, *R), w=(weight, *R))
    case(f"F.{name}(x, w, b, padding='same', groups=2)", x=(shape, *R), w=(weight, *R), b=((weight[0],), *R))
for n, name, shape, weight in ((1, "conv_transpose1d", (2, 4, 3), (4, 3, 3)), (2, "conv_transpose2d", (1, 4, 3, 2), (4, 1, 3, 2)), (3, "conv_transpose3d", (1, 2, 2, 2, 2), (2, 1, 2, 2, 2))):
    for extra in ("", ", stride=2, padding=1, output_padding=1", ", stride=2, dilation=3, output_padding=2"):
        case(f"F.{name}(x, w, groups=2{extra})", x=(shape, *R), w=(weight, *R))
for n in (1, 2, 3):
    shape = (2, 2, 5, 4, 4)[:n + 2]
    for code in (f"F.max_pool{n}d(x, 2)", f"F.max_pool{n}d(x, 3, 2, 1, ceil_mode=True)", f"F.max_pool{n}d(x, 2, return_indices=True)",
                 f"F.avg_pool{n}d(x, 2)", f"F.avg_pool{n}d(x, 3, 2, 1, count_include_pad=False)", f"F.adaptive_avg_pool{n}d(x, 2)",
                 f"F.adaptive_avg_pool{n}d(x, 1)", f"F.adaptive_max_pool{n}d(x, 2)", f"F.lp_pool{n}d(x, 2, 2)",
                 f"F.max_unpool{n}d(*F.max_pool{n}d(x, 2, return_indices=True), 2, output_size={shape[2:]})"):
        case(code, x=(shape, 0.1, 2))
    if n < 3:
        case(f"F.interpolate(x, scale_factor=1.7, mode='{['linear', 'bilinear'][n - 1]}')", x=(shape, *R))
    for mode in ("nearest", "nearest-exact", ["linear", "bilinear", "trilinear"][n - 1]):
        case(f"F.interpolate(x, size={(3,) * n}, mode='{mode}')", x=(shape, *R))
case("F.interpolate(x, scale_factor=2, mode='bicubic', align_corners=True)", x=((1, 2, 3, 4), *R))
case("F.unfold(x, 2, padding=1)", x=((1, 2, 3, 4), *R))
case("F.fold(x, (3, 4), 2)", x=((1, 8, 6), *R))
case("F.grid_sample(x, g, align_corners=False)", x=((1, 2, 3, 4), *R), g=((1, 2, 3, 2), *M))
case("F.affine_grid(x, (1, 2, 3, 4), align_corners=True)", x=((1, 2, 3), *R))
for code in ("F.layer_norm(x, (3,), w, b)", "F.rms_norm(x, (3,), w)", "F.batch_norm(x, None, None, w, b, training=True)",
             "F.batch_norm(x, b.detach(), w.detach(), w, b)", "F.group_norm(x, 3, w, b)", "F.group_norm(x.unsqueeze(2), 1, w, b)", "F.prelu(x, w)"):
    case(code, x=((4, 3), *R), w=((3,), 0.4, 2), b=((3,), *R))
case("F.instance_norm(x)", x=((2, 3, 4), *R))
case("F.local_response_norm(x, 2)", x=((2, 3, 4), *R))
case("F.glu(x)", x=((2, 4), *R))
for code in ("F.cross_entropy(x, i)", "F.cross_entropy(x, i, reduction='none', label_smoothing=0.2)", "F.cross_entropy(x, x.softmax(1))",
             "F.cross_entropy(x, i, w.detach(), ignore_index=1)", "F.nll_loss(x, i)", "F.nll_loss(x, i, w.detach(), reduction='sum')",
             "F.multi_margin_loss(x, i)", "F.multilabel_margin_loss(x, torch.tensor([[1, 0, -1], [2, -1, 0]]))",
             "F.multilabel_soft_margin_loss(x, (x > 0).double())"):
    case(code, x=((2, 3), *R), i=((2,), 0, 3, "i"), w=((3,), 0.4, 2))
case("F.embedding(i, x)", x=((4, 3), *R), i=((2, 3), 0, 4, "i"))
case("F.embedding(i, x, padding_idx=1)", x=((4, 3), *R), i=((2, 3), 0, 4, "i"))
for mode in ("sum", "mean", "max"):
    case(f"F.embedding_bag(i, x, mode='{mode}')", x=((4, 3), *R), i=((2, 3), 0, 4, "i"))
for cell, gates in (("rnn_tanh_cell", 1), ("rnn_relu_cell", 1), ("gru_cell", 3)):
    case(f"torch.{cell}(x, h, w, v, b, c)", x=((2, 3), *R), h=((2, 2), *R), w=((2 * gates, 3), *R),
         v=((2 * gates, 2), *R), b=((2 * gates,), *R), c=((2 * gates,), *R))
case("torch.lstm_cell(x, (h, h * 0.5), w, v, b, c)", x=((2, 3), *R), h=((2, 2), *R), w=((8, 3), *R), v=((8, 2), *R), b=((8,), *R), c=((8,), *R))

# What has no case here, and why.
ELSEWHERE = set((
    # Random numbers, and tensors without an input: compared bit for bit by the conformance scripts.
    "alpha_dropout bernoulli binomial dropout feature_dropout multinomial normal poisson rand rand_like randint randint_like randn "
    "randn_like randperm arange as_tensor asarray empty empty_permuted empty_strided eye from_numpy full linspace logspace ones "
    "scalar_tensor tensor tril_indices triu_indices zeros zero rrelu can_cast promote_types "
    # Whole networks: the conformance scripts have their layers.
    "gru lstm rnn_relu rnn_tanh "
    # Names by which the functions above are reached.
    "cross_entropy_loss nll_loss_nd log_sigmoid col2im im2col unique_dim max_pool1d_with_indices max_pool2d_with_indices "
    "max_pool3d_with_indices upsample_bicubic2d upsample_bilinear2d upsample_linear1d upsample_nearest1d upsample_nearest2d "
    "upsample_nearest3d upsample_trilinear3d"
).split())
