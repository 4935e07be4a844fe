//! Tensors out of nothing: constants, ranges, identities, and those shaped like another.

use crate::backend::backend;
use crate::device::{self, Device};
use crate::dtype::{DType, Element, Scalar, default_dtype};
use crate::error::{Error, Result, list};
use crate::layout::{Layout, checked_numel};
use crate::ops::{in_order, memory_order};
use crate::placement::placed;
use crate::registry::{Args, Op, Value, op, places};
use crate::tensor::{Raw, Tensor};
use crate::with_dtype;

/// Sizes as Python gives them, checked.
///
/// # Errors
/// Negative sizes; more elements than can be counted.
pub fn checked_shape(size: &[i64], dtype: DType) -> Result<Vec<usize>> {
    if let Some(s) = size.iter().find(|&&s| s < 0) {
        return Err(Error::runtime(format!("Trying to create tensor with negative dimension {s}: {}", list(size))));
    }
    let shape: Vec<usize> = size.iter().map(|&s| s as usize).collect();
    match checked_numel(&shape).and_then(|n| i64::try_from(n).ok()?.checked_mul(dtype.size() as i64)) {
        Some(_) => Ok(shape),
        None => Err(Error::runtime(format!("Storage size calculation overflowed with sizes={}", list(size)))),
    }
}

/// Can a dtype hold the number? Negative numbers wrap in unsigned types, as in C.
///
/// # Errors
/// `value cannot be converted to type uint8_t without overflow`.
pub fn check_fits(value: Scalar, dtype: DType) -> Result<()> {
    let name = match dtype {
        DType::Bool => return Ok(()),
        DType::U8 => "uint8_t",
        DType::I8 => "int8_t",
        DType::I16 => "int16_t",
        DType::I32 => "int",
        DType::I64 => "int64_t",
        DType::F16 => "at::Half",
        DType::BF16 => "at::BFloat16",
        DType::F32 => "float",
        DType::F64 => "double",
        DType::C64 | DType::C128 => return Ok(()),
    };
    if value.imag() != 0.0 {
        return Err(Error::runtime(format!("value cannot be converted to type {name} without overflow")));
    }
    let (low, high) = match dtype {
        DType::U8 => (-255.0, 255.0),
        DType::I8 => (-128.0, 127.0),
        DType::I16 => (-32768.0, 32767.0),
        DType::I32 => (i32::MIN as f64, i32::MAX as f64),
        DType::I64 => (i64::MIN as f64, 9.223_372_036_854_775e18),
        DType::F16 => (-65504.0, 65504.0),
        DType::BF16 | DType::F32 => (f32::MIN as f64, f32::MAX as f64),
        _ => (f64::MIN, f64::MAX),
    };
    let v = value.to_f64();
    let ok = match value {
        Scalar::Int(_) if dtype == DType::I64 => true,
        Scalar::Float(f) if !f.is_finite() => dtype.is_float(),
        _ => v >= low && v <= high,
    };
    if ok { Ok(()) } else { Err(Error::runtime(format!("value cannot be converted to type {name} without overflow"))) }
}

/// `torch.full(size, value, dtype=…)`.
pub fn full(size: &[i64], value: Scalar, dtype: Option<DType>) -> Result<Tensor> {
    let dtype = dtype.unwrap_or(value.dtype());
    check_fits(value, dtype)?;
    Tensor::full(&checked_shape(size, dtype)?, value, dtype)
}

/// A fresh value with the order of dimensions in memory that `x` has.
pub(crate) fn shaped_like(x: &Tensor, make: impl FnOnce(&[usize]) -> Result<Raw>) -> Result<Raw> {
    let shape = x.shape();
    let order = memory_order(&shape, &[x.strides()]);
    if order.is_sorted() {
        return make(&shape);
    }
    let moved: Vec<usize> = order.iter().map(|&d| shape[d]).collect();
    let raw = make(&moved)?;
    let mut back = vec![0; order.len()];
    order.iter().enumerate().for_each(|(i, &d)| back[d] = i);
    let layout = raw.layout.permute(&back);
    Ok(raw.with_layout(layout))
}

