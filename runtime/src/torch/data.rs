//! Tensors from Python's numbers and nested sequences: `torch.tensor`, `torch.as_tensor`.

use super::args::{self, items, number};
use super::errors::ToPy;
use super::tensor::{PyTensor, wrap};
use rushlight_engine::dtype::default_dtype;
use rushlight_engine::{DType, Device, Scalar, Tensor, device, ops, placement};
use rustpython_vm::builtins::{PyBytes, PyInt, PyStr};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyResult, VirtualMachine};

/// As deep as sequences may nest.
const MAX_DEPTH: usize = 128;

/// The elements of something that counts as a sequence here.
fn sequence(object: &PyObject, vm: &VirtualMachine) -> PyResult<Option<Vec<PyObjectRef>>> {
    if let Some(items) = items(object) {
        return Ok(Some(items));
    }
    let is_text = object.downcast_ref::<PyStr>().is_some() || object.downcast_ref::<PyBytes>().is_some();
    if is_text || object.class().slots.as_sequence.item.load().is_none() {
        return Ok(None);
    }
    // range, array, and classes with __len__ and __getitem__.
    let Ok(length) = object.length(vm) else { return Ok(None) };
    (0..length).map(|i| object.get_item(&i, vm)).collect::<PyResult<Vec<_>>>().map(Some)
}

/// A NumPy array or scalar as a tensor over the same memory: such objects give it by `__rushlight_array__()`.
pub(crate) fn array_of(object: &PyObject, vm: &VirtualMachine) -> PyResult<Option<Tensor>> {
    if object.class().is(vm.ctx.types.list_type) || object.class().is(vm.ctx.types.int_type) {
        return Ok(None);
    }
    let Some(give) = object.class().get_attr(vm.ctx.intern_str("__rushlight_array__")) else { return Ok(None) };
    let given = give.call((object.to_owned(),), vm)?;
    super::tensor::expect(&given, "an array's tensor", vm).map(|t| Some(t.clone()))
}

/// One element of nested data.
enum Leaf {
    Number(Scalar),
    Tensor(Tensor),
}

/// What nested data holds, before it has a dtype.
struct Flat {
    shape: Vec<usize>,
    dtype: DType,
    leaves: Vec<Leaf>,
}

fn invalid(object: &PyObject, vm: &VirtualMachine) -> PyResult<()> {
    if object.downcast_ref::<PyStr>().is_some() || object.downcast_ref::<PyBytes>().is_some() {
        return Err(vm.new_type_error(format!("new(): invalid data type '{}'", object.class().name())));
    }
    Ok(())
}

/// The shape, from the first element at each depth.
fn shape_of(object: &PyObject, vm: &VirtualMachine) -> PyResult<Vec<usize>> {
    let mut shape = Vec::new();
    let mut here: PyObjectRef = object.to_owned();
    loop {
        // A tensor counts as one number, which it must hold.
        if here.downcast_ref::<PyTensor>().is_some() {
            return Ok(shape);
        }
        if let Some(t) = array_of(&here, vm)? {
            shape.extend(t.shape());
            return Ok(shape);
        }
        // Each letter of a text is a text again, without end.
        if here.downcast_ref::<PyStr>().is_some_and(|s| !s.as_wtf8().is_empty()) {
            return Err(vm.new_value_error("too many dimensions 'str'".to_owned()));
        }
        let Some(items) = sequence(&here, vm)? else { return Ok(shape) };
        shape.push(items.len());
        if shape.len() > MAX_DEPTH {
            let text = format!("too many dimensions '{}'", here.class().name());
            return Err(vm.new_value_error(text));
        }
        match items.into_iter().next() {
            Some(first) => here = first,
            None => return Ok(shape),
        }
    }
}

/// The dtype PyTorch infers, looking at all elements.
fn infer(object: &PyObject, depth: usize, found: &mut Option<DType>, vm: &VirtualMachine) -> PyResult<()> {
    let mut add = |dtype: DType| *found = Some(found.map_or(dtype, |f| f.promote(dtype)));
    if let Some(t) = object.downcast_ref::<PyTensor>() {
        add(t.tensor().dtype());
        return Ok(());
    }
    invalid(object, vm)?;
    if let Some(t) = array_of(object, vm)? {
        add(t.dtype());
        return Ok(());
    }
    if object.downcast_ref::<PyInt>().is_some() {
        add(if args::is_bool(object, vm) { DType::Bool } else { DType::I64 });
        return Ok(());
    }
    if let Some(number) = number(object, vm)? {
        add(number.dtype());
        return Ok(());
    }
    match sequence(object, vm)? {
        Some(items) => {
            if items.is_empty() {
                add(default_dtype());
            }
            if items.iter().any(|item| item.is(object)) {
                return Err(vm.new_type_error("self-referential lists are incompatible".to_owned()));
            }
            if depth >= MAX_DEPTH {
                return Err(vm.new_value_error(format!("too many dimensions '{}'", object.class().name())));
            }
            items.iter().try_for_each(|item| infer(item, depth + 1, found, vm))
        }
        None => Err(vm.new_runtime_error(format!("Could not infer dtype of {}", object.class().name()))),
    }
}

