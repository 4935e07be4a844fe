//! Hooks around saved tensors: `saved_tensors_hooks`, and `_raw_saved_self.register_hooks` of a node.

use super::errors::ToPy;
use super::node::with_vm;
use super::tensor::{PyTensor, wrap};
use rushlight_engine::autograd::{Node, SavedHooks};
use rushlight_engine::{Error, Result, Tensor};
use rustpython_vm::{Py, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};
use std::any::Any;
use std::rc::Rc;

/// Two Python functions; what the first gives is kept, the second makes a tensor of it again.
pub(crate) struct Hooks {
    pub pack: PyObjectRef,
    pub unpack: PyObjectRef,
}

impl SavedHooks for Hooks {
    fn pack(&self, t: &Tensor) -> Result<Box<dyn Any>> {
        with_vm(|vm| Ok(Box::new(self.pack.call((wrap(t, vm)?,), vm)?) as Box<dyn Any>))
    }
    fn unpack(&self, packed: &dyn Any) -> Result<Tensor> {
        let Some(object) = packed.downcast_ref::<PyObjectRef>() else {
            return Err(Error::runtime("a saved tensor was packed by somebody else"));
        };
        with_vm(|vm| {
            let result = self.unpack.call((object.clone(),), vm)?;
            match result.downcast_ref::<PyTensor>() {
                Some(t) => Ok(t.tensor().clone()),
                None => Err(vm.new_type_error(format!(
                    "Output of saved tensor unpack_hook expected to be a Tensor but got result of type {}",
                    result.class().name()
                ))),
            }
        })
    }
}

/// One saved tensor of a node, to hang hooks on.
#[pyclass(name = "SavedTensor", module = "torch._C._autograd")]
#[derive(PyPayload)]
pub(crate) struct PySavedTensor {
    pub node: Rc<Node>,
    pub at: usize,
}

impl std::fmt::Debug for PySavedTensor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SavedTensor")
    }
}

#[pyclass(flags(HAS_WEAKREF))]
impl PySavedTensor {
    #[pymethod]
    fn register_hooks(zelf: &Py<Self>, pack: PyObjectRef, unpack: PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
        zelf.node.register_saved_hooks(zelf.at, Rc::new(Hooks { pack, unpack })).py(vm)
    }
}
