//! Binding Python arguments to a signature, by PyTorch's rules.

use super::device::PyDevice;
use super::dtype::{PyDType, PyLayout, PyMemoryFormat};
use super::generator::PyGenerator;
use super::schema::{Kind, Param, Role, Signature};
use super::tensor::PyTensor;
use rushlight_engine::registry::{Args, Value};
use rushlight_engine::{DType, Scalar, Tensor};
use rustpython_vm::builtins::{PyBaseExceptionRef, PyComplex, PyFloat, PyInt, PyList, PyStr, PyTuple, PyType};
use rustpython_vm::function::KwArgs;
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyResult, VirtualMachine};

/// Why arguments don't fit a signature.
pub(crate) enum Mismatch {
    TooMany,
    Missing,
    /// Parameter, the object, its position from 1 where it was positional.
    Type(usize, PyObjectRef, Option<usize>),
    /// The first element of a list is of a wrong type.
    Element(usize, PyObjectRef, Option<usize>),
    Unexpected,
    /// The arguments are of this signature, but can't be used.
    Raise(PyBaseExceptionRef),
}

impl From<PyBaseExceptionRef> for Mismatch {
    fn from(e: PyBaseExceptionRef) -> Self {
        Mismatch::Raise(e)
    }
}

/// Arguments ready for the op.
pub(crate) struct Bound {
    pub args: Args,
    pub out: Option<PyObjectRef>,
    pub requires_grad: bool,
}

/// Other names of parameters, as NumPy has them.
fn aliases(name: &str) -> &'static [&'static str] {
    match name {
        "dim" => &["axis"],
        "keepdim" => &["keepdims"],
        "input" => &["x", "a", "x1"],
        "other" => &["x2"],
        _ => &[],
    }
}

fn keyword<'a>(kwargs: &'a KwArgs, param: &Param) -> Option<&'a PyObjectRef> {
    kwargs.get(&param.name).or_else(|| aliases(&param.name).iter().find_map(|name| kwargs.get(name)))
}

/// The names in `kwargs` that no parameter of `signature` has.
pub(crate) fn unknown_keywords<'a>(signature: &Signature, kwargs: &'a KwArgs) -> Vec<std::borrow::Cow<'a, str>> {
    let known = |name: &str| signature.params.iter().any(|p| p.name == name || aliases(&p.name).contains(&name));
    kwargs.keys().map(|name| name.to_string_lossy()).filter(|name| !known(name)).collect()
}

/// Fit the arguments to the signature. `zelf` is a method's tensor.
pub(crate) fn bind(
    signature: &Signature,
    zelf: Option<&Tensor>,
    args: &[PyObjectRef],
    kwargs: &KwArgs,
    vm: &VirtualMachine,
) -> Result<Bound, Mismatch> {
    let params = &signature.params;
    let varargs = signature.max_positional == 1 && params.first().is_some_and(|p| matches!(p.kind, Kind::Ints { .. }));
    if args.len() > signature.max_positional && !varargs {
        return Err(Mismatch::TooMany);
    }
    let mut values = Vec::with_capacity(signature.arity);
    if let Some(zelf) = zelf {
        values.push(Value::Tensor(zelf.clone()));
    }
    let mut bound = Bound { args: Args(Vec::new()), out: None, requires_grad: false };
    let mut remaining = kwargs.len();
    let mut position = 0;
    for (nr, param) in params.iter().enumerate() {
        let positional = position < args.len();
        let object = if positional {
            if param.keyword_only {
                return Err(Mismatch::TooMany);
            }
            args.get(position)
        } else if remaining > 0 {
            keyword(kwargs, param)
        } else {
            None
        };
        let value = match object {
            None => match &param.default {
                Some(default) => default.clone(),
                None => return Err(Mismatch::Missing),
            },
            Some(object) if param.nullable && vm.is_none(object) => Value::None,
            Some(object) => match accept(param, object, vm)? {
                Some(value) => value,
                None if varargs && position == 0 && positional && index_like(object, vm) => {
                    position = args.len();
                    let ints = ints(&param.name, args, vm)?;
                    values.push(Value::Ints(ints));
                    continue;
                }
                None => {
                    let at = positional.then_some(position + 1);
                    return Err(match first_element(param.kind, object) {
                        Some(first) => Mismatch::Element(nr, first, at),
                        None => Mismatch::Type(nr, object.clone(), at),
                    });
                }
            },
        };
        match param.role {
            Role::Op(_) => values.push(value),
            Role::Out => bound.out = object.filter(|o| !vm.is_none(o)).cloned(),
            Role::RequiresGrad => bound.requires_grad = matches!(value, Value::Bool(true)),
            Role::Ignored => {}
        }
        if positional {
            position += 1;
        } else if object.is_some() {
            remaining -= 1;
        }
    }
    if remaining > 0 {
        return Err(Mismatch::Unexpected);
    }
    if position < args.len() {
        return Err(Mismatch::TooMany);
    }
    bound.args = Args(values);
    Ok(bound)
}

