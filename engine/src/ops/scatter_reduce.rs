//! `scatter_reduce` and `index_reduce`: several sources meet at one place.

use crate::autograd::{Save, differentiable, grad_mode::no_grad, non_differentiable};
use crate::backend::ScatterOp;
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::layout::wrap_dim;
use crate::ops::{
    along, cast, check_slices, checked_index, cut_to, div, div_mode, eq, gather, logical_and, masked_fill_number, mul,
    number, scatter_add, scatter_kernel, scatter_value, where_,
};
use crate::registry::{Op, op, places};
use crate::tensor::{Raw, Tensor};

#[derive(Clone, Copy, PartialEq)]
enum Reduce {
    Sum,
    Prod,
    Mean,
    Amax,
    Amin,
}

fn reduction(name: &str, of_index: bool) -> Result<Reduce> {
    Ok(match name {
        "sum" if !of_index => Reduce::Sum,
        "prod" => Reduce::Prod,
        "mean" => Reduce::Mean,
        "max" if !of_index => Reduce::Amax,
        "min" if !of_index => Reduce::Amin,
        "amax" => Reduce::Amax,
        "amin" => Reduce::Amin,
        _ if of_index => {
            return Err(Error::runtime(format!(
                "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {name}."
            )));
        }
        _ => {
            return Err(Error::runtime(format!(
                "reduce argument must be either sum, prod, mean, amax or amin, got {name}"
            )));
        }
    })
}

/// What changes nothing when it is combined with.
fn neutral(kind: Reduce, dtype: DType) -> Scalar {
    let bits = 8 * dtype.size() as u32;
    let (low, high) = match dtype {
        DType::Bool => (0, 1),
        DType::U8 => (0, 255),
        _ if dtype.is_int() => (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits)),
        _ => (0, 0),
    };
    match kind {
        Reduce::Sum | Reduce::Mean => Scalar::Int(0),
        Reduce::Prod => Scalar::Int(1),
        Reduce::Amax if dtype.is_float() => Scalar::Float(f64::NEG_INFINITY),
        Reduce::Amin if dtype.is_float() => Scalar::Float(f64::INFINITY),
        Reduce::Amax => Scalar::Int(low),
        Reduce::Amin => Scalar::Int(high),
    }
}

/// How many values met at each place (1 where none did).
fn counts(x: &Tensor, d: usize, index: &Tensor, include_self: bool) -> Result<Tensor> {
    let start = Tensor::full(&x.shape(), Scalar::Int(include_self as i64), x.dtype())?;
    let ones = Tensor::full(&index.shape(), Scalar::Int(1), x.dtype())?;
    let n = scatter_add(&start, d as i64, index, &ones)?;
    masked_fill_number(&n, &eq(&n, &number(0)?)?, Scalar::Int(1))
}

fn forward(kind: Reduce, x: &Tensor, d: usize, index: &Tensor, src: &Tensor, include_self: bool) -> Result<Raw> {
    no_grad(|| {
        let start =
            if include_self { x.detach() } else { scatter_value(x, d as i64, index, neutral(kind, x.dtype()))? };
        let op = match kind {
            Reduce::Sum | Reduce::Mean => ScatterOp::Add,
            Reduce::Prod => ScatterOp::Mul,
            Reduce::Amax => ScatterOp::Max,
            Reduce::Amin => ScatterOp::Min,
        };
        let raw = scatter_kernel(op, &start, d, index, &src.raw())?;
        if kind != Reduce::Mean {
            return Ok(raw);
        }
        let (total, n) = (non_differentiable(raw), counts(x, d, index, include_self)?);
        let mean = if x.dtype().is_float() { div(&total, &n)? } else { div_mode(&total, &n, Some("floor"))? };
        Ok(cast(&mean, x.dtype())?.raw())
    })
}

