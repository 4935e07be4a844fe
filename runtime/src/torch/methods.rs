//! Tensor methods that are not ops: what a tensor says of itself, and changes of dtype and device.

use super::dispatch::{plain, scalar};
use super::errors::ToPy;
use super::schema::{self, Form, Signature};
use super::tensor::{PyTensor, wrap};
use super::{args, mismatch, native, size, storage};
use rushlight_engine::autograd::grad_mode;
use rushlight_engine::registry::{Args, Op, Value};
use rushlight_engine::{DType, Device, Error, Scalar, Tensor, ops, placement};
use rustpython_vm::builtins::PyStr;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyResult, VirtualMachine};
use std::cell::OnceCell;

/// A call of a native method, its arguments bound by its schema.
pub(crate) struct Call<'a> {
    zelf: &'a PyObject,
    x: &'a Tensor,
    args: &'a Args,
    vm: &'a VirtualMachine,
}

struct Native {
    /// One schema an overload.
    schemas: &'static [Op],
    run: fn(&Call) -> PyResult,
}

const fn declared(schema: &'static str) -> Op {
    Op { schema, places: 0, run: |_| Err(Error::not_implemented("this is no op")) }
}

macro_rules! natives {
    ($($($schema:literal),+ => $run:expr;)*) => {
        &[$(Native { schemas: &[$(declared($schema)),+], run: $run }),*]
    };
}

impl Call<'_> {
    fn int(&self, i: usize) -> Option<i64> {
        self.args.opt_int(i).ok().flatten()
    }
    fn flag(&self, i: usize) -> bool {
        matches!(self.args.0.get(i), Some(Value::Bool(true)))
    }
    fn zelf(&self) -> PyResult {
        Ok(self.zelf.to_owned())
    }
    fn number(&self, n: usize) -> PyResult {
        Ok(self.vm.ctx.new_int(n).into())
    }
    fn bool(&self, b: bool) -> PyResult {
        Ok(self.vm.ctx.new_bool(b).into())
    }
    fn tensor(&self, i: usize) -> PyResult<Tensor> {
        self.args.tensor(i).cloned().py(self.vm)
    }
    /// No memory format is asked for.
    fn plain_format(&self) -> bool {
        !matches!(self.args.0.last(), Some(Value::Str(format)) if format != "preserve_format")
    }
    fn moved(&self, device: Device) -> PyResult {
        if device == self.x.device() {
            return self.zelf();
        }
        wrap(&placement::to_device(self.x, device).py(self.vm)?, self.vm)
    }
    /// Another dtype, and another memory format where the last argument is one.
    fn cast(&self, dtype: DType, copy: bool) -> PyResult {
        if let Some(Value::Str(format)) = self.args.0.last()
            && format != "preserve_format"
        {
            let t = ops::cast(self.x, dtype).py(self.vm)?;
            return match ops::has_format(&t, format) && !copy {
                true if t.same(self.x) => self.zelf(),
                true => wrap(&t, self.vm),
                false => wrap(&ops::clone_format(&t, format).py(self.vm)?, self.vm),
            };
        }
        if self.x.dtype() == dtype && !copy {
            return self.zelf();
        }
        discards_imaginary(self.x, dtype, self.vm)?;
        let t = if self.x.dtype() == dtype { ops::clone(self.x) } else { ops::cast(self.x, dtype) };
        wrap(&t.py(self.vm)?, self.vm)
    }
    fn dim(&self, i: i64) -> PyResult<usize> {
        rushlight_engine::layout::wrap_dim(i, self.x.ndim()).py(self.vm).and_then(|d| {
            if d < self.x.ndim() {
                Ok(d)
            } else {
                Err(self.vm.new_index_error(format!("Dimension specified as {i} but tensor has no dimensions")))
            }
        })
    }
}

/// PyTorch says once where a cast loses imaginary parts.
fn discards_imaginary(x: &Tensor, to: DType, vm: &VirtualMachine) -> PyResult<()> {
    thread_local! {
        static SAID: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
    }
    if !x.dtype().is_complex() || to.is_complex() || to == DType::Bool || SAID.replace(true) {
        return Ok(());
    }
    super::data::warn(
        "Casting complex values to real discards the imaginary part (Triggered internally at \
         /__w/pytorch/pytorch/aten/src/ATen/native/Copy.cpp:308.)",
        vm,
    )
}

