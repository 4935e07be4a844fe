//! How Python sees the ops: each has PyTorch's native schema, from which the bindings derive argument parsing, method
//! and function forms, in-place (`add_`) and `out=` variants, error texts and the table of supported APIs.

use std::rc::Rc;

use crate::autograd;
use crate::backend::backend;
use crate::device::Device;
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::tensor::Tensor;

/// One argument or result. Arguments arrive in schema order with defaults filled in.
#[derive(Clone)]
pub enum Value {
    None,
    Tensor(Tensor),
    Tensors(Vec<Tensor>),
    /// `Tensor?[]`: indices.
    OptTensors(Vec<Option<Tensor>>),
    Int(i64),
    Float(f64),
    Bool(bool),
    Scalar(Scalar),
    Ints(Vec<i64>),
    Floats(Vec<f64>),
    Str(String),
    DType(DType),
    Device(Device),
    /// A `torch.Generator`; `None` is the default one.
    Generator(Rc<crate::registry::GeneratorRef>),
    /// Several results. Named as the schema names them (`values`, `indices`).
    Tuple(Vec<Value>),
}

/// A generator by reference.
pub type GeneratorRef = std::cell::RefCell<crate::random::Generator>;

/// Where an op appears in Python; flags combine.
pub mod places {
    /// `Tensor.op`
    pub const METHOD: u16 = 1;
    /// `torch.op`
    pub const FUNCTION: u16 = 2;
    /// `torch._C._nn.op`, behind `torch.nn.functional`
    pub const NN: u16 = 4;
    /// `torch.linalg.op` (the schema's name is `linalg_op`)
    pub const LINALG: u16 = 8;
    /// `torch.special.op` (the schema's name is `special_op`)
    pub const SPECIAL: u16 = 16;
    /// also `Tensor.op_`
    pub const INPLACE: u16 = 32;
    /// also `out=`
    pub const OUT: u16 = 64;
    /// also `torch.op_`
    pub const INPLACE_FUNCTION: u16 = 128;
    pub const BOTH: u16 = METHOD | FUNCTION;
    /// The usual pointwise op.
    pub const ALL: u16 = METHOD | FUNCTION | INPLACE | OUT;
}

/// An op as Python sees it.
pub struct Op {
    /// PyTorch's schema, for example `add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor`. In-place and
    /// `out=` forms are not written down: [`places`] says whether they exist. A `Tensor` parameter that is not the
    /// first takes a Python number too where the schema's type is `Tensor|Scalar`, and only a number where it is
    /// `Number`; the op gets a 0-d tensor.
    pub schema: &'static str,
    pub places: u16,
    pub run: fn(&Args) -> Result<Value>,
}

impl Op {
    /// PyTorch's name, without the overload's.
    pub fn name(&self) -> &'static str {
        self.schema.split(['(', '.']).next().unwrap_or(self.schema)
    }

    /// Run it on the device of its tensors (or the one it is given, or the current one).
    ///
    /// # Errors
    /// The op's own; tensors that lie on different devices.
    pub fn call(&self, args: &Args) -> Result<Value> {
        crate::placement::run(self, args)
    }
}

/// For the tables in `ops/`.
pub const fn op(schema: &'static str, places: u16, run: fn(&Args) -> Result<Value>) -> Op {
    Op { schema, places, run }
}

/// All ops of all families, in the order in which overloads of one name are tried.
pub fn all() -> impl Iterator<Item = &'static Op> {
    crate::ops::TABLES.iter().chain(crate::ops::nn::TABLES).flat_map(|t| t.iter())
}

/// Arguments in schema order.
pub struct Args(pub Vec<Value>);

