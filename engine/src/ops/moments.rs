//! Variance and standard deviation, covariance, norms, log of summed exponentials, distances.

use crate::autograd::{Save, differentiable, differentiable_many, grad_mode::no_grad, non_differentiable};
use crate::backend::{ReduceOp, backend};
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::layout::broadcast_shapes;
use crate::ops::{
    abs, add, amax, cast, clamp, div, eq, exp, finish, log, masked_fill_number, mean, mul, ne, number, pow_number,
    reduce_kernel, restore, sgn, sub, sum, transpose, unsqueeze, where_number, wrap_dims,
};
use crate::registry::{Args, Op, Value, op, places};
use crate::tensor::{Raw, Tensor};

fn refuse_int(what: &str, x: &Tensor) -> Result<()> {
    if x.dtype().is_inexact() {
        return Ok(());
    }
    Err(Error::not_implemented(format!("{what} only support floating point and complex dtypes")))
}

/// The gradient of a variance: `2 / (n - correction) * g * (x - mean)`. Only that of the whole tells apart what is infinite
/// where there are too few elements.
fn variance_slope(g: &Tensor, x: &Tensor, dims: &[usize], correction: f64, whole: bool) -> Result<Tensor> {
    let n: usize = crate::layout::numel(&dims.iter().map(|&d| x.size(d)).collect::<Vec<_>>());
    let all: Vec<i64> = dims.iter().map(|&d| d as i64).collect();
    let centre = if x.ndim() == 0 { x.clone() } else { mean(x, &all, true, None)? };
    let off = sub(x, &centre)?;
    if n as f64 <= correction && (whole || x.ndim() == 0) {
        let slope =
            where_number(&eq(&off, &number(0)?)?, f64::NAN, &Tensor::full(&[], f64::INFINITY.into(), x.dtype())?)?;
        return mul(g, &slope);
    }
    mul(&mul(&number(2.0 / (n as f64 - correction))?, g)?, &off)
}

/// The gradient of a standard deviation, as one of its variance; 0 where it is 0.
fn deviation_slope(g: &Tensor, y: &Tensor) -> Result<Tensor> {
    masked_fill_number(&div(g, &mul(y, &number(2)?)?)?, &eq(y, &number(0)?)?, 0.into())
}

fn spread(x: &Tensor, dims: &[i64], correction: f64, keepdim: bool, root: bool) -> Result<Tensor> {
    refuse_int("std and var", x)?;
    if x.dtype().is_complex() {
        let part = |x: Tensor| spread(&x, dims, correction, keepdim, false);
        let both = add(&part(crate::ops::real(x)?)?, &part(crate::ops::imag(x)?)?)?;
        return if root { crate::ops::sqrt(&both) } else { Ok(both) };
    }
    let (wrapped, whole) = (wrap_dims(dims, x.ndim())?, dims.is_empty());
    let (out, _) = backend(x.device()).variance(&x.raw(), &wrapped, correction, root)?;
    let name = if root { "StdBackward0" } else { "VarBackward0" };
    let saved = [Save::Input(x), Save::Output(0)];
    Ok(differentiable(name, &[x], finish(out, &wrapped, keepdim), &saved, move |ctx| {
        let g = restore(&ctx.grad()?, &wrapped, keepdim)?;
        let g = if root { deviation_slope(&g, &restore(ctx.saved(1), &wrapped, keepdim)?)? } else { g };
        Ok(vec![Some(variance_slope(&g, ctx.saved(0), &wrapped, correction, whole)?)])
    }))
}

/// Variance over `dims` (all when empty), divided by `n - correction`.
pub fn var(x: &Tensor, dims: &[i64], correction: f64, keepdim: bool) -> Result<Tensor> {
    spread(x, dims, correction, keepdim, false)
}
pub fn std(x: &Tensor, dims: &[i64], correction: f64, keepdim: bool) -> Result<Tensor> {
    spread(x, dims, correction, keepdim, true)
}

