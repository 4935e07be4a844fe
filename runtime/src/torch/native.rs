//! The function objects behind ops: `torch.add`, `Tensor.add`, `x.add`.

use super::dispatch::Overloads;
use super::overriding;
use super::tensor::PyTensor;
use rustpython_vm::function::{FuncArgs, KwArgs};
use rustpython_vm::types::{Callable, GetDescriptor, Representable};
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};
use std::rc::Rc;

/// What is called.
#[derive(Clone)]
enum Target {
    Op(Rc<Overloads>),
    Closure(&'static str, Rc<Closure>),
}

type Closure = dyn Fn(FuncArgs, &VirtualMachine) -> PyResult;

impl Target {
    fn name(&self) -> &str {
        match self {
            Target::Op(op) => &op.name,
            Target::Closure(name, _) => name,
        }
    }
}

/// A method in its class.
#[pyclass(name = "method_descriptor", module = false)]
#[derive(PyPayload)]
pub(crate) struct Method {
    target: Target,
}

impl std::fmt::Debug for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.target.name())
    }
}

/// A function, or a method with its object.
#[pyclass(name = "builtin_function_or_method", module = false)]
#[derive(PyPayload)]
pub(crate) struct Function {
    target: Target,
    zelf: Option<PyObjectRef>,
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.target.name())
    }
}

/// `Tensor.op`
pub(crate) fn op_method(op: Rc<Overloads>, vm: &VirtualMachine) -> PyObjectRef {
    Method { target: Target::Op(op) }.into_pyobject(vm)
}

/// `torch.op`
pub(crate) fn op_function(op: Rc<Overloads>, vm: &VirtualMachine) -> PyObjectRef {
    Function { target: Target::Op(op), zelf: None }.into_pyobject(vm)
}

/// A method from a Rust function, whose first argument is the object.
pub(crate) fn method<R: Into<PyObjectRef>>(
    name: &'static str,
    f: impl Fn(FuncArgs, &VirtualMachine) -> PyResult<R> + 'static,
    vm: &VirtualMachine,
) -> PyObjectRef {
    let closure = move |args: FuncArgs, vm: &VirtualMachine| f(args, vm).map(Into::into);
    Method { target: Target::Closure(name, Rc::new(closure)) }.into_pyobject(vm)
}

/// A function from a Rust function.
pub(crate) fn function(
    name: &'static str,
    f: impl Fn(FuncArgs, &VirtualMachine) -> PyResult + 'static,
    vm: &VirtualMachine,
) -> PyObjectRef {
    Function { target: Target::Closure(name, Rc::new(f)), zelf: None }.into_pyobject(vm)
}

fn called_method(
    op: &Overloads,
    zelf: &PyObject,
    args: &[PyObjectRef],
    kwargs: &KwArgs,
    vm: &VirtualMachine,
) -> PyResult {
    match overriding::answer(|| overriding::method(&op.name, vm), Some(zelf), args, kwargs, vm)? {
        Some(answer) => Ok(answer),
        None => op.call_method(zelf, args, kwargs, vm),
    }
}

impl Callable for Method {
    type Args = FuncArgs;
    fn call(zelf: &Py<Self>, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        match &zelf.target {
            Target::Op(op) => match args.args.split_first() {
                Some((first, rest)) => called_method(op, first, rest, &args.kwargs, vm),
                None => Err(vm.new_type_error(format!("unbound method TensorBase.{}() needs an argument", op.name))),
            },
            Target::Closure(_, f) => f(args, vm),
        }
    }
}

impl GetDescriptor for Method {
    fn descr_get(zelf: &PyObject, obj: Option<&PyObject>, _cls: Option<&PyObject>, vm: &VirtualMachine) -> PyResult {
        let Some(method) = zelf.downcast_ref::<Method>() else { return Ok(zelf.to_owned()) };
        match obj {
            Some(obj) if !vm.is_none(obj) => {
                Ok(Function { target: method.target.clone(), zelf: Some(obj.to_owned()) }.into_pyobject(vm))
            }
            _ => Ok(zelf.to_owned()),
        }
    }
}

#[pyclass(flags(METHOD_DESCRIPTOR), with(Callable, GetDescriptor, Representable))]
impl Method {
    #[pygetset]
    fn __name__(zelf: &Py<Self>) -> String {
        zelf.target.name().to_owned()
    }
    #[pygetset]
    fn __qualname__(zelf: &Py<Self>) -> String {
        format!("TensorBase.{}", zelf.target.name())
    }
    #[pygetset]
    fn __doc__(zelf: &Py<Self>, vm: &VirtualMachine) -> PyObjectRef {
        doc(&zelf.target, vm)
    }
}

fn doc(target: &Target, vm: &VirtualMachine) -> PyObjectRef {
    match target {
        Target::Op(op) => vm.ctx.new_str(op.doc()).into(),
        Target::Closure(..) => vm.ctx.none(),
    }
}

impl Representable for Method {
    fn repr_str(zelf: &Py<Self>, _vm: &VirtualMachine) -> PyResult<String> {
        Ok(format!("<method '{}' of 'torch._C.TensorBase' objects>", zelf.target.name()))
    }
}

impl Callable for Function {
    type Args = FuncArgs;
    fn call(zelf: &Py<Self>, mut args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        match (&zelf.target, &zelf.zelf) {
            (Target::Op(op), Some(obj)) => called_method(op, obj, &args.args, &args.kwargs, vm),
            (Target::Op(op), None) => {
                let func = || Ok(zelf.as_object().to_owned());
                match overriding::answer(func, None, &args.args, &args.kwargs, vm)? {
                    Some(answer) => Ok(answer),
                    None => op.call_function(&args, vm),
                }
            }
            (Target::Closure(_, f), Some(obj)) => {
                args.prepend_arg(obj.clone());
                f(args, vm)
            }
            (Target::Closure(_, f), None) => f(args, vm),
        }
    }
}

#[pyclass(with(Callable, Representable))]
impl Function {
    #[pygetset]
    fn __name__(zelf: &Py<Self>) -> String {
        zelf.target.name().to_owned()
    }
    #[pygetset]
    fn __qualname__(zelf: &Py<Self>) -> String {
        match zelf.zelf {
            Some(_) => format!("TensorBase.{}", zelf.target.name()),
            None => zelf.target.name().to_owned(),
        }
    }
    #[pygetset]
    fn __module__(_zelf: &Py<Self>, vm: &VirtualMachine) -> PyObjectRef {
        vm.ctx.none()
    }
    #[pygetset]
    fn __self__(zelf: &Py<Self>, vm: &VirtualMachine) -> PyObjectRef {
        zelf.zelf.clone().unwrap_or_else(|| vm.ctx.none())
    }
    #[pygetset]
    fn __doc__(zelf: &Py<Self>, vm: &VirtualMachine) -> PyObjectRef {
        doc(&zelf.target, vm)
    }
    /// For pickling: functions of the package are found by name.
    #[pymethod]
    fn __reduce__(zelf: &Py<Self>) -> String {
        zelf.target.name().to_owned()
    }
}

impl Representable for Function {
    fn repr_str(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<String> {
        let (class, id) = match &zelf.zelf {
            Some(obj) => (obj.class().name().to_string(), obj.get_id()),
            None => ("type".to_owned(), PyTensor::class(&vm.ctx).get_id()),
        };
        Ok(format!("<built-in method {} of {class} object at 0x{id:x}>", zelf.target.name()))
    }
}
