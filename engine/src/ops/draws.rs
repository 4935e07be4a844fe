//! Draws from the generator into fresh memory, one function a distribution.

use std::rc::Rc;

use half::{bf16, f16};

use crate::backend::backend;
use crate::device::Device;
use crate::dtype::{DType, Element, Scalar};
use crate::error::{Error, Result};
use crate::placement::placed;
use crate::random::{Generator, default_generator};
use crate::registry::GeneratorRef;
use crate::tensor::Raw;
use crate::with_dtype;

/// The generator to draw from; the default one when none is given.
pub(crate) type Gen = Option<Rc<GeneratorRef>>;

/// Run with the given generator, or the default one.
pub(crate) fn with_generator<R>(generator: &Gen, f: impl FnOnce(&mut Generator) -> R) -> R {
    let generator = generator.clone().unwrap_or_else(default_generator);
    let mut generator = generator.borrow_mut();
    f(&mut generator)
}

/// A contiguous value, one draw an element, in order.
pub(crate) fn drawn(
    shape: &[usize],
    dtype: DType,
    generator: &Gen,
    mut draw: impl FnMut(&mut Generator) -> f64,
) -> Result<Raw> {
    if dtype.is_complex() {
        return Err(Error::no_kernel("random_cpu", dtype));
    }
    let raw = backend(Device::Cpu).full(shape, Scalar::Int(0), dtype)?;
    with_generator(generator, |g| {
        with_dtype!(dtype, T => raw.storage.slice_mut::<T>().iter_mut().for_each(|o| *o = T::from_f64(draw(g)));
            else ());
    });
    placed(raw)
}

pub(crate) fn float_kind(what: &str, dtype: DType) -> Result<()> {
    if dtype.is_float() { Ok(()) } else { Err(Error::no_kernel(what, dtype)) }
}

/// Uniform in `[from, to)`, computed in the dtype; scaled and moved in one rounding, as PyTorch's vector code does.
pub(crate) fn uniform_raw(shape: &[usize], from: f64, to: f64, dtype: DType, generator: &Gen) -> Result<Raw> {
    if dtype.is_complex() {
        let parts = uniform_raw(&[shape, &[2]].concat(), from, to, dtype.to_real(), generator)?;
        return Ok(Raw::whole(parts.storage, shape, dtype));
    }
    float_kind("check_uniform_bounds", dtype)?;
    if from > to {
        return Err(Error::runtime(format!(
            "uniform_ expects to return a [from, to) range, but found from={from} > to={to}"
        )));
    }
    match dtype {
        DType::F64 => drawn(shape, dtype, generator, |g| g.uniform_f64().mul_add(to - from, from)),
        DType::F32 => {
            let (from, to) = (from as f32, to as f32);
            drawn(shape, dtype, generator, |g| g.uniform_f32().mul_add(to - from, from) as f64)
        }
        _ => {
            // Drawn as float32; what rounds up to the end of the range is put at its start.
            let rounded =
                |v: f64| if dtype == DType::F16 { f16::from_f64(v).to_f64() } else { bf16::from_f64(v).to_f64() };
            let (end, from, to) = (rounded(to), from as f32, to as f32);
            drawn(shape, dtype, generator, |g| {
                let x = rounded(g.uniform_f32().mul_add(to - from, from) as f64);
                if x == end { from as f64 } else { x }
            })
        }
    }
}