/// Variance (or its root) and mean together.
pub fn spread_and_mean(
    x: &Tensor,
    dims: &[i64],
    correction: f64,
    keepdim: bool,
    root: bool,
) -> Result<(Tensor, Tensor)> {
    refuse_int(if root { "std_mean" } else { "var_mean" }, x)?;
    let (wrapped, whole) = (wrap_dims(dims, x.ndim())?, dims.is_empty());
    let (v, m) = backend(x.device()).variance(&x.raw(), &wrapped, correction, root)?;
    let outs = vec![finish(v, &wrapped, keepdim), finish(m, &wrapped, keepdim)];
    let name = if root { "StdMeanBackward0" } else { "VarMeanBackward0" };
    let shape = x.shape();
    let mut outs = differentiable_many(name, &[x], outs, &[Save::Input(x), Save::Output(0)], move |ctx| {
        let n: usize = crate::layout::numel(&wrapped.iter().map(|&d| shape[d]).collect::<Vec<_>>());
        let mut total = None;
        if let Some(g) = ctx.opt_grad_of(0) {
            let g = restore(&g, &wrapped, keepdim)?;
            let g = if root { deviation_slope(&g, &restore(ctx.saved(1), &wrapped, keepdim)?)? } else { g };
            total = Some(variance_slope(&g, ctx.saved(0), &wrapped, correction, whole)?);
        }
        if let Some(g) = ctx.opt_grad_of(1) {
            let g = div(&restore(&g, &wrapped, keepdim)?, &number(n as i64)?)?;
            let g = crate::ops::expand_as_shape(&g, &shape)?;
            total = Some(match total {
                Some(t) => add(&t, &g)?,
                None => g,
            });
        }
        Ok(vec![total])
    });
    match (outs.pop(), outs.pop()) {
        (Some(m), Some(v)) => Ok((v, m)),
        _ => Err(Error::runtime("var_mean has two results")),
    }
}

/// `log(sum(exp(x)))` over `dims`, without overflow.
pub fn logsumexp(x: &Tensor, dims: &[i64], keepdim: bool) -> Result<Tensor> {
    let wrapped = wrap_dims(dims, x.ndim())?;
    let out = no_grad(|| {
        let x = cast(x, x.dtype().to_float())?;
        if x.numel() == 0 {
            return log(&sum(&exp(&x)?, dims, keepdim, None)?);
        }
        let all: Vec<i64> = wrapped.iter().map(|&d| d as i64).collect();
        let size = if x.dtype().is_complex() { crate::ops::real(&x)? } else { x.clone() };
        let top = if x.ndim() == 0 { size } else { amax(&size, &all, true)? };
        let top = masked_fill_number(&top, &crate::ops::isinf(&top)?, 0.into())?;
        let e = exp(&sub(&x, &top)?)?;
        let total = if x.ndim() == 0 { e } else { sum(&e, &all, true, None)? };
        let kept = add(&log(&total)?, &top)?;
        Ok(non_differentiable(finish(kept.raw(), &wrapped, keepdim)))
    })?;
    Ok(differentiable("LogsumexpBackward0", &[x], out.raw(), &[Save::Input(x), Save::Output(0)], move |ctx| {
        let g = restore(&ctx.grad()?, &wrapped, keepdim)?;
        let y = restore(ctx.saved(1), &wrapped, keepdim)?;
        Ok(vec![Some(mul(&g, &exp(&sub(ctx.saved(0), &y)?)?)?)])
    }))
}

