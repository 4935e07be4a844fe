//! `repr(x)` and the print options.

use super::errors::ToPy;
use rushlight_engine::{Tensor, format};
use rustpython_vm::builtins::PyFloat;
use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine};

/// As PyTorch prints a tensor.
pub(crate) fn repr(t: &Tensor, vm: &VirtualMachine) -> PyResult<String> {
    format::repr(t).py(vm)
}

/// `_set_printoptions(precision, threshold, edgeitems, linewidth, sci_mode)`
pub(crate) fn set_options(
    (precision, threshold, edgeitems, linewidth, sci_mode): (usize, PyObjectRef, usize, i64, PyObjectRef),
    vm: &VirtualMachine,
) -> PyResult<()> {
    let threshold = match threshold.downcast_ref::<PyFloat>() {
        Some(f) => f.to_f64(),
        None => threshold.try_into_value::<i64>(vm)? as f64,
    };
    let sci_mode = if vm.is_none(&sci_mode) { None } else { Some(sci_mode.is_true(vm)?) };
    format::set_options(format::PrintOptions { precision, threshold, edgeitems, linewidth, sci_mode });
    Ok(())
}

/// `_get_printoptions()`
pub(crate) fn options(vm: &VirtualMachine) -> PyResult {
    let options = format::options();
    let dict = vm.ctx.new_dict();
    let ctx = &vm.ctx;
    dict.set_item("precision", ctx.new_int(options.precision).into(), vm)?;
    dict.set_item("threshold", ctx.new_float(options.threshold).into(), vm)?;
    dict.set_item("edgeitems", ctx.new_int(options.edgeitems).into(), vm)?;
    dict.set_item("linewidth", ctx.new_int(options.linewidth).into(), vm)?;
    let sci_mode = options.sci_mode.map_or_else(|| ctx.none(), |b| ctx.new_bool(b).into());
    dict.set_item("sci_mode", sci_mode, vm)?;
    Ok(dict.into())
}
