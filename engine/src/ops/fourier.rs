//! Fourier transforms: complex to complex, real to complex and back, over any dimensions. `torch.fft` (in Python) chooses
//! lengths, dimensions and scaling for them.

use crate::autograd::{grad_mode::no_grad, wirtinger};
use crate::backend::fourier::{Pair, Plan};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::layout::wrap_dim;
use crate::ops::{cast, cat, contiguous, index_select, movedim, mul, narrow, number, real, size_at};
use crate::registry::{Op, op, places};
use crate::tensor::{Raw, Tensor};

/// How a transform is scaled, numbered as in ATen: not at all, by the root of its size, by its size.
fn scale(normalization: i64, size: f64) -> f64 {
    match normalization {
        1 => 1.0 / size.sqrt(),
        2 => 1.0 / size,
        _ => 1.0,
    }
}

fn refuse(x: &Tensor) -> Result<()> {
    if matches!(x.dtype(), DType::F32 | DType::F64 | DType::C64 | DType::C128) {
        return Ok(());
    }
    Err(Error::runtime(format!("Unsupported dtype {}", x.dtype().scalar_type_name())))
}

/// The transform along each of `dims`, of complex numbers.
fn transform(x: &Tensor, dims: &[i64], normalization: i64, forward: bool) -> Result<Tensor> {
    let mut z = cast(x, x.dtype().to_complex())?;
    for &dim in dims {
        let last = contiguous(&movedim(&z, &[dim], &[-1])?)?;
        let shape = last.shape();
        let n = shape.last().copied().unwrap_or(1);
        let mut pairs: Vec<Pair> = last.to_pairs()?;
        if n > 0 {
            let plan = Plan::new(n);
            let by = scale(normalization, n as f64);
            let sign = if forward { 1.0 } else { -1.0 };
            // What float32 would have rounded to zero on the way.
            let grain = if z.dtype() == DType::C64 { 1e-14 } else { 0.0 };
            for line in pairs.chunks_mut(n) {
                let least = grain * line.iter().map(|v| v.0.abs() + v.1.abs()).sum::<f64>();
                let clean = |v: f64| if v.abs() < least { 0.0 } else { v };
                line.iter_mut().for_each(|v| v.1 *= sign);
                plan.forward(line);
                line.iter_mut().for_each(|v| *v = (clean(v.0) * by, clean(v.1) * sign * by));
            }
        }
        let done = Tensor::from_pairs(&pairs, &shape, z.dtype())?;
        z = contiguous(&movedim(&done, &[-1], &[dim])?)?;
    }
    Ok(z)
}

fn raw_of(f: impl FnOnce() -> Result<Tensor>) -> Result<Raw> {
    Ok(no_grad(f)?.raw())
}

/// # Errors
/// No numbers to transform along one of `dims`.
fn refuse_nothing(x: &Tensor, dims: &[i64]) -> Result<()> {
    for &d in dims {
        if size_at(x, d)? == 0 {
            return Err(Error::runtime("Invalid number of data points (0) specified"));
        }
    }
    Ok(())
}

/// Complex to complex.
///
/// # Errors
/// A dtype that has no transform.
pub fn fft_c2c(x: &Tensor, dims: &[i64], normalization: i64, forward: bool) -> Result<Tensor> {
    refuse(x)?;
    refuse_nothing(x, dims)?;
    let raw = raw_of(|| transform(x, dims, normalization, forward))?;
    let dims = dims.to_vec();
    Ok(wirtinger("FftC2CBackward0", &[x], raw, &[], move |ctx| {
        Ok(vec![Some(fft_c2c(&ctx.grad()?, &dims, normalization, !forward)?)])
    }))
}

