//! Tensor attributes, and the methods whose arguments are Python objects.

use super::device::PyDevice;
use super::errors::ToPy;
use super::tensor::{PyTensor, expect, wrap, wrap_as, wrap_option};
use super::{args, data, dispatch, grad, legacy, methods, native, overriding, profile, size, state};
use rushlight_engine::Tensor;
use rushlight_engine::registry::Value;
use rustpython_vm::builtins::PyType;
use rustpython_vm::function::{FuncArgs, PySetterValue};
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine};

type Get = fn(&PyObjectRef, &Tensor, &VirtualMachine) -> PyResult;
type Set = fn(&Tensor, PySetterValue, &VirtualMachine) -> PyResult<()>;

fn op1(name: &str, t: &Tensor, vm: &VirtualMachine) -> PyResult {
    wrap(&dispatch::tensor_op(name, vec![Value::Tensor(t.clone())], vm)?, vm)
}

fn no(vm: &VirtualMachine) -> PyResult {
    Ok(vm.ctx.new_bool(false).into())
}

const ATTRIBUTES: &[(&str, Get, Option<Set>)] = &[
    ("shape", |_, t, vm| size::size(&t.shape(), vm), None),
    ("dtype", |_, t, _| Ok(state::get().dtype(t.dtype()).into()), None),
    ("device", |_, t, vm| Ok(PyDevice::of(t.device()).into_pyobject(vm)), None),
    ("layout", |_, _, _| Ok(state::get().strided.clone()), None),
    ("ndim", |_, t, vm| Ok(vm.ctx.new_int(t.ndim()).into()), None),
    ("itemsize", |_, t, vm| Ok(vm.ctx.new_int(t.dtype().size()).into()), None),
    ("nbytes", |_, t, vm| Ok(vm.ctx.new_int(t.numel() * t.dtype().size()).into()), None),
    ("grad", get_grad, Some(set_grad)),
    ("_grad", get_grad, Some(set_grad)),
    ("grad_fn", |_, t, vm| grad::grad_fn(t, vm), None),
    ("_grad_fn", |_, t, vm| grad::grad_fn(t, vm), None),
    ("requires_grad", |_, t, vm| Ok(vm.ctx.new_bool(t.requires_grad()).into()), Some(set_requires_grad)),
    ("is_leaf", |_, t, vm| Ok(vm.ctx.new_bool(t.is_leaf()).into()), None),
    ("retains_grad", |_, t, vm| Ok(vm.ctx.new_bool(t.retains_grad()).into()), None),
    ("output_nr", |_, t, vm| Ok(vm.ctx.new_int(t.output_nr()).into()), None),
    ("_version", |_, t, vm| Ok(vm.ctx.new_int(t.version()).into()), None),
    ("_base", |_, t, vm| wrap_option(t.base(), vm), None),
    ("data", |_, t, vm| wrap(&t.data(), vm), Some(set_data)),
    ("name", |_, _, vm| Ok(vm.ctx.none()), None),
    ("is_cpu", |_, t, vm| Ok(vm.ctx.new_bool(!t.device().is_gpu()).into()), None),
    ("is_cuda", |_, t, vm| Ok(vm.ctx.new_bool(t.device() == rushlight_engine::Device::Cuda).into()), None),
    ("is_mps", |_, _, vm| no(vm), None),
    ("is_xpu", |_, _, vm| no(vm), None),
    ("is_meta", |_, _, vm| no(vm), None),
    ("is_sparse", |_, _, vm| no(vm), None),
    ("is_sparse_csr", |_, _, vm| no(vm), None),
    ("is_quantized", |_, _, vm| no(vm), None),
    ("is_nested", |_, _, vm| no(vm), None),
    ("is_mkldnn", |_, _, vm| no(vm), None),
    (
        "real",
        |zelf, t, vm| match t.dtype().is_complex() {
            true => wrap(&rushlight_engine::ops::real(t).py(vm)?, vm),
            false => Ok(zelf.clone()),
        },
        Some(|t, value, vm| set_part(t, value, rushlight_engine::ops::real, vm)),
    ),
    (
        "imag",
        |_, t, vm| wrap(&rushlight_engine::ops::imag(t).py(vm)?, vm),
        Some(|t, value, vm| set_part(t, value, rushlight_engine::ops::imag, vm)),
    ),
    ("T", |_, t, vm| transpose_all(t, vm), None),
    ("mT", |_, t, vm| matrix_transpose("mT", t, vm), None),
    ("H", |_, t, vm| conjugate_transpose(t, vm), None),
    ("mH", |_, t, vm| matrix_transpose("mH", t, vm), None),
];

