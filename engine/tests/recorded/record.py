"""Record what PyTorch's shape, index, creation, sorting and random ops give and how tensors print, for `recorded.rs`.

    python record.py        (a Python that has torch)

ops.jsonl: a line is one call: the op by its schema's name, its arguments, and the results with layout, gradient and
name of the node, or the error. Arguments come offset, transposed, expanded, empty, 0-d and with five dimensions.
random.jsonl: seed, call, the first values and a hash of all bytes, and a number drawn after it.
print.jsonl: options, tensor, its repr.
index.jsonl: tensor, what stands between the brackets, the result; or with a value, the tensor after the assignment.
"""

import json
import math
import os
import sys
import warnings

import torch

warnings.simplefilter("ignore")
torch.set_num_threads(1)
NAMES = {torch.float32: "float32", torch.float64: "float64", torch.int64: "int64", torch.int32: "int32",
         torch.bool: "bool", torch.uint8: "uint8", torch.int16: "int16", torch.float16: "float16"}


def number(v):
    if isinstance(v, float) and not math.isfinite(v):
        return str(v)
    if v == 0 and math.copysign(1, v) < 0:
        return "-0.0"
    return int(v) if isinstance(v, bool) or float(v).is_integer() else v


def values(t):
    return [number(v) for v in t.detach().reshape(-1).tolist()]


def memory(t):
    """All elements of the storage."""
    n = t.untyped_storage().nbytes() // t.element_size()
    return t.detach().as_strided((n,), (1,), 0)


def tensor(t):
    out = {"dtype": NAMES[t.dtype], "shape": list(t.shape), "memory": values(memory(t))}
    if list(t.stride()) != list(torch.empty(t.shape).stride()):
        out["strides"] = list(t.stride())
    if t.storage_offset():
        out["offset"] = t.storage_offset()
    if t.requires_grad:
        out["grad"] = 1
    return out


def argument(a):
    if isinstance(a, torch.Tensor):
        return {"t": tensor(a)}
    if isinstance(a, bool):
        return {"b": a}
    if isinstance(a, int):
        return {"i": a}
    if isinstance(a, float):
        return {"f": number(a) if math.isfinite(a) else str(a)}
    if isinstance(a, str):
        return {"s": a}
    if isinstance(a, torch.dtype):
        return {"d": NAMES[a]}
    if a is None:
        return None
    if any(isinstance(x, torch.Tensor) for x in a):
        return {"ot" if any(x is None for x in a) else "ts": [x if x is None else tensor(x) for x in a]}
    return {"is": list(a)}


def upstream(t):
    n = t.numel()
    return ((torch.arange(n) % 7).to(t.dtype) - 2.5).reshape(t.shape)


def leaves(args):
    for a in args:
        if isinstance(a, torch.Tensor):
            yield a
        elif isinstance(a, (list, tuple)):
            yield from (x for x in a if isinstance(x, torch.Tensor))


def record(key, *args, **kwargs):
    base, _, overload = key.partition(".")
    op = getattr(getattr(torch.ops.aten, base), overload or "default")
    line = {"op": key, "args": [argument(a) for a in list(args) + list(kwargs.values())]}
    try:
        got = op(*args, **kwargs)
    except Exception as err:  # noqa: BLE001
        text = str(err)
        line["error"] = [type(err).__name__, text.split("\nException raised")[0]]
        print(json.dumps(line, separators=(",", ":")))
        return
    outs = [got] if isinstance(got, torch.Tensor) else list(got)
    line["out"] = []
    for t in outs:
        item = {"dtype": NAMES[t.dtype], "shape": list(t.shape), "strides": list(t.stride()), "values": values(t)}
        if t.grad_fn is not None:
            item["node"] = type(t.grad_fn).__name__
        line["out"].append(item)
    wanted = [t for t in leaves(args) if t.requires_grad]
    roots = [t for t in outs if t.requires_grad]
    if wanted and roots:
        try:
            grads = torch.autograd.grad(roots, wanted, [upstream(t) for t in roots], allow_unused=True)
            line["grads"] = [None if g is None else values(g) for g in grads]
        except Exception:  # noqa: BLE001
            pass
    print(json.dumps(line, separators=(",", ":")))


def kinds(*shape, dtype=torch.float32, grad=True):
    """The same shape lying in memory in several ways."""
    n = math.prod(shape)
    flat = ((torch.arange(n) * 5) % 11).to(dtype) - (3 if dtype.is_signed else 0)
    grad = grad and dtype.is_floating_point
    plain = flat.reshape(shape)
    out = [plain.clone()]
    if n:
        room = torch.zeros(n + 3, dtype=dtype)
        room[2:n + 2] = flat
        out.append(room.as_strided(shape, plain.stride(), 2))
    if len(shape) >= 2:
        order = list(range(len(shape)))[::-1]
        out.append(plain.permute(order).contiguous().permute(order))
        out.append(plain[:1].clone().expand(shape))
    return [t.detach().requires_grad_(grad) for t in out]


