"""Nested tuples, lists and dicts of tensors, seen as one flat list."""


def tree_flatten(tree):
    """(leaves, shape of the nest)."""
    leaves = []
    return leaves, _flatten(tree, leaves)


def _flatten(tree, leaves):
    if isinstance(tree, dict):
        return (type(tree), list(tree), [_flatten(v, leaves) for v in tree.values()])
    if isinstance(tree, (list, tuple)):
        return (type(tree), None, [_flatten(v, leaves) for v in tree])
    leaves.append(tree)
    return None


def tree_unflatten(leaves, spec):
    """The nest again, with other leaves."""
    return _unflatten(iter(leaves), spec)


def _unflatten(leaves, spec):
    if spec is None:
        return next(leaves)
    kind, keys, children = spec
    values = [_unflatten(leaves, c) for c in children]
    if keys is not None:
        return kind(zip(keys, values))
    return kind(*values) if hasattr(kind, "_fields") else kind(values)


def tree_map(fn, tree):
    """The same nest, with `fn` applied to each leaf."""
    leaves, spec = tree_flatten(tree)
    return tree_unflatten([fn(x) for x in leaves], spec)


def tree_leaves(tree):
    """The leaves alone."""
    return tree_flatten(tree)[0]