/// `torch.is_nonzero(x)`
pub(crate) fn is_nonzero(t: &Tensor, vm: &VirtualMachine) -> PyResult {
    match t.numel() {
        0 => Err(vm.new_runtime_error("Boolean value of Tensor with no values is ambiguous".to_owned())),
        1 => Ok(vm.ctx.new_bool(t.is_true().py(vm)?).into()),
        _ => Err(vm.new_runtime_error("Boolean value of Tensor with more than one value is ambiguous".to_owned())),
    }
}

/// `z.real = x`, `z.imag = x`
fn set_part(
    t: &Tensor,
    value: PySetterValue,
    part: fn(&Tensor) -> rushlight_engine::Result<Tensor>,
    vm: &VirtualMachine,
) -> PyResult<()> {
    let PySetterValue::Assign(value) = value else {
        return Err(vm.new_runtime_error("can't delete a part of a tensor".to_owned()));
    };
    let value = match value.downcast_ref::<PyTensor>() {
        Some(value) => value.tensor().clone(),
        None => data::tensor_from(&value, None, vm)?,
    };
    rushlight_engine::ops::copy_(&part(t).py(vm)?, &value).map(drop).py(vm)
}

fn transpose_all(t: &Tensor, vm: &VirtualMachine) -> PyResult {
    match t.ndim() {
        2 => {
            // PyTorch's `T` is a permute for two dimensions as well.
            let dims = Value::Ints(vec![1, 0]);
            wrap(&dispatch::tensor_op("permute", vec![Value::Tensor(t.clone()), dims], vm)?, vm)
        }
        0 => deprecated_on_scalars("T", t, vm),
        1 => {
            let dims = Value::Ints(vec![0]);
            wrap(&dispatch::tensor_op("permute", vec![Value::Tensor(t.clone()), dims], vm)?, vm)
        }
        n => {
            deprecated_t(vm)?;
            let dims = Value::Ints((0..n as i64).rev().collect());
            wrap(&dispatch::tensor_op("permute", vec![Value::Tensor(t.clone()), dims], vm)?, vm)
        }
    }
}

fn deprecated_t(vm: &VirtualMachine) -> PyResult<()> {
    data::warn(
        "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw \
         an error in a future release. Consider `x.mT` to transpose batches of matrices or \
         `x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.",
        vm,
    )
}

/// `.T` and the like of a single number.
fn deprecated_on_scalars(name: &str, t: &Tensor, vm: &VirtualMachine) -> PyResult {
    let conjugates = matches!(name, "mH" | "H");
    let instead = if conjugates { "Consider using x.conj()." } else { "This function is the identity in these cases." };
    data::warn(&format!("Tensor.{name} is deprecated on 0-D tensors. {instead}"), vm)?;
    if conjugates {
        return op1("conj", t, vm);
    }
    wrap(&dispatch::tensor_op("permute", vec![Value::Tensor(t.clone()), Value::Ints(vec![])], vm)?, vm)
}

