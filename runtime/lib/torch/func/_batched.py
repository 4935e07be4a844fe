"""`Batched`: the tensor that a function sees inside `vmap`.

It looks like one example and holds all of them (`value`: a plain tensor, the batch dimensions first, one for each level of
`vmap`). Each operation on it is done for all: at once where the examples do not meet, in one view where it only looks
elsewhere, else example by example. Errors are PyTorch's.
"""

from collections import namedtuple
from textwrap import indent

from torch import _C
from torch.autograd.grad_mode import no_grad
from torch.func import _draws, _grad
from torch.utils._pytree import tree_flatten, tree_unflatten

_F = _C._functions
Tensor = _C.Tensor
active = []  # the levels that are running, from the outside in


class Level:
    """One running `vmap`: its number among the transforms, how many examples, and what becomes of random numbers."""

    def __init__(self, number, size, randomness):
        self.number, self.size, self.randomness = number, size, randomness


_FILE = "Please file an issue at https://github.com/pytorch/pytorch/issues if you need this feature."
ITEM = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, "
    "please try to rewrite what you're doing with other operations. If error is occurring somewhere inside PyTorch "
    "internals, please file a bug report."
)
_CONTROL = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that yet, "
    "please file an issue at https://github.com/pytorch/pytorch/issues ."
)
_EITHER = (
    "vmap: It looks like you're either (1) calling .item() on a Tensor or (2) attempting to use a Tensor in some "
    "data-dependent control flow or (3) encountering this error in PyTorch internals. For (1): we don't support vmap over "
    "calling .item() on a Tensor, please try to rewrite what you're doing with other operations. For (2): we don't support "
    "data-dependent control flow in vmap yet, please file an issue at https://github.com/pytorch/pytorch/issues . For (3): "
    "please file an issue."
)
_STORAGE = "Cannot access data pointer of Tensor that doesn't have storage"
_MASK = (
    "vmap: We do not support batching operators that can support dynamic shape. Attempting to batch over indexing with a "
    "boolean mask."
)
_DYNAMIC = "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over aten::{}. " + _FILE
_REFUSED = {
    **{name: _DYNAMIC.format(name) for name in ("nonzero", "unique_dim", "unique_consecutive", "_unique2", "argwhere")},
    "argwhere": _DYNAMIC.format("nonzero"), "is_nonzero": _CONTROL,
    "masked_select": "vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot support this because "
                     "for each batch this would return a differently shaped Tensor. " + _FILE,
    "equal": "Batching rule not implemented for aten::equal. We could not generate a fallback.",
    "allclose": "vmap over torch.allclose isn't supported yet. " + _FILE,
    "backward": "backward() called inside a functorch transform. This is not supported, please use functorch.grad or "
                "functorch.vjp instead or call backward() outside of functorch transforms.",
}
# One element from one element (or one from each operand): the batch is only one more dimension.
_EACH = frozenset((
    "add sub subtract rsub mul multiply div divide true_divide pow neg negative exp exp2 expm1 log log2 log10 log1p sin cos tan "
    "asin acos atan atan2 sinh cosh tanh asinh acosh atanh sigmoid relu relu6 sqrt rsqrt square abs absolute sign sgn floor "
    "ceil trunc frac reciprocal erf erfc maximum minimum fmax fmin fmod remainder floor_divide eq ne lt le gt ge greater less "
    "greater_equal less_equal not_equal logical_and logical_or logical_xor logical_not isnan isinf isfinite where clamp clip "
    "clamp_min clamp_max lerp addcmul addcdiv silu elu gelu mish softplus leaky_relu hardtanh hardswish hardsigmoid celu selu "
    "softsign log_sigmoid logsigmoid threshold xlogy hypot logaddexp bitwise_and bitwise_or bitwise_xor bitwise_not sinc "
    "deg2rad rad2deg nan_to_num clone detach contiguous float double half bfloat16 int long short char byte bool to type_as "
    "positive conj cfloat cdouble masked_fill"
).split())
_VIEWS = frozenset((
    "__getitem__ __get__ select narrow view reshape transpose permute t unsqueeze squeeze expand expand_as unbind split chunk "
    "tensor_split diagonal flatten ravel swapaxes swapdims movedim moveaxis view_as unflatten unfold split_with_sizes real imag "
    "view_as_real as_strided hsplit vsplit dsplit adjoint broadcast_to reshape_as numpy_T"
).split())