fn reduced(
    name: &'static str,
    kind: Reduce,
    x: &Tensor,
    d: usize,
    index: &Tensor,
    src: &Tensor,
    include_self: bool,
) -> Result<Tensor> {
    let raw = forward(kind, x, d, index, src, include_self)?;
    let saved = [Save::Input(index), Save::Input(x), Save::Input(src), Save::Output(0)];
    let saved = match kind {
        Reduce::Sum => &saved[..1],
        Reduce::Mean => &saved[..2],
        _ => &saved[..],
    };
    Ok(differentiable(name, &[x, src], raw, saved, move |ctx| {
        let (g, index, dim) = (ctx.grad()?, ctx.saved(0), d as i64);
        let (to_x, to_src) = match kind {
            Reduce::Sum => (g.clone(), gather(&g, dim, index)?),
            Reduce::Mean => {
                let part = div(&g, &counts(ctx.saved(1), d, index, include_self)?)?;
                (part.clone(), gather(&part, dim, index)?)
            }
            Reduce::Amax | Reduce::Amin => {
                let (x, src, out) = (ctx.saved(1), ctx.saved(2), ctx.saved(3));
                let mine = cast(&eq(x, out)?, g.dtype())?;
                let theirs = cast(&eq(src, &gather(out, dim, index)?)?, g.dtype())?;
                // Those that tie share the gradient.
                let winners = scatter_add(&mine, dim, index, &theirs)?;
                let share = div(&g, &winners)?;
                (mul(&mine, &share)?, mul(&theirs, &gather(&share, dim, index)?)?)
            }
            Reduce::Prod => {
                let (x, src, out) = (ctx.saved(1), ctx.saved(2), ctx.saved(3));
                let filled = masked_fill_number(x, &eq(x, &number(0)?)?, Scalar::Int(1))?;
                let others = reduced(name, Reduce::Prod, &filled, d, index, src, include_self)?;
                let to_x = div(&mul(&g, &others)?, &filled)?;
                let zero = eq(src, &number(0)?)?;
                let zeros = scatter_add(&x.zeros_like()?, dim, index, &cast(&zero, x.dtype())?)?;
                let lone = logical_and(&zero, &eq(&gather(&zeros, dim, index)?, &number(1)?)?)?;
                let without = masked_fill_number(src, &lone, Scalar::Int(1))?;
                let rest = reduced(name, Reduce::Prod, x, d, index, &without, include_self)?;
                let at_zero = gather(&mul(&g, &rest)?, dim, index)?;
                let plain =
                    div(&gather(&mul(&g, out)?, dim, index)?, &masked_fill_number(src, &zero, Scalar::Int(1))?)?;
                (to_x, where_(&lone, &at_zero, &plain)?)
            }
        };
        let to_x = if include_self { to_x } else { scatter_value(&to_x, dim, index, Scalar::Int(0))? };
        Ok(vec![Some(to_x), Some(to_src)])
    }))
}

/// `x.scatter_reduce(dim, index, src, reduce, include_self=…)`.
pub fn scatter_reduce(
    x: &Tensor,
    dim: i64,
    index: &Tensor,
    src: &Tensor,
    reduce: &str,
    include_self: bool,
) -> Result<Tensor> {
    let d = wrap_dim(dim, x.ndim())?;
    let kind = reduction(reduce, false)?;
    let index = checked_index(x, d, index, Some(src), "scatter")?;
    reduced("ScatterReduceBackward0", kind, x, d, &index, &cut_to(src, &index)?, include_self)
}

/// `x.index_reduce(dim, index, source, reduce, include_self=…)`.
pub fn index_reduce(
    x: &Tensor,
    dim: i64,
    index: &Tensor,
    source: &Tensor,
    reduce: &str,
    include_self: bool,
) -> Result<Tensor> {
    let d = wrap_dim(dim, x.ndim())?;
    let kind = reduction(reduce, true)?;
    check_slices(x, d, index, source, "index_reduce_")?;
    let index = cast(&index.detach(), DType::I64)?;
    let size = x.shape().get(d).copied().unwrap_or(1) as i64;
    if index.to_vec::<i64>()?.iter().any(|i| !(0..size).contains(i)) {
        return Err(Error::index("index out of range in self"));
    }
    let spread = along(&index, d, &source.shape())?;
    reduced("IndexReduceBackward0", kind, x, d, &spread, source, include_self)
}

pub(crate) const TABLE: &[Op] = &[
    op(
        "scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> \
         Tensor",
        places::ALL,
        |a| {
            let (reduce, include_self) = (a.str(4)?, a.bool(5)?);
            Ok(scatter_reduce(a.tensor(0)?, a.int(1)?, a.tensor(2)?, a.tensor(3)?, &reduce, include_self)?.into())
        },
    ),
    op(
        "index_reduce(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) -> \
         Tensor",
        places::ALL,
        |a| {
            let (reduce, include_self) = (a.str(4)?, a.bool(5)?);
            Ok(index_reduce(a.tensor(0)?, a.int(1)?, a.tensor(2)?, a.tensor(3)?, &reduce, include_self)?.into())
        },
    ),
];