def every(key, tensors, *argument_lists):
    for t in tensors:
        for args in argument_lists:
            record(key, t, *args)


L = torch.tensor
FIVE = kinds(2, 1, 3, 1, 2)[:1] + kinds(2, 1, 3, 1, 2)[2:3]
M = kinds(2, 3)
SQ = kinds(3, 4)
NONE = kinds(0, 3)[:1]
ZERO = [L(2.5).requires_grad_()]
MIXED = M + NONE + ZERO
ROW = kinds(6)[:1]


def shapes():
    every("view", M + ROW + NONE, ([6],), ([-1],), ([3, 2],), ([2, 3],), ([2, -1],), ([-1, -1],), ([0, 3],), ([-2],))
    every("reshape", MIXED + FIVE, ([6],), ([-1],), ([3, -1],), ([1],), ([12],))
    every("expand", M[:2], ([2, 3],), ([4, 2, 3],), ([-1, 3],), ([3],), ([4, 3],), ([-1, 2, 3],))
    every("expand", [L([[1.], [2.]]).requires_grad_()], ([2, 4],), ([3, 2, 4],), ([-1, 0],))
    every("unsqueeze", MIXED + FIVE[1:], (0,), (-1,), (1,), (7,))
    every("squeeze", MIXED + FIVE)
    every("squeeze.dim", ZERO + FIVE, (0,), (1,), (-2,), (9,))
    every("squeeze.dims", FIVE, ([1, 3],), ([0, 1],), ([1, 1],), ([],))
    every("transpose.int", MIXED + FIVE, (0, 1), (0, -1), (1, 5))
    every("swapaxes", M[:1], (0, 1))
    every("t", MIXED + ROW + FIVE[:1])
    for key in ("numpy_T", "mT", "mH", "matrix_H", "adjoint"):
        every(key, M[:1] + ROW + FIVE[:1])
    every("permute", M + FIVE, ([1, 0],), ([4, 2, 0, 1, 3],), ([0, 0],), ([0],))
    every("movedim.int", M[:1] + FIVE, (0, -1), (2, 0))
    every("movedim.intlist", FIVE, ([0, 2], [4, 0]), ([0], [1, 2]), ([0, 0], [1, 2]))
    every("flatten.using_ints", MIXED + FIVE, (0, -1), (1, -1), (0, 1), (1, 0))
    every("unflatten.int", M + ROW, (0, [2, 1]), (-1, [-1, 3]), (0, [5, 2]), (0, []))
    every("ravel", MIXED + FIVE[1:])
    every("broadcast_to", M[:2], ([2, 2, 3],), ([3, 3],))
    every("clone", MIXED + FIVE)
    every("contiguous", MIXED)
    every("select.int", M + NONE, (0, 1), (1, -1), (1, 5), (3, 0))
    every("select.int", ZERO, (0, 0))
    every("slice.Tensor", MIXED + FIVE[1:], (0, 0, 1, 1), (1, -2, None, 1), (0, None, None, 2), (-1, 1, -1, 1))
    every("narrow", MIXED, (0, 0, 1), (1, 1, 2), (0, -1, 1), (0, 0, -1), (0, 1, 5), (0, 9, 1))
    every("diagonal", M + SQ, (0, 0, 1), (1, 0, 1), (-1, 1, 0), (9, 0, 1), (0, 0, 0))
    every("diagonal", FIVE, (0, 0, 2), (1, -1, 0))
    every("diag", M + ROW + ZERO + FIVE[:1], (0,), (1,), (-2,))
    every("diag_embed", ROW + M[:3] + ZERO, (0, -2, -1), (1, 0, 1), (-1, -1, 0))
    every("diagflat", M + ZERO, (0,), (1,))
    every("unfold", M + ROW + ZERO, (0, 2, 1), (-1, 2, 1), (0, 1, 1), (-1, 3, 2), (0, 9, 1), (0, 1, 0))
    every("as_strided", M + ROW, ([2, 2], [1, 2], None), ([2, 2], [1, 1], 1), ([3], [0], None), ([9], [9], None),
          ([2], [-1], None), ([2], [1, 1], None))
    every("split.Tensor", MIXED + FIVE[:1], (2, 0), (2, -1), (1, 1), (0, 0), (-1, 0))
    every("split_with_sizes", M, ([1, 1], 0), ([1, 0, 2], 1), ([1, 1], 1))
    every("chunk", MIXED, (2, 0), (2, -1), (5, 1), (0, 0))
    every("tensor_split.sections", M, (2, 0), (2, 1), (5, 1), (0, 0))
    every("tensor_split.indices", M, ([1], 1), ([1, 5], 1), ([-1], 1))
    every("hsplit.int", M[:1] + ROW + ZERO, (3,), (2,))
    every("vsplit.int", M[:1] + ROW, (2,))
    every("dsplit.int", M[:1] + FIVE[:1], (1,))
    every("unbind.int", MIXED + FIVE[1:], (0,), (-1,))
    every("diagonal_scatter", M[:3], (L([10., 20.]).requires_grad_(), 0, 0, 1), (L([1.]), 0, 0, 1))
    every("select_scatter", M[:3], (L([10., 20.]).requires_grad_(), 1, -1), (L([1.]), 0, 0))
    every("slice_scatter", M[:3], (L([[10.], [20.]]).requires_grad_(), 1, 1, 2, 1),)