/// `torch.linalg.vector_norm`
///
/// # Errors
/// Integers.
pub fn vector_norm(x: &Tensor, p: f64, dims: &[i64], keepdim: bool, dtype: Option<DType>) -> Result<Tensor> {
    if x.dtype().is_complex() {
        return vector_norm(&abs(x)?, p, dims, keepdim, dtype.map(DType::to_real));
    }
    if !x.dtype().is_float() {
        return Err(Error::not_implemented(format!(
            "linalg.vector_norm: Expected a floating point or complex tensor as input. Got {}",
            x.dtype().scalar_type_name()
        )));
    }
    let x = &cast(x, dtype.unwrap_or(x.dtype()))?;
    let wrapped = wrap_dims(dims, x.ndim())?;
    let all: Vec<i64> = wrapped.iter().map(|&d| d as i64).collect();
    if x.numel() == 0 && (p < 0.0 || p == f64::INFINITY) {
        return Err(Error::runtime(format!(
            "linalg.vector_norm cannot compute the {p} norm on an empty tensor because the operation does not have an \
             identity"
        )));
    }
    let kept = no_grad(|| -> Result<Raw> {
        let over = |t: &Tensor| if x.ndim() == 0 { Ok(t.clone()) } else { sum(t, &all, true, None) };
        Ok(if p == 2.0 {
            reduce_kernel(ReduceOp::Norm2, x, &wrapped, x.dtype())?
        } else if p == 0.0 {
            cast(&over(&ne(x, &number(0)?)?)?, x.dtype())?.raw()
        } else if p == 1.0 {
            over(&abs(x)?)?.raw()
        } else if p == f64::INFINITY {
            reduce_kernel(ReduceOp::Max, &abs(x)?, &wrapped, x.dtype())?
        } else if p == f64::NEG_INFINITY {
            reduce_kernel(ReduceOp::Min, &abs(x)?, &wrapped, x.dtype())?
        } else {
            pow_number(&over(&pow_number(&abs(x)?, Scalar::Float(p))?)?, Scalar::Float(1.0 / p))?.raw()
        })
    })?;
    let saved = [Save::Input(x), Save::Output(0)];
    Ok(differentiable("LinalgVectorNormBackward0", &[x], finish(kept, &wrapped, keepdim), &saved, move |ctx| {
        let (x, zero) = (ctx.saved(0), number(0)?);
        let (g, y) = (restore(&ctx.grad()?, &wrapped, keepdim)?, restore(ctx.saved(1), &wrapped, keepdim)?);
        let power = |t: &Tensor, p: f64| pow_number(t, Scalar::Float(p));
        let at_zero = |t: &Tensor| masked_fill_number(t, &eq(&y, &zero)?, 0.into());
        if p == 0.0 {
            return Ok(vec![None]);
        }
        Ok(vec![Some(if p == 1.0 {
            mul(&sgn(x)?, &g)?
        } else if p == 2.0 {
            mul(&g, &at_zero(&div(x, &y)?)?)?
        } else if p.is_infinite() {
            let shared = crate::ops::share(&g, &abs(x)?, &y, &wrapped)?;
            mul(&sgn(x)?, &shared)?
        } else if p < 1.0 {
            let slope = masked_fill_number(&mul(&sgn(x)?, &power(&abs(x)?, p - 1.0)?)?, &eq(x, &zero)?, 0.into())?;
            mul(&mul(&slope, &g)?, &power(&y, 1.0 - p)?)?
        } else {
            let slope =
                if p < 2.0 { mul(&sgn(x)?, &power(&abs(x)?, p - 1.0)?)? } else { mul(x, &power(&abs(x)?, p - 2.0)?)? };
            mul(&slope, &at_zero(&div(&g, &power(&y, p - 1.0)?)?)?)?
        })])
    }))
}

/// `torch.dist`: the p-norm of a difference.
pub fn dist(a: &Tensor, b: &Tensor, p: f64) -> Result<Tensor> {
    if a.dtype().is_complex() || b.dtype().is_complex() {
        return vector_norm(&sub(a, b)?, p, &[], false, None);
    }
    if !a.dtype().is_float() {
        return Err(Error::not_implemented(format!(
            "norm(): input dtype should be either floating point or complex. Got {} instead.",
            a.dtype().scalar_type_name()
        )));
    }
    let out = no_grad(|| vector_norm(&sub(a, b)?, p, &[], false, None))?;
    Ok(differentiable("DistBackward0", &[a, b], out.raw(), &[Save::Input(a), Save::Input(b)], move |ctx| {
        let d = sub(ctx.saved(0), ctx.saved(1))?;
        let slope = norm_slope(&ctx.grad()?, &d, p, &vector_norm(&d, p, &[], false, None)?)?;
        Ok(vec![Some(slope.clone()), Some(crate::ops::neg(&slope)?)])
    }))
}

