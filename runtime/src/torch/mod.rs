//! The native module `torch._C`: tensors and operators for Python, over the engine.
//!
//! Start at `tensor.rs` (the class), `dispatch.rs` (how a call finds its op) and `schema.rs`/`args.rs` (how arguments
//! are bound). Ops themselves are declared in the engine; nothing here names one unless Python's syntax does.

mod args;
mod attributes;
mod autocast;
mod data;
mod device;
mod dispatch;
mod dtype;
mod errors;
mod functions;
mod generator;
mod gpu;
mod grad;
mod indexing;
mod legacy;
mod limits;
mod methods;
mod mismatch;
mod modes;
mod native;
mod node;
mod operators;
mod overriding;
mod printing;
mod profile;
mod returns;
mod saved;
mod schema;
mod size;
mod state;
mod storage;
mod tensor;

pub(crate) use _c::module_def;
pub(crate) use errors::raise;
pub use generator::seed_by_chance;
pub(crate) use modes::Modes;

use rustpython_vm::{PyObject, PyResult, VirtualMachine};

/// The engine's tensor in a Python object.
pub(crate) fn tensor_of<'a>(object: &'a PyObject, vm: &VirtualMachine) -> PyResult<&'a rushlight_engine::Tensor> {
    tensor::expect(object, "argument", vm)
}

/// The Python object of a new tensor.
pub(crate) fn tensor_object(made: rushlight_engine::Result<rushlight_engine::Tensor>, vm: &VirtualMachine) -> PyResult {
    tensor::wrap(&made.map_err(|e| raise(e, vm))?, vm)
}

#[rustpython_vm::pymodule(name = "torch._C")]
mod _c {
    use rustpython_vm::builtins::PyModule;
    use rustpython_vm::{Py, PyResult, VirtualMachine};

    pub(crate) fn module_exec(vm: &VirtualMachine, module: &Py<PyModule>) -> PyResult<()> {
        __module_exec(vm, module);
        super::functions::install(vm, module)
    }
}