def arrangements():
    every("flip", MIXED + FIVE, ([0],), ([1],), ([0, 1],), ([],), ([0, 0],))
    every("fliplr", MIXED)
    every("flipud", MIXED)
    every("roll", MIXED + FIVE[1:], ([1], []), ([-7], []), ([1], [0]), ([1, 2], [0, 1]), ([1, 2], []))
    for k in (0, 1, 2, 3, -1, 5):
        every("rot90", M + NONE, (k, [0, 1]))
    every("rot90", FIVE, (1, [0, 4]))
    every("rot90", ZERO + M[:1], (1, [0, 1]), (1, [0]), (1, [0, 0]))
    for key in ("tril", "triu"):
        every(key, SQ + M + NONE + ZERO + ROW + FIVE[:1], (0,), (1,), (-1,))
        every(key, kinds(2, 3, 3, dtype=torch.int64)[:2], (0,))
    for key in ("tril_indices", "triu_indices"):
        for args in ((2, 3, 0), (3, 3, 1), (3, 3, -1), (0, 3, 0), (-1, 2, 0)):
            record(key, *args, dtype=torch.int64)
    every("repeat", MIXED, ([2],), ([2, 2],), ([2, 1, 3],), ([0, 1],), ([-1, 1],))
    every("tile", MIXED, ([2],), ([2, 2],), ([2, 1, 2],))
    every("repeat_interleave.self_int", MIXED, (2, None), (2, 0), (3, -1), (-1, None))
    every("repeat_interleave.self_Tensor", M + ZERO, (L([1, 2]), 0), (L(2), 1), (L([1, 2, 3]), 0), (L([1.5, 2]), 0))
    every("repeat_interleave.self_Tensor", M, (L([2, 0, 1]), 1), (L([-1, 2]), 0))
    record("repeat_interleave.Tensor", L([2, 0, 3]))


def joins():
    a, b = kinds(2, 3)[0], kinds(2, 3)[2]
    sets = [[a, b], [a, kinds(1, 3)[0]], [a, kinds(2, 1)[0]], [a, L([1, 2, 3])], [a, torch.zeros(0)], [], [a],
            [L(1.).requires_grad_(), L(2.)], [a, a.detach().double()], [L([1, 2]), L([True, False])], [kinds(3)[0], kinds(2)[0]],
            [a, NONE[0]]]
    for key in ("cat", "stack"):
        for s in sets:
            for dim in (0, 1, -1):
                record(key, s, dim)
    for key in ("hstack", "vstack", "dstack", "column_stack", "block_diag"):
        for s in sets:
            record(key, s)
    for key in ("atleast_1d", "atleast_2d", "atleast_3d"):
        every(key, MIXED + ROW)
    x, y, z = kinds(2)[0], kinds(3)[0], L(4.).requires_grad_()
    for ix in ("ij", "xy"):
        for s in ([x, y], [x, y, z], [x], [x, L([1, 2])]):
            record("meshgrid.indexing", s, indexing=ix)
    for s in ([x, y], [x], [x, y, kinds(2)[0]], [x, a]):
        record("cartesian_prod", s)
    for t in (y, L([1, 2, 3, 4])):
        for r, w in ((2, False), (2, True), (3, False), (1, False), (0, False), (5, False), (-1, False)):
            record("combinations", t, r, w)
    record("combinations", a, 2, False)
    for t in (L([1, 2, 3]), L([1.5, 2.0])):
        for n, inc in ((None, False), (3, True), (0, False)):
            record("vander", t, n, inc)


