//! From a Python call to an op: overloads, forms (function, method, in-place, `out=`), and results.

use super::args::{Bound, Mismatch, bind};
use super::errors::ToPy;
use super::mismatch;
use super::schema::{self, Form, Signature};
use super::tensor::{PyTensor, wrap};
use super::{returns, state};
use rushlight_engine::registry::{self, Op, Value, places};
use rushlight_engine::{Tensor, autograd};
use rustpython_vm::builtins::PyBaseExceptionRef;
use rustpython_vm::function::{FuncArgs, KwArgs};
use rustpython_vm::{PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine};
use std::cell::OnceCell;

/// All ops of one Python name.
pub(crate) struct Overloads {
    pub name: String,
    inplace: bool,
    ops: Vec<&'static Op>,
    method: OnceCell<Vec<Signature>>,
    function: OnceCell<Vec<Signature>>,
}

/// A call that failed: because it fits no signature, or while it ran.
enum Failed {
    NoFit,
    Raised(PyBaseExceptionRef),
}

impl Overloads {
    fn new(name: String, inplace: bool) -> Self {
        Overloads { name, inplace, ops: Vec::new(), method: OnceCell::new(), function: OnceCell::new() }
    }

    fn signatures(&self, form: Form) -> &[Signature] {
        let cell = if form == Form::Method { &self.method } else { &self.function };
        let wanted = match (form, self.inplace) {
            (Form::Method, true) => places::INPLACE,
            (Form::Method, false) => places::METHOD,
            (Form::Function, true) => places::INPLACE_FUNCTION | places::INPLACE,
            (Form::Function, false) => places::FUNCTION | places::NN | places::LINALG | places::SPECIAL,
        };
        cell.get_or_init(|| {
            // An op that is only a method can be called by its name from within.
            let some = self.ops.iter().any(|op| op.places & wanted != 0);
            let fits = self.ops.iter().filter(|op| !some || op.places & wanted != 0);
            fits.flat_map(|op| schema::signatures(op, form, self.inplace)).collect()
        })
    }

    /// `x.op(...)`.
    pub fn call_method(&self, zelf: &PyObject, args: &[PyObjectRef], kwargs: &KwArgs, vm: &VirtualMachine) -> PyResult {
        let Some(tensor) = zelf.downcast_ref::<PyTensor>() else {
            return Err(vm.new_type_error(format!(
                "descriptor '{}' for 'torch._C.TensorBase' objects doesn't apply to a '{}' object",
                self.name,
                zelf.class().name()
            )));
        };
        let signatures = self.signatures(Form::Method);
        self.run(signatures, Some((zelf, tensor.tensor())), args, kwargs, vm)
    }

    /// `torch.op(...)`.
    pub fn call_function(&self, args: &FuncArgs, vm: &VirtualMachine) -> PyResult {
        self.run(self.signatures(Form::Function), None, &args.args, &args.kwargs, vm)
    }

    /// An operator: `None` where the operands don't fit.
    pub fn call_operator(&self, args: &[PyObjectRef], vm: &VirtualMachine) -> PyResult<Option<PyObjectRef>> {
        let signatures = self.signatures(Form::Function);
        match self.attempt(signatures, None, args, &KwArgs::default(), vm) {
            Ok(value) => Ok(Some(value)),
            Err(Failed::NoFit) => Ok(None),
            Err(Failed::Raised(e)) => Err(e),
        }
    }

    fn run(
        &self,
        signatures: &[Signature],
        zelf: Option<(&PyObject, &Tensor)>,
        args: &[PyObjectRef],
        kwargs: &KwArgs,
        vm: &VirtualMachine,
    ) -> PyResult {
        match self.attempt(signatures, zelf, args, kwargs, vm) {
            Ok(value) => Ok(value),
            Err(Failed::Raised(e)) => Err(mismatch::named(&self.name, e, vm)),
            Err(Failed::NoFit) => Err(mismatch::none_fits(&self.name, signatures, zelf.map(|z| z.1), args, kwargs, vm)),
        }
    }

    fn attempt(
        &self,
        signatures: &[Signature],
        zelf: Option<(&PyObject, &Tensor)>,
        args: &[PyObjectRef],
        kwargs: &KwArgs,
        vm: &VirtualMachine,
    ) -> Result<PyObjectRef, Failed> {
        if super::profile::on() {
            let given = zelf.map(|z| z.0).into_iter().chain(args.iter().map(|a| &**a));
            return super::profile::noted(&self.name, given, || self.attempt_now(signatures, zelf, args, kwargs, vm));
        }
        self.attempt_now(signatures, zelf, args, kwargs, vm)
    }