/// Real to complex; `onesided` keeps the first half of the last of `dims`.
///
/// # Errors
/// A dtype that has no transform.
pub fn fft_r2c(x: &Tensor, dims: &[i64], normalization: i64, onesided: bool) -> Result<Tensor> {
    refuse(x)?;
    refuse_nothing(x, dims)?;
    let last = dims.last().copied().unwrap_or(-1);
    let n = x.size(wrap_dim(last, x.ndim())?) as i64;
    let raw = raw_of(|| {
        let whole = transform(x, dims, normalization, true)?;
        if onesided { contiguous(&narrow(&whole, last, 0, n / 2 + 1)?) } else { Ok(whole) }
    })?;
    let dims = dims.to_vec();
    Ok(wirtinger("FftR2CBackward0", &[x], raw, &[], move |ctx| {
        let mut g = ctx.grad()?;
        if onesided {
            let mut rest = g.shape();
            let at = wrap_dim(last, rest.len())?;
            rest[at] = (n - n / 2 - 1).max(0) as usize;
            g = cat(&[g.clone(), Tensor::zeros(&rest, g.dtype())?], last)?;
        }
        Ok(vec![Some(real(&fft_c2c(&g, &dims, normalization, false)?)?)])
    }))
}

/// Back from the first half of a line to the real line of `size` numbers that has it.
///
/// # Errors
/// A dtype that has no transform, a size that is not positive.
pub fn fft_c2r(x: &Tensor, dims: &[i64], normalization: i64, size: i64) -> Result<Tensor> {
    refuse(x)?;
    if size < 1 {
        return Err(Error::runtime(format!("Invalid number of data points ({size}) specified")));
    }
    let Some((&last, others)) = dims.split_last() else { return Ok(x.clone()) };
    crate::storage::room(size as usize, 64)?;
    let raw = raw_of(|| {
        let z = transform(x, others, normalization, false)?;
        let at = wrap_dim(last, z.ndim())?;
        let half = narrow(&z, last, 0, (size / 2 + 1).min(z.size(at) as i64))?;
        // The other half mirrors this one.
        let mirror: Vec<i64> = (1..(size + 1) / 2).rev().collect();
        let mirror = Tensor::from_slice(&mirror, &[mirror.len()])?;
        let whole = cat(&[half.clone(), crate::ops::conj(&index_select(&half, last, &mirror)?)?], last)?;
        // The parts at the ends that a real line cannot have are left out by taking the real part below.
        real(&transform(&whole, &[last], normalization, false)?)
    })?;
    let dims = dims.to_vec();
    Ok(wirtinger("FftC2RBackward0", &[x], raw, &[], move |ctx| {
        let g = fft_r2c(&ctx.grad()?, &dims, normalization, true)?;
        let at = wrap_dim(last, g.ndim())?;
        let twice = size - g.size(at) as i64;
        if twice <= 0 {
            return Ok(vec![Some(g)]);
        }
        let middle = mul(&narrow(&g, last, 1, twice)?, &number(2)?)?;
        let end = narrow(&g, last, 1 + twice, g.size(at) as i64 - 1 - twice)?;
        Ok(vec![Some(cat(&[narrow(&g, last, 0, 1)?, middle, end], last)?)])
    }))
}

pub(crate) const TABLE: &[Op] = &[
    op("_fft_c2c(Tensor self, int[] dim, int normalization, bool forward) -> Tensor", places::FUNCTION, |a| {
        Ok(fft_c2c(a.tensor(0)?, &a.ints(1)?, a.int(2)?, a.bool(3)?)?.into())
    }),
    op("_fft_r2c(Tensor self, int[] dim, int normalization, bool onesided) -> Tensor", places::FUNCTION, |a| {
        Ok(fft_r2c(a.tensor(0)?, &a.ints(1)?, a.int(2)?, a.bool(3)?)?.into())
    }),
    op("_fft_c2r(Tensor self, int[] dim, int normalization, int last_dim_size) -> Tensor", places::FUNCTION, |a| {
        Ok(fft_c2r(a.tensor(0)?, &a.ints(1)?, a.int(2)?, a.int(3)?)?.into())
    }),
];