def gathers():
    i = L([[0, 1], [1, 0]])
    every("gather", M, (1, i), (0, i), (1, i.int()), (1, i.float()), (0, L([[0, 1, 2]])), (1, L([0])), (1, L([[5]])),
          (1, L([[-1]])), (0, torch.zeros(0, 3, dtype=torch.int64)), (4, i))
    every("gather", ZERO, (0, L(0)), (0, L([0])))
    every("gather", FIVE, (2, torch.ones(1, 1, 2, 1, 2, dtype=torch.int64)))
    every("index_select", MIXED, (0, L([1, 0, 1])), (1, L([2, 2])), (0, L(0)), (0, L([5])), (0, L([[0]])), (0, L([0.])),
          (0, L([], dtype=torch.int64)))
    every("index_select", FIVE, (-3, L([2, 0])))
    every("take", MIXED, (L([0, 5, -1]),), (L([[1, 1]]),), (L(0),), (L([9]),), (L([0.]),))
    every("take_along_dim", M, (i, 1), (L([[0, 1, 1]]), 0), (L([5, 0]), None), (L([0]), 1))
    every("masked_select", M, (L([[True, False, True], [False, True, True]]),), (L([True, False, True]),),
          (L([True, False]),), (i,))
    every("masked_select", ZERO, (L(True),), (L([True, False]),))
    every("nonzero", [t.detach() for t in MIXED + FIVE])
    every("nonzero", [L([True, False, True]), L(0), L(7)])
    v = L([[10., 20.], [30., 40.]]).requires_grad_()
    for key, tail in (("scatter.src", ()), ("scatter_add", ())):
        every(key, M, (1, i, v, *tail), (0, i, v, *tail), (1, L([[1]]), v, *tail), (1, L([[5]]), v, *tail),
              (1, L([1]), v, *tail), (1, i, v.detach().double(), *tail), (1, i, v[:1].detach(), *tail))
    every("scatter.value", M + ZERO, (1, i, 7.5), (0, L([[1, 0, 1]]), 2), (0, L(0), 3))
    for red in ("add", "multiply", "mean"):
        for t in M[:1]:
            record("scatter.reduce", t.detach(), 1, i, v.detach(), reduce=red)
            record("scatter.value_reduce", t.detach(), 1, i, 3, reduce=red)
    for red in ("sum", "prod", "mean", "amax", "amin", "max"):
        for inc in (True, False):
            for t in M[:1] + M[2:3] + [L([[0., 0, 5], [1, 0, 2]]).requires_grad_()]:
                record("scatter_reduce.two", t, 1, L([[0, 0], [1, 2]]), v, red, include_self=inc)
                record("scatter_reduce.two", t, 1, L([[0, 0, 1], [1, 2, 2]]),
                       L([[0., 3., 5.], [5., 2., 2.]]).requires_grad_(), red, include_self=inc)
                record("index_reduce", t.detach(), 1, L([0, 0]), v.detach(), red, include_self=inc)
        record("scatter_reduce.two", L([[1, 2, 3]]), 1, L([[0, 0, 2]]), L([[5, 7, 9]]), red, include_self=True)
    w = L([[1., 2., 3.]]).requires_grad_()
    every("index_add", M, (0, L([1]), w), (1, L([2, 2]), v), (0, L([1, 0]), w), (0, L([5]), w), (0, L([0]), L([[1., 2.]])),
          (0, L([0]), w.detach().double()))
    for t in M[:1]:
        record("index_add", t, 0, L([1]), w, alpha=2)
        record("index_add", t, 0, L([1]), w, alpha=0.5)
    every("index_fill.int_Scalar", M + ZERO, (0, L([1]), 9), (-1, L([0, -1]), 2.5), (0, L([7]), 1), (0, L([0.]), 1))
    every("index_fill.int_Tensor", M, (0, L([1, 0]), L(4.).requires_grad_()), (0, L([0]), L([1.])))
    every("index_copy", M, (0, L([1]), w), (1, L([2, 0]), v), (0, L([5]), w), (0, L([1, 0]), w), (0, L([0]), L([[1., 2.]])))
    mask = L([[True, False, True], [False, True, True]])
    every("masked_scatter", M, (mask, v), (mask, L([1., 2.])), (mask, L([1, 2, 3, 4])), (L([True, False, True]), v))
    every("put", MIXED, (L([0, -1]), L([7., 8.]).requires_grad_(), False), (L([0, 0]), L([7., 8.]).requires_grad_(), True),
          (L([9]), L([1.]), False), (L([0, 1]), L([1.]), False))
    five = L(5.)
    every("index_put", M, ([L([0, 1]), L([1, 2])], L([7., 8.]).requires_grad_(), False), ([None, L([0, 0])], five, False),
          ([L([0, 0])], v.new_ones(2, 3), True), ([mask], L([1., 2., 3., 4.]).requires_grad_(), False),
          ([L([7])], five, False), ([mask], L([1., 2.]), False), ([L([0])], L([1]), False))
    for x in M + FIVE + kinds(2, 3, 4):
        for ix in ([L([0, 1])], [None, L([0, 0])], [L([[0, 1], [1, 0]])], [L([0, 1]), None, L([0, 1])],
                   [None, L([0]), L([1])], [L([1.])], [L([-1])], [L([9])], [mask], [L([True, False])], [L([0, 1]), L([0, 1, 2])],
                   [L([], dtype=torch.int64)], [None, None, L([0])], [L([0], dtype=torch.int32)]):
            record("index.Tensor", x, ix)


