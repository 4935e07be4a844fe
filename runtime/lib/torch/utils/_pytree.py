"""Nested tuples, lists, dicts and registered classes, seen as one flat list of leaves and the shape of the nest."""

import json
from collections import OrderedDict, defaultdict, deque, namedtuple

__all__ = [
    "PyTree", "Context", "FlattenFunc", "UnflattenFunc", "TreeSpec", "LeafSpec", "SequenceKey", "MappingKey",
    "GetAttrKey", "keystr", "key_get", "register_pytree_node", "register_dataclass", "tree_is_leaf", "tree_flatten",
    "tree_flatten_with_path", "tree_unflatten", "tree_iter", "tree_leaves", "tree_leaves_with_path", "tree_structure",
    "tree_map", "tree_map_with_path", "tree_map_", "tree_map_only", "tree_map_only_", "tree_all", "tree_any",
    "tree_all_only", "tree_any_only", "treespec_dumps", "treespec_loads", "treespec_pprint", "is_namedtuple",
    "is_namedtuple_class", "is_namedtuple_instance", "is_structseq", "is_structseq_class", "is_structseq_instance",
]
PyTree = Context = DumpableContext = FlattenFunc = UnflattenFunc = object
FlattenFn = UnflattenFn = ToDumpableContextFn = FromDumpableContextFn = object


class _Key:
    """A step from a nest to one of its parts."""

    __slots__ = ("value",)
    _field = ""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return type(self) is type(other) and self.value == other.value

    def __hash__(self):
        return hash((type(self).__name__, self.value))

    def __repr__(self):
        return f"{type(self).__name__}({self._field}={self.value!r})"


class SequenceKey(_Key):
    """`[idx]` of a list or tuple."""

    __slots__ = ()
    _field = "idx"

    @property
    def idx(self):
        return self.value

    def __str__(self):
        return f"[{self.value!r}]"

    def get(self, sequence):
        return sequence[self.value]


class MappingKey(_Key):
    """`[key]` of a dict."""

    __slots__ = ()
    _field = "key"

    @property
    def key(self):
        return self.value

    def __str__(self):
        return f"[{self.value!r}]"

    def get(self, mapping):
        return mapping[self.value]


class GetAttrKey(_Key):
    """`.name` of an object."""

    __slots__ = ()
    _field = "name"

    @property
    def name(self):
        return self.value

    def __str__(self):
        return f".{self.value}"

    def get(self, obj):
        return getattr(obj, self.value)


def keystr(kp):
    """The steps as one would write them."""
    return "".join(str(k) for k in kp)


def key_get(obj, kp):
    """The part of `obj` that the steps lead to."""
    for k in kp:
        obj = k.get(obj)
    return obj


# What is known of a kind of node: to (children, context), back, and with keys.
_Node = namedtuple("_Node", ["flatten", "unflatten", "keys"])


def _numbered(values):
    return [SequenceKey(i) for i in range(len(values))]


def _dict_flatten(d):
    return list(d.values()), list(d.keys())


def _dict_keys(values, context):
    return [MappingKey(k) for k in context]


_NODES = {
    tuple: _Node(lambda t: (list(t), None), lambda v, c: tuple(v), lambda v, c: _numbered(v)),
    list: _Node(lambda t: (t, None), lambda v, c: list(v), lambda v, c: _numbered(v)),
    dict: _Node(_dict_flatten, lambda v, c: dict(zip(c, v)), _dict_keys),
    OrderedDict: _Node(_dict_flatten, lambda v, c: OrderedDict(zip(c, v)), _dict_keys),
    defaultdict: _Node(
        lambda d: (list(d.values()), [d.default_factory, list(d.keys())]),
        lambda v, c: defaultdict(c[0], zip(c[1], v)),
        lambda v, c: [MappingKey(k) for k in c[1]],
    ),
    deque: _Node(lambda d: (list(d), d.maxlen), lambda v, c: deque(v, maxlen=c), lambda v, c: _numbered(v)),
    namedtuple: _Node(
        lambda t: (list(t), type(t)), lambda v, c: c(*v), lambda v, c: [GetAttrKey(f) for f in c._fields]
    ),
}
_NAMES = {
    tuple: "builtins.tuple", list: "builtins.list", dict: "builtins.dict", OrderedDict: "collections.OrderedDict",
    defaultdict: "collections.defaultdict", deque: "collections.deque", namedtuple: "collections.namedtuple",
}
SUPPORTED_NODES = _NODES
BUILTIN_TYPES = frozenset(_NAMES)