fn matrix_transpose(name: &str, t: &Tensor, vm: &VirtualMachine) -> PyResult {
    if t.ndim() == 0 {
        return deprecated_on_scalars(name, t, vm);
    }
    if t.ndim() < 2 {
        return Err(vm.new_runtime_error(format!(
            "tensor.{name} is only supported on matrices or batches of matrices. Got {}-D tensor.",
            t.ndim()
        )));
    }
    let out = rushlight_engine::ops::transpose(t, -2, -1);
    let out = if name == "mH" { out.and_then(|t| rushlight_engine::ops::conj(&t)) } else { out };
    wrap(&out.py(vm)?, vm)
}

fn conjugate_transpose(t: &Tensor, vm: &VirtualMachine) -> PyResult {
    match t.ndim() {
        0 => deprecated_on_scalars("H", t, vm),
        2 => {
            let out = rushlight_engine::ops::transpose(t, 0, 1).and_then(|t| rushlight_engine::ops::conj(&t));
            wrap(&out.py(vm)?, vm)
        }
        n => Err(vm.new_runtime_error(format!(
            "tensor.H is only supported on matrices (2-D tensors). Got {n}-D tensor.{}",
            if n > 2 { " For batches of matrices, consider using tensor.mH" } else { "" }
        ))),
    }
}

fn get_grad(_zelf: &PyObjectRef, t: &Tensor, vm: &VirtualMachine) -> PyResult {
    let grad = t.grad();
    if grad.is_none() && t.requires_grad() && !t.is_leaf() && !t.retains_grad() {
        data::warn(
            "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be \
             populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf \
             Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make \
             sure you access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more \
             informations.",
            vm,
        )?;
    }
    wrap_option(grad, vm)
}

fn set_grad(t: &Tensor, value: PySetterValue, vm: &VirtualMachine) -> PyResult<()> {
    let PySetterValue::Assign(value) = value else {
        t.set_grad(None);
        return Ok(());
    };
    if vm.is_none(&value) {
        t.set_grad(None);
        return Ok(());
    }
    let Some(grad) = value.downcast_ref::<PyTensor>() else {
        return Err(vm.new_type_error(format!(
            "assigned grad expected to be a Tensor or None but got grad of type {}",
            value.class().name()
        )));
    };
    let grad = grad.tensor();
    if grad.shape() != t.shape() {
        return Err(vm.new_runtime_error(format!(
            "attempting to assign a gradient of size '{}' to a tensor of size '{}'. Please ensure that the gradient \
             and the tensor are the same size",
            rushlight_engine::error::list(&grad.shape()),
            rushlight_engine::error::list(&t.shape())
        )));
    }
    if grad.dtype() != t.dtype() {
        return Err(vm.new_runtime_error(format!(
            "attempting to assign a gradient with dtype '{}' to a tensor with grad_dtype '{}'. The gradient must match \
             the tensor's grad_dtype (defaults to the tensor's dtype). You can set the tensor's grad_dtype attribute \
             with a specific dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a \
             tensor and its gradient may break downstream systems that assume they match.",
            grad.dtype().c_name(),
            t.dtype().scalar_type_name()
        )));
    }
    if grad.same(t) {
        return Err(vm.new_runtime_error("can't assign Variable as its own grad".to_owned()));
    }
    t.set_grad(Some(grad.clone()));
    Ok(())
}

fn set_requires_grad(t: &Tensor, value: PySetterValue, vm: &VirtualMachine) -> PyResult<()> {
    let PySetterValue::Assign(value) = value else {
        return Err(vm.new_runtime_error("can't delete requires_grad".to_owned()));
    };
    if !args::is_bool(&value, vm) {
        return Err(vm.new_runtime_error("requires_grad must be a bool".to_owned()));
    }
    if !t.dtype().is_inexact() && value.is(&vm.ctx.true_value) {
        let text = "only Tensors of floating point and complex dtype can require gradients";
        return Err(vm.new_runtime_error(text.to_owned()));
    }
    methods::set_requires_grad(t, value.is(&vm.ctx.true_value), vm)
}