def orders():
    nan = L([[3., float("nan"), 1.], [2., 2., -1.]]).requires_grad_()
    for t in MIXED + FIVE[1:] + [nan, L([[3, 1, 2], [1, 1, 0]]), L([True, False, True])]:
        for dim in (-1, 0):
            for down in (False, True):
                record("sort", t, dim, down)
                record("argsort", t, dim, down)
    every("msort", M + [nan])
    for t in M + ZERO + [nan]:
        for k, dim, largest in ((1, -1, True), (2, -1, True), (2, 0, False), (1, 0, True), (9, -1, True), (-1, -1, True)):
            record("topk", t, k, dim, largest)
    for t in [t.detach() for t in MIXED] + [L([3, 1, 3, 2, 1]), L([1., float("nan"), 1., float("nan")]), L([True, False, True])]:
        record("_unique2", t, True, True, True)
        record("unique_consecutive", t, True, True, None)
        if t.dim() and not t.isnan().any():
            record("unique_dim", t, 0, True, True, True)
            record("unique_consecutive", t, True, True, 0)
    u = L([[1, 2], [0, 1], [1, 2], [0, 1], [0, 1]])
    record("unique_dim", u, 0, True, True, True)
    record("unique_dim", u, 1, True, True, True)
    record("unique_consecutive", u, True, True, 0)
    for a, b in ((L([1, 2, 3]), L([3, 1])), (L([1., 2.]), L([2])), (L([[1, 2]]), L([], dtype=torch.int64))):
        for inv in (False, True):
            record("isin.Tensor_Tensor", a, b, assume_unique=False, invert=inv)
    record("isin.Tensor_Scalar", L([1, 2]), 2, assume_unique=False, invert=False)
    record("isin.Scalar_Tensor", 2, L([1, 2]), assume_unique=False, invert=False)
    for t, n in ((L([0, 2]), -1), (L([[0, 1], [2, 0]]), 4), (L([0, 2]), 2), (L([-1]), -1), (L([0.]), -1),
                 (L([], dtype=torch.int64), -1), (L([], dtype=torch.int64), 3), (L(1), -1)):
        record("one_hot", t, n)


def makes():
    f32, i64 = torch.float32, torch.int64
    for a in ((5,), (0,), (2.5,), (1,), (-3,), (float("inf"),), (True,)):
        record("arange", *a, dtype=None)
    for dt in (None, f32, torch.float64, i64, torch.int32, torch.float16, torch.bool):
        for a in ((1, 5, 1), (0, 1, 0.1), (5, 1, -2), (5, 1, 1), (0, 3, 0), (-2, 9, 0.17), (0, 100, 0.7), (3, 3, 1)):
            record("arange.start_step", *a, dtype=dt)
    for dt in (None, torch.float64, i64):
        for a in ((0, 1, 5), (0, 1, 1), (0, 1, 0), (0, 1, -1), (-3, 7, 100), (2, 3, 33), (0, 10, 4), (1.5, -1.5, 7)):
            record("linspace", *a, dtype=dt)
        for a in ((0, 2, 3, 10.0), (0, 4, 5, 2.0), (-1, 1, 4, 10.0), (0, 1, -1, 10.0)):
            record("logspace", *a, dtype=dt)
    for dt in (None, i64, torch.bool):
        record("eye", 3, dtype=dt)
        record("eye", -1, dtype=dt)
        record("eye.m", 2, 3, dtype=dt)
        record("eye.m", 2, -3, dtype=dt)
    for dt in (None, f32, i64, torch.uint8, torch.int32):
        for v in (1, 2.5, True, 300, -1, 1e40, float("nan")):
            record("full", [2], v, dtype=dt)
    record("full", [-1], 1, dtype=None)
    record("zeros", [2, 0], dtype=None)
    record("zeros", [], dtype=i64)
    record("ones", [2, 2], dtype=torch.bool)
    record("ones", [10**18, 10**18], dtype=None)
    every("zeros_like", MIXED + FIVE)
    every("ones_like", MIXED[:4])
    every("new_zeros", M[:1] + [L([1])], ([2, 2],))
    for t in M[:1] + M[2:3]:
        record("full_like", t, 2.5, dtype=None)
        record("full_like", t, 7, dtype=i64)
    record("scalar_tensor", 3, dtype=None)


def hashed(t):
    """FNV-1a over the bytes, row by row."""
    h = 0xCBF29CE484222325
    for b in bytes(t.contiguous().reshape(-1).view(torch.uint8).tolist()):
        h = (h ^ b) * 0x100000001B3 % 2**64
    return f"{h:016x}"


def draw(seed, key, call, *args, **kwargs):
    torch.manual_seed(seed)
    line = {"seed": seed, "op": key, "args": [argument(a) for a in list(args) + list(kwargs.values())]}
    out = call(*args, **kwargs)
    line["out"] = {"dtype": NAMES[out.dtype], "shape": list(out.shape), "first": values(out.reshape(-1)[:4]), "hash": hashed(out)}
    line["next"] = torch.rand(1, dtype=torch.float64).item()
    print(json.dumps(line, separators=(",", ":")))