def register_pytree_node(cls, flatten_fn, unflatten_fn, *, serialized_type_name=None, to_dumpable_context=None,
                         from_dumpable_context=None, flatten_with_keys_fn=None):
    """Makes a class a node: `flatten_fn(x)` gives (children, context), `unflatten_fn(children, context)` the object."""
    if cls in _NODES:
        raise ValueError(f"{cls} is already registered as pytree node.")

    def keys(values, context):
        return _numbered(values)

    _NODES[cls] = _Node(flatten_fn, unflatten_fn, keys)
    if serialized_type_name is not None:
        _NAMES[cls] = serialized_type_name


_register_pytree_node = register_pytree_node


def register_dataclass(cls, *, field_names=None, drop_field_names=None, serialized_type_name=None):
    """Makes a dataclass a node, its fields the children."""
    from dataclasses import fields

    names = [f.name for f in fields(cls) if f.init] if field_names is None else list(field_names)
    names = [n for n in names if n not in (drop_field_names or ())]

    def flatten(obj):
        present = [n for n in names if getattr(obj, n) is not None]
        missing = [n for n in names if n not in present]
        return [getattr(obj, n) for n in present], [present, missing]

    def unflatten(values, context):
        return cls(**dict(zip(context[0], values)), **dict.fromkeys(context[1]))

    register_pytree_node(cls, flatten, unflatten, serialized_type_name=serialized_type_name)
    _NODES[cls] = _NODES[cls]._replace(keys=lambda v, c: [GetAttrKey(n) for n in c[0]])


def is_namedtuple_class(cls):
    """Whether the class is a `namedtuple`."""
    return isinstance(cls, type) and issubclass(cls, tuple) and isinstance(getattr(cls, "_fields", None), tuple)


def is_namedtuple_instance(obj):
    return is_namedtuple_class(type(obj))


def is_namedtuple(obj):
    """Whether it is a `namedtuple`, class or instance."""
    return is_namedtuple_class(obj if isinstance(obj, type) else type(obj))


def is_structseq_class(cls):
    """Whether the class is one of the interpreter's own tuples with names."""
    return isinstance(cls, type) and issubclass(cls, tuple) and cls is not tuple and hasattr(cls, "n_sequence_fields")


def is_structseq_instance(obj):
    return is_structseq_class(type(obj))


def is_structseq(obj):
    return is_structseq_class(obj if isinstance(obj, type) else type(obj))


def _kind(tree):
    kind = type(tree)
    if kind.__module__ == "torch.return_types" and kind not in _NODES:
        register_pytree_node(kind, lambda x: (list(x), None), lambda values, context: kind(values))
    return namedtuple if kind not in _NODES and is_namedtuple_class(kind) else kind


def tree_is_leaf(tree, is_leaf=None):
    """Whether this is no node."""
    return is_leaf is not None and is_leaf(tree) or _kind(tree) not in _NODES