fn first_element(kind: Kind, object: &PyObject) -> Option<PyObjectRef> {
    if !matches!(kind, Kind::Ints { .. } | Kind::Floats | Kind::Scalars) {
        return None;
    }
    items(object).and_then(|items| items.first().cloned())
}

/// The elements of a tuple or list.
pub(crate) fn items(object: &PyObject) -> Option<Vec<PyObjectRef>> {
    if let Some(tuple) = object.downcast_ref::<PyTuple>() {
        Some(tuple.as_slice().to_vec())
    } else {
        object.downcast_ref::<PyList>().map(|list| list.borrow_vec().to_vec())
    }
}

pub(crate) fn is_bool(object: &PyObject, vm: &VirtualMachine) -> bool {
    object.class().is(vm.ctx.types.bool_type)
}

/// A Python number (bool, int, float, complex) as the engine has it.
pub(crate) fn number(object: &PyObject, vm: &VirtualMachine) -> PyResult<Option<Scalar>> {
    if let Some(float) = object.downcast_ref::<PyFloat>() {
        return Ok(Some(Scalar::Float(float.to_f64())));
    }
    if let Some(int) = object.downcast_ref::<PyInt>() {
        if is_bool(object, vm) {
            return Ok(Some(Scalar::Bool(object.is(&vm.ctx.true_value))));
        }
        return int_value(int, vm).map(|i| Some(Scalar::Int(i)));
    }
    if let Some(complex) = object.downcast_ref::<PyComplex>() {
        let z = complex.to_complex();
        return Ok(Some(Scalar::Complex(z.re, z.im)));
    }
    numpy_scalar(object, vm)
}

/// A NumPy scalar is no subclass of Python's numbers; it says what it is by `item()` and `dtype`.
fn numpy_scalar(object: &PyObject, vm: &VirtualMachine) -> PyResult<Option<Scalar>> {
    if object.downcast_ref::<PyTensor>().is_some() || !is_numpy_scalar(object) {
        return Ok(None);
    }
    let item = vm.call_method(object, "item", ())?;
    if is_numpy_scalar(&item) { Ok(None) } else { number(&item, vm) }
}

fn is_numpy_scalar(object: &PyObject) -> bool {
    object.class().mro_map_collect(|class| class.name().to_string()).iter().any(|name| name == "generic")
}

pub(crate) fn int_value(int: &PyInt, vm: &VirtualMachine) -> PyResult<i64> {
    i64::try_from(int.as_bigint()).map_err(|_| vm.new_value_error("Overflow when unpacking long long".to_owned()))
}

/// Can this stand for an int in a list of sizes?
fn index_like(object: &PyObject, vm: &VirtualMachine) -> bool {
    if is_bool(object, vm) {
        return false;
    }
    if let Some(t) = object.downcast_ref::<PyTensor>() {
        return t.tensor().numel() == 1 && t.tensor().dtype().is_int();
    }
    object.downcast_ref::<PyInt>().is_some()
        || (object.downcast_ref::<PyFloat>().is_none() && object.class().slots.as_number.index.load().is_some())
}