/// `torch.full_like(x, value)`.
pub fn full_like(x: &Tensor, value: Scalar, dtype: Option<DType>, format: Option<&str>) -> Result<Tensor> {
    let dtype = dtype.unwrap_or(x.dtype());
    check_fits(value, dtype)?;
    let b = backend(x.device());
    let raw = match format {
        None | Some("preserve_format") => shaped_like(x, |shape| b.full(shape, value, dtype))?,
        Some("contiguous_format") => b.full(&x.shape(), value, dtype)?,
        Some(other) => {
            return Err(Error::not_implemented(format!("the memory format torch.{other} is not available here")));
        }
    };
    Ok(Tensor::from_raw(raw))
}

/// `torch.arange(start, end, step)`.
///
/// # Errors
/// PyTorch's: a zero step, bounds on the wrong side, infinite bounds.
pub fn arange(start: Scalar, end: Scalar, step: Scalar, dtype: Option<DType>) -> Result<Tensor> {
    let whole = |s: Scalar| !matches!(s, Scalar::Float(_));
    let ints = whole(start) && whole(end) && whole(step);
    let dtype = dtype.unwrap_or(if ints { DType::I64 } else { default_dtype() });
    let (s, e, by) = (start.to_f64(), end.to_f64(), step.to_f64());
    if [start, end, step].iter().any(|s| s.imag() != 0.0) {
        return Err(Error::runtime("value cannot be converted to type double without overflow"));
    }
    if dtype == DType::Bool || dtype.is_complex() {
        return Err(Error::no_kernel("arange_cpu", dtype));
    }
    if by == 0.0 {
        return Err(Error::runtime("step must be nonzero"));
    }
    if !s.is_finite() || !e.is_finite() {
        return Err(Error::runtime(format!("unsupported range: {} -> {}", bound(start), bound(end))));
    }
    if (by > 0.0 && s > e) || (by < 0.0 && s < e) {
        return Err(Error::runtime("upper bound and lower bound inconsistent with step sign"));
    }
    let count = if ints {
        let (s, e, by) = (start.to_i64() as i128, end.to_i64() as i128, step.to_i64() as i128);
        ((e - s + by - by.signum()) / by) as f64
    } else {
        ((e - s) / by).ceil()
    };
    if count.is_nan() || count > i64::MAX as f64 {
        return Err(Error::runtime("invalid size, possible overflow?"));
    }
    let shape = checked_shape(&[count as i64], dtype)?;
    if dtype.is_int() {
        let b = backend(device::current());
        let raw = b.iota(shape[0], start.to_i64(), step.to_i64())?;
        return Ok(Tensor::from_raw(if dtype == DType::I64 { raw } else { b.copy(&raw, dtype)? }));
    }
    let raw = backend(Device::Cpu).full(&shape, Scalar::Int(0), dtype)?;
    match dtype {
        DType::F32 => fill_range::<f32>(&raw, s, by, 8),
        DType::F64 => fill_range::<f64>(&raw, s, by, 4),
        DType::F16 => fill_range::<half::f16>(&raw, s, by, 16),
        _ => fill_range::<half::bf16>(&raw, s, by, 16),
    }
    Ok(Tensor::from_raw(placed(raw)?))
}

/// A bound as PyTorch's message writes it.
fn bound(s: Scalar) -> String {
    match s {
        Scalar::Float(f) if !f.is_finite() => crate::format::float(f),
        other => format!("{}", other.to_f64()),
    }
}

/// The steps as PyTorch's vector code takes them: lanes count from a first element rounded to the dtype, two vectors at
/// a time; what is left over counts from the start.
fn fill_range<T: Element>(raw: &Raw, start: f64, step: f64, lanes: usize) {
    let mut out = raw.storage.slice_mut::<T>();
    let n = out.len();
    let vectored = n - n % (2 * lanes);
    for (i, o) in out.iter_mut().enumerate() {
        *o = if i < vectored {
            let first = T::from_f64(start + step * (i - i % lanes) as f64).to_f64();
            T::from_f64(first + step * (i % lanes) as f64)
        } else {
            T::from_f64(start + step * i as f64)
        };
    }
}