# Functions of the last dimensions: name -> which argument has the others in front.
_LEADING = {"linear": 0, "layer_norm": 0, "embedding": 1}


def _in_gradient():
    """Whether the innermost transform is one that takes gradients."""
    return bool(active) and active[-1].number < len(active) + _grad._depth


def levels_of(x):
    return x.levels if isinstance(x, Batched) else ()


class Batched(Tensor):
    """One example, and all of them."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return call(func, args, kwargs or {})

    def __repr__(self):
        value = self.value.detach()
        for k in reversed(range(len(self.levels))):
            value = value.movedim(k, k + self.dims[k])
        text = repr(value)
        for level, dim in zip(self.levels, self.dims):
            text = f"BatchedTensor(lvl={level}, bdim={dim}, value=\n{indent(text, '    ')}\n)"
        if _grad._depth and self.requires_grad:
            text = f"GradTrackingTensor(lvl={len(active) + _grad._depth}, value=\n{indent(text, '    ')}\n)"
        return text

    __str__ = __repr__

    def __format__(self, spec):
        if self.dim() == 0:
            self._one_number()
        return object.__format__(self, spec)

    def __bool__(self):
        raise RuntimeError(_EITHER if _in_gradient() else _CONTROL)

    def _one_number(self, *args):
        raise RuntimeError(_EITHER if _in_gradient() else ITEM)

    def _no_memory(self, *args, **kwargs):
        raise RuntimeError(_STORAGE)

    def _no_storage(self, *args, **kwargs):
        raise NotImplementedError("Cannot access storage of BatchedTensorImpl")

    item = __float__ = __int__ = __index__ = __complex__ = __contains__ = _one_number
    numpy = data_ptr = __array__ = _no_memory
    storage = untyped_storage = __copy__ = __deepcopy__ = __reduce_ex__ = __reduce__ = _no_storage

    def tolist(self):
        return self._no_memory()

    def __iter__(self):
        if self.dim() == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __reversed__(self):
        return self.flip(0) if self.dim() else self

    def _copied(self):
        """`torch.tensor(x)`"""
        raise RuntimeError(
            "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for "
            "training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence detach_() "
            "cannot be called on these gradients. To fix this error, please refer to the Optimizer.zero_grad() function in "
            "torch/optim/optimizer.py as the solution."
        )

    @property
    def data(self):
        raise RuntimeError("accessing `data` under vmap transform is not allowed")

    def requires_grad_(self, requires_grad=True):
        raise RuntimeError(
            "You are attempting to call Tensor.requires_grad_() (or perhaps using torch.autograd.functional.* APIs) inside "
            "of a function being transformed by a functorch transform. This is unsupported, please attempt to use the "
            "functorch transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or call requires_grad_() outside of a function "
            "being transformed instead."
        )

    def type(self, dtype=None):
        return Tensor.type(self) if dtype is None else self.to(dtype)


def _own(name):
    method = getattr(Tensor, name)

    def own(self, *args, **kwargs):
        return call(method, (self, *args), kwargs)

    own.__name__ = name
    return own


# Methods that classes are not asked about.
for _name in ("detach", "float", "double", "half", "bfloat16", "int", "long", "short", "char", "byte", "bool", "to", "type_as",
              "cfloat", "cdouble", "is_nonzero", "backward", "__invert__"):
    setattr(Batched, _name, _own(_name))
Batched.__name__ = Batched.__qualname__ = "Tensor"
Batched.__module__ = "torch"


def wrap(value, levels, dims=None):
    """All examples in `value`, whose first dimensions are those of `levels`. With `dims` it is an input of `vmap`: whether
    a graph hangs on it outside does not show."""
    with no_grad():
        one = value.detach()
        for _ in levels:
            one = one[0] if one.size(0) else one.new_zeros(one.size()[1:])
        one = one.as_subclass(Batched)
    if value.requires_grad and dims is None:
        Tensor.requires_grad_(one)
    one.value, one.levels, one.dims = value, tuple(levels), dims or (0,) * len(levels)
    return one


def spread(x, levels, sizes):
    """The values of `x` with a dimension for each of `levels`."""
    own = levels_of(x)
    value = x.value if own else x
    if own == levels:
        return value
    for k, level in enumerate(levels):
        if level not in own:
            value = value.unsqueeze(k)
    shape = value.size()
    return value.expand(tuple(sizes) + tuple(shape[len(levels):]))


def together(leaves):
    """The levels of all, and their sizes."""
    sizes = {}
    for x in leaves:
        if isinstance(x, Batched):
            sizes.update(zip(x.levels, x.value.size()))
    levels = tuple(sorted(sizes))
    return levels, [sizes[level] for level in levels]


def call(func, args, kwargs):
    """The answer of `__torch_function__`."""
    name = getattr(func, "__name__", "")
    if name == "__get__":
        before = _C._set_torch_function(False)
        try:
            seen = func(*args)
        finally:
            _C._set_torch_function(before)
        if not isinstance(seen, Tensor):
            return seen
    if name in _REFUSED:
        raise RuntimeError(_REFUSED[name])
    leaves, spec = tree_flatten((args, kwargs))
    if name == "where" and len(args) == 1:
        raise RuntimeError(_DYNAMIC.format("where"))
    if name == "__getitem__" and any(isinstance(x, Batched) and x.dtype is _C.bool for x in tree_flatten(args[1])[0]):
        raise RuntimeError(_MASK)
    if kwargs.get("out") is not None:
        kind = "out" if isinstance(kwargs["out"], Tensor) else "values"
        raise RuntimeError(
            f"Batching rule not implemented for aten::{name}.{kind}; the fallback path doesn't work on out= or view ops."
        )
    if name in _draws.RANDOM and active and _draws.is_random(name, args, kwargs):
        return _draws.draw(active[-1], func, args, kwargs)
    if name == "__setitem__" or name.endswith("_") and not name.endswith("__"):
        return _in_place(func, name, args, leaves, spec)
    if name == "batch_norm":
        _check_moments(args)
    levels, sizes = together(leaves)
    result = _at_once(func, name, leaves, spec, levels, sizes)
    return each(func, leaves, spec, levels, sizes, name in _VIEWS) if result is None else result


def _at_once(func, name, leaves, spec, levels, sizes):
    """All examples in one call, where that is the same; None where it is not."""
    tensors = [x for x in leaves if isinstance(x, Tensor)]
    if name in _LEADING:
        place = _LEADING[name]
        if any(isinstance(x, Batched) != (k == place) for k, x in enumerate(tensors)) or not tensors[0].dim():
            return None
        return wrap(func_on(func, [_aligned(x, levels, None) for x in leaves], spec), levels)
    elif name == "matmul":
        if any(x.dim() != 2 for x in tensors):
            return None
    elif name not in _EACH or any(x.dtype is not tensors[0].dtype for x in tensors if x.dim() == 0 or tensors[0].dim() == 0):
        return None
    rank = max(x.dim() for x in tensors)
    rest = None if len(tensors) == 1 else rank
    return wrap(func_on(func, [_aligned(x, levels, rest) for x in leaves], spec), levels)


def _aligned(x, levels, rank):
    """The values of `x` with dimensions of size 1 for the levels it lacks, and for those that broadcasting adds."""
    if not isinstance(x, Batched):
        return x
    value = x.value
    if len(x.levels) < len(levels):
        for k, level in enumerate(levels):
            if level not in x.levels:
                value = value.unsqueeze(k)
    for _ in range(0 if rank is None else rank - x.dim()):
        value = value.unsqueeze(len(levels))
    return value


def func_on(func, leaves, spec):
    args, kwargs = tree_unflatten(leaves, spec)
    return func(*args, **kwargs)


def each(func, leaves, spec, levels, sizes, view=False):
    """Example by example; what only looks at the same memory does so for all examples in one."""
    columns = [spread(x, levels, sizes) if isinstance(x, Batched) else None for x in leaves]
    places = _places(sizes)
    empty = not places

    def at(place):
        if empty:
            return [x if c is None else c.new_zeros(c.size()[len(levels):]) for x, c in zip(leaves, columns)]
        return [x if c is None else c[place] for x, c in zip(leaves, columns)]

    first = func_on(func, at(None if empty else places[0]), spec)
    parts, shape = tree_flatten(first)
    if view and not empty and sum(c is not None for c in columns) == 1:
        base = next(c for c in columns if c is not None)
        seen = [_looks_at(part, base, levels, sizes) for part in parts]
        if all(s is not None for s in seen):
            return tree_unflatten(seen, shape)
    rows = [parts] + [tree_flatten(func_on(func, at(place), spec))[0] for place in places[1:]]
    results = []
    for k, part in enumerate(parts):
        if not isinstance(part, Tensor):
            results.append(part)
        elif empty:
            results.append(wrap(part.new_zeros(tuple(sizes) + tuple(part.size())), levels))
        else:
            whole = _F.stack([row[k] for row in rows])
            whole = whole if len(sizes) == 1 else whole.reshape(tuple(sizes) + tuple(part.size()))
            results.append(wrap(whole, levels))
    return tree_unflatten(results, shape)


def _places(sizes):
    places = [()]
    for n in sizes:
        places = [p + (i,) for p in places for i in range(n)]
    return places


def _looks_at(part, base, levels, sizes):
    """The same view of all examples, where `part` is a view of the first in `base`."""
    if not isinstance(part, Tensor) or part.dtype is not base.dtype or not part.numel():
        return None
    if part.untyped_storage().data_ptr() != base.untyped_storage().data_ptr():
        return None
    base = base if part.requires_grad else base.detach()
    strides = tuple(base.stride()[:len(levels)]) + tuple(part.stride())
    return wrap(base.as_strided(tuple(sizes) + tuple(part.size()), strides, part.storage_offset()), levels)


def _in_place(func, name, args, leaves, spec):
    """Writes into each example; into what is the same for all, nothing of an example can be written."""
    target = args[0]
    levels, sizes = together(leaves)
    missing = [level for level in levels if level not in levels_of(target)]
    if missing:
        _refuse_write(name, args, missing[-1], sizes)
    if name in ("resize_", "resize_as_", "set_"):
        raise NotImplementedError(f"{name} of a tensor that vmap maps over is not available here")
    if name in _TURNS:
        target.value = call(getattr(Tensor, name[:-1]), args, {}).value
        before = _C._set_torch_function(False)
        try:
            func(*args)
        finally:
            _C._set_torch_function(before)
        return target
    columns = [spread(x, levels, sizes) if isinstance(x, Batched) else None for x in leaves]
    for place in _places(sizes):
        func_on(func, [x if c is None else c[place] for x, c in zip(leaves, columns)], spec)
    if target.value.requires_grad and not target.requires_grad:
        Tensor.requires_grad_(target)
    return None if name == "__setitem__" else target


# Methods that change the shape of a tensor in place.
_TURNS = frozenset("t_ squeeze_ unsqueeze_ transpose_ swapaxes_ swapdims_".split())
# What each of PyTorch's rules says of a write that would have to be one for each example.
_BROADCAST = frozenset("add_ atan2_ bitwise_and_ bitwise_or_ bitwise_xor_".split())
_ARITHMETIC = frozenset("sub_ mul_ div_ copy_ clamp_min_ clamp_max_ logical_and_ logical_or_ logical_xor_ __setitem__".split())
_BY_NAME = frozenset("fill_ index_add_ scatter_add_ index_fill_ index_put_ masked_fill_".split())


def _refuse_write(name, args, level, sizes):
    if name in _BROADCAST:
        target, other = args[0], args[1]
        wide = list(sizes) + list(_F.broadcast_tensors([_F.empty(target.size()), _F.empty(other.size())])[0].size())
        raise RuntimeError(f"output with shape {list(target.size())} doesn't match the broadcast shape {wide}")
    if name == "__setitem__" and any(isinstance(x, Batched) and x.dtype is not _C.bool for x in tree_flatten(args[1])[0]):
        name = "index_put_" if isinstance(args[2], Tensor) else "index_fill_"
    what, where = name, "in a vmap"
    if name in _ARITHMETIC or name == "masked_fill_" and isinstance(args[1], Batched):
        what = "inplace arithmetic"
    elif name not in _BY_NAME:
        what, where = "aten::" + name, f"at level {level}"
    raise RuntimeError(
        f"vmap: {what}(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that has more "
        f"elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped over {where}. "
        f"Please try to use out-of-place operators instead of {what}. If said operator is being called inside the PyTorch "
        "framework, please file a bug report instead."
    )


def _check_moments(args):
    """The running moments of a batch norm belong to all examples."""
    if len(args) > 5 and args[5] and isinstance(args[0], Batched) and isinstance(args[3], Tensor):
        if set(args[0].levels) - set(levels_of(args[3])):
            raise RuntimeError(
                "Batch norm got a batched tensor as input while the running_mean or running_var, which will be updated in "
                "place, were not batched.\nIf you are using a module and do not need eval mode, please set "
                "`track_running_stats` to be False.If you are using a prebuilt module and do not need eval mode, please see "
                "the functorch website for resources on how to patch your module to work with vmap"
            )


def take_level(x, level, out_dim):
    """`x` without `level`, whose dimension is at `out_dim` of the result."""
    k = x.levels.index(level)
    rest = x.levels[:k] + x.levels[k + 1:]
    if not rest:
        return x.value.movedim(0, out_dim) if out_dim else x.value
    dim = out_dim % (x.dim() + 1)
    return wrap(x.value.movedim(k, len(rest) + dim), rest)


def add_level(x, level, dim):
    """`x` whose dimension `dim` is that of `level`, the innermost."""
    own = levels_of(x)
    value = x.value if own else x
    dim %= x.dim()
    return wrap(value.movedim(len(own) + dim, len(own)) if dim else value, own + (level,), (x.dims if own else ()) + (dim,))


def own(x):
    """`x` as an input of a gradient: with a part of its own for each example, for each of which a gradient is wanted."""
    levels, sizes = tuple(level.number for level in active), [level.size for level in active]
    value = spread(x, levels, sizes)
    return wrap(value.view_as(value) if value.requires_grad else value.detach().requires_grad_(), levels)


def tracked(x):
    """A fresh tensor of which gradients will be wanted."""
    return wrap(x.value.requires_grad_(), x.levels) if isinstance(x, Batched) else x.requires_grad_()


def gradients(outputs, inputs, vectors, keep, retain):
    """The gradients of each example. Vectors may have levels of their own: then one pass for each of those."""
    given = together([*outputs, *inputs])[0]
    levels, sizes = together([*outputs, *inputs, *[v for v in vectors if v is not None]])
    size = dict(zip(levels, sizes))
    more = tuple(level for level in levels if level not in given)
    values = [getattr(o, "value", o) for o in outputs]
    wanted = [getattr(x, "value", x) for x in inputs]
    along = []
    for o, value, v in zip(outputs, values, vectors):
        if v is None:
            along.append(None)
            continue
        order = more + levels_of(o)
        ordered = tuple(sorted(order))
        v = spread(v, ordered, [size[level] for level in ordered])
        places = [ordered.index(level) for level in order]
        along.append(v.permute(places + list(range(len(order), v.dim()))))
    rows = []
    for place in _places([size[level] for level in more]):
        here = [_F.ones_like(value) if v is None else v[place] if place else v for value, v in zip(values, along)]
        found = _C._run_backward(tuple(values), tuple(here), retain or bool(more), keep, tuple(wanted), False, True)
        rows.append([_F.zeros_like(x) if g is None else g for g, x in zip(found, wanted)])
    results = []
    for k, x in enumerate(inputs):
        whole = rows[0][k]
        order = more + levels_of(x)
        if more:
            whole = _F.stack([row[k] for row in rows]).reshape([size[level] for level in more] + list(whole.size()))
        ordered = sorted(order)
        places = [order.index(level) for level in ordered]
        if places != sorted(places):
            whole = whole.permute(places + list(range(len(order), whole.dim())))
        results.append(wrap(whole, ordered) if order else whole)
    return results


def apply(cls, args):
    """A function of `torch.autograd.Function` on examples, by its own rule for them or one after the other."""
    leaves, spec = tree_flatten((args, {}))
    if cls.generate_vmap_rule:
        return each(cls.apply, leaves, spec, *together(leaves))
    level = next(level for level in reversed(active) if any(level.number in levels_of(x) for x in leaves))
    dims = [x.dims[x.levels.index(level.number)] if level.number in levels_of(x) else None for x in leaves]
    inner = [x if d is None else take_level(x, level.number, d) for x, d in zip(leaves, dims)]
    dims = tree_unflatten(dims, spec)[0]
    info = _Info(level.size, level.randomness)
    output, out_dims = cls.vmap(info, dims, *tree_unflatten(inner, spec)[0])
    flat, shape = tree_flatten(output)
    places = [out_dims] * len(flat) if out_dims is None or isinstance(out_dims, int) else tree_flatten(out_dims)[0]
    return tree_unflatten([x if d is None else add_level(x, level.number, d) for x, d in zip(flat, places)], shape)


_Info = namedtuple("VmapInfo", ("batch_size", "randomness"))
