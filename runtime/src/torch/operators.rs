//! Python's operators on tensors.

use super::args;
use super::errors::ToPy;
use super::overriding;
use super::state;
use super::tensor::{PyTensor, expect, index, one_element, wrap};
use rustpython_vm::function::KwArgs;
use rustpython_vm::protocol::{PyNumberBinaryFunc, PyNumberMethods, PyNumberUnaryFunc};
use rustpython_vm::types::AsNumber;
use rustpython_vm::{PyObject, PyObjectRef, PyResult, VirtualMachine};

/// An op by name on operands; `None` where they don't fit, so that Python asks the other operand.
pub(crate) fn call(name: &str, operands: &[PyObjectRef], vm: &VirtualMachine) -> PyResult<Option<PyObjectRef>> {
    let state = state::get();
    let Some(overloads) = state.op(name) else {
        return Err(vm.new_not_implemented_error(format!("the op '{name}' is not available here")));
    };
    // With a number at the left it is no method's call.
    let func = || match operands.first() {
        Some(first) if is_tensor(first) => overriding::method(name, vm),
        _ => Ok(super::native::op_function(overloads.clone(), vm)),
    };
    match overriding::answer(func, None, operands, &KwArgs::default(), vm)? {
        Some(answer) => Ok(Some(answer)),
        None => overloads.call_operator(operands, vm),
    }
}

fn is_tensor(object: &PyObject) -> bool {
    object.downcast_ref::<PyTensor>().is_some()
}

