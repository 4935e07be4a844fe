"""Gradients as functions. A transform inside another differentiates through it."""

import sys

from torch import _C
from torch.autograd.grad_mode import enable_grad
from torch.utils._pytree import tree_flatten, tree_map, tree_unflatten

_F = _C._functions
Tensor = _C.Tensor
_depth = 0  # how many transforms are running; inside another one, results stay differentiable


class _Level:
    def __enter__(self):
        global _depth
        _depth += 1

    def __exit__(self, *exc):
        global _depth
        _depth -= 1


def _own(x):
    """A tensor of this transform's own: it requires grad, and keeps its tie to an outer transform's tensor."""
    if not isinstance(x, Tensor):
        return x
    if batched := _batched():
        return batched.own(x)
    return x.view_as(x) if x.requires_grad else x.detach().requires_grad_()


def _batched():
    """The module of `vmap`'s tensors, while one is running."""
    module = sys.modules.get("torch.func._batched")
    return module if module is not None and module.active else None


def _dummy(output):
    """A stand-in for a gradient of `output`, to differentiate by."""
    zeros = _F.zeros_like(output)
    batched = _batched()
    return batched.tracked(zeros) if batched else zeros.requires_grad_()


def _needs(x):
    """Whether a graph hangs on a tensor, the examples of a batch included."""
    return getattr(x, "value", x).requires_grad


def _only_tensors(tree):
    for x in tree_flatten(tree)[0]:
        if not isinstance(x, Tensor):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(x)}")


def _tracked(tree):
    return any(isinstance(x, Tensor) and _needs(x) for x in tree_flatten(tree)[0])


def _pick(args, argnums, fn):
    nums = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    if not nums:
        raise RuntimeError(f"{fn}: argnums must be non-empty")
    for n in nums:
        if not -len(args) <= n < len(args):
            raise RuntimeError(f"Got argnum={n}, but only {len(args)} positional inputs")
    return [n % len(args) for n in nums]


def _release(tree, keep):
    return tree if keep else tree_map(lambda x: x.detach() if isinstance(x, Tensor) else x, tree)


def grad_and_value(func, argnums=0, has_aux=False):
    """A function that gives (gradient, value) of `func`, which returns one number."""

    def wrapper(*args, **kwargs):
        keep = _depth > 0 or _tracked(args) and _C.is_grad_enabled()
        args = list(args)
        with _Level(), enable_grad():
            wanted = []
            for n in _pick(args, argnums, "grad"):
                _only_tensors(args[n])
                args[n] = tree_map(_own, args[n])
                wanted.append(args[n])
            output = func(*args, **kwargs)
            if has_aux:
                if not (isinstance(output, tuple) and len(output) == 2):
                    raise RuntimeError(
                        "grad_and_value(f)(*args): output of function f should be a tuple: (output, aux) "
                        "if has_aux is True"
                    )
                output, aux = output
            if not isinstance(output, Tensor):
                raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(output)}")
            if output.dim() != 0:
                raise RuntimeError(
                    "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with "
                    f"{output.dim()} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
                )
            leaves, spec = tree_flatten(wanted)
            grads = _gradients((output,), leaves, (None,), keep)
        result = tree_unflatten(grads, spec)
        result = result[0] if isinstance(argnums, int) else tuple(result)
        output = _release(output, keep)
        return (result, (output, _release(aux, keep))) if has_aux else (result, output)

    return wrapper


def grad(func, argnums=0, has_aux=False):
    """The gradient function of `func`, which returns one number: `grad(f)(x)`."""
    both = grad_and_value(func, argnums, has_aux)

    def wrapper(*args, **kwargs):
        result = both(*args, **kwargs)
        return (result[0], result[1][1]) if has_aux else result[0]

    return wrapper


def _gradients(outputs, inputs, vectors, keep, retain=True):
    """Gradients, zeros where nothing depends."""
    pairs = [(o, v) for o, v in zip(outputs, vectors) if _needs(o)]
    if not pairs:
        return [_F.zeros_like(x) for x in inputs]
    outs, vs = zip(*pairs)
    if batched := _batched():
        return batched.gradients(outs, inputs, vs, keep, retain)
    grads = _C._run_backward(outs, vs, retain, keep, tuple(inputs), False, True)
    return [_F.zeros_like(x) if g is None else g for g, x in zip(grads, inputs)]


def vjp(func, *primals, has_aux=False):
    """(output, function from cotangents to gradients of `primals`)."""
    keep = _depth > 0 or _tracked(primals) and _C.is_grad_enabled()
    with _Level(), enable_grad():
        primals = tree_map(_own, tuple(primals))
        output = func(*primals)
        aux = None
        if has_aux:
            output, aux = output
    outs, out_spec = tree_flatten(output)
    ins, in_spec = tree_flatten(primals)

    def pullback(*cotangents, retain_graph=True, create_graph=None):
        tree = cotangents[0] if len(cotangents) == 1 else cotangents
        vectors, spec = tree_flatten(tree)
        if spec != out_spec:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the function."
            )
        again = keep or _depth > 0 or _tracked(tree)
        with enable_grad():
            result = tree_unflatten(_gradients(outs, ins, vectors, again), in_spec)
        return result

    output = _release(output, keep)
    return (output, pullback, _release(aux, keep)) if has_aux else (output, pullback)


