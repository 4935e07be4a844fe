"""Modules as functions of their parameters."""

from torch import _C


def functional_call(module, parameter_and_buffer_dicts, args=None, kwargs=None, *, tie_weights=True, strict=False):
    """Runs `module` with the given tensors (name -> tensor) in place of its parameters and buffers."""
    if isinstance(parameter_and_buffer_dicts, dict):
        tensors = dict(parameter_and_buffer_dicts)
    else:
        tensors = {}
        for d in parameter_and_buffer_dicts:
            for name in d:
                if name in tensors:
                    raise ValueError(f"{name} appears in multiple dictionaries; behavior of functional call is ambiguous")
            tensors.update(d)
    if tie_weights:
        tensors = _with_ties(module, tensors)
    if strict:
        _check_strict(module, tensors)
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    placed = []
    try:
        for name, tensor in tensors.items():
            path, _, leaf = name.rpartition(".")
            try:
                owner = module.get_submodule(path)
            except AttributeError:
                continue  # names the module does not have are left alone, as PyTorch does; `strict` finds them
            for store in (owner._parameters, owner._buffers):
                if leaf in store:
                    placed.append((store, leaf, store[leaf]))
                    store[leaf] = tensor
                    break
        return module(*args, **(kwargs or {}))
    finally:
        for store, leaf, before in reversed(placed):
            store[leaf] = before


def _with_ties(module, tensors):
    """A tensor given for one name also stands for the other names of the same parameter."""
    names = {}
    for pairs in (module.named_parameters(remove_duplicate=False), module.named_buffers(remove_duplicate=False)):
        for name, tensor in pairs:
            names.setdefault(id(tensor), []).append(name)
    result = dict(tensors)
    for group in names.values():
        given = [n for n in group if n in tensors]
        if len(given) > 1 and any(tensors[n] is not tensors[given[0]] for n in given):
            raise ValueError(f"functional_call got multiple values for keys {sorted(given)}, which are tied. "
                             "Consider using tie_weights=False")
        if given:
            for n in group:
                result[n] = tensors[given[0]]
    return result


def _check_strict(module, tensors):
    own = {n for n, _ in module.named_parameters(remove_duplicate=False)}
    own |= {n for n, _ in module.named_buffers(remove_duplicate=False)}
    missing, extra = sorted(own - set(tensors)), sorted(set(tensors) - own)
    if missing or extra:
        text = [f"Error(s) in reparametrizing for {module._get_name()}:"]
        if extra:
            text.append("Unexpected key(s): " + ", ".join(repr(n) for n in extra) + ".")
        if missing:
            text.append("Missing key(s): " + ", ".join(repr(n) for n in missing) + ".")
        raise RuntimeError("\n\t".join(text))


def stack_module_state(models):
    """(parameters, buffers) of several models of one kind, each stacked along a new first dimension."""
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    kind = type(models[0])
    if not all(type(m) is kind for m in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    stack = _C._functions.stack

    def gather(dicts):
        return {
            name: stack([d[name] for d in dicts]).detach().requires_grad_(dicts[0][name].requires_grad)
            for name in dicts[0]
        }

    return (gather([dict(m.named_parameters()) for m in models]), gather([dict(m.named_buffers()) for m in models]))