fn set_data(t: &Tensor, value: PySetterValue, vm: &VirtualMachine) -> PyResult<()> {
    let PySetterValue::Assign(value) = value else {
        return Err(vm.new_runtime_error("can't delete data".to_owned()));
    };
    let Some(new) = value.downcast_ref::<PyTensor>() else {
        return Err(vm.new_type_error(format!("Variable data has to be a tensor, but got {}", value.class().name())));
    };
    t.set_raw(new.tensor().raw());
    Ok(())
}

/// Methods whose arguments are Python objects: `f(object, tensor, arguments)`.
type Raw = fn(&PyObjectRef, &Tensor, FuncArgs, &VirtualMachine) -> PyResult;

const RAW: &[(&str, Raw)] = &[
    ("backward", |_, t, args, vm| grad::backward(t, args, vm).map(|()| vm.ctx.none())),
    ("type", |zelf, t, args, vm| methods::type_(zelf, t, &args, vm)),
    ("register_hook", |_, t, args, vm| grad::register_hook(t, one(&args, "hook", "register_hook", vm)?, vm)),
    ("register_post_accumulate_grad_hook", |_, t, args, vm| {
        let hook = one(&args, "hook", "register_post_accumulate_grad_hook", vm)?;
        grad::register_post_accumulate_hook(t, hook, vm)
    }),
    ("nonzero", |_, t, args, vm| nonzero(t, &args, vm)),
    ("new_tensor", |_, t, args, vm| data::new_tensor(t, args, vm)),
    ("new", |_, t, args, vm| wrap(&legacy::construct(&args, t.dtype(), vm)?, vm)),
    ("apply_", |zelf, t, args, vm| {
        let f = one(&args, "callable", "apply_", vm)?;
        methods::apply(t, &[], &f, vm)?;
        Ok(zelf.clone())
    }),
    ("map_", |zelf, t, args, vm| {
        let [other, f] = args.args.as_slice() else {
            return Err(
                vm.new_type_error("map_() missing 2 required positional arguments: \"other\", \"callable\"".to_owned())
            );
        };
        methods::apply(t, &[expect(other, "map_(): argument 'other' (position 1)", vm)?], f, vm)?;
        Ok(zelf.clone())
    }),
];

/// `nonzero(as_tuple=False)`
pub(crate) fn nonzero(t: &Tensor, args: &FuncArgs, vm: &VirtualMachine) -> PyResult {
    let known = |key: &str| matches!(key, "as_tuple" | "input" | "out");
    if let Some(key) = args.kwargs.keys().map(|k| k.to_string_lossy()).find(|k| !known(k)) {
        return Err(vm.new_type_error(format!("nonzero() got an unexpected keyword argument '{key}'")));
    }
    let as_tuple = args.get_optional_kwarg("as_tuple").map(|o| o.is_true(vm)).transpose()?.unwrap_or(false);
    if as_tuple {
        let columns = rushlight_engine::ops::nonzero_as_tuple(t).py(vm)?;
        return dispatch::plain(Value::Tensors(columns), vm);
    }
    let found = dispatch::tensor_op("nonzero", vec![Value::Tensor(t.clone())], vm)?;
    wrap(&found, vm)
}

fn one(args: &FuncArgs, name: &str, of: &str, vm: &VirtualMachine) -> PyResult {
    args.args
        .first()
        .cloned()
        .or_else(|| args.get_optional_kwarg(name))
        .ok_or_else(|| vm.new_type_error(format!("Tensor.{of}() missing 1 required positional argument: '{name}'")))
}