/// An int, from anything that [`index_like`] takes.
fn int_of(object: &PyObject, vm: &VirtualMachine) -> PyResult<Option<i64>> {
    if let Some(int) = object.downcast_ref::<PyInt>() {
        return if is_bool(object, vm) { Ok(None) } else { int_value(int, vm).map(Some) };
    }
    if !index_like(object, vm) {
        return Ok(None);
    }
    int_value(&*object.try_index(vm)?, vm).map(Some)
}

fn ints(name: &str, items: &[PyObjectRef], vm: &VirtualMachine) -> PyResult<Vec<i64>> {
    let mut out = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        match int_of(item, vm)? {
            Some(i) => out.push(i),
            // After the first, bools pass for ints, as in PyTorch.
            None if is_bool(item, vm) => out.push(i64::from(item.is(&vm.ctx.true_value))),
            None => {
                let class = item.class().name().to_string();
                return Err(vm.new_type_error(unpack_text(name, at + 1, &class)));
            }
        }
    }
    Ok(out)
}

/// The op's name is put before it by the caller, who knows it.
fn unpack_text(name: &str, at: usize, class: &str) -> String {
    format!(
        "\u{0}argument '{name}' failed to unpack the object at pos {at} with error \"type must be tuple of ints,but got {class}\""
    )
}

/// Check an object against a parameter and convert it. `None`: it is of another type.
fn accept(param: &Param, object: &PyObject, vm: &VirtualMachine) -> Result<Option<Value>, Mismatch> {
    let tensor = object.downcast_ref::<PyTensor>().map(|t| t.tensor());
    Ok(match param.kind {
        Kind::Tensor { number: accepts } => match tensor {
            Some(t) => Some(Value::Tensor(t.clone())),
            None if accepts => number_tensor(object, vm)?,
            None => None,
        },
        Kind::NumberTensor => match (tensor, number_tensor(object, vm)?) {
            (None, number) => number,
            (Some(_), _) => None,
        },
        Kind::Scalar => scalar(object, tensor, vm)?.map(Value::Scalar),
        Kind::Int => match tensor {
            Some(t) if t.ndim() == 0 && t.dtype().is_int() && !t.requires_grad() => {
                Some(Value::Int(item(t, vm)?.to_i64()))
            }
            Some(_) => None,
            None => int_of(object, vm)?.map(Value::Int),
        },
        Kind::Float => scalar(object, tensor, vm)?.and_then(real).map(Value::Float),
        Kind::Bool => is_bool(object, vm).then(|| Value::Bool(object.is(&vm.ctx.true_value))),
        Kind::Ints { size } => int_list(param, size, object, vm)?,
        Kind::Floats => match items(object) {
            Some(items) => {
                let mut out = Vec::with_capacity(items.len());
                for item in &items {
                    match number(item, vm)?.and_then(real) {
                        Some(v) => out.push(v),
                        None => return Ok(None),
                    }
                }
                Some(Value::Floats(out))
            }
            None => None,
        },
        Kind::Scalars => match items(object) {
            Some(items) => {
                let mut out = Vec::with_capacity(items.len());
                for item in &items {
                    match number(item, vm)? {
                        Some(s) => out.push(Value::Scalar(s)),
                        None => return Ok(None),
                    }
                }
                Some(Value::Tuple(out))
            }
            None => None,
        },
        Kind::Tensors | Kind::OutTensors => match items(object) {
            Some(items) => Some(Value::Tensors(tensor_list(&items, vm)?)),
            None => None,
        },
        Kind::OptTensors => match items(object) {
            Some(items) => {
                let one = |item: &PyObjectRef| item.downcast_ref::<PyTensor>().map(|t| t.tensor().clone());
                Some(Value::OptTensors(items.iter().map(one).collect()))
            }
            None => None,
        },
        Kind::Str => object.downcast_ref::<PyStr>().map(|s| Value::Str(s.to_string_lossy().into_owned())),
        Kind::DType => dtype_of(object, vm)?.map(Value::DType),
        Kind::Layout => {
            let layout = object.downcast_ref::<PyLayout>();
            layout.map(|l| l.check(vm)).transpose()?.map(|()| Value::None)
        }
        Kind::MemoryFormat => {
            let format = object.downcast_ref::<PyMemoryFormat>();
            format.map(|f| Value::Str(f.name.to_owned()))
        }
        Kind::Device => device_of(object, vm)?.map(Value::Device),
        Kind::Generator => object.downcast_ref::<PyGenerator>().map(|g| Value::Generator(g.inner())),
    })
}

