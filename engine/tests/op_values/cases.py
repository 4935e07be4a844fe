"""The cases that record.py records."""
# ruff: noqa: F821 (names come from record.py)

P, M = (0.1, 3.0), (-0.9, 0.9)
UNARY = {"exp": None, "exp2": None, "expm1": None, "log": P, "log2": P, "log10": P, "log1p": P, "sqrt": P, "rsqrt": P,
         "reciprocal": P, "sin": None, "cos": None, "tan": M, "asin": M, "acos": M, "atan": None, "sinh": None,
         "cosh": None, "tanh": None, "asinh": None, "acosh": (1.1, 3.0), "atanh": M, "sigmoid": None, "erf": None,
         "erfc": None, "erfinv": M, "lgamma": P, "digamma": P, "i0": None, "sinc": None, "floor": None, "ceil": None,
         "trunc": None, "sign": None, "sgn": None, "frac": None, "abs": None, "deg2rad": None, "rad2deg": None,
         "neg": None, "square": None}
for name, span in UNARY.items():
    everywhere(name, getattr(torch, name), *(span or (-2.0, 2.0)))
    case(name, getattr(torch, name), T([3], 1, 5, "i64"))
    case(name, getattr(torch, name), T([3], *(span or (-2.0, 2.0)), "bf16"))
    case(name, getattr(torch, name), T([2], 0, 2, "bool"))
    case(name, getattr(torch, name), T([20], *(span or (-2.0, 2.0)), "f32"))
case("digamma", torch.digamma, T([4], -3.5, -0.2))
case("lgamma", torch.lgamma, T([4], -3.5, -0.2))
for name, span in {"i0e": None, "i1": None, "i1e": None, "ndtr": None, "ndtri": (0.01, 0.99), "log_ndtr": (-5, 3),
                   "entr": P, "erfcx": (-2, 5)}.items():
    case("special_" + name, getattr(torch.special, name), T([6], *(span or (-4.0, 4.0))), grad=name != "erfcx")
case("round", torch.round, T([5], -20, 20))
case("round.decimals", lambda x, d: torch.round(x, decimals=d), T([5], -20, 20), 2)
case("round.decimals", lambda x, d: torch.round(x, decimals=d), T([5], -200, 200), -1)
case("logit", torch.logit, T([4], 0.05, 0.95), None)
case("logit", torch.logit, T([4], 0.0, 1.0), 0.2)
case("polygamma", torch.polygamma, 2, T([4], 0.3, 4))
case("mvlgamma", torch.mvlgamma, T([3], 2, 5), 2)
case("frexp.Tensor", torch.frexp, T([6], -20, 20), grad=False)
case("nan_to_num", torch.nan_to_num, T([3]), None, None, None)
for name in ("isnan", "isinf", "isfinite", "isposinf", "isneginf", "logical_not", "signbit"):
    case(name, getattr(torch, name), T([2, 2], lay="transposed"))
    case(name, getattr(torch, name), T([4], -2, 2, "i64"))
case("bitwise_not", torch.bitwise_not, T([4], -3, 9, "i64"))
case("bitwise_not", torch.bitwise_not, T([4], 0, 2, "bool"))
case("bitwise_not", torch.bitwise_not, T([4], 0, 200, "u8"))

PAIRS = [([2, 3], "plain", [2, 3], "transposed"), ([2, 1], "offset", [3], "plain"), ([2, 3], "expanded", [], "plain"),
         ([0], "plain", [1], "plain"), ([1, 2, 1, 1, 2], "sparse", [2, 1, 2, 1], "plain")]


def pairs(op, fn, a=(-2.0, 2.0), b=(-2.0, 2.0), rest=(), grad=None):
    for k, (s1, l1, s2, l2) in enumerate(PAIRS):
        case(op, fn, T(s1, *a, lay=l1, seed=k), T(s2, *b, lay=l2, seed=k + 3), *rest, grad=grad)


alpha = lambda f: lambda a, b, s: f(a, b, alpha=s)
for name in ("add", "sub", "rsub"):
    pairs(name + ".Tensor", alpha(getattr(torch, name)), rest=(2,))
    case(name + ".Tensor", alpha(getattr(torch, name)), T([3], 0, 9, "i64"), N(2.5), 1)
    case(name + ".Tensor", alpha(getattr(torch, name)), T([3], 0, 9, "i32"), N(2), 1.5)
    case(name + ".Tensor", alpha(getattr(torch, name)), T([3], 0, 2, "bool"), T([3], 0, 2, "bool", seed=1), 1)
    case(name + ".Tensor", alpha(getattr(torch, name)), T([3], 0, 9, "u8"), T([3], 0, 300, "i64", seed=1), 1)