static METHODS: &[Native] = natives! {
    "size(Tensor self, int? dim=None) -> int" => |c| match c.int(1) {
        Some(i) => c.number(c.x.size(c.dim(i)?)),
        None => size::size(&c.x.shape(), c.vm),
    };
    "stride(Tensor self, int? dim=None) -> int" => |c| match c.int(1) {
        Some(i) => { let d = c.dim(i)?; c.number(c.x.strides().get(d).copied().unwrap_or(1)) }
        None => plain(Value::Ints(c.x.strides().into_iter().map(|s| s as i64).collect()), c.vm),
    };
    "dim(Tensor self) -> int" => |c| c.number(c.x.ndim());
    "ndimension(Tensor self) -> int" => |c| c.number(c.x.ndim());
    "numel(Tensor self) -> int" => |c| c.number(c.x.numel());
    "nelement(Tensor self) -> int" => |c| c.number(c.x.numel());
    "element_size(Tensor self) -> int" => |c| c.number(c.x.dtype().size());
    "storage_offset(Tensor self) -> int" => |c| c.number(c.x.offset());
    "data_ptr(Tensor self) -> int" => |c| Ok(c.vm.ctx.new_int(c.x.data_ptr()).into());
    "get_device(Tensor self) -> int" => |c| Ok(c.vm.ctx.new_int(if c.x.device().is_gpu() { 0 } else { -1 }).into());
    "dim_order(Tensor self) -> int[]" => |c| {
        let mut order: Vec<usize> = (0..c.x.ndim()).collect();
        let strides = c.x.strides();
        order.sort_by_key(|&d| std::cmp::Reverse(strides[d]));
        plain(Value::Ints(order.into_iter().map(|d| d as i64).collect()), c.vm)
    };
    "is_contiguous(Tensor self, *, MemoryFormat? memory_format=None) -> bool" => |c| match &c.args.0[1] {
        Value::Str(format) => c.bool(ops::has_format(c.x, format)),
        _ => c.bool(c.x.is_contiguous()),
    };
    "is_floating_point(Tensor self) -> bool" => |c| c.bool(c.x.dtype().is_float());
    "is_complex(Tensor self) -> bool" => |c| c.bool(c.x.dtype().is_complex());
    "is_nonzero(Tensor self) -> bool" => |c| super::attributes::is_nonzero(c.x, c.vm);
    "is_signed(Tensor self) -> bool" => |c| c.bool(c.x.dtype().is_signed());
    "is_inference(Tensor self) -> bool" => |c| c.bool(c.x.is_inference());
    "is_conj(Tensor self) -> bool" => |c| c.bool(false);
    "is_neg(Tensor self) -> bool" => |c| c.bool(false);
    "is_shared(Tensor self) -> bool" => |c| c.bool(false);
    "is_pinned(Tensor self) -> bool" => |c| c.bool(false);
    "is_coalesced(Tensor self) -> bool" => |c| c.bool(false);
    "is_same_size(Tensor self, Tensor other) -> bool" => |c| { let o = c.tensor(1)?; c.bool(o.shape() == c.x.shape()) };
    "is_set_to(Tensor self, Tensor tensor) -> bool" => |c| {
        let o = c.tensor(1)?;
        c.bool(o.storage().same(&c.x.storage()) && o.layout() == c.x.layout())
    };
    "_is_view(Tensor self) -> bool" => |c| c.bool(c.x.base().is_some());
    "item(Tensor self) -> Scalar" => |c| Ok(scalar(c.x.item().py(c.vm)?, c.vm));
    "tolist(Tensor self) -> Scalar[]" => |c| tolist(c.x, c.vm);
    "detach(Tensor self) -> Tensor" => |c| wrap(&c.x.detach(), c.vm);
    "detach_(Tensor self) -> Tensor" => |c| { c.x.detach_inplace().py(c.vm)?; c.zelf() };
    "retain_grad(Tensor self) -> ()" => |c| { c.x.retain_grad().py(c.vm)?; Ok(c.vm.ctx.none()) };
    "requires_grad_(Tensor self, bool requires_grad=True) -> Tensor" => |c| {
        set_requires_grad(c.x, c.flag(1), c.vm)?;
        c.zelf()
    };
    "cpu(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor" => |c| c.moved(Device::Cpu);
    "cuda(Tensor self, Device? device=None, bool non_blocking=False, *, MemoryFormat? memory_format=None) -> Tensor" => |c| {
        match &c.args.0[1] {
            Value::Device(Device::Cpu) => Err(c.vm.new_value_error("Expected a cuda device, but got: cpu".to_owned())),
            _ => c.moved(super::device::PyDevice::new("cuda", None).usable(c.vm)?),
        }
    };
    "pin_memory(Tensor self, Device? device=None) -> Tensor" => |c| c.zelf();
    "share_memory_(Tensor self) -> Tensor" => |c| c.zelf();
    "float(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor" => |c| c.cast(DType::F32, false);
    "double(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor" => |c| c.cast(DType::F64, false);
    "half(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor" => |c| c.cast(DType::F16, false);
    "bfloat16(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor" => |c| c.cast(DType::BF16, false);
    "cfloat(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor" => |c| c.cast(DType::C64, false);
    "cdouble(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor" => |c| c.cast(DType::C128, false);
    "byte(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor" => |c| c.cast(DType::U8, false);
    "char(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor" => |c| c.cast(DType::I8, false);
    "short(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor" => |c| c.cast(DType::I16, false);
    "int(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor" => |c| c.cast(DType::I32, false);
    "long(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor" => |c| c.cast(DType::I64, false);
    "bool(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor" => |c| c.cast(DType::Bool, false);
    "to.device(Tensor self, Device? device=None, ScalarType? dtype=None, bool non_blocking=False, bool copy=False, *, MemoryFormat? memory_format=None) -> Tensor",
    "to.dtype(Tensor self, ScalarType dtype, bool non_blocking=False, bool copy=False, *, MemoryFormat? memory_format=None) -> Tensor",
    "to.other(Tensor self, Tensor tensor, bool non_blocking=False, bool copy=False, *, MemoryFormat? memory_format=None) -> Tensor" => |c| {
        let (mut dtype, mut device) = (c.x.dtype(), c.x.device());
        for value in &c.args.0[1..] {
            match value {
                Value::DType(d) => dtype = *d,
                Value::Device(d) => device = *d,
                Value::Tensor(other) => (dtype, device) = (other.dtype(), other.device()),
                _ => {}
            }
        }
        // `copy` is the last flag.
        let copy = c.args.0.iter().rev().find_map(|v| if let Value::Bool(b) = v { Some(*b) } else { None });
        if device == c.x.device() {
            return c.cast(dtype, copy.unwrap_or(false));
        }
        // The smaller of the two dtypes travels.
        let before = dtype.size() < c.x.dtype().size();
        let x = if before { ops::cast(c.x, dtype).py(c.vm)? } else { c.x.clone() };
        let moved = placement::to_device(&x, device).py(c.vm)?;
        let moved = Call { zelf: c.zelf, x: &moved, args: c.args, vm: c.vm };
        if moved.x.dtype() == dtype && c.plain_format() { wrap(moved.x, c.vm) } else { moved.cast(dtype, false) }
    };
    "type_as(Tensor self, Tensor other) -> Tensor" => |c| {
        let o = c.tensor(1)?;
        if o.device() == c.x.device() {
            return c.cast(o.dtype(), false);
        }
        let moved = placement::to_device(c.x, o.device()).and_then(|x| ops::cast(&x, o.dtype()));
        wrap(&moved.py(c.vm)?, c.vm)
    };
    "copy_(Tensor self, Tensor|Scalar other, bool non_blocking=False) -> Tensor" => |c| {
        let src = c.tensor(1)?;
        ops::index_put(c.x, &[ops::Index::Ellipsis], &src).py(c.vm)?;
        c.zelf()
    };
    "untyped_storage(Tensor self) -> Storage" => |c| Ok(rustpython_vm::PyPayload::into_pyobject(storage::of(c.x), c.vm));
};