class TreeSpec:
    """The shape of a nest; `*` stands for a leaf."""

    def __init__(self, type, context, children_specs):
        self.type, self.context, self._children = type, context, list(children_specs)
        leaf = type is None
        self.num_nodes = 1 + sum(c.num_nodes for c in self._children)
        self.num_leaves = 1 if leaf else sum(c.num_leaves for c in self._children)
        self.num_children = len(self._children)

    @property
    def children_specs(self):
        _deprecated(
            "`treespec.children_specs` is deprecated. Use `treespec.child(index)` to access a single child, or "
            "`treespec.children()` to get all children."
        )
        return self._children

    def children(self):
        """The shapes of the parts."""
        return list(self._children)

    def child(self, index):
        return self._children[index]

    def is_leaf(self):
        return self.type is None

    def __repr__(self, indent=0):
        if self.type is None:
            return "*"
        prefix = f"TreeSpec({self.type.__name__}, {self.context}, ["
        parts = ""
        if self._children:
            inner = " " * (indent + 2)
            texts = [c.__repr__(indent + 2) for c in self._children]
            parts = (",\n" + inner).join(texts)
        return prefix + parts + "])"

    def __eq__(self, other):
        if not isinstance(other, TreeSpec):
            return NotImplemented
        return (self.type, self.context, self._children) == (other.type, other.context, other._children)

    def __hash__(self):
        return hash((self.type, str(self.context), tuple(self._children)))

    def flatten_up_to(self, tree):
        """The parts of `tree` that stand where this shape has leaves."""
        found = []
        self._flatten_up_to(tree, found)
        return found

    def _flatten_up_to(self, tree, found):
        if self.type is None:
            found.append(tree)
            return
        kind = _kind(tree)
        if kind is not self.type:
            raise ValueError(f"Node type mismatch; expected {self.type!r}, but got {kind!r}.")
        values, context = _NODES[kind].flatten(tree)
        if len(values) != self.num_children:
            raise ValueError(f"Node arity mismatch; expected {self.num_children}, but got {len(values)}.")
        if context != self.context:
            if kind in (dict, OrderedDict) and set(context) == set(self.context):
                values = [tree[k] for k in self.context]
            else:
                raise ValueError(f"Node context mismatch for custom node type {self.type!r}.")
        for spec, value in zip(self._children, values):
            spec._flatten_up_to(value, found)

    def unflatten(self, leaves):
        """The nest, with these leaves."""
        leaves = leaves if isinstance(leaves, (list, tuple)) else list(leaves)
        if len(leaves) != self.num_leaves:
            raise ValueError(
                f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a pytree that "
                f"holds {self.num_leaves} items ({self})."
            )
        return self._unflatten(iter(leaves))

    def _unflatten(self, leaves):
        if self.type is None:
            return next(leaves)
        return _NODES[self.type].unflatten([c._unflatten(leaves) for c in self._children], self.context)


_LEAF = TreeSpec(None, None, [])
PyTreeSpec = TreeSpec


class _LeafMeta(type(TreeSpec)):
    def __instancecheck__(cls, instance):
        return isinstance(instance, TreeSpec) and instance.is_leaf()


class LeafSpec(TreeSpec, metaclass=_LeafMeta):
    """The shape of a leaf."""

    def __new__(cls):
        _deprecated(
            "`isinstance(treespec, LeafSpec)` is deprecated, use `isinstance(treespec, TreeSpec) and "
            "treespec.is_leaf()` instead."
        )
        return _LEAF


def _deprecated(text):
    import warnings

    warnings.warn(text, FutureWarning, stacklevel=3)


def treespec_leaf():
    return _LEAF


def treespec_tuple(iterable=()):
    return TreeSpec(tuple, None, list(iterable))


def treespec_dict(mapping=(), **kwargs):
    full = dict(mapping, **kwargs)
    return TreeSpec(dict, list(full), list(full.values()))


def _flatten(tree, leaves, is_leaf):
    if tree_is_leaf(tree, is_leaf):
        leaves.append(tree)
        return _LEAF
    kind = _kind(tree)
    values, context = _NODES[kind].flatten(tree)
    return TreeSpec(kind, context, [_flatten(v, leaves, is_leaf) for v in values])


def tree_flatten(tree, is_leaf=None):
    """(leaves, shape of the nest)."""
    leaves = []
    return leaves, _flatten(tree, leaves, is_leaf)


def tree_unflatten(leaves, treespec):
    """The nest again, with other leaves."""
    if not isinstance(treespec, TreeSpec):
        raise TypeError(
            f"tree_unflatten(leaves, treespec): Expected `treespec` to be instance of TreeSpec but got item of type "
            f"{type(treespec)}."
        )
    return treespec.unflatten(leaves)


def tree_iter(tree, is_leaf=None):
    """The leaves, one by one."""
    if tree_is_leaf(tree, is_leaf):
        yield tree
        return
    for value in _NODES[_kind(tree)].flatten(tree)[0]:
        yield from tree_iter(value, is_leaf)


def tree_leaves(tree, is_leaf=None):
    """The leaves alone."""
    return list(tree_iter(tree, is_leaf))


def arg_tree_leaves(*args, **kwargs):
    """The leaves of all arguments."""
    return [leaf for value in (*args, *kwargs.values()) for leaf in tree_iter(value)]


def tree_structure(tree, is_leaf=None):
    """The shape alone."""
    return tree_flatten(tree, is_leaf)[1]


