//! How an `OrderedDict` and its views print. `state_dict()` and its keys are printed in every tutorial: the interpreter
//! gives the views no `repr` of their own, and prints the dict as Python 3.12 and later do, where PyTorch's recorded
//! outputs are of Python 3.11.

use rustpython_vm::builtins::PyStr;
use rustpython_vm::{AsObject, PyObject, PyRef, PyResult, VirtualMachine};

/// Gives `odict_keys`, `odict_values` and `odict_items` CPython's `repr`.
pub(crate) fn print_views(vm: &VirtualMachine) -> PyResult<()> {
    let empty = vm.import("_collections", 0)?.get_attr("OrderedDict", vm)?.call((), vm)?;
    for method in ["keys", "values", "items"] {
        let view = vm.call_method(&empty, method, ())?;
        view.class().slots.repr.store(Some(repr));
    }
    empty.class().slots.repr.store(Some(dict_repr));
    Ok(())
}

/// `OrderedDict([('weight', 1), ('bias', 2)])`
fn dict_repr(dict: &PyObject, vm: &VirtualMachine) -> PyResult<PyRef<PyStr>> {
    let name = dict.class().name().to_string();
    let Some(_guard) = rustpython_vm::recursion::ReprGuard::enter(vm, dict) else {
        return Ok(vm.ctx.new_str("..."));
    };
    vm.with_recursion("while getting the repr of an object", || {
        let items = vm.call_method(dict, "items", ())?;
        let items = vm.ctx.types.list_type.as_object().call((items,), vm)?;
        if items.length(vm)? == 0 {
            return Ok(vm.ctx.new_str(format!("{name}()")));
        }
        Ok(vm.ctx.new_str(format!("{name}({})", items.repr(vm)?.to_string_lossy())))
    })
}

/// `odict_keys(['weight', 'bias'])`
fn repr(view: &PyObject, vm: &VirtualMachine) -> PyResult<PyRef<PyStr>> {
    vm.with_recursion("while getting the repr of an object", || {
        let items = vm.ctx.types.list_type.as_object().call((view.to_owned(),), vm)?.repr(vm)?;
        Ok(vm.ctx.new_str(format!("{}({})", view.class().name(), items.to_string_lossy())))
    })
}