pairs("mul.Tensor", torch.mul)
pairs("div.Tensor", torch.div, b=P)
pairs("remainder.Tensor", torch.remainder, b=P)
pairs("fmod.Tensor", torch.fmod, b=P)
pairs("floor_divide", torch.floor_divide, b=P, grad=False)
pairs("pow.Tensor_Tensor", torch.pow, P)
for mode in ("floor", "trunc", None, "up"):
    case("div.Tensor_mode", lambda a, b, m: torch.div(a, b, rounding_mode=m), T([5], -9, 9), T([5], 1, 4, seed=2), mode)
    case("div.Tensor_mode", lambda a, b, m: torch.div(a, b, rounding_mode=m), T([5], -9, 9, "i64"), N(-4), mode)
for name in ("remainder.Tensor", "fmod.Tensor", "floor_divide", "div.Tensor"):
    f = getattr(torch, name.split(".")[0])
    case(name, f, T([7], -9, 9, "i64"), T([7], 1, 5, "i64", seed=1))
    case(name, f, T([7], -9, 9, "i64"), N(-3))
    case(name, f, T([7], -9, 9, "i64"), N(0))
    case(name, f, T([7], -9, 9, "f32"), N(-2.5))
    case(name, f, T([2], 0, 2, "bool"), T([2], 0, 2, "bool", seed=4))
for e in (0, 1, 2, 3, 0.5, -0.5, -1, -2, 2.5, 4):
    case("pow.Tensor_Tensor", torch.pow, T([2, 2], 0.2, 3, lay="transposed"), N(e))
    case("pow.Tensor_Tensor", torch.pow, T([6], 0.2, 3, "f32"), N(e))
    case("pow.Tensor_Tensor", torch.pow, T([3], -3, 4, "i64"), N(e))
case("pow.Tensor_Tensor", torch.pow, T([3], -3, 4, "i64"), T([3], -2, 4, "i64", seed=1))
case("pow.Tensor_Tensor", torch.pow, T([3], 0, 2, "bool"), T([3], 0, 2, "bool"))
case("pow.Scalar", torch.pow, 2.0, T([3], -2, 2))
case("pow.Scalar", torch.pow, 2, T([3], 0, 9, "i64"))
case("float_power.Tensor_Tensor", torch.float_power, T([3], 0, 9, "i64"), N(2))
pairs("hypot", torch.hypot, P)
pairs("atan2", torch.atan2, P)
pairs("copysign.Tensor", torch.copysign)
pairs("logaddexp", torch.logaddexp)
pairs("logaddexp2", torch.logaddexp2)
pairs("xlogy.Tensor", torch.xlogy, b=P)
pairs("special_xlog1py", torch.special.xlog1py, b=P)
pairs("special_zeta", torch.special.zeta, (1.5, 4), P, grad=False)
pairs("ldexp.Tensor", torch.ldexp)
pairs("heaviside", torch.heaviside, grad=False)
pairs("nextafter", torch.nextafter, grad=False)
for name in ("maximum", "minimum", "fmax", "fmin"):
    pairs(name, getattr(torch, name))
    case(name, getattr(torch, name), T([6], -2, 2, ties=True), T([6], -2, 2, ties=True, seed=1))
for name in ("eq", "ne", "lt", "le", "gt", "ge"):
    pairs(name + ".Tensor", getattr(torch, name))
    case(name + ".Tensor", getattr(torch, name), T([6], -3, 3, "i64"), T([6], -3, 3, ties=True))
    case(name + ".Tensor", getattr(torch, name), T([6], -3, 3, "i64"), N(0.5))
for name in ("logical_and", "logical_or", "logical_xor"):
    case(name, getattr(torch, name), T([6], -1, 1, "i64"), T([6], -1, 1, ties=True, seed=1))
for name in ("gcd", "lcm"):
    case(name, getattr(torch, name), T([6], -20, 20, "i64"), T([6], 1, 20, "i64", seed=1))
    case(name, getattr(torch, name), T([2]), T([2]))
for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift"):
    case(name + ".Tensor", getattr(torch, name), T([6], -20, 20, "i64"), T([6], 0, 6, "i64", seed=1))
    case(name + ".Tensor", getattr(torch, name), T([6], 0, 200, "u8"), N(1))
    case(name + ".Tensor", getattr(torch, name), T([2], 0, 9, "i64"), T([2]))
case("isclose", lambda *a: torch.isclose(*a), T([3]), T([3], seed=1), 1e-5, 2.0, False)
case("equal", torch.equal, T([3]), T([3]))
case("allclose", torch.allclose, T([3]), T([3], seed=2), 1e-5, 1e-8, False)

