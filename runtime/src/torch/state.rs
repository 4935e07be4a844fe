//! What the module keeps for the thread it runs on: its singletons, its classes, and the ops by name.

use super::dispatch::Overloads;
use super::dtype::PyDType;
use rushlight_engine::DType;
use rustpython_vm::builtins::PyTypeRef;
use rustpython_vm::{PyObjectRef, PyRef};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Made when `torch._C` is imported.
pub(crate) struct State {
    pub dtypes: Vec<PyRef<PyDType>>,
    /// `torch.Tensor`
    pub tensor_class: PyTypeRef,
    pub size_class: PyTypeRef,
    pub strided: PyObjectRef,
    /// Every op's overloads by Python name (`add`, `add_`).
    pub ops: HashMap<String, Rc<Overloads>>,
    /// `torch.return_types` classes by op name.
    pub return_classes: RefCell<HashMap<String, PyTypeRef>>,
    /// One class a kind of node, so that `type(y.grad_fn).__name__` is right.
    pub node_classes: RefCell<HashMap<String, PyTypeRef>>,
    /// Exceptions that the package adds to Python's.
    pub out_of_memory: PyTypeRef,
    pub linalg_error: PyTypeRef,
    pub default_generator: PyObjectRef,
}

thread_local! {
    static STATE: RefCell<Option<Rc<State>>> = const { RefCell::new(None) };
}

pub(crate) fn set(state: State) {
    STATE.with(|s| *s.borrow_mut() = Some(Rc::new(state)));
}

/// The state, which exists once `torch._C` was imported: nothing that needs it can be called before.
pub(crate) fn get() -> Rc<State> {
    match STATE.with(|s| s.borrow().clone()) {
        Some(state) => state,
        None => unreachable!("torch._C objects exist only after its import"),
    }
}

impl State {
    pub fn dtype(&self, dtype: DType) -> PyRef<PyDType> {
        let at = DType::ALL.iter().position(|d| *d == dtype).unwrap_or(0);
        self.dtypes[at].clone()
    }
    pub fn op(&self, name: &str) -> Option<&Rc<Overloads>> {
        self.ops.get(name)
    }
}
