//! The class `Tensor`: its Python object, identity, and the protocols Python asks for.

use super::errors::{ToPy, raise};
use super::{indexing, legacy, overriding, printing};
use rushlight_engine::registry::Value;
use rushlight_engine::{DType, Scalar, Tensor};
use rustpython_vm::builtins::{PyBaseExceptionRef, PyStr, PyStrRef, PyType, PyTypeRef, PyWeak};
use rustpython_vm::common::hash::PyHash;
use rustpython_vm::function::{Either, FuncArgs, KwArgs, PyComparisonValue};
use rustpython_vm::protocol::{PyMappingMethods, PySequenceMethods};
use rustpython_vm::types::{
    AsMapping, AsSequence, Comparable, Constructor, GetAttr, Hashable, Iterable, PyComparisonOp, Representable,
};
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine, pyclass};
use std::rc::Rc;
use std::sync::LazyLock;

/// A tensor as Python has it. The engine's tensor knows its Python object (weakly), so that one tensor is one object.
///
/// This is the native base, as in PyTorch; the class `torch.Tensor` is made of it at import, so that Python sources can
/// add methods to it.
#[pyclass(name = "TensorBase", module = "torch._C")]
#[derive(PyPayload)]
pub(crate) struct PyTensor {
    tensor: Tensor,
}

impl std::fmt::Debug for PyTensor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.tensor.fmt(f)
    }
}

impl PyTensor {
    pub fn tensor(&self) -> &Tensor {
        &self.tensor
    }
}

/// The Python object of a tensor: the one it has, or a new one.
pub(crate) fn wrap(t: &Tensor, vm: &VirtualMachine) -> PyResult {
    if let Some(object) = existing(t) {
        return Ok(object);
    }
    wrap_as(t, super::state::get().tensor_class.clone(), vm)
}

fn existing(t: &Tensor) -> Option<PyObjectRef> {
    let foreign = t.foreign()?;
    foreign.downcast_ref::<PyRef<PyWeak>>()?.upgrade()
}

/// A new Python object of a class derived from `Tensor`.
pub(crate) fn wrap_as(t: &Tensor, class: PyTypeRef, vm: &VirtualMachine) -> PyResult {
    let object: PyObjectRef = PyTensor { tensor: t.clone() }.into_ref_with_type(vm, class)?.into();
    t.set_foreign(Rc::new(object.downgrade(None, vm)?));
    Ok(object)
}

/// `None` for no tensor.
pub(crate) fn wrap_option(t: Option<Tensor>, vm: &VirtualMachine) -> PyResult {
    t.map_or_else(|| Ok(vm.ctx.none()), |t| wrap(&t, vm))
}

/// The tensor in an object, or PyTorch's TypeError for an argument.
pub(crate) fn expect<'a>(object: &'a PyObject, what: &str, vm: &VirtualMachine) -> PyResult<&'a Tensor> {
    match object.downcast_ref::<PyTensor>() {
        Some(t) => Ok(&t.payload().tensor),
        None => Err(vm.new_type_error(format!("{what} must be Tensor, not {}", object.class().name()))),
    }
}

impl Constructor for PyTensor {
    type Args = FuncArgs;

    fn slot_new(cls: PyTypeRef, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        let t = legacy::construct(&args, rushlight_engine::dtype::default_dtype(), vm)?;
        wrap_as(&t, cls, vm)
    }

    fn py_new(_cls: &Py<PyType>, args: FuncArgs, vm: &VirtualMachine) -> PyResult<Self> {
        let tensor = legacy::construct(&args, rushlight_engine::dtype::default_dtype(), vm)?;
        Ok(PyTensor { tensor })
    }
}

#[pyclass(
    flags(BASETYPE, HAS_DICT, HAS_WEAKREF),
    with(
        Constructor,
        Comparable,
        Hashable,
        Representable,
        Iterable,
        GetAttr,
        AsMapping,
        AsSequence,
        rustpython_vm::types::AsNumber
    )
)]
impl PyTensor {
    #[pymethod]
    fn __format__(zelf: PyObjectRef, spec: PyStrRef, vm: &VirtualMachine) -> PyResult {
        let t = expect(&zelf, "self", vm)?;
        if t.ndim() == 0 {
            let item = super::dispatch::scalar(t.item().py(vm)?, vm);
            return vm.call_method(&item, "__format__", (spec,));
        }
        if !spec.as_wtf8().is_empty() {
            return Err(
                vm.new_type_error(format!("unsupported format string passed to {}.__format__", zelf.class().name()))
            );
        }
        Ok(zelf.str(vm)?.into())
    }