f = lambda x, a, b, v: torch.addcmul(x, a, b, value=v)
case("addcmul", f, T([2, 3]), T([2, 1], seed=1), T([3], seed=2), 0.5)
case("addcdiv", lambda x, a, b, v: torch.addcdiv(x, a, b, value=v), T([2, 3]), T([2, 1], seed=1), T([3], 1, 2, seed=2), 0.5)
case("addcdiv", lambda x, a, b, v: torch.addcdiv(x, a, b, value=v), T([2], 1, 5, "i64"), T([2], 1, 5, "i64"), T([2], 1, 5, "i64"), 1)
case("lerp.Tensor", torch.lerp, T([3]), T([3], seed=1), N(0.3))
case("lerp.Tensor", torch.lerp, T([3]), T([3], seed=1), N(0.7))
case("lerp.Tensor", torch.lerp, T([3]), T([3], seed=1), T([3], 0, 1, seed=2))
case("lerp.Tensor", torch.lerp, T([3], 0, 9, "i64"), T([3], 0, 9, "i64"), N(0.5))
case("clamp", torch.clamp, T([6]), -1, 1.0)
case("clamp", torch.clamp, T([6], lay="sparse"), None, 0.5)
case("clamp", torch.clamp, T([6], -9, 9, "i64"), -2.5, None)
case("clamp", torch.clamp, T([6]), None, None)
case("clamp.Tensor", torch.clamp, T([6]), T([6], -1, 0, seed=1), T([6], 0, 1, seed=2))
case("clamp.Tensor", torch.clamp, T([6]), T([1], 0.5, 1, seed=1), T([6], -1, 0, seed=2))
case("clamp_min", torch.clamp_min, T([6]), N(0))
case("clamp_max", torch.clamp_max, T([6]), T([6], seed=1))
case("where.self", torch.where, T([2, 3], 0, 2, "bool"), T([3]), T([2, 1], seed=1))
case("where.ScalarOther", torch.where, T([2, 3], 0, 2, "bool"), T([3]), 0)
case("where.Scalar", torch.where, T([2, 3], 0, 2, "bool"), 1, 2)
case("where.ScalarOther", torch.where, T([3], 0, 2, "i64"), T([3]), 2)
case("where.self", torch.where, T([2], 0, 2, "bool"), T([3]), T([2]))
for lo, hi in ((0, 1), (-1, 0), (0, None), (None, 0)):
    case("clamp", torch.clamp, T([6], -2, 2, ties=True), lo, hi)
case("clamp.Tensor", torch.clamp, T([6], -2, 2, ties=True), T([6], -2, 1, ties=True, seed=1), T([6], 1, 3, ties=True, seed=2))
case("sign", torch.sign, T([3], -0.4, 0.4))
case("where", torch.where, T([2, 3], 0, 2, "bool"))
case("masked_fill.Tensor", torch.masked_fill, T([2, 3], lay="transposed"), T([3], 0, 2, "bool"), N(-1))
case("masked_fill.Tensor", torch.masked_fill, T([2, 3]), T([2, 3], 0, 2, "bool"), T([]))
case("masked_fill.Tensor", torch.masked_fill, T([2]), T([2], 0, 2, "bool"), T([2]))
case("masked_fill.Tensor", torch.masked_fill, T([2]), T([2], 0, 2, "i64"), N(1))

# Reductions.
DIMS = [([2, 3], "plain", [0]), ([3, 2], "transposed", [1]), ([4], "offset", [-1]), ([2, 3], "expanded", [0, 1]),
        ([], "plain", [0]), ([0, 2], "plain", [0]), ([2, 2, 1, 2, 2], "sparse", [0, 2, 4])]
dt = lambda f: lambda x, *a: f(x, *a[:-1], dtype=a[-1])
for name in ("sum", "mean", "nansum", "nanmean"):
    full = {"sum": "sum", "mean": "mean"}.get(name)
    over = {"sum": "sum.dim_IntList", "mean": "mean.dim"}.get(name, name)
    for k, (shape, lay, dims) in enumerate(DIMS):
        if full:
            case(full, dt(getattr(torch, name)), T(shape, lay=lay, seed=k), None)
        for keep in (False, True):
            case(over, dt(getattr(torch, name)), T(shape, lay=lay, seed=k), dims, keep, None)
    case(over, dt(getattr(torch, name)), T([2, 3], -9, 9, "i64"), [1], False, None)
    case(over, dt(getattr(torch, name)), T([2, 3], -9, 9, "i64"), [1], False, D("f32"))
    case(over, dt(getattr(torch, name)), T([2, 3], 0, 2, "bool"), [0, 0], False, None)
    case(over, dt(getattr(torch, name)), T([2, 3], 0, 2), [2], False, None)
for n in (3, 7, 9, 33, 100, 1000, 5000):
    case("sum", dt(torch.sum), T([n], dtype="f32"), None)
    case("mean", dt(torch.mean), T([n], dtype="f32"), None)
for shape, dims in (([5, 7], [0]), ([20, 9], [0]), ([100, 70], [0]), ([40, 33], [1]), ([6, 5, 8], [1]), ([6, 5, 8], [0, 2]),
                    ([9, 4], [0])):
    case("sum.dim_IntList", dt(torch.sum), T(shape, dtype="f32"), dims, False, None)
    case("sum.dim_IntList", dt(torch.sum), T(shape, dtype="f32", lay="transposed"), dims, False, None)
for shape, lay, dims in DIMS:
    case("prod", dt(torch.prod), T(shape, lay=lay), None)
    case("prod.dim_int", dt(torch.prod), T(shape, lay=lay), dims[0], True, None)
