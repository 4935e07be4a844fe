//! `torch.Size`: a tuple of ints that prints as PyTorch's.

use super::state;
use rustpython_vm::builtins::{PyInt, PyTuple, PyTypeRef};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::protocol::{PyMappingMethods, PyNumberMethods, PySequenceMethods};
use rustpython_vm::types::{AsMapping, AsNumber, AsSequence, Constructor, Representable};
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};
use std::sync::LazyLock;

#[pyclass(name = "Size", module = "torch", base = PyTuple)]
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct PySize(PyTuple);

fn make(items: Vec<PyObjectRef>, vm: &VirtualMachine) -> PyResult {
    let class = state::get().size_class.clone();
    Ok(PyTuple::new_unchecked(items.into_boxed_slice()).into_ref_with_type(vm, class)?.into())
}

/// A shape as Python sees it.
pub(crate) fn size(shape: &[usize], vm: &VirtualMachine) -> PyResult {
    make(shape.iter().map(|&s| vm.ctx.new_int(s).into()).collect(), vm)
}

fn items(object: &PyObject) -> &[PyObjectRef] {
    object.downcast_ref::<PyTuple>().map_or(&[], |t| t.as_slice())
}

impl Constructor for PySize {
    type Args = FuncArgs;

    fn slot_new(cls: PyTypeRef, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        let given: Vec<PyObjectRef> = match args.args.first() {
            None => Vec::new(),
            Some(iterable) => vm.extract_elements_with(iterable, Ok)?,
        };
        let mut sizes = Vec::with_capacity(given.len());
        for (at, item) in given.into_iter().enumerate() {
            if item.downcast_ref::<PyInt>().is_some() {
                sizes.push(item);
            } else if let Some(index) = item.try_index_opt(vm) {
                sizes.push(index?.into());
            } else {
                return Err(vm.new_type_error(format!(
                    "torch.Size() takes an iterable of 'int' (item {at} is '{}')",
                    item.class().name()
                )));
            }
        }
        Ok(PyTuple::new_unchecked(sizes.into_boxed_slice()).into_ref_with_type(vm, cls)?.into())
    }

    fn py_new(_cls: &Py<rustpython_vm::builtins::PyType>, _args: FuncArgs, vm: &VirtualMachine) -> PyResult<Self> {
        Err(vm.new_type_error("torch.Size is made by slot_new".to_owned()))
    }
}

#[pyclass(flags(BASETYPE), with(Constructor, AsMapping, AsNumber, AsSequence, Representable))]
impl PySize {
    #[pymethod]
    fn numel(zelf: PyObjectRef, vm: &VirtualMachine) -> PyResult<i64> {
        let mut n: i64 = 1;
        for item in items(&zelf) {
            n = n.wrapping_mul(item.clone().try_into_value::<i64>(vm)?);
        }
        Ok(n)
    }
    #[pymethod]
    fn __reduce__(zelf: PyObjectRef, vm: &VirtualMachine) -> (PyTypeRef, PyObjectRef) {
        let plain = vm.ctx.new_tuple(items(&zelf).to_vec());
        (zelf.class().to_owned(), vm.ctx.new_tuple(vec![plain.into()]).into())
    }
}

impl AsMapping for PySize {
    fn as_mapping() -> &'static PyMappingMethods {
        static METHODS: LazyLock<PyMappingMethods> = LazyLock::new(|| PyMappingMethods {
            length: Some(|m, _vm| Ok(items(m.obj).len())),
            subscript: Some(|m, needle, vm| {
                let plain = vm.ctx.new_tuple(items(m.obj).to_vec());
                let got = plain.as_object().get_item(needle, vm)?;
                match got.downcast_ref::<PyTuple>() {
                    Some(part) => make(part.as_slice().to_vec(), vm),
                    None => Ok(got),
                }
            }),
            ass_subscript: None,
        });
        &METHODS
    }
}

impl AsSequence for PySize {
    fn as_sequence() -> &'static PySequenceMethods {
        static METHODS: LazyLock<PySequenceMethods> = LazyLock::new(|| PySequenceMethods {
            length: Some(|s, _vm| Ok(items(s.obj).len())),
            concat: Some(|s, other, vm| {
                if other.downcast_ref::<PyTuple>().is_none() {
                    return Err(vm.new_type_error(format!(
                        "can only concatenate tuple (not {}) to torch.Size",
                        other.class().name()
                    )));
                }
                make(items(s.obj).iter().chain(items(other)).cloned().collect(), vm)
            }),
            repeat: Some(|s, n, vm| {
                let items = items(s.obj);
                make(items.iter().cycle().take(items.len() * usize::try_from(n).unwrap_or(0)).cloned().collect(), vm)
            }),
            item: Some(|s, i, vm| {
                let items = items(s.obj);
                let at = if i < 0 { i + items.len() as isize } else { i };
                let found = usize::try_from(at).ok().and_then(|at| items.get(at));
                found.cloned().ok_or_else(|| vm.new_index_error("tuple index out of range".to_owned()))
            }),
            contains: Some(|s, needle, vm| {
                for item in items(s.obj) {
                    if vm.identical_or_equal(item, needle)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }),
            ..PySequenceMethods::NOT_IMPLEMENTED
        });
        &METHODS
    }
}

impl AsNumber for PySize {
    /// A tuple at the left makes a size too.
    fn as_number() -> &'static PyNumberMethods {
        static METHODS: PyNumberMethods = PyNumberMethods {
            add: Some(|a, b, vm| {
                if a.downcast_ref::<PyTuple>().is_none() || b.downcast_ref::<PyTuple>().is_none() {
                    return Ok(vm.ctx.not_implemented());
                }
                make(items(a).iter().chain(items(b)).cloned().collect(), vm)
            }),
            ..PyNumberMethods::NOT_IMPLEMENTED
        };
        &METHODS
    }
}

impl Representable for PySize {
    fn slot_repr(zelf: &PyObject, vm: &VirtualMachine) -> PyResult<rustpython_vm::builtins::PyStrRef> {
        let mut text = String::from("torch.Size([");
        for (i, item) in items(zelf).iter().enumerate() {
            if i > 0 {
                text.push_str(", ");
            }
            text.push_str(&item.repr(vm)?.to_string_lossy());
        }
        text.push_str("])");
        Ok(vm.ctx.new_str(text))
    }
    fn repr_str(_zelf: &Py<Self>, _vm: &VirtualMachine) -> PyResult<String> {
        Ok(String::new())
    }
}