fn flatten(object: &PyObject, depth: usize, flat: &mut Flat, vm: &VirtualMachine) -> PyResult<()> {
    let ndim = flat.shape.len();
    // Classes that see calls say themselves what their elements are.
    if object.downcast_ref::<PyTensor>().is_some() && super::overriding::overrides(object, vm) {
        if depth == ndim {
            let element = vm.call_method(object, "item", ())?;
            return match number(&element, vm)? {
                Some(number) => {
                    flat.leaves.push(Leaf::Number(number));
                    Ok(())
                }
                None => Err(vm.new_type_error(format!("item() gave {}, not a number", element.class().name()))),
            };
        }
        let elements: Vec<PyObjectRef> = vm.extract_elements_with(object, Ok)?;
        return elements.iter().try_for_each(|element| flatten(element, depth + 1, flat, vm));
    }
    if depth == ndim
        && let Some(t) = object.downcast_ref::<PyTensor>()
        && t.tensor().numel() != 1
    {
        return Err(if flat.dtype.is_int() {
            vm.new_type_error("only integer tensors of a single element can be converted to an index".to_owned())
        } else {
            vm.new_value_error("only one element tensors can be converted to Python scalars".to_owned())
        });
    }
    let tensor = object.downcast_ref::<PyTensor>().map(|t| t.tensor().clone());
    let tensor = if tensor.is_none() { array_of(object, vm)? } else { tensor };
    if let Some(t) = tensor {
        let shape = if depth == ndim { vec![] } else { t.shape() };
        if shape.len() > ndim - depth {
            return Err(vm.new_value_error("only one element tensors can be converted to Python scalars".to_owned()));
        }
        for (d, &size) in flat.shape.iter().enumerate().skip(depth) {
            let have = shape.get(d - depth).copied();
            if have != Some(size) {
                return Err(vm.new_value_error(format!(
                    "expected sequence of length {size} at dim {d} (got {})",
                    have.unwrap_or(0)
                )));
            }
        }
        if depth == ndim && t.numel() == 1 {
            flat.leaves.push(Leaf::Number(t.item().py(vm)?));
        } else {
            flat.leaves.push(Leaf::Tensor(t.detach()));
        }
        return Ok(());
    }
    if depth == ndim {
        if let Some(number) = number(object, vm)? {
            flat.leaves.push(Leaf::Number(number));
            return Ok(());
        }
        invalid(object, vm)?;
        let class = object.class().name().to_string();
        return Err(vm.new_type_error(format!("'{class}' object cannot be interpreted as an integer")));
    }
    let Some(items) = sequence(object, vm)? else {
        return Err(vm.new_type_error("not a sequence".to_owned()));
    };
    let want = flat.shape.get(depth).copied().unwrap_or(0);
    if items.len() != want {
        return Err(
            vm.new_value_error(format!("expected sequence of length {want} at dim {depth} (got {})", items.len()))
        );
    }
    items.iter().try_for_each(|item| flatten(item, depth + 1, flat, vm))
}

/// A tensor of `object`'s numbers, copied; `dtype` is inferred when not given.
pub(crate) fn tensor_from(object: &PyObject, dtype: Option<DType>, vm: &VirtualMachine) -> PyResult<Tensor> {
    if let Some(t) = object.downcast_ref::<PyTensor>() {
        let copy = rushlight_engine::autograd::grad_mode::no_grad(|| ops::clone(t.tensor())).py(vm)?;
        return match dtype {
            Some(dtype) => ops::cast(&copy.detach(), dtype).py(vm),
            None => Ok(copy.detach()),
        };
    }
    invalid(object, vm)?;
    if let Some(t) = array_of(object, vm)? {
        return match dtype {
            Some(dtype) if dtype != t.dtype() => ops::cast(&t, dtype).py(vm),
            _ => ops::clone(&t).py(vm),
        };
    }
    let shape = shape_of(object, vm)?;
    let dtype = match dtype {
        Some(dtype) => dtype,
        None => {
            let mut found = None;
            infer(object, 0, &mut found, vm)?;
            found.unwrap_or_else(default_dtype)
        }
    };
    let mut flat = Flat { shape, dtype, leaves: Vec::new() };
    flatten(object, 0, &mut flat, vm)?;
    fill(flat, dtype, vm)
}