case("prod", dt(torch.prod), T([2, 3], -2, 2, ties=True, seed=2), None)
case("prod.dim_int", dt(torch.prod), T([2, 3], -1, 2, ties=True), 1, False, None)
case("prod.dim_int", dt(torch.prod), T([3], -9, 9, "i64"), 0, False, None)
for name in ("all", "any"):
    f = getattr(torch, name)
    case(name, f, T([2, 3], 0, 2, "bool"))
    case(name, f, T([0], 0, 2, "bool"))
    case(name + ".dim", f, T([2, 3], 0, 2, "u8"), 1, False)
    case(name + ".dims", f, T([2, 3, 2], 0, 2, ties=True), [0, 2], True)
case("count_nonzero", torch.count_nonzero, T([2, 3], -1, 1, "i64"), None)
for name in ("amax", "amin"):
    f = getattr(torch, name)
    for shape, lay, dims in DIMS:
        case(name, f, T(shape, lay=lay), dims, False)
    case(name, f, T([2, 6], -2, 2, ties=True), [1], True)
    case(name, f, T([0, 2]), [], False)
case("aminmax", lambda x, d, k: torch.aminmax(x, dim=d, keepdim=k), T([2, 3]), 1, True)
case("aminmax", lambda x, d, k: torch.aminmax(x, dim=d, keepdim=k), T([2, 3]), None, False)
for name in ("max", "min"):
    f = getattr(torch, name)
    case(name, f, T([2, 3], lay="transposed"))
    case(name, f, T([7], -2, 2, ties=True))
    case(name, f, T([0]))
    case(name, f, T([4], 0, 9, "i32"))
    for shape, lay, dims in DIMS:
        case(name + ".dim", f, T(shape, lay=lay), dims[0], False)
    case(name + ".dim", f, T([3, 2], lay="sparse"), -2, True)
    case("arg" + name, getattr(torch, "arg" + name), T([2, 3], lay="transposed"), None, False)
    case("arg" + name, getattr(torch, "arg" + name), T([2, 3]), None, True)
    case("arg" + name, getattr(torch, "arg" + name), T([2, 3]), 1, True)
    case("arg" + name, getattr(torch, "arg" + name), T([0, 3]), 0, False)
    case("arg" + name, getattr(torch, "arg" + name), T([3], 0, 2, "bool"), None, False)
case("trace", torch.trace, T([2, 3]))
case("trace", torch.trace, T([3]))
for name in ("median", "nanmedian"):
    f = getattr(torch, name)
    case(name, f, T([2, 3], lay="transposed"))
    case(name, f, T([6]))
    for shape, lay, dims in DIMS[:3] + DIMS[4:5]:
        case(name + ".dim", f, T(shape, lay=lay), dims[0], False)
case("mode", torch.mode, T([3, 6], -2, 2, ties=True), -1, False)
case("kthvalue", torch.kthvalue, T([3, 4], lay="transposed"), 2, 0, True)
case("kthvalue", torch.kthvalue, T([3, 4]), 5, 1, True)
q = lambda f: lambda x, q, d, k, i: f(x, q, dim=d, keepdim=k, interpolation=i)
for how in ("linear", "lower", "higher", "midpoint", "nearest", "best"):
    case("quantile", q(torch.quantile), T([3, 4]), N(0.3), 1, False, how)
case("quantile", q(torch.quantile), T([3, 4]), T([2], 0.2, 0.9), 0, True, "linear")
case("quantile", q(torch.quantile), T([3, 4], dtype="f32"), N(0.7), None, False, "linear")
case("quantile", q(torch.quantile), T([3, 4]), N(2.0), None, False, "linear")
case("nanquantile", q(torch.nanquantile), T([3, 4]), N(0.3), 1, False, "linear")

for name in ("cumsum", "cumprod"):
    f = getattr(torch, name)
    for shape, lay, dims in DIMS:
        case(name, dt(f), T(shape, lay=lay), dims[0], None)
    case(name, dt(f), T([3, 2], -9, 9, "i32"), 0, None)
    case(name, dt(f), T([9], -9, 9, "f32"), 0, None)
case("cumprod", dt(torch.cumprod), T([2, 5], -2, 2, ties=True), 1, None)
for name in ("logcumsumexp", "cummax", "cummin"):
    for shape, lay, dims in DIMS:
        case(name, getattr(torch, name), T(shape, lay=lay), dims[0])
case("cummax", torch.cummax, T([8], -2, 2, ties=True), 0)
case("diff", torch.diff, T([3, 4]), 2, -1, None, None)
case("diff", torch.diff, T([3, 4]), 1, 0, T([1, 4]), T([2, 4]))
case("trapezoid.dx", lambda y, dx, d: torch.trapezoid(y, dx=dx, dim=d), T([3, 4]), 0.5, 0)
case("trapezoid.x", lambda y, x, d: torch.trapezoid(y, x, dim=d), T([3, 4]), T([4], 0, 3), -1)
case("cumulative_trapezoid.dx", lambda y, dx, d: torch.cumulative_trapezoid(y, dx=dx, dim=d), T([3, 4]), 1, -1)
for name in ("softmax", "log_softmax"):
    f = getattr(torch, name)
    for shape, lay, dims in DIMS:
        case(name + ".int", f, T(shape, lay=lay), dims[0], None)
    for n in (3, 16, 37):
        case(name + ".int", f, T([3, n], -5, 5, "f32"), 1, None)
    case(name + ".int", f, T([3], 0, 5, "i64"), 0, None)
    case(name + ".int", f, T([3], 0, 5, "i64"), 0, D("f64"))