/// `requires_grad_` and `x.requires_grad = b`
pub(crate) fn set_requires_grad(t: &Tensor, on: bool, vm: &VirtualMachine) -> PyResult<()> {
    t.set_requires_grad(on).py(vm)
}

/// Nested lists of Python numbers.
pub(crate) fn tolist(t: &Tensor, vm: &VirtualMachine) -> PyResult {
    let mut values = t.scalars().py(vm)?.into_iter();
    fn nest(shape: &[usize], values: &mut impl Iterator<Item = Scalar>, vm: &VirtualMachine) -> PyObjectRef {
        match shape.split_first() {
            None => values.next().map_or_else(|| vm.ctx.none(), |v| scalar(v, vm)),
            Some((&n, rest)) => {
                // An empty dimension further in must not make the outer loop long.
                let items = (0..n).map(|_| nest(rest, values, vm)).collect();
                vm.ctx.new_list(items).into()
            }
        }
    }
    Ok(nest(&t.shape(), &mut values, vm))
}

/// The function object of each native method with its name.
pub(crate) fn all(vm: &VirtualMachine) -> Vec<(&'static str, PyObjectRef)> {
    let bound = METHODS.iter().map(|m| {
        let name = m.schemas.first().map_or("", |s| schema::base_name(s.schema));
        let signatures: OnceCell<Vec<Signature>> = OnceCell::new();
        let call = move |args: FuncArgs, vm: &VirtualMachine| {
            let signatures = signatures.get_or_init(|| {
                let native = m.schemas.iter();
                native.flat_map(|s| schema::signatures(s, Form::Method, false)).collect()
            });
            call(name, m, signatures, args, vm)
        };
        (name, native::method(name, call, vm))
    });
    bound.collect()
}