/// `d norm / d x`, times `g`, for a norm `y` whose reduced dims are kept with size 1.
fn norm_slope(g: &Tensor, x: &Tensor, p: f64, y: &Tensor) -> Result<Tensor> {
    let zero = number(0)?;
    if p == 1.0 {
        return mul(g, &sgn(x)?);
    }
    if p.is_infinite() {
        // Every coordinate that has the largest distance gets all of it.
        return mul(&mul(&sgn(x)?, &eq(&abs(x)?, y)?)?, g);
    }
    if p == 0.0 {
        return x.zeros_like();
    }
    let powers = mul(&sgn(x)?, &pow_number(&abs(x)?, Scalar::Float(p - 1.0))?)?;
    let powers = masked_fill_number(&powers, &eq(x, &zero)?, 0.into())?;
    let scale = div(g, &pow_number(y, Scalar::Float(p - 1.0))?)?;
    mul(&powers, &masked_fill_number(&scale, &eq(y, &zero)?, 0.into())?)
}

/// Distances between the rows of two batches of matrices.
///
/// # Errors
/// Fewer than two dims; unequal columns; negative `p`.
pub fn cdist(a: &Tensor, b: &Tensor, p: f64) -> Result<Tensor> {
    for (t, name) in [(a, "X1"), (b, "X2")] {
        if t.ndim() < 2 {
            return Err(Error::runtime(format!("cdist only supports at least 2D tensors, {name} got: {}D", t.ndim())));
        }
        if !matches!(t.dtype(), DType::F32 | DType::F64) {
            let dtype = t.dtype().scalar_type_name();
            return Err(Error::runtime(format!("cdist only supports floating-point dtypes, {name} got: {dtype}")));
        }
    }
    let (ca, cb) = (a.size(a.ndim() - 1), b.size(b.ndim() - 1));
    if ca != cb {
        return Err(Error::runtime(format!("X1 and X2 must have the same number of columns. X1: {ca} X2: {cb}")));
    }
    if p < 0.0 {
        return Err(Error::runtime("cdist only supports non-negative p values"));
    }
    broadcast_shapes(&a.shape()[..a.ndim() - 2], &b.shape()[..b.ndim() - 2])?;
    let apart = |a: &Tensor, b: &Tensor| sub(&unsqueeze(a, -2)?, &unsqueeze(b, -3)?);
    let out = no_grad(|| vector_norm(&apart(a, b)?, p, &[-1], false, None))?;
    let saved = [Save::Input(a), Save::Input(b), Save::Output(0)];
    Ok(differentiable("CdistBackward0", &[a, b], out.raw(), &saved, move |ctx| {
        let d = apart(ctx.saved(0), ctx.saved(1))?;
        let (g, y) = (unsqueeze(&ctx.grad()?, -1)?, unsqueeze(ctx.saved(2), -1)?);
        let slope = norm_slope(&g, &d, p, &y)?;
        let to_a = ctx.needs(0).then(|| sum(&slope, &[-2], false, None)).transpose()?;
        let to_b = ctx.needs(1).then(|| crate::ops::neg(&sum(&slope, &[-3], false, None)?)).transpose()?;
        Ok(vec![to_a, to_b])
    }))
}