case("renorm", torch.renorm, T([3, 4]), 2, 0, 1.0)

var = lambda f: lambda x, d, c, k: f(x, d, correction=c, keepdim=k)
for name in ("var", "std", "var_mean", "std_mean"):
    f = getattr(torch, name)
    for shape, lay, dims in DIMS[:5] + DIMS[6:]:
        case(name + ".correction", var(f), T(shape, lay=lay), dims, 0, False)
    case(name + ".correction", var(f), T([3, 4]), [1], None, True)
    case(name + ".correction", var(f), T([3, 40], dtype="f32"), None, None, False)
    case(name + ".correction", var(f), T([3, 4], 0, 9, "i64"), None, None, False)
    case(name, f, T([3, 4]), True)
    case(name + ".dim", lambda x, d, u, k: f(x, d, unbiased=u, keepdim=k), T([3, 4]), [0], False, False)
for shape, lay, dims in DIMS[:5] + DIMS[6:]:
    case("logsumexp", torch.logsumexp, T(shape, lay=lay), dims, False)
case("logsumexp", torch.logsumexp, T([5, 9], dtype="f32"), [1], True)
norm = lambda x, p, d, k, t: torch.linalg.vector_norm(x, p, d, k, dtype=t)
for p in (2, 1, 0, 3, 0.5, 1.5, float("inf"), float("-inf")):
    case("linalg_vector_norm", norm, T([2, 3], lay="transposed"), p, None, False, None)
    case("linalg_vector_norm", norm, T([2, 3]), p, [1], True, None)
for n in (3, 8, 10, 12, 100, 103):
    case("linalg_vector_norm", norm, T([n], dtype="f32"), 2, None, False, None)
case("linalg_vector_norm", norm, T([3], 0, 1, ties=True), 2, None, False, None)
case("linalg_vector_norm", norm, T([3], 0, 1, "i64"), 2, None, False, None)
case("dist", torch.dist, T([2, 3]), T([3], seed=1), 2)
for p in (2.0, 1.0, 3.0, float("inf")):
    case("cdist", lambda a, b, p, m: torch.cdist(a, b, p), T([2, 3, 2]), T([4, 2], seed=1), p, None)
case("cov", lambda x, c, f, a: torch.cov(x, correction=c, fweights=f, aweights=a), T([2, 5]), 1, None, None)
case("cov", lambda x, c, f, a: torch.cov(x, correction=c, fweights=f, aweights=a), T([2, 5]), 0, T([5], 1, 4, "i64"), T([5], 0.5, 2), grad=False)
case("corrcoef", torch.corrcoef, T([3, 5]))

case("bincount", torch.bincount, T([9], 0, 5, "i64"), None, 8)
case("bincount", torch.bincount, T([9], 0, 5, "i64"), T([9], dtype="f32"), 0)
case("bincount", torch.bincount, T([9], -2, 5, "i64"), None, 0)
case("histc", torch.histc, T([20], dtype="f32"), 5, -1, 1)
case("histc", torch.histc, T([20]), 4, 0, 0, grad=False)
case("histogram.bin_ct", lambda x, b, r, w, d: torch.histogram(x, b, range=r, weight=w, density=d), T([20], dtype="f32"), 4, None, None, True)
ss = lambda s, v, i, r, side, o: torch.searchsorted(s, v, out_int32=i, right=r, side=side, sorter=o)
case("searchsorted.Tensor", ss, T([4], 0, 0, "i64"), T([2, 2], -1, 1, ties=True), False, True, None, None)
case("searchsorted.Tensor", ss, T([1, 2], lay="expanded"), T([2, 3]), False, False, None, None)
case("bucketize.Tensor", lambda x, b, i, r: torch.bucketize(x, b, out_int32=i, right=r), T([5]), T([1]), True, False, grad=False)