/// `torch.linspace(start, end, steps)`: counted from both ends to the middle.
pub fn linspace(start: Scalar, end: Scalar, steps: i64, dtype: Option<DType>) -> Result<Tensor> {
    let parts = [start, end].iter().any(|s| matches!(s, Scalar::Complex(..)));
    let usual = default_dtype();
    let dtype = dtype.unwrap_or(if parts { usual.to_complex() } else { usual });
    if dtype.is_complex() {
        let of = |f: fn(Scalar) -> f64| linspace(f(start).into(), f(end).into(), steps, Some(dtype.to_real()));
        return crate::ops::parts_to_complex(&of(Scalar::to_f64)?, &of(Scalar::imag)?);
    }
    if steps < 0 {
        return Err(Error::runtime("number of steps must be non-negative"));
    }
    if dtype == DType::Bool {
        return Err(Error::no_kernel("linspace_cpu", dtype));
    }
    let raw = backend(Device::Cpu).full(&checked_shape(&[steps], dtype)?, Scalar::Int(0), dtype)?;
    spaced(&raw, start, end, None);
    Ok(Tensor::from_raw(placed(raw)?))
}

/// `torch.logspace(start, end, steps, base)`.
pub fn logspace(start: Scalar, end: Scalar, steps: i64, base: f64, dtype: Option<DType>) -> Result<Tensor> {
    let dtype = dtype.unwrap_or(default_dtype());
    if steps < 0 {
        return Err(Error::runtime("number of steps must be non-negative"));
    }
    if dtype == DType::Bool || dtype.is_complex() {
        return Err(Error::no_kernel("logspace_cpu", dtype));
    }
    let raw = backend(Device::Cpu).full(&checked_shape(&[steps], dtype)?, Scalar::Int(0), dtype)?;
    spaced(&raw, start, end, Some(base));
    Ok(Tensor::from_raw(placed(raw)?))
}

fn spaced(raw: &Raw, start: Scalar, end: Scalar, base: Option<f64>) {
    let n = raw.numel();
    if raw.dtype == DType::F32 {
        let (s, e) = (start.to_f64() as f32, end.to_f64() as f32);
        let step = (e - s) / (n.max(2) - 1) as f32;
        for (i, o) in raw.storage.slice_mut::<f32>().iter_mut().enumerate() {
            let v = if i < n / 2 { step.mul_add(i as f32, s) } else { (-step).mul_add((n - i - 1) as f32, e) };
            let v = if n == 1 { s } else { v };
            *o = base.map_or(v, |b| b.powf(v as f64) as f32);
        }
        return;
    }
    let ints = raw.dtype.is_int();
    let whole = |s: Scalar| if ints { s.to_i64() as f64 } else { s.to_f64() };
    let (s, e) = (whole(start), whole(end));
    let step = (e - s) / (n.max(2) - 1) as f64;
    with_dtype!(raw.dtype, T => {
        for (i, o) in raw.storage.slice_mut::<T>().iter_mut().enumerate() {
            let v = if i < n / 2 { step.mul_add(i as f64, s) } else { (-step).mul_add((n - i - 1) as f64, e) };
            let v = if n == 1 { s } else { v };
            *o = T::from_f64(base.map_or(v, |b| b.powf(v)));
        }
    }; else ());
}

/// `torch.eye(n, m)`.
pub fn eye(n: i64, m: Option<i64>, dtype: Option<DType>) -> Result<Tensor> {
    if n < 0 {
        return Err(Error::runtime(format!("n must be greater or equal to 0, got {n}")));
    }
    let m = m.unwrap_or(n);
    if m < 0 {
        return Err(Error::runtime(format!("m must be greater or equal to 0, got {m}")));
    }
    let dtype = dtype.unwrap_or(default_dtype());
    let b = backend(device::current());
    let raw = b.full(&checked_shape(&[n, m], dtype)?, Scalar::Int(0), dtype)?;
    let k = n.min(m) as usize;
    let diagonal = Layout { shape: vec![k], strides: vec![m as usize + 1], offset: 0 };
    b.write(&raw.with_layout(diagonal), &b.full(&[k], Scalar::Int(1), dtype)?)?;
    Ok(Tensor::from_raw(raw))
}