def tree_map(func, tree, *rests, is_leaf=None):
    """The same nest, with `func` applied to each leaf (and to what stands in the same places of `rests`)."""
    leaves, spec = tree_flatten(tree, is_leaf)
    columns = [leaves] + [spec.flatten_up_to(r) for r in rests]
    return spec.unflatten([func(*row) for row in zip(*columns)])


def tree_map_(func, tree, *rests, is_leaf=None):
    """Calls `func` on each leaf; gives the nest itself."""
    leaves, spec = tree_flatten(tree, is_leaf)
    columns = [leaves] + [spec.flatten_up_to(r) for r in rests]
    for row in zip(*columns):
        func(*row)
    return tree


def map_only(type_or_types_or_pred):
    """Decorates a function so that it leaves other kinds of leaves alone."""
    wanted = type_or_types_or_pred
    if isinstance(wanted, (type, tuple)):
        def fits(x):
            return isinstance(x, wanted)
    elif callable(wanted):
        fits = wanted
    else:
        raise TypeError("Argument must be a type, a tuple of types, or a callable.")

    def wrap(func):
        return lambda x: func(x) if fits(x) else x

    return wrap


def tree_map_only(type_or_types_or_pred, func, tree, is_leaf=None):
    """`tree_map` for leaves of some types."""
    return tree_map(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_map_only_(type_or_types_or_pred, func, tree, is_leaf=None):
    return tree_map_(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_all(pred, tree, is_leaf=None):
    """Whether `pred` holds for all leaves."""
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any(pred, tree, is_leaf=None):
    return any(map(pred, tree_iter(tree, is_leaf)))


def tree_all_only(type_or_types, pred, tree, is_leaf=None):
    return all(pred(x) for x in tree_iter(tree, is_leaf) if isinstance(x, type_or_types))


def tree_any_only(type_or_types, pred, tree, is_leaf=None):
    return any(pred(x) for x in tree_iter(tree, is_leaf) if isinstance(x, type_or_types))


def _with_path(path, tree, is_leaf):
    if tree_is_leaf(tree, is_leaf):
        yield path, tree
        return
    node = _NODES[_kind(tree)]
    values, context = node.flatten(tree)
    for key, value in zip(node.keys(values, context), values):
        yield from _with_path(path + (key,), value, is_leaf)


def tree_leaves_with_path(tree, is_leaf=None):
    """(steps, leaf) of each leaf."""
    return list(_with_path((), tree, is_leaf))


def tree_flatten_with_path(tree, is_leaf=None):
    return tree_leaves_with_path(tree, is_leaf), tree_structure(tree, is_leaf)


def tree_map_with_path(func, tree, *rests, is_leaf=None):
    """`tree_map`, with the steps to each leaf before it."""
    paths, spec = tree_flatten_with_path(tree, is_leaf)
    columns = [[p for p, _ in paths], [x for _, x in paths]] + [spec.flatten_up_to(r) for r in rests]
    return spec.unflatten([func(*row) for row in zip(*columns)])


def treespec_pprint(treespec):
    """The shape, written as a nest of stars."""
    class _Star:
        def __repr__(self):
            return "*"

    return repr(treespec.unflatten([_Star()] * treespec.num_leaves))


def _to_plain(spec):
    if spec.is_leaf():
        return {"type": None, "context": None, "children_spec": []}
    if spec.type not in _NAMES:
        raise NotImplementedError(
            f"No registered serialization name for {spec.type} found. Please update your _register_pytree_node call with "
            "a `serialized_type_name` kwarg."
        )
    return {"type": _NAMES[spec.type], "context": json.dumps(spec.context),
            "children_spec": [_to_plain(c) for c in spec.children()]}


def _from_plain(plain):
    if plain["type"] is None:
        return _LEAF
    kinds = {name: kind for kind, name in _NAMES.items()}
    if plain["type"] not in kinds:
        raise NotImplementedError(f"Deserializing {plain['type']} in pytree is not registered.")
    return TreeSpec(kinds[plain["type"]], json.loads(plain["context"]), [_from_plain(c) for c in plain["children_spec"]])


def treespec_dumps(treespec, protocol=None):
    """The shape as JSON."""
    if protocol not in (None, 1):
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: [1]")
    return json.dumps([1, _to_plain(treespec)])


def treespec_loads(serialized):
    """The shape that `treespec_dumps` wrote."""
    protocol, plain = json.loads(serialized)
    if protocol != 1:
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: [1]")
    return _from_plain(plain)