/// A number where only real ones will do.
fn real(s: Scalar) -> Option<f64> {
    if let Scalar::Complex(..) = s { None } else { Some(s.to_f64()) }
}

fn number_tensor(object: &PyObject, vm: &VirtualMachine) -> Result<Option<Value>, Mismatch> {
    let Some(scalar) = number(object, vm)? else { return Ok(None) };
    let tensor = Tensor::from_number(scalar).map_err(|e| super::errors::raise(e, vm))?;
    Ok(Some(Value::Tensor(tensor)))
}

fn item(t: &Tensor, vm: &VirtualMachine) -> PyResult<Scalar> {
    t.item().map_err(|e| super::errors::raise(e, vm))
}

fn scalar(object: &PyObject, tensor: Option<&Tensor>, vm: &VirtualMachine) -> PyResult<Option<Scalar>> {
    match tensor {
        Some(t) if t.ndim() == 0 && !t.requires_grad() => item(t, vm).map(Some),
        Some(_) => Ok(None),
        None => number(object, vm),
    }
}

fn int_list(param: &Param, size: usize, object: &PyObject, vm: &VirtualMachine) -> Result<Option<Value>, Mismatch> {
    match items(object) {
        Some(items) => {
            if items.first().is_some_and(|first| !index_like(first, vm)) {
                return Ok(None);
            }
            Ok(Some(Value::Ints(ints(&param.name, &items, vm)?)))
        }
        None if size > 0 => Ok(int_of(object, vm)?.map(|i| Value::Ints(vec![i; size]))),
        None => Ok(None),
    }
}

pub(crate) fn tensor_list(items: &[PyObjectRef], vm: &VirtualMachine) -> PyResult<Vec<Tensor>> {
    let one = |(at, item): (usize, &PyObjectRef)| match item.downcast_ref::<PyTensor>() {
        Some(t) => Ok(t.tensor().clone()),
        None => Err(vm.new_type_error(format!(
            "expected Tensor as element {at} in argument 0, but got {}",
            super::mismatch::type_name(item)
        ))),
    };
    items.iter().enumerate().map(one).collect()
}

/// `torch.float32`, or Python's `float`, `int`, `bool`.
pub(crate) fn dtype_of(object: &PyObject, vm: &VirtualMachine) -> PyResult<Option<DType>> {
    if let Some(dtype) = object.downcast_ref::<PyDType>() {
        return dtype.known(vm).map(Some);
    }
    Ok(object.downcast_ref::<PyType>().and_then(|class| {
        if class.is(vm.ctx.types.complex_type) {
            Some(DType::C128)
        } else if class.is(vm.ctx.types.float_type) {
            Some(DType::F64)
        } else if class.is(vm.ctx.types.int_type) {
            Some(DType::I64)
        } else if class.is(vm.ctx.types.bool_type) {
            Some(DType::Bool)
        } else {
            None
        }
    }))
}

/// `torch.device("cpu")`, `"cpu"`.
pub(crate) fn device_of(object: &PyObject, vm: &VirtualMachine) -> PyResult<Option<rushlight_engine::Device>> {
    if let Some(device) = object.downcast_ref::<PyDevice>() {
        return device.usable(vm).map(Some);
    }
    if let Some(text) = object.downcast_ref::<PyStr>() {
        return PyDevice::parse(&text.to_string_lossy(), vm)?.usable(vm).map(Some);
    }
    if let Some(int) = object.downcast_ref::<PyInt>().filter(|_| !is_bool(object, vm)) {
        let index = int_value(int, vm)?;
        return PyDevice::new("cuda", Some(index)).usable(vm).map(Some);
    }
    Ok(None)
}