/// `torch.empty_strided(size, stride)`.
fn empty_strided(size: &[i64], stride: &[i64], dtype: DType) -> Result<Tensor> {
    if size.len() != stride.len() {
        return Err(Error::runtime(format!(
            "dimensionality of sizes ({}) must match dimensionality of strides ({})",
            size.len(),
            stride.len()
        )));
    }
    let shape = checked_shape(size, dtype)?;
    let overflow = || {
        Error::runtime(format!(
            "Storage size calculation overflowed with sizes={} and strides={}",
            list(size),
            list(stride)
        ))
    };
    let strides = stride.iter().map(|&s| usize::try_from(s).map_err(|_| overflow())).collect::<Result<Vec<usize>>>()?;
    let mut need = usize::from(!shape.contains(&0));
    if need > 0 {
        for (&n, &s) in shape.iter().zip(&strides) {
            need = (n - 1).checked_mul(s).and_then(|k| need.checked_add(k)).ok_or_else(overflow)?;
        }
    }
    let raw = backend(device::current()).full(&[need], Scalar::Int(0), dtype)?;
    Ok(Tensor::from_raw(raw.with_layout(Layout { shape, strides, offset: 0 })))
}

/// `torch.empty_permuted(size, physical_layout)`.
fn empty_permuted(size: &[i64], order: &[i64], dtype: DType) -> Result<Tensor> {
    let shape = checked_shape(size, dtype)?;
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    if !sorted.iter().enumerate().all(|(i, &d)| d == i as i64) || order.len() != shape.len() {
        return Err(Error::runtime(format!(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) = {} is not \
             equal to len(physical_layout) = {}",
            size.len(),
            order.len()
        )));
    }
    let raw = backend(device::current()).full(&shape, Scalar::Int(0), dtype)?;
    let order: Vec<usize> = order.iter().map(|&d| d as usize).collect();
    Ok(Tensor::from_raw(in_order(raw, &order)?))
}

fn filled(a: &Args, value: i64) -> Result<Value> {
    full(&a.ints(0)?, Scalar::Int(value), Some(a.opt_dtype(1)?.unwrap_or(default_dtype()))).map(Value::from)
}
fn filled_like(a: &Args, value: i64) -> Result<Value> {
    full_like(a.tensor(0)?, Scalar::Int(value), a.opt_dtype(1)?, a.opt_str(3)?.as_deref()).map(Value::from)
}
fn new_filled(a: &Args, value: i64) -> Result<Value> {
    let dtype = a.opt_dtype(2)?.unwrap_or(a.tensor(0)?.dtype());
    full(&a.ints(1)?, Scalar::Int(value), Some(dtype)).map(Value::from)
}

const MAKES: u16 = places::FUNCTION | places::OUT;