/// Covariance of rows (variables) over columns (observations).
pub fn cov(x: &Tensor, correction: i64, fweights: Option<&Tensor>, aweights: Option<&Tensor>) -> Result<Tensor> {
    if x.ndim() > 2 {
        return Err(Error::runtime(format!(
            "cov(): expected input to have two or fewer dimensions but got an input with {} dimensions",
            x.ndim()
        )));
    }
    if x.dtype() == DType::Bool {
        return Err(Error::runtime("cov(): bool dtype is not supported for input"));
    }
    let observations = if x.ndim() < 2 { x.numel() } else { x.size(1) };
    for (weights, name, right, kind) in [
        (fweights, "fweights", fweights.is_none_or(|w| w.dtype().is_int()), "integral"),
        (aweights, "aweights", aweights.is_none_or(|w| w.dtype().is_float()), "floating point"),
    ] {
        let Some(w) = weights else { continue };
        if w.ndim() > 1 {
            return Err(Error::runtime(format!(
                "cov(): expected {name} to have one or fewer dimensions but got {name} with {} dimensions",
                w.ndim()
            )));
        }
        if !right {
            return Err(Error::runtime(format!(
                "cov(): expected {name} to have {kind} dtype but got {name} with {} dtype",
                w.dtype().scalar_type_name()
            )));
        }
        if w.numel() != observations {
            return Err(Error::runtime(format!(
                "cov(): expected {name} to have the same numel as there are observations in the input but got {} != \
                 {observations}",
                w.numel()
            )));
        }
        let least =
            no_grad(|| if w.numel() == 0 { Ok(0.0) } else { Ok(crate::ops::amin(w, &[], false)?.item()?.to_f64()) })?;
        if least < 0.0 {
            return Err(Error::runtime(format!("cov(): {name} cannot be negative")));
        }
    }
    let rows = if x.ndim() < 2 { crate::ops::reshape(x, &[1, -1])? } else { x.clone() };
    let rows = cast(&rows, rows.dtype().to_float())?;
    let n = rows.size(1) as f64;
    let weights = match (fweights, aweights) {
        (Some(f), Some(a)) => Some(mul(f, a)?),
        (f, a) => f.or(a).cloned(),
    };
    let total = match &weights {
        Some(w) => sum(w, &[], false, None)?,
        None => number(n)?,
    };
    let average = match &weights {
        Some(w) => div(&sum(&mul(&rows, w)?, &[1], false, None)?, &total)?,
        None => mean(&rows, &[1], false, None)?,
    };
    let norm = match aweights {
        Some(a) if correction != 0 => {
            let w = weights.as_ref().unwrap_or(a);
            let share = div(&mul(&sum(&mul(w, a)?, &[], false, None)?, &number(correction)?)?, &total)?;
            sub(&total, &share)?
        }
        _ => sub(&total, &number(correction)?)?,
    };
    let norm = clamp(&norm, Some(&number(0)?), None)?;
    let off = sub(&rows, &unsqueeze(&average, 1)?)?;
    let weighted = match &weights {
        Some(w) => mul(&off, w)?,
        None => off.clone(),
    };
    let c = div(&crate::ops::mm(&off, &transpose(&crate::ops::conj(&weighted)?, 0, 1)?)?, &norm)?;
    crate::ops::squeeze(&c)
}

/// Pearson's correlations of rows.
pub fn corrcoef(x: &Tensor) -> Result<Tensor> {
    if x.ndim() > 2 {
        return Err(Error::runtime(format!(
            "corrcoef(): expected input to have two or fewer dimensions but got an input with {} dimensions",
            x.ndim()
        )));
    }
    let c = cov(x, 1, None, None)?;
    if c.ndim() == 0 {
        return div(&c, &c);
    }
    let d = crate::ops::sqrt(&crate::ops::diagonal(&c, 0, 0, 1)?)?;
    let c = div(&div(&c, &unsqueeze(&d, 1)?)?, &unsqueeze(&d, 0)?)?;
    let within = |t: &Tensor| clamp(t, Some(&number(-1)?), Some(&number(1)?));
    if c.dtype().is_complex() {
        return crate::ops::complex(&within(&crate::ops::real(&c)?)?, &within(&crate::ops::imag(&c)?)?);
    }
    within(&c)
}

fn correction(a: &Args, i: usize) -> Result<f64> {
    Ok(a.opt_scalar(i)?.map_or(1.0, Scalar::to_f64))
}
fn dims_at(a: &Args, i: usize) -> Result<Vec<i64>> {
    Ok(a.opt_ints(i)?.unwrap_or_default())
}
fn unbiased(a: &Args, i: usize) -> Result<f64> {
    Ok(a.bool(i)? as u8 as f64)
}
fn run_norm(a: &Args) -> Result<Value> {
    let p = a.opt_scalar(1)?.map_or(2.0, Scalar::to_f64);
    Ok(vector_norm(a.tensor(0)?, p, &dims_at(a, 2)?, a.bool(3)?, a.opt_dtype(4)?)?.into())
}