# Products.
case("mm", torch.mm, T([2, 3]), T([3, 4], seed=1))
case("mm", torch.mm, T([2, 3], lay="transposed"), T([3, 4], lay="sparse", seed=1))
case("mm", torch.mm, T([2, 0]), T([0, 4]))
case("mm", torch.mm, T([2, 3], -9, 9, "i64"), T([3, 4], -9, 9, "i64", seed=1))
case("mm", torch.mm, T([2, 3]), T([2, 4]))
case("mm", torch.mm, T([2, 3]), T([3, 4], dtype="f32"))
case("mm", torch.mm, T([2, 3]), T([3]))
case("mm", torch.mm, T([3]), T([3, 1]))
case("bmm", torch.bmm, T([2, 2, 3]), T([2, 3, 2], seed=1, lay="expanded"))
case("bmm", torch.bmm, T([2, 2, 3]), T([3, 3, 2]))
case("bmm", torch.bmm, T([2, 2, 3]), T([3, 2]))
case("mv", torch.mv, T([2, 3], lay="transposed"), T([3], seed=1))
case("mv", torch.mv, T([1, 1]), T([1], seed=1))
case("mv", torch.mv, T([2, 3]), T([2]))
case("dot", torch.dot, T([3]), T([3], seed=1, lay="sparse"))
case("dot", torch.dot, T([0]), T([0]))
case("dot", torch.dot, T([3]), T([4]))
case("dot", torch.dot, T([3]), T([3], dtype="f32"))
case("dot", torch.dot, T([3, 1]), T([3]))
SHAPES = [([3], [3]), ([2, 3], [3]), ([3], [3, 2]), ([2, 3], [3, 4]), ([2, 2, 3], [3]), ([3], [2, 3, 2]), ([2, 2, 3], [3, 2]),
          ([2, 3], [2, 3, 2]), ([2, 1, 2, 3], [3, 3, 2]), ([2, 2, 3], [2, 3, 1]), ([], [3]), ([2, 3], [2, 3]),
          ([2, 2, 3], [3, 3, 2]), ([0, 2, 3], [3, 2]), ([2, 0], [0, 3]), ([1, 2, 3], [3, 3, 2])]
for a, b in SHAPES:
    case("matmul", torch.matmul, T(a), T(b, seed=1))
case("matmul", torch.matmul, T([2, 2, 3], lay="transposed"), T([3, 2], seed=1, lay="transposed"))
ab = lambda f: lambda x, a, b, beta, alpha: f(x, a, b, beta=beta, alpha=alpha)
case("addmm", ab(torch.addmm), T([2, 4]), T([2, 3], seed=1), T([3, 4], seed=2), 0.5, 2)
case("addmm", ab(torch.addmm), T([4]), T([2, 3], seed=1), T([3, 4], seed=2), 1, 1)
case("addmm", ab(torch.addmm), T([3]), T([2, 3], seed=1), T([3, 4], seed=2), 1, 1)
case("addmm", ab(torch.addmm), T([4]), T([2, 3], dtype="f32"), T([3, 4]), 1, 1)
case("addmv", ab(torch.addmv), T([2]), T([2, 3], seed=1), T([3], seed=2), 0.5, 2)
case("addr", ab(torch.addr), T([2, 3]), T([2], seed=1), T([3], seed=2), 0.5, 2)
case("baddbmm", ab(torch.baddbmm), T([2, 2, 2]), T([2, 2, 3], seed=1), T([2, 3, 2], seed=2), 0.5, 2)
case("addbmm", ab(torch.addbmm), T([2, 2]), T([2, 2, 3], seed=1), T([2, 3, 2], seed=2), 0.5, 2)
lin = torch.nn.functional.linear
for s in ([3], [2, 3], [2, 2, 3], [2, 1, 2, 3]):
    case("linear", lin, T(s), T([4, 3], seed=1), T([4], seed=2))
    case("linear", lin, T(s), T([4, 3], seed=1), None)
case("linear", lin, T([2, 2]), T([4, 3]), T([4]))
case("linear", lin, T([2, 3], 0, 9, "i64"), T([4, 3], dtype="f32"), T([4], dtype="f32"))
case("outer", torch.outer, T([2]), T([3]))
case("inner", torch.inner, T([2, 3]), T([2, 2, 3]))
case("tensordot", torch.functional.tensordot and (lambda a, b, x, y: torch.tensordot(a, b, (x, y))), T([2, 3, 4]), T([4, 3, 2], seed=1), [1, 2], [1, 0])
case("tensordot", lambda a, b, x, y: torch.tensordot(a, b, (x, y)), T([2, 3]), T([2, 2]), [1], [0])
ein = lambda e, ts, p: torch.einsum(e, *ts)
for eq, shapes in {"ij,jk->ik": ([2, 3], [3, 4]), "ij->ji": ([2, 3],), "ij->": ([2, 3],), "ii->i": ([3, 3],), "ii": ([3, 3],),
                   "i,j->ij": ([2], [3]), "bqd,bkd->bqk": ([2, 3, 2], [2, 4, 2]), "...i,...i->...": ([2, 3, 2], [3, 2]),
                   "ij,jk,kl->il": ([2, 3], [3, 4], [4, 2]), "bn,anm,bm->ba": ([2, 3], [2, 3, 4], [2, 4]),
                   "i,i->": ([3], [3]), "ij,jk": ([2, 3], [3, 2]), "ij->k": ([2, 3],), "ij,jk->ik": ([2, 3], [2, 3]),
                   "i": ([2, 3],), "bij,bjk->ik": ([2, 2, 3], [2, 3, 2]), "ij, ij -> j": ([2, 3], [2, 3]),
                   "...ij->...ji": ([2, 2, 3],), "iij->j": ([2, 2, 3],), "i.j": ([2, 3],)}.items():
    case("einsum", ein, eq, L(*(T(s, seed=k) for k, s in enumerate(shapes))), None)