pub(crate) const TABLE: &[Op] = &[
    op("zeros(int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor", MAKES, |a| filled(a, 0)),
    op("ones(int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor", MAKES, |a| filled(a, 1)),
    op(
        "empty.memory_format(int[] size, *, ScalarType? dtype=None, Device? device=None, MemoryFormat? \
         memory_format=None) -> Tensor",
        MAKES,
        |a| filled(a, 0),
    ),
    op("full(int[] size, Scalar fill_value, *, ScalarType? dtype=None, Device? device=None) -> Tensor", MAKES, |a| {
        Ok(full(&a.ints(0)?, a.scalar(1)?, a.opt_dtype(2)?)?.into())
    }),
    op(
        "empty_strided(int[] size, int[] stride, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
        places::FUNCTION,
        |a| Ok(empty_strided(&a.ints(0)?, &a.ints(1)?, a.opt_dtype(2)?.unwrap_or(default_dtype()))?.into()),
    ),
    op(
        "empty_permuted(int[] size, int[] physical_layout, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
        places::FUNCTION,
        |a| Ok(empty_permuted(&a.ints(0)?, &a.ints(1)?, a.opt_dtype(2)?.unwrap_or(default_dtype()))?.into()),
    ),
    op(
        "zeros_like(Tensor self, *, ScalarType? dtype=None, Device? device=None, MemoryFormat? memory_format=None) -> \
         Tensor",
        places::FUNCTION,
        |a| filled_like(a, 0),
    ),
    op(
        "ones_like(Tensor self, *, ScalarType? dtype=None, Device? device=None, MemoryFormat? memory_format=None) -> \
         Tensor",
        places::FUNCTION,
        |a| filled_like(a, 1),
    ),
    op(
        "empty_like(Tensor self, *, ScalarType? dtype=None, Device? device=None, MemoryFormat? memory_format=None) -> \
         Tensor",
        places::FUNCTION,
        |a| filled_like(a, 0),
    ),
    op(
        "full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Device? device=None, MemoryFormat? \
         memory_format=None) -> Tensor",
        places::FUNCTION,
        |a| Ok(full_like(a.tensor(0)?, a.scalar(1)?, a.opt_dtype(2)?, a.opt_str(4)?.as_deref())?.into()),
    ),
    op(
        "new_zeros(Tensor self, int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
        places::METHOD,
        |a| new_filled(a, 0),
    ),
    op(
        "new_ones(Tensor self, int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
        places::METHOD,
        |a| new_filled(a, 1),
    ),
    op(
        "new_empty(Tensor self, int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
        places::METHOD,
        |a| new_filled(a, 0),
    ),
    op(
        "new_full(Tensor self, int[] size, Scalar fill_value, *, ScalarType? dtype=None, Device? device=None) -> \
         Tensor",
        places::METHOD,
        |a| {
            let dtype = a.opt_dtype(3)?.unwrap_or(a.tensor(0)?.dtype());
            Ok(full(&a.ints(1)?, a.scalar(2)?, Some(dtype))?.into())
        },
    ),
    op(
        "new_empty_strided(Tensor self, int[] size, int[] stride, *, ScalarType? dtype=None, Device? device=None) -> \
         Tensor",
        places::METHOD,
        |a| {
            let dtype = a.opt_dtype(3)?.unwrap_or(a.tensor(0)?.dtype());
            Ok(empty_strided(&a.ints(1)?, &a.ints(2)?, dtype)?.into())
        },
    ),
    op("scalar_tensor(Scalar s, *, ScalarType? dtype=None, Device? device=None) -> Tensor", places::FUNCTION, |a| {
        Ok(full(&[], a.scalar(0)?, Some(a.opt_dtype(1)?.unwrap_or(default_dtype())))?.into())
    }),
    op("arange(Scalar end, *, ScalarType? dtype=None, Device? device=None) -> Tensor", MAKES, |a| {
        Ok(arange(Scalar::Int(0), a.scalar(0)?, Scalar::Int(1), a.opt_dtype(1)?)?.into())
    }),
    op(
        "arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Device? device=None) -> \
         Tensor",
        MAKES,
        |a| Ok(arange(a.scalar(0)?, a.scalar(1)?, a.scalar(2)?, a.opt_dtype(3)?)?.into()),
    ),
    op(
        "linspace(Scalar start, Scalar end, int steps, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
        MAKES,
        |a| Ok(linspace(a.scalar(0)?, a.scalar(1)?, a.int(2)?, a.opt_dtype(3)?)?.into()),
    ),
    op(
        "logspace(Scalar start, Scalar end, int steps, float base=10.0, *, ScalarType? dtype=None, Device? \
         device=None) -> Tensor",
        MAKES,
        |a| Ok(logspace(a.scalar(0)?, a.scalar(1)?, a.int(2)?, a.float(3)?, a.opt_dtype(4)?)?.into()),
    ),
    op("eye(int n, *, ScalarType? dtype=None, Device? device=None) -> Tensor", MAKES, |a| {
        Ok(eye(a.int(0)?, None, a.opt_dtype(1)?)?.into())
    }),
    op("eye.m(int n, int m, *, ScalarType? dtype=None, Device? device=None) -> Tensor", MAKES, |a| {
        Ok(eye(a.int(0)?, Some(a.int(1)?), a.opt_dtype(2)?)?.into())
    }),
];
