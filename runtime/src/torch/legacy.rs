//! The old constructors: `torch.Tensor(2, 3)`, `torch.FloatTensor([1.0])`, `x.new(2)`.

use super::args::{int_value, is_bool, items};
use super::data::tensor_from;
use super::errors::ToPy;
use super::tensor::PyTensor;
use rushlight_engine::{DType, Tensor};
use rustpython_vm::builtins::{PyFloat, PyInt};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, PyResult, VirtualMachine};

/// A tensor by sizes, or of a sequence's numbers.
pub(crate) fn construct(args: &FuncArgs, dtype: DType, vm: &VirtualMachine) -> PyResult<Tensor> {
    let unknown = args.kwargs.keys().any(|k| &*k.to_string_lossy() != "device");
    let several = args.args.len() > 1 && args.args[0].downcast_ref::<PyInt>().is_none();
    if unknown || several {
        return Err(super::mismatch::none_fits("new", &[], None, &args.args, &args.kwargs, vm));
    }
    let args = &args.args;
    let Some(first) = args.first() else {
        return Tensor::zeros(&[0], dtype).py(vm);
    };
    if first.downcast_ref::<PyInt>().is_some() && !is_bool(first, vm) {
        let mut shape = Vec::with_capacity(args.len());
        for arg in args {
            let Some(int) = arg.downcast_ref::<PyInt>() else {
                return Err(vm.new_type_error(format!(
                    "new(): argument 'size' failed to unpack the object at pos {} with error \"type must be tuple of \
                     ints,but got {}\"",
                    shape.len() + 1,
                    arg.class().name()
                )));
            };
            shape.push(int_value(int, vm)?);
        }
        return sized(&shape, dtype, vm);
    }
    if let Some(t) = first.downcast_ref::<PyTensor>() {
        return Ok(t.tensor().detach());
    }
    if first.class().is(&super::state::get().size_class) {
        let sizes = items(first).unwrap_or_default();
        let shape = sizes.iter().map(|s| s.clone().try_into_value::<i64>(vm)).collect::<PyResult<Vec<_>>>()?;
        return sized(&shape, dtype, vm);
    }
    if first.downcast_ref::<PyFloat>().is_some() || is_bool(first, vm) {
        return Err(vm.new_type_error(format!("new(): data must be a sequence (got {})", first.class().name())));
    }
    tensor_from(first, Some(dtype), vm)
}

fn sized(shape: &[i64], dtype: DType, vm: &VirtualMachine) -> PyResult<Tensor> {
    let mut sizes = Vec::with_capacity(shape.len());
    for &size in shape {
        let Ok(size) = usize::try_from(size) else {
            let text = format!(
                "Trying to create tensor with negative dimension {size}: {}",
                rushlight_engine::error::list(shape)
            );
            return Err(vm.new_runtime_error(text));
        };
        sizes.push(size);
    }
    Tensor::zeros(&sizes, dtype).py(vm)
}