    #[pymethod]
    fn __reversed__(zelf: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let t = expect(&zelf, "self", vm)?;
        if t.ndim() == 0 {
            return Ok(zelf);
        }
        let dims = (0..t.ndim() as i64).collect();
        let out = super::dispatch::tensor_op("flip", vec![Value::Tensor(t.clone()), Value::Ints(dims)], vm)?;
        wrap(&out, vm)
    }

    #[pymethod]
    fn __complex__(zelf: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let t = expect(&zelf, "self", vm)?;
        let value = one_element(t, vm)?;
        Ok(super::dispatch::scalar(Scalar::Complex(value.to_f64(), value.imag()), vm))
    }
}

impl Hashable for PyTensor {
    fn hash(zelf: &Py<Self>, _vm: &VirtualMachine) -> PyResult<PyHash> {
        Ok(zelf.get_id() as PyHash >> 4)
    }
}

impl Representable for PyTensor {
    fn slot_repr(zelf: &PyObject, vm: &VirtualMachine) -> PyResult<PyStrRef> {
        let t = expect(zelf, "self", vm)?;
        let text = printing::repr(t, vm)?;
        if !overriding::answers(zelf, vm) {
            return Ok(vm.ctx.new_str(text));
        }
        // A class of its own is named in place of `tensor`, and further lines keep their place under the first.
        let name = zelf.class().name().to_string();
        let rest = text.strip_prefix("tensor(").unwrap_or(&text);
        let indent = " ".repeat(name.len() + 1);
        Ok(vm.ctx.new_str(format!("{name}({}", rest.replace("\n       ", &format!("\n{indent}")))))
    }
    fn repr_str(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<String> {
        printing::repr(&zelf.tensor, vm)
    }
}

impl Comparable for PyTensor {
    fn slot_richcompare(
        zelf: &PyObject,
        other: &PyObject,
        op: PyComparisonOp,
        vm: &VirtualMachine,
    ) -> PyResult<Either<PyObjectRef, PyComparisonValue>> {
        let name = match op {
            PyComparisonOp::Eq => "eq",
            PyComparisonOp::Ne => "ne",
            PyComparisonOp::Lt => "lt",
            PyComparisonOp::Le => "le",
            PyComparisonOp::Gt => "gt",
            PyComparisonOp::Ge => "ge",
        };
        match super::operators::call(name, &[zelf.to_owned(), other.to_owned()], vm)? {
            Some(result) => Ok(Either::A(result)),
            // The array's turn would come next, and its message would name the operands the other way round.
            None if &*other.class().name() == "ndarray" && !matches!(op, PyComparisonOp::Eq | PyComparisonOp::Ne) => {
                Err(vm.new_type_error(format!(
                    "'{}' not supported between instances of 'Tensor' and 'numpy.ndarray'",
                    op.operator_token()
                )))
            }
            None => Ok(Either::B(PyComparisonValue::NotImplemented)),
        }
    }
    fn cmp(
        _zelf: &Py<Self>,
        _other: &PyObject,
        _op: PyComparisonOp,
        _vm: &VirtualMachine,
    ) -> PyResult<PyComparisonValue> {
        Ok(PyComparisonValue::NotImplemented)
    }
}

impl Iterable for PyTensor {
    fn iter(zelf: PyRef<Self>, vm: &VirtualMachine) -> PyResult {
        let t = &zelf.tensor;
        if t.ndim() == 0 {
            return Err(vm.new_type_error("iteration over a 0-d tensor".to_owned()));
        }
        let parts = match super::dispatch::op("unbind", vec![Value::Tensor(t.clone()), Value::Int(0)], vm)? {
            Value::Tensors(parts) => parts,
            _ => Vec::new(),
        };
        let parts = parts.iter().map(|p| wrap(p, vm)).collect::<PyResult<Vec<_>>>()?;
        Ok(vm.ctx.new_tuple(parts).as_object().get_iter(vm)?.into())
    }
}

impl AsMapping for PyTensor {
    fn as_mapping() -> &'static PyMappingMethods {
        static METHODS: LazyLock<PyMappingMethods> = LazyLock::new(|| PyMappingMethods {
            length: Some(|m, vm| len(expect(m.obj, "self", vm)?, vm)),
            subscript: Some(|m, index, vm| {
                if overriding::overrides(m.obj, vm) || overriding::touches(index, vm) {
                    let (func, index) = (|| overriding::method("__getitem__", vm), [index.to_owned()]);
                    if let Some(answer) = overriding::answer(func, Some(m.obj), &index, &KwArgs::default(), vm)? {
                        return Ok(answer);
                    }
                }
                indexing::get(expect(m.obj, "self", vm)?, index, vm)
            }),
            ass_subscript: Some(|m, index, value, vm| {
                if let Some(value) = &value
                    && [m.obj, index, &**value].iter().any(|object| overriding::touches(object, vm))
                {
                    let (func, given) = (|| overriding::method("__setitem__", vm), [index.to_owned(), value.clone()]);
                    if overriding::answer(func, Some(m.obj), &given, &KwArgs::default(), vm)?.is_some() {
                        return Ok(());
                    }
                }
                let t = expect(m.obj, "self", vm)?;
                match value {
                    Some(value) => indexing::set(t, index, &value, vm),
                    None => Err(vm.new_type_error("Tensor does not support deleting items".to_owned())),
                }
            }),
        });
        &METHODS
    }
}