/// `a op b`, or with a number at the left the op that PyTorch calls for it.
fn binary(name: &str, reflected: Reflected, a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> PyResult {
    let (a, b) = (a.to_owned(), b.to_owned());
    let result = if is_tensor(&a) {
        call(name, &[a, b], vm)?
    } else {
        // Only numbers come to the left of a tensor: everything else is refused by its type.
        if args::number(&a, vm)?.is_none() {
            let class = a.class().name().to_string();
            // Here the interpreter asks the tensor before it tries to join sequences.
            if name == "add" && ["list", "tuple"].contains(&class.as_str()) {
                return Err(vm.new_type_error(format!("can only concatenate {class} (not \"Tensor\") to {class}")));
            }
            return Ok(vm.ctx.not_implemented());
        }
        match reflected {
            Reflected::Swap => call(name, &[b, a], vm)?,
            Reflected::Same => call(name, &[a, b], vm)?,
            Reflected::Op(op) => call(op, &[b, a], vm)?,
            Reflected::Divide => {
                let reciprocal = call("reciprocal", &[b], vm)?;
                match reciprocal {
                    Some(r) => call("mul", &[r, a], vm)?,
                    None => None,
                }
            }
            Reflected::Lifted => {
                let number = args::number(&a, vm)?;
                let left = number.map(rushlight_engine::Tensor::from_number).transpose().py(vm)?;
                let left = left.map(|t| wrap(&t, vm)).transpose()?.unwrap_or(a);
                call(name, &[left, b], vm)?
            }
        }
    };
    Ok(result.unwrap_or_else(|| vm.ctx.not_implemented()))
}

#[derive(Clone, Copy)]
enum Reflected {
    /// The op is commutative.
    Swap,
    /// The op takes a number at its left.
    Same,
    /// As `Same`, with the number made a tensor first.
    Lifted,
    /// Another op, operands swapped.
    Op(&'static str),
    /// `1 / x * a`
    Divide,
}

fn inplace(name: &str, a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> PyResult {
    if !is_tensor(a) {
        return Ok(vm.ctx.not_implemented());
    }
    let result = call(name, &[a.to_owned(), b.to_owned()], vm)?;
    Ok(result.unwrap_or_else(|| vm.ctx.not_implemented()))
}

fn unary(name: &str, a: &PyObject, vm: &VirtualMachine) -> PyResult {
    match call(name, &[a.to_owned()], vm)? {
        Some(result) => Ok(result),
        None => Err(vm.new_type_error(format!("{name}(): argument 'input' must be Tensor, not {}", a.class().name()))),
    }
}

/// The value behind `int(x)` and `float(x)`: what has an imaginary part is refused.
fn real_element(t: &rushlight_engine::Tensor, class: &str, vm: &VirtualMachine) -> PyResult<rushlight_engine::Scalar> {
    match one_element(t, vm)? {
        rushlight_engine::Scalar::Complex(re, 0.0) => Ok(rushlight_engine::Scalar::Float(re)),
        rushlight_engine::Scalar::Complex(..) => {
            Err(vm.new_runtime_error(format!("value cannot be converted to type {class} without overflow")))
        }
        real => Ok(real),
    }
}

macro_rules! infix {
    ($name:literal, $reflected:expr) => {
        Some((|a, b, vm| binary($name, $reflected, a, b, vm)) as PyNumberBinaryFunc)
    };
}
macro_rules! assign {
    ($name:literal) => {
        Some((|a, b, vm| inplace($name, a, b, vm)) as PyNumberBinaryFunc)
    };
}
macro_rules! prefix {
    ($name:literal) => {
        Some((|a, vm| unary($name, a.obj, vm)) as PyNumberUnaryFunc)
    };
}

static NUMBER: PyNumberMethods = PyNumberMethods {
    add: infix!("add", Reflected::Swap),
    subtract: infix!("sub", Reflected::Op("rsub")),
    multiply: infix!("mul", Reflected::Swap),
    true_divide: infix!("div", Reflected::Divide),
    floor_divide: infix!("floor_divide", Reflected::Lifted),
    remainder: infix!("remainder", Reflected::Same),
    matrix_multiply: infix!("matmul", Reflected::Same),
    lshift: infix!("bitwise_left_shift", Reflected::Lifted),
    rshift: infix!("bitwise_right_shift", Reflected::Lifted),
    and: infix!("bitwise_and", Reflected::Swap),
    or: infix!("bitwise_or", Reflected::Swap),
    xor: infix!("bitwise_xor", Reflected::Swap),
    power: Some(|a, b, modulus, vm| {
        if !vm.is_none(modulus) {
            return Ok(vm.ctx.not_implemented());
        }
        binary("pow", Reflected::Same, a, b, vm)
    }),
    inplace_add: assign!("add_"),
    inplace_subtract: assign!("sub_"),
    inplace_multiply: assign!("mul_"),
    inplace_true_divide: assign!("div_"),
    inplace_floor_divide: assign!("floor_divide_"),
    inplace_remainder: assign!("remainder_"),
    inplace_lshift: assign!("bitwise_left_shift_"),
    inplace_rshift: assign!("bitwise_right_shift_"),
    inplace_and: assign!("bitwise_and_"),
    inplace_or: assign!("bitwise_or_"),
    inplace_xor: assign!("bitwise_xor_"),
    inplace_power: Some(|a, b, _modulus, vm| inplace("pow_", a, b, vm)),
    negative: prefix!("neg"),
    positive: prefix!("positive"),
    absolute: prefix!("abs"),
    invert: Some(|a, vm| {
        let t = expect(a.obj, "self", vm)?;
        if t.dtype().is_inexact() {
            let text = "~ (operator.invert) is only implemented on integer and Boolean-type tensors";
            return Err(vm.new_type_error(text.to_owned()));
        }
        unary("bitwise_not", a.obj, vm)
    }),
    boolean: Some(|a, vm| expect(a.obj, "self", vm)?.is_true().py(vm)),
    int: Some(|a, vm| {
        let value = real_element(expect(a.obj, "self", vm)?, "int64_t", vm)?;
        let number = super::dispatch::scalar(value, vm);
        Ok(number.try_int(vm)?.into())
    }),
    float: Some(|a, vm| {
        let value = real_element(expect(a.obj, "self", vm)?, "double", vm)?;
        Ok(vm.ctx.new_float(value.to_f64()).into())
    }),
    index: Some(|a, vm| Ok(vm.ctx.new_int(index(expect(a.obj, "self", vm)?, vm)?).into())),
    ..PyNumberMethods::NOT_IMPLEMENTED
};

impl AsNumber for PyTensor {
    fn as_number() -> &'static PyNumberMethods {
        &NUMBER
    }
}