/// `Tensor._make_subclass(cls, data, require_grad=False)`
fn make_subclass(args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let (Some(cls), Some(data)) = (args.args.first(), args.args.get(1)) else {
        return Err(vm.new_type_error("_make_subclass() takes a class and a tensor".to_owned()));
    };
    let Some(class) = cls.downcast_ref::<PyType>() else {
        return Err(vm.new_type_error(format!("cls must be a type (got {})", cls.class().name())));
    };
    let t = expect(data, "_make_subclass(): argument 'data' (position 2)", vm)?.data();
    let require = args.args.get(2).cloned().or_else(|| args.get_optional_kwarg("require_grad"));
    if let Some(require) = require
        && require.is_true(vm)?
    {
        data::require_grad(&t, vm)?;
    }
    wrap_as(&t, class.to_owned(), vm)
}

/// `x.as_subclass(cls)`: the same elements and history in an object of another class.
fn as_subclass(args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let (Some(zelf), Some(cls)) = (args.args.first(), args.args.get(1)) else {
        return Err(vm.new_type_error("as_subclass() missing 1 required positional arguments: \"cls\"".to_owned()));
    };
    let t = expect(zelf, "self", vm)?;
    match cls.downcast_ref::<PyType>() {
        Some(class) if class.fast_issubclass(&super::state::get().tensor_class) => {
            let seen =
                super::dispatch::tensor_op("alias", vec![rushlight_engine::registry::Value::Tensor(t.clone())], vm)?;
            wrap_as(&seen, class.to_owned(), vm)
        }
        Some(class) => Err(vm.new_runtime_error(format!(
            "Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. Make sure your \
             class inherits from Tensor: {}",
            class.name()
        ))),
        None => Err(vm.new_type_error(format!("cls must be a type (got {})", cls.class().name()))),
    }
}

/// Put attributes and methods into the class.
pub(crate) fn install(class: &'static Py<PyType>, vm: &VirtualMachine) -> PyResult<()> {
    let ctx = &vm.ctx;
    for &(name, get, set) in ATTRIBUTES {
        let getter = move |zelf: PyObjectRef, vm: &VirtualMachine| -> PyResult {
            let read = move |zelf: &PyObject, vm: &VirtualMachine| {
                let t = expect(zelf, "self", vm)?.clone();
                get(&zelf.to_owned(), &t, vm)
            };
            match overriding::attribute(&zelf, read, vm)? {
                Some(answer) => Ok(answer),
                None => read(&zelf, vm),
            }
        };
        let property: PyObjectRef = match set {
            Some(set) => {
                let setter = move |zelf: PyObjectRef, value: PySetterValue, vm: &VirtualMachine| -> PyResult<()> {
                    let t = expect(&zelf, "self", vm)?.clone();
                    set(&t, value, vm)
                };
                ctx.new_static_getset(name, class, getter, setter).into()
            }
            None => ctx.new_readonly_getset(name, class, getter).into(),
        };
        class.set_attr(ctx.intern_str(name), property);
    }
    for &(name, f) in RAW {
        let call = move |mut args: FuncArgs, vm: &VirtualMachine| -> PyResult {
            if args.args.is_empty() {
                return Err(vm.new_type_error(format!("unbound method Tensor.{name}() needs an argument")));
            }
            let zelf = args.shift();
            if overriding::overrides(&zelf, vm) {
                let func = || overriding::method(name, vm);
                if let Some(answer) = overriding::answer(func, Some(&zelf), &args.args, &args.kwargs, vm)? {
                    return Ok(answer);
                }
            }
            let t = expect(&zelf, "self", vm)?.clone();
            if name == "backward" && profile::on() {
                return profile::noted(name, std::iter::empty(), || f(&zelf, &t, args, vm));
            }
            f(&zelf, &t, args, vm)
        };
        class.set_attr(ctx.intern_str(name), native::method(name, call, vm));
    }
    for (name, object) in methods::all(vm) {
        class.set_attr(ctx.intern_str(name), object);
    }
    class.set_attr(ctx.intern_str("_make_subclass"), native::function("_make_subclass", make_subclass, vm));
    class.set_attr(ctx.intern_str("as_subclass"), native::method("as_subclass", as_subclass, vm));
    Ok(())
}