fn fill(flat: Flat, dtype: DType, vm: &VirtualMachine) -> PyResult<Tensor> {
    let mut values = Vec::with_capacity(flat.leaves.len());
    for leaf in flat.leaves {
        match leaf {
            Leaf::Number(n) => values.push(n),
            Leaf::Tensor(t) => values.extend(t.scalars().py(vm)?),
        }
    }
    for value in &values {
        if matches!(value, Scalar::Complex(..)) && !dtype.is_complex() {
            return Err(vm.new_type_error(if dtype.is_float() {
                "must be real number, not complex".to_owned()
            } else {
                "'complex' object cannot be interpreted as an integer".to_owned()
            }));
        }
        if !fits(*value, dtype) {
            let name = dtype.name();
            return Err(vm.new_runtime_error(format!("value cannot be converted to type {name} without overflow")));
        }
    }
    rushlight_engine::with_dtype!(dtype, T => {
        let data: Vec<T> = values.into_iter().map(<T as rushlight_engine::dtype::Element>::from_scalar).collect();
        Tensor::from_slice(&data, &flat.shape).py(vm)
    }; else {
        let pairs: Vec<(f64, f64)> = values.into_iter().map(|v| (v.to_f64(), v.imag())).collect();
        Tensor::from_pairs(&pairs, &flat.shape, dtype).py(vm)
    })
}

/// May the number be stored? Negative numbers wrap in unsigned types, as in PyTorch.
fn fits(value: Scalar, dtype: DType) -> bool {
    if !dtype.is_int() {
        return true;
    }
    let bits = dtype.size() as u32 * 8;
    let (min, max) = if dtype.is_signed() {
        (-(2f64.powi(bits as i32 - 1)), 2f64.powi(bits as i32 - 1) - 1.0)
    } else {
        (-(2f64.powi(bits as i32)) + 1.0, 2f64.powi(bits as i32) - 1.0)
    };
    match value {
        Scalar::Float(f) => !f.is_nan() && f.trunc() >= min && f.trunc() <= max,
        Scalar::Int(i) => bits == 64 || (i as f64 >= min && i as f64 <= max),
        Scalar::Bool(_) | Scalar::Complex(..) => true,
    }
}

/// The arguments `torch.tensor` and its kin share.
struct Options {
    data: PyObjectRef,
    dtype: Option<DType>,
    device: Option<Device>,
    requires_grad: bool,
}

fn options(name: &str, args: &FuncArgs, first: &str, vm: &VirtualMachine) -> PyResult<Options> {
    const KNOWN: &[&str] = &["dtype", "device", "requires_grad", "pin_memory", "copy", "names"];
    if args.args.len() > 1 && name == "tensor" {
        let n = args.args.len();
        return Err(vm.new_type_error(format!("{name}() takes 1 positional argument but {n} were given")));
    }
    let data = args.args.first().cloned().or_else(|| args.get_optional_kwarg(first));
    let Some(data) = data else {
        return Err(vm.new_type_error(format!("{name}() missing 1 required positional arguments: \"{first}\"")));
    };
    for key in args.kwargs.keys() {
        let key = key.to_string_lossy();
        if key != first && !KNOWN.contains(&&*key) {
            return Err(vm.new_type_error(format!("{name}() got an unexpected keyword argument '{key}'")));
        }
    }
    let given = |at: usize, key: &str| {
        args.args.get(at).cloned().or_else(|| args.get_optional_kwarg(key)).filter(|o| !vm.is_none(o))
    };
    let wrong = |key: &str, want: &str, object: &PyObjectRef| {
        vm.new_type_error(format!("{name}(): argument '{key}' must be {want}, not {}", object.class().name()))
    };
    let dtype = match given(1, "dtype") {
        Some(object) => Some(args::dtype_of(&object, vm)?.ok_or_else(|| wrong("dtype", "torch.dtype", &object))?),
        None => None,
    };
    let device = match given(2, "device") {
        Some(object) => Some(args::device_of(&object, vm)?.ok_or_else(|| wrong("device", "torch.device", &object))?),
        None => None,
    };
    let requires_grad = match args.get_optional_kwarg("requires_grad") {
        Some(object) if args::is_bool(&object, vm) => object.is(&vm.ctx.true_value),
        Some(object) => return Err(wrong("requires_grad", "bool", &object)),
        None => false,
    };
    Ok(Options { data, dtype, device, requires_grad })
}