def draws():
    f32, f64, i64 = torch.float32, torch.float64, torch.int64
    for seed in (0, 42, 2**40):
        for n in (1, 2, 3, 7, 15, 16, 17, 20, 31, 32, 33, 100, 1000):
            for dt in (f32, f64):
                draw(seed, "rand", lambda s, g, d: torch.rand(s, dtype=d), [n], None, dt)
                draw(seed, "randn", lambda s, g, d: torch.randn(s, dtype=d), [n], None, dt)
        draw(seed, "randn", lambda s, g, d: torch.randn(s, dtype=d), [3, 5, 7], None, f32)
        draw(seed, "randn", lambda s, g, d: torch.randn(s, dtype=d), [0], None, f32)
        for low, high in ((0, 2), (0, 10), (-5, 5), (0, 2**27), (0, 2**28), (0, 2**29), (0, 2**31), (0, 2**32), (0, 2**33 + 7),
                          (-2**63, 2**63 - 1)):
            draw(seed, "randint.low", lambda a, b, s, g, d: torch.randint(a, b, s, dtype=d), low, high, [40], None, i64)
        draw(seed, "randint", lambda a, s, g, d: torch.randint(a, s, dtype=d), 100, [20], None, torch.uint8)
        draw(seed, "randint", lambda a, s, g, d: torch.randint(a, s, dtype=d), 100, [20], None, f32)
        for n in (0, 1, 2, 5, 10, 100, 1000):
            draw(seed, "randperm", lambda n, g, d: torch.randperm(n, dtype=d), n, None, i64)
        for p in (0.0, 0.3, 0.5, 1.0):
            draw(seed, "bernoulli.p", lambda t, p: torch.bernoulli(t, p), torch.zeros(50), p)
            draw(seed, "bernoulli_.float", lambda t, p: t.clone().bernoulli_(p), torch.zeros(50, dtype=f64), p)
        for dt in (f32, f64):
            draw(seed, "bernoulli", torch.bernoulli, torch.linspace(0, 1, 30, dtype=dt))
            draw(seed, "bernoulli_.Tensor", lambda t, p: t.clone().bernoulli_(p), torch.zeros(30), torch.linspace(0, 1, 30, dtype=dt))
            for n in (5, 40):
                t = torch.zeros(n, dtype=dt)
                draw(seed, "uniform", lambda t, a, b: t.clone().uniform_(a, b), t, -1.5, 2.5)
                draw(seed, "normal_", lambda t, a, b: t.clone().normal_(a, b), t, 2.0, 0.5)
                draw(seed, "random_", lambda t: t.clone().random_(), t)
            draw(seed, "normal.float_float", lambda m, s, z, g, d: torch.normal(m, s, z, dtype=d), 1.0, 2.0, [20], None, dt)
            draw(seed, "normal.Tensor_float", torch.normal, torch.arange(5, dtype=dt), 0.5)
            draw(seed, "normal.float_Tensor", torch.normal, 0.5, torch.arange(20, dtype=dt))
            draw(seed, "normal.Tensor_Tensor", torch.normal, torch.arange(20, dtype=dt), torch.arange(20, dtype=dt))
        draw(seed, "normal_", lambda t, a, b: t.T.clone(memory_format=torch.contiguous_format).T.normal_(a, b), torch.zeros(8, 5).T.contiguous().T, 0.0, 1.0)
        for dt in (i64, torch.int32, torch.int16, torch.uint8, torch.bool, torch.float16):
            draw(seed, "random_", lambda t: t.clone().random_(), torch.zeros(20, dtype=dt))
        draw(seed, "random_.to", lambda t, n: t.clone().random_(n), torch.zeros(20), 10)
        draw(seed, "random_.from", lambda t, a, b: t.clone().random_(a, b), torch.zeros(20, dtype=torch.int32), -7, 9)
        draw(seed, "rand_like", torch.rand_like, torch.zeros(4, 3).T)
        draw(seed, "rand_like", torch.rand_like, torch.zeros(4, 3))
        draw(seed, "randn_like", torch.randn_like, torch.zeros(8, 3).T)
        draw(seed, "randint_like", torch.randint_like, torch.zeros(4, 3), 10)
        w = torch.tensor([0.1, 0.2, 0.0, 0.7])
        draw(seed, "multinomial", torch.multinomial, w, 30, True)
        draw(seed, "multinomial", torch.multinomial, w, 3, False)
        draw(seed, "multinomial", torch.multinomial, w.double(), 1, True)
        draw(seed, "multinomial", torch.multinomial, torch.arange(1.0, 21).reshape(4, 5), 4, False)
        draw(seed, "multinomial", torch.multinomial, torch.arange(1.0, 21).reshape(4, 5), 9, True)
        draw(seed, "geometric", lambda t, p: t.clone().geometric_(p), torch.zeros(20), 0.3)
        draw(seed, "geometric", lambda t, p: t.clone().geometric_(p), torch.zeros(20, dtype=i64), 0.7)
        for dt in (f32,):
            t = torch.zeros(20, dtype=dt)
            draw(seed, "exponential", lambda t, a: t.clone().exponential_(a), t, 1.5)
            draw(seed, "log_normal", lambda t, a, b: t.clone().log_normal_(a, b), t, 0.5, 0.25)
            draw(seed, "cauchy", lambda t, a, b: t.clone().cauchy_(a, b), t, 0.5, 2.0)
        for dt in (f32, torch.float64):
            sizes = torch.tensor([0.0, 0.1, 0.5, 1.0, 2.5, 30.0, 400.0], dtype=dt)
            draw(seed, "_standard_gamma", torch._standard_gamma, sizes)
            draw(seed, "_sample_dirichlet", torch._sample_dirichlet, sizes[1:].reshape(2, 3))
            draw(seed, "poisson", torch.poisson, torch.tensor([0.0, 0.5, 4.0, 9.9, 10.0, 12.5, 1000.0], dtype=dt))
            counts, probs = torch.tensor([[3.0], [25.0], [100.0], [5000.0]], dtype=dt), torch.tensor([0.0, 0.01, 0.3, 0.5, 0.7, 0.99, 1.0], dtype=dt)
            draw(seed, "binomial", lambda n, p: torch.binomial(*torch.broadcast_tensors(n, p)), counts, probs)