case("kron", torch.kron, T([2, 2]), T([3], seed=1))
case("cross", lambda a, b, d: torch.cross(a, b, dim=d), T([3, 2]), T([3, 2], seed=1), 0)
case("linalg_cross", lambda a, b, d: torch.linalg.cross(a, b, dim=d), T([2, 3]), T([1, 3], seed=1), -1)
for n in (0, 1, 2, 3, 5, -1, -2):
    case("matrix_power", torch.matrix_power, T([2, 2], seed=1), n, grad=n != 0)
case("matrix_power", torch.matrix_power, T([2, 3]), 2)
case("linalg_multi_dot", torch.linalg.multi_dot, L(T([2, 3]), T([3, 4], seed=1), T([4], seed=2)))
case("bilinear", torch.nn.functional.bilinear, T([2, 3]), T([2, 4], seed=1), T([2, 3, 4], seed=2), T([2], seed=3))
for shape in ([5, 4, 3], [17, 33, 9], [64, 128, 10]):
    case("mm", torch.mm, T(shape[:2], dtype="f32"), T(shape[1:], dtype="f32", seed=1))

# Linear algebra. Vectors of a decomposition are determined up to sign, so only their products are compared.
la = torch.linalg
SQ = [([3, 3], 1), ([2, 2, 2], 2)]
spd = lambda x: x @ x.mT + torch.eye(x.shape[-1], dtype=x.dtype)
for s, seed in SQ:
    case("linalg_inv", la.inv, T(s, seed=seed))
    case("linalg_det", la.det, T(s, seed=seed))
    case("linalg_slogdet", la.slogdet, T(s, seed=seed))
    case("linalg_matrix_exp", la.matrix_exp, T(s, seed=seed))
    case("linalg_qr", la.qr, T(s, seed=seed), "reduced")
    case("linalg_svdvals", lambda x, d: la.svdvals(x), T(s, seed=seed), None)
    case("linalg_pinv.atol_rtol_float", lambda x, a, r, h: la.pinv(x), T(s, seed=seed), None, None, False)
    case("linalg_matrix_rank.atol_rtol_float", lambda x, a, r, h: la.matrix_rank(x), T(s, seed=seed), None, None, False)
    case("linalg_cond", la.cond, T(s, seed=seed), None)
    case("linalg_cond", la.cond, T(s, seed=seed), 1)
for shape in ([4, 2], [2, 4]):
    case("linalg_pinv.atol_rtol_float", lambda x, a, r, h: la.pinv(x), T(shape, seed=1), None, None, False)
    case("linalg_svdvals", lambda x, d: la.svdvals(x), T(shape, seed=1), None)
case("linalg_qr", la.qr, T([4, 2], seed=1), "reduced")
case("linalg_qr", la.qr, T([4, 2], seed=1), "complete", grad=False)
case("linalg_qr", la.qr, T([2, 4], seed=1), "reduced", grad=False)
for bad in ([2, 3], [3]):
    for name in ("inv", "det", "cholesky"):
        call = (lambda x, u: la.cholesky(x)) if name == "cholesky" else getattr(la, name)
        case("linalg_" + name, call, T(bad), *([False] if name == "cholesky" else []))
case("linalg_inv", la.inv, T([2, 2], 1, 1, ties=True))
case("linalg_inv", la.inv, T([2, 2, 2], 1, 1, ties=True))
case("linalg_inv", la.inv, T([2, 2], 0, 9, "i64"))
case("linalg_cholesky", lambda x, u: la.cholesky(x, upper=u), T([2, 2], -1, -1, ties=True), False)
case("linalg_det", la.det, T([3, 3], 1, 1, ties=True))
lsolve = lambda a, b, left: la.solve(a, b, left=left)
case("linalg_solve", lsolve, T([3, 3], seed=1), T([3, 2]), True)
case("linalg_solve", lsolve, T([3, 3], seed=1), T([3]), True)
case("linalg_solve", lsolve, T([2, 2, 2], seed=2), T([2, 2]), True)
case("linalg_solve", lsolve, T([3, 3], seed=1), T([2, 3]), False)
case("linalg_solve", lsolve, T([2, 2], 1, 1, ties=True), T([2]), True)
case("linalg_solve", lsolve, T([2, 2]), T([3]), True)
tri = lambda a, b, u, l, n: la.solve_triangular(a, b, upper=u, left=l, unitriangular=n)
for up in (False, True):
    case("linalg_solve_triangular", tri, T([3, 3], 0.5, 2), T([3, 2]), up, True, False)
    case("linalg_solve_triangular", tri, T([3, 3], 0.5, 2), T([2, 3]), up, False, True)