    fn attempt_now(
        &self,
        signatures: &[Signature],
        zelf: Option<(&PyObject, &Tensor)>,
        args: &[PyObjectRef],
        kwargs: &KwArgs,
        vm: &VirtualMachine,
    ) -> Result<PyObjectRef, Failed> {
        crate::stop::check_interrupt(vm).map_err(Failed::Raised)?;
        for signature in signatures {
            let tensor = if signature.method { zelf.map(|z| z.1) } else { None };
            match bind(signature, tensor, args, kwargs, vm) {
                Ok(bound) => {
                    let target = zelf.map(|z| z.0).or_else(|| args.first().map(|a| &**a));
                    return self.execute(signature, target, bound, vm).map_err(Failed::Raised);
                }
                Err(Mismatch::Raise(e)) => return Err(Failed::Raised(e)),
                Err(_) => {}
            }
        }
        Err(Failed::NoFit)
    }

    fn execute(&self, signature: &Signature, target: Option<&PyObject>, bound: Bound, vm: &VirtualMachine) -> PyResult {
        let Bound { args, out, requires_grad } = bound;
        if self.inplace {
            registry::call_inplace(signature.op, &args).py(vm)?;
            autograd::packed().py(vm)?;
            return Ok(target.map_or_else(|| vm.ctx.none(), |t| t.to_owned()));
        }
        if let Some(out) = out {
            return call_out(signature, &args, out, vm);
        }
        let args = super::autocast::arguments(&self.name, args).py(vm)?;
        let value = perform(signature.op, &args, vm)?;
        if requires_grad && let Value::Tensor(t) = &value {
            t.set_requires_grad(true).py(vm)?;
        }
        to_python(value, signature, &self.name, vm)
    }
}

/// Runs an op; what a hook for saved tensors raised comes after it.
fn perform(op: &Op, args: &registry::Args, vm: &VirtualMachine) -> PyResult<Value> {
    let value = op.call(args).py(vm)?;
    autograd::packed().py(vm)?;
    Ok(value)
}

fn call_out(signature: &Signature, args: &registry::Args, out: PyObjectRef, vm: &VirtualMachine) -> PyResult {
    if let Some(t) = out.downcast_ref::<PyTensor>() {
        registry::call_out(signature.op, args, t.tensor()).py(vm)?;
        return Ok(out);
    }
    let outs = super::args::tensor_list(&super::args::items(&out).unwrap_or_default(), vm)?;
    let Value::Tuple(results) = signature.op.call(args).py(vm)? else {
        return Err(vm.new_runtime_error("this op has no out= form".to_owned()));
    };
    if results.len() != outs.len() {
        return Err(vm.new_type_error(format!("expected tuple of {} elements but got {}", results.len(), outs.len())));
    }
    for (result, out) in results.iter().zip(&outs) {
        if let Value::Tensor(result) = result {
            let same = registry::op("", 0, |a| Ok(Value::Tensor(a.tensor(0)?.clone())));
            registry::call_out(&same, &registry::Args(vec![Value::Tensor(result.clone())]), out).py(vm)?;
        }
    }
    let name = format!("{}_out", schema::base_name(signature.op.schema));
    to_python(Value::Tuple(results), signature, &name, vm)
}

/// A result as a Python object.
fn to_python(value: Value, signature: &Signature, name: &str, vm: &VirtualMachine) -> PyResult {
    match value {
        Value::Tuple(items) => {
            let items = items.into_iter().map(|v| plain(v, vm)).collect::<PyResult<Vec<_>>>()?;
            if signature.returns.iter().any(|r| !r.is_empty()) {
                return returns::named(name, &signature.returns, items, vm);
            }
            Ok(vm.ctx.new_tuple(items).into())
        }
        value => plain(value, vm),
    }
}

