//! Engine errors as Python exceptions, and Python exceptions carried through the engine.

use super::state;
use crate::stop;
use rushlight_engine::Error;
use rushlight_engine::error::Class;
use rustpython_vm::builtins::PyBaseExceptionRef;
use rustpython_vm::{PyResult, VirtualMachine};
use std::rc::Rc;

/// The exception an engine error is raised as.
pub(crate) fn raise(error: Error, vm: &VirtualMachine) -> PyBaseExceptionRef {
    if let Error::Foreign(carried) = &error
        && let Some(exception) = carried.downcast_ref::<PyBaseExceptionRef>()
    {
        return exception.clone();
    }
    // Where Stop cut a wait short, there is no result to tell of.
    if stop::stop_requested() {
        return stop::interrupt(vm);
    }
    let text = error.to_string();
    match error.class() {
        Class::Runtime => vm.new_runtime_error(text),
        Class::Type => vm.new_type_error(text),
        Class::Value => vm.new_value_error(text),
        Class::Index => vm.new_index_error(text),
        Class::NotImplemented => vm.new_not_implemented_error(text),
        Class::OutOfMemory => vm.new_exception_msg(state::get().out_of_memory.clone(), text.into()),
        Class::LinAlg => vm.new_exception_msg(state::get().linalg_error.clone(), text.into()),
    }
}

/// A Python exception on its way through the engine.
pub(crate) fn foreign(exception: PyBaseExceptionRef) -> Error {
    Error::Foreign(Rc::new(exception))
}

/// `result.py(vm)?` in native functions.
pub(crate) trait ToPy<T> {
    fn py(self, vm: &VirtualMachine) -> PyResult<T>;
}

impl<T> ToPy<T> for rushlight_engine::Result<T> {
    fn py(self, vm: &VirtualMachine) -> PyResult<T> {
        self.map_err(|e| raise(e, vm))
    }
}
