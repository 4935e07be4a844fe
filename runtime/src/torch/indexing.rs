//! `x[...]` and `x[...] = v`: from Python's subscripts to the engine's.

use super::args::{self, items};
use super::data;
use super::errors::ToPy;
use super::tensor::{PyTensor, wrap};
use rushlight_engine::ops::{self, Index};
use rushlight_engine::{DType, Tensor};
use rustpython_vm::builtins::{PyInt, PyList, PySlice, PyStr, PyTuple};
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyResult, VirtualMachine};

/// `x[index]`
pub(crate) fn get(x: &Tensor, index: &PyObject, vm: &VirtualMachine) -> PyResult {
    crate::stop::check_interrupt(vm)?;
    let index = subscript(index, vm)?;
    wrap(&ops::index(x, &index).py(vm)?, vm)
}

/// `x[index] = value`
pub(crate) fn set(x: &Tensor, index: &PyObject, value: &PyObject, vm: &VirtualMachine) -> PyResult<()> {
    crate::stop::check_interrupt(vm)?;
    let index = subscript(index, vm)?;
    let value = assigned(x, value, vm)?;
    ops::index_put(x, &index, &value).py(vm)
}

fn assigned(x: &Tensor, value: &PyObject, vm: &VirtualMachine) -> PyResult<Tensor> {
    if let Some(t) = value.downcast_ref::<PyTensor>() {
        return Ok(t.tensor().clone());
    }
    match args::number(value, vm)? {
        Some(number) => Tensor::from_number(number).py(vm),
        None => Err(vm.new_type_error(format!(
            "can't assign a {} to a torch.{}",
            super::mismatch::type_name(value),
            x.dtype().tensor_type_name()
        ))),
    }
}

/// The parts of a subscript.
fn subscript(index: &PyObject, vm: &VirtualMachine) -> PyResult<Vec<Index>> {
    if let Some(tuple) = index.downcast_ref::<PyTuple>() {
        return tuple.as_slice().iter().map(|part| one(part, vm)).collect();
    }
    if let Some(list) = index.downcast_ref::<PyList>() {
        let parts = list.borrow_vec().to_vec();
        if treat_as_tuple(&parts) {
            return parts.iter().map(|part| one(part, vm)).collect();
        }
    }
    Ok(vec![one(index, vm)?])
}

/// A short list with sequences, slices or `None` in it stands for a tuple, as in old NumPy.
fn treat_as_tuple(parts: &[PyObjectRef]) -> bool {
    let plural = |part: &PyObjectRef| {
        part.downcast_ref::<PyTensor>().is_some()
            || part.downcast_ref::<PyList>().is_some()
            || part.downcast_ref::<PyTuple>().is_some()
            || part.downcast_ref::<PySlice>().is_some()
    };
    parts.len() < 32 && parts.iter().any(plural)
}

fn one(part: &PyObject, vm: &VirtualMachine) -> PyResult<Index> {
    if let Some(int) = part.downcast_ref::<PyInt>() {
        if args::is_bool(part, vm) {
            return Ok(Index::Bool(part.is(&vm.ctx.true_value)));
        }
        return Ok(Index::Int(args::int_value(int, vm)?));
    }
    if let Some(slice) = part.downcast_ref::<PySlice>() {
        let bound = |object: Option<&PyObject>| -> PyResult<Option<i64>> {
            match object {
                None => Ok(None),
                Some(object) if vm.is_none(object) => Ok(None),
                Some(object) => {
                    let index = object.try_index_opt(vm).unwrap_or_else(|| {
                        let text = "slice indices must be integers or None or have an __index__ method";
                        Err(vm.new_type_error(text.to_owned()))
                    })?;
                    Ok(Some(clamped(&index)))
                }
            }
        };
        let step = bound(slice.step.as_deref())?;
        if step == Some(0) {
            return Err(vm.new_value_error("slice step cannot be zero".to_owned()));
        }
        if step.is_some_and(|s| s < 0) {
            return Err(vm.new_value_error("step must be greater than zero".to_owned()));
        }
        return Ok(Index::Slice { start: bound(slice.start.as_deref())?, stop: bound(Some(&slice.stop))?, step });
    }
    if let Some(t) = part.downcast_ref::<PyTensor>() {
        return Ok(Index::Tensor(t.tensor().clone()));
    }
    if let Some(t) = data::array_of(part, vm)? {
        return Ok(match t.dtype() {
            dtype if dtype.is_int() && t.ndim() == 0 => Index::Int(t.item().py(vm)?.to_i64()),
            DType::Bool | DType::I64 | DType::U8 => Index::Tensor(t),
            dtype if dtype.is_int() => Index::Tensor(ops::cast(&t, DType::I64).py(vm)?),
            _ => Index::Tensor(t),
        });
    }
    if vm.is_none(part) {
        return Ok(Index::None);
    }
    if part.is(&vm.ctx.ellipsis) {
        return Ok(Index::Ellipsis);
    }
    if part.downcast_ref::<PyStr>().is_some() {
        return Err(vm.new_type_error("new(): invalid data type 'str'".to_owned()));
    }
    let sequence = items(part).is_some() || part.class().slots.as_sequence.item.load().is_some();
    if sequence {
        return Ok(Index::Tensor(index_tensor(part, vm)?));
    }
    // NumPy's ints.
    if let Some(index) = part.try_index_opt(vm) {
        return Ok(Index::Int(clamped(&*index?)));
    }
    Err(vm.new_index_error(format!(
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got {})",
        part.class().name()
    )))
}

/// A bound beyond 64 bits is as good as the largest.
fn clamped(int: &PyInt) -> i64 {
    let big = int.as_bigint();
    let out_of_range = || if big.to_string().starts_with('-') { i64::MIN + 1 } else { i64::MAX };
    i64::try_from(big).unwrap_or_else(|_| out_of_range())
}

/// A list as an index: of ints or bools.
fn index_tensor(part: &PyObject, vm: &VirtualMachine) -> PyResult<Tensor> {
    let t = data::tensor_from(part, None, vm)?;
    if t.dtype() == DType::Bool || t.dtype() == DType::I64 || t.dtype() == DType::U8 {
        return Ok(t);
    }
    ops::cast(&t, DType::I64).py(vm)
}