case("linalg_lstsq", lambda a, b, r, d: la.lstsq(a, b), T([4, 2], seed=1), T([4, 3]), None, None, grad=False)
case("linalg_lstsq", lambda a, b, r, d: la.lstsq(a, b), T([2, 2], seed=1), T([2]), None, None, grad=False)
no = lambda x, o, d, k, t: la.norm(x, o, d, k, dtype=t)
for o in (None, 1, -1, 2, -2, float("inf"), float("-inf"), 3):
    case("linalg_norm", no, T([2, 3], seed=1), o, None, False, None)
    case("linalg_norm", no, T([2, 2, 3], seed=1), o, [0, 2], True, None)
for o in ("fro", "nuc", "x"):
    case("linalg_norm.ord_str", no, T([2, 3], seed=1), o, None, False, None)
case("linalg_norm", no, T([2, 2, 2]), 2, None, False, None)
case("norm.str", lambda x, p, d, k, t: torch.norm(x, p, d, k, dtype=t), T([2, 3]), "fro", None, False, None)

for name in ("igamma", "igammac"):
    case(name, getattr(torch, name), T([8], 0.2, 12), T([8], 0.1, 15, seed=2), grad=False)
    case(name, getattr(torch, name), T([3], 0.0, 2.0, ties=True), T([3], -1, 2, ties=True), grad=False)
    case(name, getattr(torch, name), T([2, 3], 0.5, 4, "f32", "transposed"), T([3], 0.5, 9, "f32", seed=1))
    case(name, getattr(torch, name), T([2]), T([2]))
for name in ("bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "modified_bessel_i0", "modified_bessel_i1",
             "modified_bessel_k0", "modified_bessel_k1", "scaled_modified_bessel_k0", "scaled_modified_bessel_k1",
             "spherical_bessel_j0"):
    for span in ((0.01, 4), (3, 60)):
        case("special_" + name, getattr(torch.special, name), T([6], *span, "f32"), grad=False)
case("special_bessel_j1", torch.special.bessel_j1, T([4], -8, 0, "f32"), grad=False)
for alphas in ((0.05, 1), (1, 8), (8, 60)):
    for xs in ((0.01, 0.7), (0.9, 6), (8, 60)):
        case("_standard_gamma_grad", torch._standard_gamma_grad, T([6], *alphas), T([6], *xs, seed=3), grad=False)
for alphas, totals in (((0.1, 2), (2.5, 4)), ((1, 3), (4, 9)), ((7, 20), (30, 60)), ((0.1, 1), (1.1, 1.5))):
    case("_dirichlet_grad", torch._dirichlet_grad, T([9], 0.01, 0.99, seed=5), T([9], *alphas), T([9], *totals, seed=2), grad=False)
case("_dirichlet_grad", torch._dirichlet_grad, T([9], 0.45, 0.5, seed=5), T([9], 9, 9.5), T([9], 19, 20, seed=2), grad=False)
case("poisson", torch.poisson, T([2], -3, -1))
case("poisson", torch.poisson, T([2], 1, 5, "i64"), grad=False)

for shape in ([3, 3], [4, 2], [2, 4], [2, 3, 2]):
    case("linalg_lu", lambda a, p: torch.linalg.lu(a, pivot=p), T(shape, seed=4), True)
    case("linalg_lu_factor_ex", lambda a, p, c: torch.linalg.lu_factor_ex(a, pivot=p, check_errors=c), T(shape, seed=4), True, False)
    case("geqrf", torch.geqrf, T(shape, seed=2), grad=False)
case("linalg_lu_factor", lambda a, p: torch.linalg.lu_factor(a, pivot=p), T([2, 2], 0, 0), True)
case("linalg_lu_factor", lambda a, p: torch.linalg.lu_factor(a, pivot=p), T([3, 3], lay="transposed"), True)
# The signs of vectors are those of LAPACK's steps.
for k, shape in enumerate(([2, 2], [3, 3], [4, 2], [4, 3], [2, 4], [3, 5], [5, 3], [6, 6], [1, 3], [3, 1], [2, 3, 2])):
    for kind in ("f64", "f32"):
        case("linalg_svd", lambda a, f, d: torch.linalg.svd(a, full_matrices=f, driver=d), T(shape, dtype=kind, seed=k + 3), False, None)
        case("linalg_svd", lambda a, f, d: torch.linalg.svd(a, full_matrices=f, driver=d), T(shape, dtype=kind, seed=k + 3), True, None, grad=False)
    if len(shape) == 2 and shape[0] == shape[1]:
        for side in "LU":
            case("linalg_eigh", torch.linalg.eigh, T(shape, seed=k), side, grad=False)
            case("linalg_eigh", torch.linalg.eigh, T(shape, dtype="f32", seed=k + 5), side, grad=False)
case("linalg_svd", lambda a, f, d: torch.linalg.svd(a, full_matrices=f, driver=d), T([3, 3], lay="transposed"), False, None)
case("linalg_eigh", torch.linalg.eigh, T([5, 5], -3, 4, lay="transposed", ties=True), "L", grad=False)