fn call(name: &str, m: &Native, signatures: &[Signature], args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let Some((zelf, rest)) = args.args.split_first() else {
        return Err(vm.new_type_error(format!("unbound method TensorBase.{name}() needs an argument")));
    };
    let Some(tensor) = zelf.downcast_ref::<PyTensor>() else {
        let class = zelf.class().name().to_string();
        return Err(vm.new_type_error(format!(
            "descriptor '{name}' for 'torch._C.TensorBase' objects doesn't apply to a '{class}' object"
        )));
    };
    for signature in signatures {
        match args::bind(signature, Some(tensor.tensor()), rest, &args.kwargs, vm) {
            Ok(bound) => {
                let call = Call { zelf, x: tensor.tensor(), args: &bound.args, vm };
                return (m.run)(&call);
            }
            Err(args::Mismatch::Raise(e)) => return Err(mismatch::named(name, e, vm)),
            Err(_) => {}
        }
    }
    Err(mismatch::none_fits(name, signatures, Some(tensor.tensor()), rest, &args.kwargs, vm))
}

/// `x.type()`, `x.type(dtype)`
pub(crate) fn type_(zelf: &PyObjectRef, t: &Tensor, args: &FuncArgs, vm: &VirtualMachine) -> PyResult {
    let wanted = args.args.first().cloned().or_else(|| args.get_optional_kwarg("dtype"));
    let Some(wanted) = wanted.filter(|w| !vm.is_none(w)) else {
        let place = match t.device() {
            Device::Cpu => "torch",
            Device::Cuda => "torch.cuda",
            Device::WebGpu => "torch.webgpu",
        };
        return Ok(vm.ctx.new_str(format!("{place}.{}", t.dtype().tensor_type_name())).into());
    };
    let dtype = if let Some(text) = wanted.downcast_ref::<PyStr>() {
        let text = text.to_string_lossy();
        let found = DType::ALL.into_iter().find(|d| format!("torch.{}", d.tensor_type_name()) == *text);
        let found = found.or_else(|| (*text == *"torch.Tensor").then(rushlight_engine::dtype::default_dtype));
        found.ok_or_else(|| vm.new_value_error(format!("invalid type: '{text}'")))?
    } else if let Some(dtype) = args::dtype_of(&wanted, vm)? {
        dtype
    } else {
        // `torch.FloatTensor` and the like.
        let of_class = vm.get_attribute_opt(&wanted, "dtype")?;
        let dtype = of_class.map(|d| args::dtype_of(&d, vm)).transpose()?.flatten();
        dtype.ok_or_else(|| vm.new_type_error("dtype must be a type, str, or dtype object".to_owned()))?
    };
    if dtype == t.dtype() {
        return Ok(zelf.clone());
    }
    wrap(&ops::cast(t, dtype).py(vm)?, vm)
}

/// `x.apply_(f)`, `x.map_(y, f)`: a Python function on each element.
pub(crate) fn apply(t: &Tensor, others: &[&Tensor], f: &PyObject, vm: &VirtualMachine) -> PyResult<()> {
    if t.requires_grad() && grad_mode::is_enabled() {
        let name = ["apply_", "map_", "map2_"][others.len().min(2)];
        return Err(vm.new_runtime_error(format!(
            "Can't call {name}() on Variable that requires grad. Use \
                                                 var.detach().{name}() instead."
        )));
    }
    let mut columns = vec![t.scalars().py(vm)?];
    for other in others {
        let target: Vec<i64> = t.shape().into_iter().map(|s| s as i64).collect();
        columns.push(ops::expand(other, &target).py(vm)?.scalars().py(vm)?);
    }
    let mut out = Vec::with_capacity(t.numel());
    for i in 0..t.numel() {
        crate::stop::check_interrupt(vm)?;
        let args: Vec<PyObjectRef> = columns.iter().filter_map(|c| c.get(i)).map(|v| scalar(*v, vm)).collect();
        let result = f.call(args, vm)?;
        let Some(value) = args::number(&result, vm)? else {
            return Err(vm.new_type_error(format!("must be real number, not {}", result.class().name())));
        };
        out.push(value);
    }
    let shape = t.shape();
    let result = rushlight_engine::with_dtype!(t.dtype(), T => {
        let data: Vec<T> = out.into_iter().map(<T as rushlight_engine::dtype::Element>::from_scalar).collect();
        Tensor::from_slice(&data, &shape).py(vm)?
    }; else {
        let pairs: Vec<(f64, f64)> = out.into_iter().map(|v| (v.to_f64(), v.imag())).collect();
        Tensor::from_pairs(&pairs, &shape, t.dtype()).py(vm)?
    });
    grad_mode::no_grad(|| ops::index_put(t, &[ops::Index::Ellipsis], &result)).py(vm)
}
