//! `torch.return_types`: tuples with names, as `torch.max(x, dim=0)` gives them.

use super::state;
use rustpython_vm::builtins::{PyStrRef, PyTuple, PyType, PyTypeRef};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, PyObjectRef, PyPayload, PyResult, VirtualMachine};

/// The class of an op's results.
pub(crate) fn class(op: &str, fields: &[String], vm: &VirtualMachine) -> PyResult<PyTypeRef> {
    let known = state::get().return_classes.borrow().get(op).cloned();
    if let Some(class) = known {
        return Ok(class);
    }
    let class = make(op, fields, vm)?;
    state::get().return_classes.borrow_mut().insert(op.to_owned(), class.clone());
    Ok(class)
}

/// The results of an op as its named tuple.
pub(crate) fn named(op: &str, fields: &[String], items: Vec<PyObjectRef>, vm: &VirtualMachine) -> PyResult {
    let class = class(op, fields, vm)?;
    Ok(PyTuple::new_unchecked(items.into_boxed_slice()).into_ref_with_type(vm, class)?.into())
}

fn make(op: &str, fields: &[String], vm: &VirtualMachine) -> PyResult<PyTypeRef> {
    let ctx = &vm.ctx;
    let class = PyType::new_simple_heap(op, ctx.types.tuple_type, ctx).map_err(|e| vm.new_type_error(e))?;
    let intern = |name: &str| ctx.intern_str(name);
    class.set_attr(intern("__module__"), ctx.new_str("torch.return_types").into());
    // `property(operator.itemgetter(i))`; the Python module `operator` is not loaded for it.
    let operator = vm.import("_operator", 0)?;
    let getter = operator.get_attr("itemgetter", vm)?;
    let property = ctx.types.property_type.as_object().to_owned();
    for (i, field) in fields.iter().enumerate() {
        let get = getter.call((i,), vm)?;
        class.set_attr(intern(field), property.call((get,), vm)?);
    }
    let text_of = op.to_owned();
    let names = fields.to_vec();
    let repr = move |args: FuncArgs, vm: &VirtualMachine| -> PyResult<PyStrRef> {
        let items = args.args.first().and_then(|zelf| super::args::items(zelf)).unwrap_or_default();
        let mut parts = Vec::with_capacity(items.len());
        for (name, item) in names.iter().zip(&items) {
            parts.push(format!("{name}={}", item.repr(vm)?.to_string_lossy()));
        }
        Ok(vm.ctx.new_str(format!("torch.return_types.{text_of}(\n{})", parts.join(",\n"))))
    };
    let repr = super::native::method("__repr__", repr, vm);
    // Through the attribute protocol, which sets the slots too.
    class.as_object().set_attr(intern("__repr__"), repr.clone(), vm)?;
    class.as_object().set_attr(intern("__str__"), repr, vm)?;
    let n = ctx.new_int(fields.len());
    for name in ["n_fields", "n_sequence_fields"] {
        class.set_attr(intern(name), n.clone().into());
    }
    class.set_attr(intern("n_unnamed_fields"), ctx.new_int(0).into());
    Ok(class)
}
