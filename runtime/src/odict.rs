//! How the views of an `OrderedDict` print: the interpreter gives them no `repr` of their own, and `state_dict().keys()`
//! is printed in every tutorial.

use rustpython_vm::builtins::PyStr;
use rustpython_vm::{AsObject, PyObject, PyRef, PyResult, VirtualMachine};

/// Gives `odict_keys`, `odict_values` and `odict_items` CPython's `repr`.
pub(crate) fn print_views(vm: &VirtualMachine) -> PyResult<()> {
    let empty = vm.import("_collections", 0)?.get_attr("OrderedDict", vm)?.call((), vm)?;
    for method in ["keys", "values", "items"] {
        let view = vm.call_method(&empty, method, ())?;
        view.class().slots.repr.store(Some(repr));
    }
    Ok(())
}

/// `odict_keys(['weight', 'bias'])`
fn repr(view: &PyObject, vm: &VirtualMachine) -> PyResult<PyRef<PyStr>> {
    vm.with_recursion("while getting the repr of an object", || {
        let items = vm.ctx.types.list_type.as_object().call((view.to_owned(),), vm)?.repr(vm)?;
        Ok(vm.ctx.new_str(format!("{}({})", view.class().name(), items.to_string_lossy())))
    })
}