def jvp(func, primals, tangents, *, strict=False, has_aux=False):
    """(output, change of the output along `tangents`), by two backward passes."""
    if not isinstance(primals, tuple):
        raise RuntimeError(
            "jvp(f, primals, tangents): Expected primals to be a tuple. E.g. it should be valid to call f(*primals)."
        )
    keep = _depth > 0 or (_tracked(primals) or _tracked(tangents)) and _C.is_grad_enabled()
    with _Level(), enable_grad():
        primals = tree_map(_own, primals)
        output = func(*primals)
        aux = None
        if has_aux:
            output, aux = output
        ins = tree_flatten(primals)[0]
        vectors = tree_flatten(tangents)[0]
        if len(ins) != len(vectors):
            raise RuntimeError(
                "jvp(f, primals, tangents): Expected primals and tangents to have the same python structure."
            )
        outs, spec = tree_flatten(output)
        dummies = [_dummy(o) for o in outs]
        back = _gradients(outs, ins, dummies, True)
        change = _gradients(back, dummies, vectors, keep)
    output, change = _release(output, keep), tree_unflatten(change, spec)
    return (output, change, _release(aux, keep)) if has_aux else (output, change)


def jacrev(func, argnums=0, *, has_aux=False, chunk_size=None):
    """The Jacobian function of `func`: output.shape + input.shape."""

    def wrapper(*args, **kwargs):
        keep = _depth > 0 or _tracked(args) and _C.is_grad_enabled()
        args = list(args)
        with _Level(), enable_grad():
            wanted = []
            for n in _pick(args, argnums, "jacrev"):
                args[n] = tree_map(_own, args[n])
                wanted.append(args[n])
            output = func(*args, **kwargs)
            aux = None
            if has_aux:
                output, aux = output
            ins, in_spec = tree_flatten(wanted)
            outs, out_spec = tree_flatten(output)
            jacobians = [_jacobian(out, ins, keep) for out in outs]
        result = []
        for row in jacobians:
            tree = tree_unflatten(row, in_spec)
            result.append(tree[0] if isinstance(argnums, int) else tuple(tree))
        result = result[0] if out_spec is None else tree_unflatten(result, out_spec)
        return (result, _release(aux, keep)) if has_aux else result

    return wrapper


def _jacobian(out, ins, keep):
    rows = []
    for element in out.reshape(-1).unbind() if out.numel() else ():
        rows.append(_gradients((element,), ins, (None,), keep))
    shape = tuple(out.size())
    return [
        _F.stack([r[i] for r in rows]).view(shape + tuple(x.size())) if rows else x.new_zeros(shape + tuple(x.size()))
        for i, x in enumerate(ins)
    ]


def jacfwd(func, argnums=0, has_aux=False, *, randomness="error"):
    """The Jacobian function of `func`, column by column: for functions with more outputs than inputs."""

    def wrapper(*args, **kwargs):
        keep = _depth > 0 or _tracked(args) and _C.is_grad_enabled()
        args = list(args)
        with _Level(), enable_grad():
            wanted = []
            for n in _pick(args, argnums, "jacfwd"):
                args[n] = tree_map(_own, args[n])
                wanted.append(args[n])
            output = func(*args, **kwargs)
            aux = None
            if has_aux:
                output, aux = output
            ins, in_spec = tree_flatten(wanted)
            outs, out_spec = tree_flatten(output)
            dummies = [_dummy(o) for o in outs]
            back = _gradients(outs, ins, dummies, True)
            columns = [_columns(x, back, i, dummies, outs, keep) for i, x in enumerate(ins)]
        result = []
        for j in range(len(outs)):
            tree = tree_unflatten([columns[i][j] for i in range(len(ins))], in_spec)
            result.append(tree[0] if isinstance(argnums, int) else tuple(tree))
        result = result[0] if out_spec is None else tree_unflatten(result, out_spec)
        return (result, _release(aux, keep)) if has_aux else result

    return wrapper


def _columns(x, back, i, dummies, outs, keep):
    """For each output, its Jacobian with respect to input `i`: one backward through the backward for each element."""
    found = [[] for _ in outs]
    for k in range(x.numel()):
        one = _F.zeros(x.numel(), dtype=x.dtype, device=x.device)
        one[k] = 1
        change = _gradients((back[i],), dummies, (one.view(x.size()),), keep)
        for column, c in zip(found, change):
            column.append(c)
    return [_F.stack(c, -1).view(tuple(o.size()) + tuple(x.size())) for c, o in zip(found, outs)]


def hessian(func, argnums=0):
    """The Hessian function of `func`: output.shape + input.shape + input.shape."""
    return jacfwd(jacrev(func, argnums), argnums)


def linearize(func, *primals):
    """(output, function from tangents to the change of the output): `jvp` with the tangents given later."""
    keep = _depth > 0 or _tracked(primals) and _C.is_grad_enabled()
    with _Level(), enable_grad():
        ins_tree = tree_map(_own, tuple(primals))
        output = func(*ins_tree)
        ins, in_spec = tree_flatten(ins_tree)
        outs, out_spec = tree_flatten(output)
        dummies = [_dummy(o) for o in outs]
        back = _gradients(outs, ins, dummies, True)

    def push(*tangents):
        vectors, spec = tree_flatten(tuple(tangents))
        if spec != in_spec:
            raise RuntimeError("Expected the tangents to have the same structure as the primals of linearize")
        with enable_grad():
            change = _gradients(back, dummies, vectors, keep)
        return tree_unflatten(change, out_spec)

    return _release(output, keep), push