macro_rules! spreads {
    ($name:literal, $one:expr) => {
        &[
            op(concat!($name, "(Tensor self, bool unbiased=True) -> Tensor"), places::BOTH, |a| {
                Ok($one(a.tensor(0)?, &[], unbiased(a, 1)?, false)?.into())
            }),
            op(
                concat!($name, ".dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor"),
                places::BOTH | places::OUT,
                |a| Ok($one(a.tensor(0)?, &dims_at(a, 1)?, unbiased(a, 2)?, a.bool(3)?)?.into()),
            ),
            op(
                concat!(
                    $name,
                    ".correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor"
                ),
                places::BOTH | places::OUT,
                |a| Ok($one(a.tensor(0)?, &dims_at(a, 1)?, correction(a, 2)?, a.bool(3)?)?.into()),
            ),
        ]
    };
}
pub(crate) const VAR: &[Op] = spreads!("var", var);
pub(crate) const STD: &[Op] = spreads!("std", std);

macro_rules! spreads_and_means {
    ($name:literal, $root:expr) => {
        &[
            op(concat!($name, "(Tensor self, bool unbiased=True) -> (Tensor, Tensor)"), places::FUNCTION, |a| {
                Ok(spread_and_mean(a.tensor(0)?, &[], unbiased(a, 1)?, false, $root)?.into())
            }),
            op(
                concat!(
                    $name,
                    ".dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)"
                ),
                places::FUNCTION,
                |a| Ok(spread_and_mean(a.tensor(0)?, &dims_at(a, 1)?, unbiased(a, 2)?, a.bool(3)?, $root)?.into()),
            ),
            op(
                concat!(
                    $name,
                    ".correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> \
                     (Tensor, Tensor)"
                ),
                places::FUNCTION,
                |a| Ok(spread_and_mean(a.tensor(0)?, &dims_at(a, 1)?, correction(a, 2)?, a.bool(3)?, $root)?.into()),
            ),
        ]
    };
}
pub(crate) const VAR_MEAN: &[Op] = spreads_and_means!("var_mean", false);
pub(crate) const STD_MEAN: &[Op] = spreads_and_means!("std_mean", true);

pub(crate) const TABLE: &[Op] = &[
    op("logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor", places::BOTH | places::OUT, |a| {
        Ok(logsumexp(a.tensor(0)?, &a.ints(1)?, a.bool(2)?)?.into())
    }),
    op("special_logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor", places::SPECIAL, |a| {
        Ok(logsumexp(a.tensor(0)?, &a.ints(1)?, a.bool(2)?)?.into())
    }),
    op(
        "norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
        places::BOTH | places::OUT,
        run_norm,
    ),
    op(
        "linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
        places::LINALG | places::OUT,
        run_norm,
    ),
    op("dist(Tensor self, Tensor other, Scalar p=2) -> Tensor", places::BOTH, |a| {
        Ok(dist(a.tensor(0)?, a.tensor(1)?, a.float(2)?)?.into())
    }),
    op("cdist(Tensor x1, Tensor x2, float p=2, int? compute_mode=None) -> Tensor", places::FUNCTION, |a| {
        Ok(cdist(a.tensor(0)?, a.tensor(1)?, a.float(2)?)?.into())
    }),
    op(
        "cov(Tensor self, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None) -> Tensor",
        places::BOTH,
        |a| {
            let (f, w) = (a.opt_tensor(2)?, a.opt_tensor(3)?);
            Ok(cov(a.tensor(0)?, a.int(1)?, f.as_ref(), w.as_ref())?.into())
        },
    ),
    op("corrcoef(Tensor self) -> Tensor", places::BOTH, |a| Ok(corrcoef(a.tensor(0)?)?.into())),
];