def printed(t, **options):
    torch.set_printoptions(profile="default", sci_mode=None)
    torch.set_printoptions(**options)
    if t.numel() == 0:
        torch.set_printoptions(profile="default", sci_mode=None)
    text = repr(t)
    torch.set_printoptions(profile="default", sci_mode=None)
    print(json.dumps({"options": options, "t": tensor(t), "repr": text}, separators=(",", ":")))


def prints():
    inf, nan = float("inf"), float("nan")
    lists = [[1.0], [1.0, 2.5], [0.1, 100.0], [0.001, 1000.0], [1e-5, 1.0], [1e9], [123456789.0], [1e8], [100000001.0], [nan],
             [inf, -inf, nan], [1.0, nan], [1.5, inf], [0.0], [-0.0, 1.0], [0.0, 1e-7], [3.0, -4.0], [0.00011, 0.1], [99999.5],
             [1 / 3, 2 / 3], [1234.5, 0.25], [0.03125], [2.5, 1e5], [1e-3, 1.0], [1.0, 1000.0], [1.0, 1001.0], [5e-324, 1.0],
             [-1.0, -1000.5], [1e38, 1.0]]
    for values_ in lists:
        for dt in (torch.float32, torch.float64):
            t = torch.tensor(values_, dtype=dt)
            printed(t)
            printed(t[0])
            for options in ({"precision": 2}, {"precision": 0}, {"precision": 8}, {"sci_mode": True}, {"sci_mode": False}):
                if dt == torch.float32:
                    printed(t, **options)
    for v in ([1, 2, 3], [-1, 100], [True, False], [0], [2**40]):
        printed(torch.tensor(v))
        printed(torch.tensor([v, v]))
        printed(torch.tensor(v[0]))
    for dt in (torch.uint8, torch.int16, torch.int32, torch.float16, torch.int64, torch.bool, torch.float64):
        printed(torch.arange(3).to(dt))
        printed(torch.zeros(0, dtype=dt))
        printed(torch.zeros(0, 3, dtype=dt))
    grid = (torch.arange(24.0) * 37 % 11 - 4) / 4
    for shape in ((24,), (4, 6), (2, 3, 4), (2, 1, 3, 4), (1, 24), (24, 1), (2, 2, 1, 2, 3)):
        for t in (grid.reshape(shape), grid.reshape(shape).requires_grad_()):
            printed(t)
            printed(t.detach().long())
            printed(t.detach().double().requires_grad_(t.requires_grad))
            for options in ({"linewidth": 40}, {"linewidth": 120}, {"profile": "short"}, {"profile": "full"}, {"linewidth": 10},
                            {"threshold": 5}, {"threshold": 5, "edgeitems": 1}, {"threshold": 0, "edgeitems": 2},
                            {"threshold": 5, "edgeitems": 0}):
                printed(t, **options)
    printed(grid.reshape(4, 6).T)
    printed(grid[3:9:2])
    printed(grid[:1].expand(2, 3))
    for n in (999, 1000, 1001, 1500):
        printed(torch.arange(n))
    printed(torch.arange(1200.0).reshape(40, 30))
    printed(torch.arange(1200.0).reshape(2, 20, 30) / 7)
    printed(torch.ones(3, 400))
    for v in (0.5, -2.0, 7.0, 1e-10):
        printed(torch.tensor(v, requires_grad=True))
        printed(torch.tensor([v] * 9, requires_grad=True))
        printed(torch.tensor([v] * 10, dtype=torch.float64, requires_grad=True))
    for n in range(1, 24):
        printed(torch.ones(n, requires_grad=True))
        printed(torch.full((n,), 0.5, dtype=torch.float64, requires_grad=True))