/// A result as a Python object, tuples without names.
pub(crate) fn plain(value: Value, vm: &VirtualMachine) -> PyResult {
    Ok(match value {
        Value::None | Value::Generator(_) => vm.ctx.none(),
        Value::Tensor(t) => wrap(&t, vm)?,
        Value::Tensors(ts) => {
            let items = ts.iter().map(|t| wrap(t, vm)).collect::<PyResult<Vec<_>>>()?;
            vm.ctx.new_tuple(items).into()
        }
        Value::OptTensors(ts) => {
            let one = |t: &Option<Tensor>| t.as_ref().map_or_else(|| Ok(vm.ctx.none()), |t| wrap(t, vm));
            vm.ctx.new_tuple(ts.iter().map(one).collect::<PyResult<Vec<_>>>()?).into()
        }
        Value::Int(i) => vm.ctx.new_int(i).into(),
        Value::Float(f) => vm.ctx.new_float(f).into(),
        Value::Bool(b) => vm.ctx.new_bool(b).into(),
        Value::Scalar(s) => scalar(s, vm),
        Value::Ints(v) => vm.ctx.new_tuple(v.into_iter().map(|i| vm.ctx.new_int(i).into()).collect()).into(),
        Value::Floats(v) => vm.ctx.new_tuple(v.into_iter().map(|f| vm.ctx.new_float(f).into()).collect()).into(),
        Value::Str(s) => vm.ctx.new_str(s).into(),
        Value::DType(d) => state::get().dtype(d).into(),
        Value::Device(d) => super::device::PyDevice::of(d).into_pyobject(vm),
        Value::Tuple(v) => vm.ctx.new_tuple(v.into_iter().map(|v| plain(v, vm)).collect::<PyResult<Vec<_>>>()?).into(),
    })
}

pub(crate) fn scalar(s: rushlight_engine::Scalar, vm: &VirtualMachine) -> PyObjectRef {
    match s {
        rushlight_engine::Scalar::Bool(b) => vm.ctx.new_bool(b).into(),
        rushlight_engine::Scalar::Int(i) => vm.ctx.new_int(i).into(),
        rushlight_engine::Scalar::Float(f) => vm.ctx.new_float(f).into(),
        rushlight_engine::Scalar::Complex(re, im) => complex(re, im, vm),
    }
}

/// Python's complex number. The interpreter's own type for it comes by inference.
fn complex(re: f64, im: f64, vm: &VirtualMachine) -> PyObjectRef {
    let mut z = vm.ctx.new_complex(Default::default()).to_complex();
    (z.re, z.im) = (re, im);
    vm.ctx.new_complex(z).into()
}

/// The engine's ops, grouped by their Python names.
pub(crate) fn collect() -> std::collections::HashMap<String, std::rc::Rc<Overloads>> {
    let mut by_name: std::collections::HashMap<String, Overloads> = std::collections::HashMap::new();
    for op in registry::all() {
        let name = schema::base_name(op.schema);
        let plain = by_name.entry(name.to_owned()).or_insert_with(|| Overloads::new(name.to_owned(), false));
        plain.ops.push(op);
        if op.places & (places::INPLACE | places::INPLACE_FUNCTION) != 0 {
            let name = format!("{name}_");
            by_name.entry(name.clone()).or_insert_with(|| Overloads::new(name, true)).ops.push(op);
        }
    }
    by_name.into_iter().map(|(name, overloads)| (name, std::rc::Rc::new(overloads))).collect()
}

impl Overloads {
    /// All places at which the ops of this name appear.
    pub fn places(&self) -> u16 {
        self.ops.iter().fold(0, |all, op| all | op.places)
    }
    pub fn is_inplace(&self) -> bool {
        self.inplace
    }
}

/// Run an op by name on engine values given in schema order; for native code that is written in ops.
pub(crate) fn op(name: &str, args: Vec<Value>, vm: &VirtualMachine) -> PyResult<Value> {
    let state = state::get();
    let found = state.op(name).and_then(|overloads| overloads.ops.first().copied());
    match found {
        Some(op) => perform(op, &registry::Args(args), vm),
        None => Err(vm.new_not_implemented_error(format!("the op '{name}' is not available here"))),
    }
}

/// [`op`] for one tensor result.
pub(crate) fn tensor_op(name: &str, args: Vec<Value>, vm: &VirtualMachine) -> PyResult<Tensor> {
    match op(name, args, vm)? {
        Value::Tensor(t) => Ok(t),
        _ => Err(vm.new_runtime_error(format!("the op '{name}' gave no tensor"))),
    }
}

impl Overloads {
    /// The signatures, as `help(torch.op)` shows them.
    pub fn doc(&self) -> String {
        let lines = self.signatures(Form::Function).iter().map(|s| format!("{}{}", self.name, s.text()));
        lines.collect::<Vec<_>>().join("\n")
    }
    /// The names of several results, where they have names.
    pub fn returns(&self) -> Vec<String> {
        let named = self.ops.iter().filter(|op| op.schema.contains("-> ("));
        named
            .flat_map(|op| schema::signatures(op, Form::Function, false))
            .map(|s| s.returns)
            .find(|r| r.iter().any(|n| !n.is_empty()))
            .unwrap_or_default()
    }
}