/// Normal with mean and standard deviation. `whole`: the destination is contiguous, so that 16 and more are drawn
/// group by group.
pub(crate) fn normal_raw(
    shape: &[usize],
    mean: f64,
    std: f64,
    dtype: DType,
    generator: &Gen,
    whole: bool,
) -> Result<Raw> {
    if std < 0.0 || std.is_nan() {
        return Err(Error::runtime(format!("normal expects std >= 0.0, but found std {std}")));
    }
    if dtype.is_complex() {
        // Each part has half of the variance.
        let (shape_of_parts, std) = ([shape, &[2]].concat(), std / 2f64.sqrt());
        let parts = normal_raw(&shape_of_parts, mean, std, dtype.to_real(), generator, whole)?;
        return Ok(Raw::whole(parts.storage, shape, dtype));
    }
    float_kind("normal_kernel_cpu", dtype)?;
    let n = crate::layout::numel(shape);
    if n < 16 || !whole {
        return drawn(shape, dtype, generator, |g| g.normal_f64().mul_add(std, mean));
    }
    let raw = backend(Device::Cpu).full(shape, Scalar::Int(0), dtype)?;
    match dtype {
        DType::F64 => with_generator(generator, |g| g.fill_normal_f64(&mut raw.storage.slice_mut(), mean, std)),
        DType::F32 => with_generator(generator, |g| {
            g.fill_normal_f32(&mut raw.storage.slice_mut(), mean as f32, std as f32);
        }),
        _ => {
            // Group by group, also the drawing; a last group that is short is one with the end of the one before it.
            let mut wide = vec![0f32; n];
            with_generator(generator, |g| {
                let (mean, std) = (mean as f32, std as f32);
                wide.as_chunks_mut::<16>().0.iter_mut().for_each(|group| g.fill_normal_f32(group, mean, std));
                if !n.is_multiple_of(16) {
                    g.fill_normal_f32(&mut wide[n - 16..], mean, std);
                }
            });
            with_dtype!(dtype, T => {
                raw.storage.slice_mut::<T>().iter_mut().zip(&wide).for_each(|(o, v)| *o = T::from_f64(*v as f64));
            }; else ());
        }
    }
    placed(raw)
}

pub(crate) fn exponential_raw(shape: &[usize], lambda: f64, dtype: DType, generator: &Gen) -> Result<Raw> {
    if !dtype.is_float() {
        return Err(Error::runtime(format!(
            "Exponential distribution is a continuous probability distribution. dtype must be a floating point but you \
             specified {}",
            dtype.scalar_type_name()
        )));
    }
    if lambda <= 0.0 || lambda.is_nan() {
        return Err(Error::runtime(format!("exponential_ expects lambda > 0.0, but found lambda={lambda}")));
    }
    drawn(shape, dtype, generator, |g| -1.0 / lambda * (-g.uniform_f64()).ln_1p())
}

pub(crate) fn geometric_raw(shape: &[usize], p: f64, dtype: DType, generator: &Gen) -> Result<Raw> {
    if !(p > 0.0 && p < 1.0) {
        return Err(Error::runtime(format!("geometric_ expects p to be in (0, 1), but got p={p}")));
    }
    drawn(shape, dtype, generator, |g| (g.uniform_f64().ln() / (-p).ln_1p()).ceil())
}

pub(crate) fn log_normal_raw(shape: &[usize], mean: f64, std: f64, dtype: DType, generator: &Gen) -> Result<Raw> {
    if std <= 0.0 || std.is_nan() {
        return Err(Error::runtime(format!("log_normal_ expects std > 0.0, but found std={std}")));
    }
    float_kind("log_normal_cpu", dtype)?;
    drawn(shape, dtype, generator, |g| g.normal_f64().mul_add(std, mean).exp())
}

pub(crate) fn cauchy_raw(shape: &[usize], median: f64, sigma: f64, dtype: DType, generator: &Gen) -> Result<Raw> {
    if sigma <= 0.0 || sigma.is_nan() {
        return Err(Error::runtime(format!("cauchy_ expects sigma > 0.0, but found sigma={sigma}")));
    }
    if !dtype.is_float() {
        return Err(Error::runtime(format!(
            "Cauchy distribution is a continuous probability distribution. dtype must be a floating point but you \
             specified {}",
            dtype.scalar_type_name()
        )));
    }
    drawn(shape, dtype, generator, |g| median + sigma * (std::f64::consts::PI * (g.uniform_f64() - 0.5)).tan())
}