macro_rules! accessor {
    ($($(#[$doc:meta])* $name:ident, $opt:ident: $variant:ident => $t:ty;)*) => {$(
        $(#[$doc])*
        pub fn $name(&self, i: usize) -> Result<$t> {
            match self.0.get(i) {
                Some(Value::$variant(v)) => Ok(v.clone()),
                _ => Err(self.mismatch(i, stringify!($variant))),
            }
        }
        pub fn $opt(&self, i: usize) -> Result<Option<$t>> {
            match self.0.get(i) {
                None | Some(Value::None) => Ok(None),
                _ => self.$name(i).map(Some),
            }
        }
    )*};
}

impl Args {
    fn mismatch(&self, i: usize, want: &str) -> Error {
        Error::type_error(format!("argument {i} of this op must be {want}"))
    }
    accessor! {
        owned_tensor, opt_tensor: Tensor => Tensor;
        tensors, opt_tensors: Tensors => Vec<Tensor>;
        index_tensors, opt_index_tensors: OptTensors => Vec<Option<Tensor>>;
        int, opt_int: Int => i64;
        bool, opt_bool: Bool => bool;
        ints, opt_ints: Ints => Vec<i64>;
        floats, opt_floats: Floats => Vec<f64>;
        str, opt_str: Str => String;
        dtype, opt_dtype: DType => DType;
        device, opt_device: Device => Device;
        generator, opt_generator: Generator => Rc<GeneratorRef>;
    }
    pub fn tensor(&self, i: usize) -> Result<&Tensor> {
        match self.0.get(i) {
            Some(Value::Tensor(t)) => Ok(t),
            _ => Err(self.mismatch(i, "Tensor")),
        }
    }
    pub fn float(&self, i: usize) -> Result<f64> {
        match self.0.get(i) {
            Some(Value::Float(f)) => Ok(*f),
            Some(Value::Int(n)) => Ok(*n as f64),
            Some(Value::Scalar(s)) => Ok(s.to_f64()),
            _ => Err(self.mismatch(i, "float")),
        }
    }
    pub fn opt_float(&self, i: usize) -> Result<Option<f64>> {
        match self.0.get(i) {
            None | Some(Value::None) => Ok(None),
            _ => self.float(i).map(Some),
        }
    }
    pub fn scalar(&self, i: usize) -> Result<Scalar> {
        match self.0.get(i) {
            Some(Value::Scalar(s)) => Ok(*s),
            Some(Value::Int(n)) => Ok(Scalar::Int(*n)),
            Some(Value::Float(f)) => Ok(Scalar::Float(*f)),
            Some(Value::Bool(b)) => Ok(Scalar::Bool(*b)),
            _ => Err(self.mismatch(i, "Number")),
        }
    }
    pub fn opt_scalar(&self, i: usize) -> Result<Option<Scalar>> {
        match self.0.get(i) {
            None | Some(Value::None) => Ok(None),
            _ => self.scalar(i).map(Some),
        }
    }
}

impl From<Tensor> for Value {
    fn from(t: Tensor) -> Self {
        Value::Tensor(t)
    }
}
impl From<Vec<Tensor>> for Value {
    fn from(t: Vec<Tensor>) -> Self {
        Value::Tensors(t)
    }
}
impl From<(Tensor, Tensor)> for Value {
    fn from((a, b): (Tensor, Tensor)) -> Self {
        Value::Tuple(vec![a.into(), b.into()])
    }
}
impl From<(Tensor, Tensor, Tensor)> for Value {
    fn from((a, b, c): (Tensor, Tensor, Tensor)) -> Self {
        Value::Tuple(vec![a.into(), b.into(), c.into()])
    }
}
impl From<bool> for Value {
    fn from(b: bool) -> Self {
        Value::Bool(b)
    }
}
impl From<i64> for Value {
    fn from(i: i64) -> Self {
        Value::Int(i)
    }
}
impl From<Scalar> for Value {
    fn from(s: Scalar) -> Self {
        Value::Scalar(s)
    }
}

/// `Tensor.op_`: run the op and put its result in the place of its first argument.
pub fn call_inplace(op: &Op, args: &Args) -> Result<Tensor> {
    let target = args.tensor(0)?.clone();
    autograd::inplace(&target, || match op.call(args)? {
        Value::Tensor(t) => Ok(t),
        _ => Err(Error::runtime("this op has no in-place form")),
    })
}

/// `out=`: run the op without history and write its result into `out`, which takes the result's shape when it is
/// empty or of another size (PyTorch warns in the second case).
pub fn call_out(op: &Op, args: &Args, out: &Tensor) -> Result<Tensor> {
    if autograd::grad_mode::is_enabled() {
        let needs = |v: &Value| match v {
            Value::Tensor(t) => t.requires_grad(),
            Value::Tensors(ts) => ts.iter().any(|t| t.requires_grad()),
            _ => false,
        };
        if out.requires_grad() || args.0.iter().any(needs) {
            let name = op.name();
            return Err(Error::runtime(format!(
                "{name}(): functions with out=... arguments don't support automatic differentiation, but one of the \
                 arguments requires grad."
            )));
        }
    }
    autograd::refuse_overlap(out)?;
    let Value::Tensor(result) = op.call(args)? else {
        return Err(Error::runtime("this op has no out= form"));
    };
    if !result.dtype().can_cast(out.dtype()) {
        return Err(Error::ResultCast { from: result.dtype(), to: out.dtype() });
    }
    if !out.device().shares_memory(result.device()) {
        return Err(Error::runtime(format!(
            "Expected out tensor to have device {}, but got {} instead",
            result.device(),
            out.device()
        )));
    }
    if out.shape() != result.shape() {
        out.set_raw(backend(result.device()).copy(&result.raw(), out.dtype())?);
    } else {
        backend(out.device()).write(&out.raw(), &result.raw())?;
    }
    out.bump_version();
    Ok(out.clone())
}