def item(i):
    if i is None:
        return {"n": 0}
    if i is Ellipsis:
        return {"e": 0}
    if isinstance(i, slice):
        return {"sl": [i.start, i.stop, i.step]}
    return argument(i)


def bracket(x, index, value=None):
    line = {"t": tensor(x), "index": [item(i) for i in index]}
    key = index[0] if len(index) == 1 else tuple(index)
    given = None
    if value is not None:
        given = torch.as_tensor(value)
        line["value"] = tensor(given)
    try:
        if given is None:
            out = x[key]
        else:
            out = x * 1
            out[key] = given
        line["out"] = {"shape": list(out.shape), "strides": list(out.stride()), "values": values(out)}
        if out.grad_fn is not None:
            line["out"]["node"] = type(out.grad_fn).__name__
        wanted = [t for t in (x, given) if t is not None and t.requires_grad]
        if wanted and out.requires_grad:
            grads = torch.autograd.grad(out, wanted, upstream(out), allow_unused=True)
            line["grads"] = [None if g is None else values(g) for g in grads]
    except Exception as err:  # noqa: BLE001
        line["error"] = [type(err).__name__, str(err)]
    print(json.dumps(line, separators=(",", ":")))


def brackets():
    S = slice
    mask = L([[True, False, True], [False, True, True]])
    every_index = [[0], [-1], [5], [S(None)], [S(0, 2)], [S(1, None)], [S(None, None, 2)], [S(-1, None)], [S(9, None)], [S(2, 1)],
                   [S(None, None, -1)], [...], [None], [None, None], [True], [False], [0, 1], [0, 5], [0, 0, 0], [..., 0],
                   [0, ...], [S(None), 1], [S(None), S(1, None)], [S(None), S(None)], [S(None), None, 0], [None, 0], [..., None],
                   [L([0, 1])], [L([1, -1, 0])], [L([5])], [L([[0, 1], [1, 0]])], [0, L([0, 1])], [L([0, 1]), 1],
                   [L([0, 1]), L([1, 2])], [L([0, 1]), L([0, 1, 2])], [L([[0], [1]]), L([0, 2])], [S(None), L([0, 2])],
                   [..., L([0, 2])], [mask], [L([True, False])], [S(None), L([True, False, True])], [L([True, False]), L([1])],
                   [L([True, False, True])], [L(1)], [L(7)], [L(True)], [L(False)], [L([0.5])], [True, 0], [0, True], [mask, 0],
                   [L([0, 1], dtype=torch.int32)], [L([], dtype=torch.int64)], [L([0, 1]), None, L([1, 2])],
                   [L([0]), S(0, 2)], [S(0, 1), L([[0, 1]])], [L([1, 0], dtype=torch.uint8)]]
    for x in M[:1] + M[2:3] + ZERO:
        for index in every_index:
            bracket(x, index)
    y = kinds(2, 3, 4, 5)[0]
    for index in ([0], [S(None), 1], [..., 2], [S(None), L([0, 1]), S(None), L([0, 1])], [S(None), L([0, 1]), L([0, 1])],
                  [0, S(None), L([0, 1])], [L([0, 1]), S(None), 0], [L([0, 1]), None, L([0, 2])], [S(None), None, L([0, 1])],
                  [L([0, 1]), ..., L([0, 4])], [S(None, None, 2), ..., S(1, 4, 2)], [None, ..., None], [mask], [mask, L([0])],
                  [S(None), L([[True] * 4, [False] * 4, [True] * 4])]):
        bracket(y, index)
        bracket(y.detach().permute(3, 1, 2, 0).contiguous().permute(3, 1, 2, 0), index)
        bracket(y, index, 2.5)
    row, v = L([1., 2., 3.]), L([10., 20., 30.]).requires_grad_()
    for index in every_index:
        for x in M[:1] + [M[2].detach()]:
            bracket(x, index, 7.0)
            bracket(x, index, v)
    for index, value in (([0], L([[1., 2., 3.]])), ([0], L([1., 2.])), ([0], L([1, 2, 3])), ([L([0])], L([1, 2, 3])),
                         ([0, 0], L([4.])), ([0, 0], L([4., 5.])), ([S(None)], torch.ones(1, 1, 3)), ([S(None)], torch.ones(2, 2, 3)),
                         ([mask], row), ([mask], torch.arange(4.)), ([mask], L(5.).requires_grad_()), ([L([0, 1])], torch.ones(1, 1, 3)),
                         ([...], row), ([None], row), ([True], row), ([False], row), ([L([0, 0])], L([[1.], [2.]])),
                         ([S(None), L([0, 2])], L([7., 8.])), ([L([True, False]), 1], L(3.))):
        bracket(M[0], index, value)


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    for name, parts in (("ops", (shapes, arrangements, joins, gathers, orders, makes)), ("random", (draws,)), ("print", (prints,)), ("index", (brackets,))):
        with open(os.path.join(here, name + ".jsonl"), "w") as sys.stdout:
            for part in parts:
                part()
