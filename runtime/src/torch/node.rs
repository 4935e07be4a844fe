//! `Node`: what `y.grad_fn` is, and `FunctionNode`, the context of a function written in Python.

use super::errors::{ToPy, foreign};
use super::grad;
use super::saved::PySavedTensor;
use super::state;
use super::tensor::{wrap, wrap_option};
use rushlight_engine::Tensor;
use rushlight_engine::autograd::Node;
use rustpython_vm::builtins::{PyDictRef, PyType, PyTypeRef, PyWeak};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::types::{Constructor, Representable};
use rustpython_vm::{AsObject, Py, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine, pyclass};
use std::cell::RefCell;
use std::rc::{Rc, Weak};

/// How a Python object refers to its node.
enum Link {
    Strong(Rc<Node>),
    /// A function's context: the node keeps it, not it the node.
    Weak(Weak<Node>),
    Unattached,
}

#[pyclass(name = "Node", module = "torch.autograd.graph")]
#[derive(PyPayload)]
pub(crate) struct PyNode {
    link: RefCell<Link>,
    metadata: RefCell<Option<PyDictRef>>,
    /// For a function's context: which of the saved values are tensors (others were `None`).
    saved: RefCell<Vec<bool>>,
}

impl std::fmt::Debug for PyNode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Node")
    }
}

impl PyNode {
    fn new(link: Link) -> Self {
        PyNode { link: RefCell::new(link), metadata: RefCell::new(None), saved: RefCell::new(Vec::new()) }
    }

    fn node(&self) -> Option<Rc<Node>> {
        match &*self.link.borrow() {
            Link::Strong(node) => Some(node.clone()),
            Link::Weak(node) => node.upgrade(),
            Link::Unattached => None,
        }
    }

    fn attached(&self, vm: &VirtualMachine) -> PyResult<Rc<Node>> {
        self.node().ok_or_else(|| {
            vm.new_runtime_error(
                "Attribute of an autograd node is not available: it is not part of a graph (anymore)".to_owned(),
            )
        })
    }

    /// Make this the context of `node`.
    pub fn attach(&self, node: &Rc<Node>, saved: Vec<bool>) {
        *self.link.borrow_mut() = Link::Weak(Rc::downgrade(node));
        *self.saved.borrow_mut() = saved;
    }
}

/// The Python object of a node: the one it has, or a new one.
pub(crate) fn wrap_node(node: &Rc<Node>, vm: &VirtualMachine) -> PyResult {
    let known = node.foreign.borrow().clone();
    if let Some(known) = known {
        // A function's context is kept by its node, other objects are known weakly.
        if let Some(object) = known.downcast_ref::<PyObjectRef>() {
            return Ok(object.clone());
        }
        if let Some(object) = known.downcast_ref::<PyRef<PyWeak>>().and_then(|weak| weak.upgrade()) {
            return Ok(object);
        }
    }
    let class = class_of(node.name(), vm)?;
    let object: PyObjectRef = PyNode::new(Link::Strong(node.clone())).into_ref_with_type(vm, class)?.into();
    let weak: Rc<dyn std::any::Any> = Rc::new(object.downgrade(None, vm)?);
    *node.foreign.borrow_mut() = Some(weak);
    Ok(object)
}

/// One class a name, so that `type(node).__name__` is right.
fn class_of(name: &str, vm: &VirtualMachine) -> PyResult<PyTypeRef> {
    let short = name.rsplit("::").next().unwrap_or(name);
    if let Some(class) = state::get().node_classes.borrow().get(short) {
        return Ok(class.clone());
    }
    let class = PyType::new_simple_heap(short, PyNode::class(&vm.ctx), &vm.ctx).map_err(|e| vm.new_type_error(e))?;
    class.set_attr(vm.ctx.intern_str("__module__"), vm.ctx.new_str("builtins").into());
    state::get().node_classes.borrow_mut().insert(short.to_owned(), class.clone());
    Ok(class)
}

pub(crate) fn to_tuple(grads: &[Option<Tensor>], vm: &VirtualMachine) -> PyResult<PyObjectRef> {
    let items = grads.iter().map(|g| wrap_option(g.clone(), vm)).collect::<PyResult<Vec<_>>>()?;
    Ok(vm.ctx.new_tuple(items).into())
}

/// The gradients in what a hook returned; `None` where it returned nothing.
fn from_hook(result: PyObjectRef, vm: &VirtualMachine) -> PyResult<Option<Vec<Option<Tensor>>>> {
    if vm.is_none(&result) {
        return Ok(None);
    }
    let items = super::args::items(&result).unwrap_or_else(|| vec![result]);
    grad::optional_tensors(&items, vm).map(Some)
}

#[pyclass(flags(BASETYPE, HAS_DICT, HAS_WEAKREF), with(Representable))]
impl PyNode {
    #[pymethod]
    fn name(zelf: &Py<Self>) -> String {
        match zelf.node() {
            Some(node) => node.name().to_owned(),
            None => zelf.class().name().to_string(),
        }
    }