fn len(t: &Tensor, vm: &VirtualMachine) -> PyResult<usize> {
    match t.shape().first() {
        Some(&n) => Ok(n),
        None => Err(vm.new_type_error("len() of a 0-d tensor".to_owned())),
    }
}

impl AsSequence for PyTensor {
    fn as_sequence() -> &'static PySequenceMethods {
        static METHODS: LazyLock<PySequenceMethods> = LazyLock::new(|| PySequenceMethods {
            length: Some(|s, vm| len(expect(s.obj, "self", vm)?, vm)),
            item: Some(|s, i, vm| {
                let index = vm.ctx.new_int(i);
                indexing::get(expect(s.obj, "self", vm)?, index.as_object(), vm)
            }),
            contains: Some(|s, needle, vm| contains(s.obj, needle, vm)),
            ..PySequenceMethods::NOT_IMPLEMENTED
        });
        &METHODS
    }
}

fn contains(zelf: &PyObject, needle: &PyObject, vm: &VirtualMachine) -> PyResult<bool> {
    let is_tensor = needle.downcast_ref::<PyTensor>().is_some();
    if !is_tensor && super::args::number(needle, vm)?.is_none() {
        let class = needle.class().as_object().repr(vm)?;
        return Err(vm.new_runtime_error(format!(
            "Tensor.__contains__ only supports Tensor or scalar, but you passed in a {}.",
            class.to_string_lossy()
        )));
    }
    let equal = super::operators::call("eq", &[zelf.to_owned(), needle.to_owned()], vm)?;
    let Some(equal) = equal else { return Ok(false) };
    let any = super::dispatch::tensor_op("any", vec![Value::Tensor(expect(&equal, "self", vm)?.clone())], vm)?;
    any.is_true().py(vm)
}

impl GetAttr for PyTensor {
    fn getattro(zelf: &Py<Self>, name: &Py<PyStr>, vm: &VirtualMachine) -> PyResult {
        match zelf.as_object().generic_getattr_opt(name, None, vm)? {
            Some(found) => Ok(found),
            None => Err(missing(zelf, name, vm)),
        }
    }
}

/// The error for a name that tensors don't have: it tells those PyTorch has from others.
fn missing(zelf: &Py<PyTensor>, name: &Py<PyStr>, vm: &VirtualMachine) -> PyBaseExceptionRef {
    let text = name.to_string_lossy();
    let known = || -> PyResult<bool> {
        let modules = vm.sys_module.get_attr("modules", vm)?;
        let module = modules.get_item("torch._missing", vm)?;
        vm.call_method(&module, "tensor_has", (name.to_owned(),))?.is_true(vm)
    };
    if !text.starts_with('_') && known().unwrap_or(false) {
        return vm.new_attribute_error(format!("Tensor.{text} is part of PyTorch, but it is not available here yet"));
    }
    vm.new_no_attribute_error(zelf.as_object().to_owned(), name.to_owned())
}

/// The value behind `int(x)` and `float(x)`.
pub(crate) fn one_element(t: &Tensor, vm: &VirtualMachine) -> PyResult<Scalar> {
    if t.numel() != 1 {
        return Err(vm.new_value_error("only one element tensors can be converted to Python scalars".to_owned()));
    }
    t.item().map_err(|e| raise(e, vm))
}

/// The value behind `range(x)`, `seq[x]`.
pub(crate) fn index(t: &Tensor, vm: &VirtualMachine) -> PyResult<i64> {
    if t.numel() != 1 || !(t.dtype().is_int() || t.dtype() == DType::Bool) {
        let text = "only integer tensors of a single element can be converted to an index";
        return Err(vm.new_type_error(text.to_owned()));
    }
    Ok(t.item().py(vm)?.to_i64())
}