impl Options {
    /// A tensor of the data: on the device that is asked for, else where a given tensor is, else on `usual`.
    fn made(&self, dtype: Option<DType>, usual: Device, vm: &VirtualMachine) -> PyResult<Tensor> {
        let at = match self.data.downcast_ref::<PyTensor>() {
            Some(t) => self.device.unwrap_or(t.tensor().device()),
            None => self.device.unwrap_or(usual),
        };
        // Read on the host, and then moved as a whole.
        let t = device::within(Device::Cpu, || tensor_from(&self.data, dtype, vm))?;
        placement::to_device(&t, at).map(|moved| if moved.same(&t) { moved } else { moved.detach() }).py(vm)
    }
}

/// The dtypes for which this fails can't require gradients.
pub(crate) fn require_grad(t: &Tensor, vm: &VirtualMachine) -> PyResult<()> {
    if !t.dtype().is_inexact() {
        let text = "Only Tensors of floating point and complex dtype can require gradients";
        return Err(vm.new_runtime_error(text.to_owned()));
    }
    t.set_requires_grad(true).py(vm)
}

/// `torch.tensor(data, *, dtype=None, device=None, requires_grad=False)`
pub(crate) fn tensor(args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    crate::stop::check_interrupt(vm)?;
    let options = options("tensor", &args, "data", vm)?;
    if options.data.downcast_ref::<PyTensor>().is_some() {
        let text = "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or \
                    sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).";
        warn(text, vm)?;
        if super::overriding::overrides(&options.data, vm)
            && let Some(copied) = vm.get_attribute_opt(&options.data, "_copied")?
        {
            return copied.call((), vm);
        }
    }
    let t = options.made(options.dtype, device::current(), vm)?;
    if options.requires_grad {
        require_grad(&t, vm)?;
    }
    wrap(&t, vm)
}

/// A UserWarning at the caller's line.
pub(crate) fn warn(text: &str, vm: &VirtualMachine) -> PyResult<()> {
    let warnings = vm.import("warnings", 0)?;
    vm.call_method(&warnings, "warn", (vm.ctx.new_str(text), vm.ctx.exceptions.user_warning.to_owned())).map(drop)
}

/// `torch.as_tensor(data, dtype=None, device=None)`, and `asarray`: no copy of what is a tensor already.
pub(crate) fn as_tensor(name: &str, first: &str, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    crate::stop::check_interrupt(vm)?;
    let options = options(name, &args, first, vm)?;
    let copy = args.get_optional_kwarg("copy").is_some_and(|c| c.is(&vm.ctx.true_value));
    if let Some(t) = options.data.downcast_ref::<PyTensor>()
        && !copy
    {
        let device = options.device.unwrap_or(t.tensor().device());
        if options.dtype.is_none_or(|d| d == t.tensor().dtype()) && device == t.tensor().device() {
            return Ok(options.data);
        }
        let dtype = options.dtype.unwrap_or(t.tensor().dtype());
        let moved = placement::to_device(t.tensor(), device).and_then(|t| ops::cast(&t, dtype));
        return wrap(&moved.py(vm)?, vm);
    }
    let t = match array_of(&options.data, vm)? {
        // The array's own memory, where its dtype is wanted.
        Some(t) if !copy && options.dtype.is_none_or(|d| d == t.dtype()) => {
            placement::to_device(&t, options.device.unwrap_or(device::current())).py(vm)?
        }
        _ => options.made(options.dtype, device::current(), vm)?,
    };
    if options.requires_grad {
        require_grad(&t, vm)?;
    }
    wrap(&t, vm)
}

/// `x.new_tensor(data)`: the dtype is `x`'s when not given.
pub(crate) fn new_tensor(like: &Tensor, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let options = options("new_tensor", &args, "data", vm)?;
    let t = options.made(Some(options.dtype.unwrap_or(like.dtype())), like.device(), vm)?;
    if options.requires_grad {
        require_grad(&t, vm)?;
    }
    wrap(&t, vm)
}