    #[pygetset]
    fn next_functions(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult {
        let mut items = Vec::new();
        for edge in zelf.attached(vm)?.next() {
            let pair = match edge {
                Some(edge) => vec![wrap_node(&edge.node, vm)?, vm.ctx.new_int(edge.nr).into()],
                None => vec![vm.ctx.none(), vm.ctx.new_int(0).into()],
            };
            items.push(vm.ctx.new_tuple(pair).into());
        }
        Ok(vm.ctx.new_tuple(items).into())
    }

    #[pygetset]
    fn variable(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult {
        let node = zelf.attached(vm)?;
        if !node.is_accumulate() {
            let class = zelf.class().name().to_string();
            return Err(vm.new_attribute_error(format!("'{class}' object has no attribute 'variable'")));
        }
        wrap_option(node.variable(), vm)
    }

    #[pygetset]
    fn metadata(zelf: &Py<Self>, vm: &VirtualMachine) -> PyDictRef {
        zelf.metadata.borrow_mut().get_or_insert_with(|| vm.ctx.new_dict()).clone()
    }

    #[pygetset]
    fn _saved_self(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult {
        zelf.saved_at(0, vm)
    }
    #[pygetset]
    fn _saved_other(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult {
        zelf.saved_at(1, vm)
    }
    #[pygetset]
    fn _saved_result(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult {
        let last = zelf.attached(vm)?.num_saved().saturating_sub(1);
        zelf.saved_at(last, vm)
    }

    #[pygetset]
    fn _raw_saved_self(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult {
        zelf.raw_saved(|_| 0, vm)
    }
    #[pygetset]
    fn _raw_saved_other(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult {
        zelf.raw_saved(|_| 1, vm)
    }
    #[pygetset]
    fn _raw_saved_result(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult {
        zelf.raw_saved(|n| n.saturating_sub(1), vm)
    }

    #[pymethod]
    fn register_hook(zelf: &Py<Self>, hook: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let node = zelf.attached(vm)?;
        let call = hook.clone();
        let id = node.add_post_hook(Rc::new(move |inputs, outputs| {
            with_vm(|vm| from_hook(call.call((to_tuple(inputs, vm)?, to_tuple(outputs, vm)?), vm)?, vm))
        }));
        grad::handle(&node, id, vm)
    }

    #[pymethod]
    fn register_prehook(zelf: &Py<Self>, hook: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let node = zelf.attached(vm)?;
        let id = node.add_pre_hook(Rc::new(move |outputs| {
            with_vm(|vm| from_hook(hook.call((to_tuple(outputs, vm)?,), vm)?, vm))
        }));
        grad::handle(&node, id, vm)
    }

    #[pymethod]
    fn _sequence_nr(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<u64> {
        Ok(zelf.attached(vm)?.seq())
    }

    /// The values a function saved, as they were given: tensors, or `None`.
    #[pymethod]
    fn _saved(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult {
        let tensors = zelf.attached(vm)?.saved_tensors().py(vm)?;
        let mut tensors = tensors.iter();
        let mut items = Vec::new();
        for is_tensor in zelf.saved.borrow().clone() {
            items.push(match (is_tensor, if is_tensor { tensors.next() } else { None }) {
                (true, Some(t)) => wrap(t, vm)?,
                _ => vm.ctx.none(),
            });
        }
        Ok(vm.ctx.new_tuple(items).into())
    }
}

impl PyNode {
    fn raw_saved(&self, at: impl FnOnce(usize) -> usize, vm: &VirtualMachine) -> PyResult {
        let node = self.attached(vm)?;
        let n = node.num_saved();
        let at = at(n);
        if at >= n {
            return Err(vm.new_attribute_error("this node did not save that value".to_owned()));
        }
        Ok(PySavedTensor { node, at }.into_pyobject(vm))
    }
    fn saved_at(&self, at: usize, vm: &VirtualMachine) -> PyResult {
        match self.attached(vm)?.saved_tensor(at).py(vm)? {
            Some(t) => wrap(&t, vm),
            None => Err(vm.new_attribute_error("this node did not save that value".to_owned())),
        }
    }
}

impl Representable for PyNode {
    fn repr_str(zelf: &Py<Self>, _vm: &VirtualMachine) -> PyResult<String> {
        Ok(format!("<{} object at 0x{:x}>", zelf.class().name(), zelf.get_id()))
    }
}

/// The context of a function written in Python: made by the package before `forward`, attached to its node after.
#[pyclass(name = "FunctionNode", module = "torch.autograd.graph", base = PyNode)]
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct PyFunctionNode(PyNode);

impl Constructor for PyFunctionNode {
    type Args = FuncArgs;
    fn slot_new(cls: PyTypeRef, _args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        Ok(PyNode::new(Link::Unattached).into_ref_with_type(vm, cls)?.into())
    }
    fn py_new(_cls: &Py<PyType>, _args: FuncArgs, _vm: &VirtualMachine) -> PyResult<Self> {
        Ok(PyFunctionNode(PyNode::new(Link::Unattached)))
    }
}

#[pyclass(flags(BASETYPE, HAS_DICT, HAS_WEAKREF), with(Constructor))]
impl PyFunctionNode {}

/// Python called from the engine: exceptions go through it unchanged.
pub(crate) fn with_vm<T>(f: impl FnOnce(&VirtualMachine) -> PyResult<T>) -> rushlight_engine::Result<T> {
    match rustpython_vm::vm::thread::try_with_current_vm(|vm| f(vm).map_err(foreign)) {
        Some(result) => result,
        None => Err(rushlight_engine::Error::runtime("Python is not running")),
    }
}
