//! Norms of matrices, and of vectors or matrices by the number of dims.

use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::layout::wrap_dim;
use crate::ops::{amax, amin, movedim, reshape, sum, svdvals, vector_norm};
use crate::registry::{Args, Op, Value, op, places};
use crate::tensor::Tensor;

/// The order of a matrix norm.
pub enum Order {
    Number(f64),
    Name(String),
}

/// `torch.linalg.matrix_norm`
///
/// # Errors
/// Orders that are none; not two dims.
pub fn matrix_norm(x: &Tensor, order: &Order, dims: &[i64], keepdim: bool, dtype: Option<DType>) -> Result<Tensor> {
    const WHAT: &str = "linalg.matrix_norm";
    if x.ndim() < 2 {
        return Err(Error::runtime(format!("{WHAT}: The input tensor A must have at least 2 dimensions.")));
    }
    let &[d0, d1] = dims else {
        return Err(Error::runtime(format!("{WHAT}: dim must be a 2-tuple. Got {}", crate::error::list(dims))));
    };
    let (p, q) = (wrap_dim(d0, x.ndim())?, wrap_dim(d1, x.ndim())?);
    if p == q {
        return Err(Error::runtime(format!("{WHAT}: dims must be different. Got ({d0}, {d1})")));
    }
    let x = match dtype {
        Some(t) => crate::ops::cast(x, t)?,
        None => x.clone(),
    };
    let singular = |pick: &dyn Fn(&Tensor) -> Result<Tensor>| -> Result<Tensor> {
        let moved = movedim(&x, &[p as i64, q as i64], &[-2, -1])?;
        let value = pick(&svdvals(&moved)?)?;
        if !keepdim {
            return Ok(value);
        }
        let shape: Vec<i64> =
            x.shape().iter().enumerate().map(|(d, &s)| if d == p || d == q { 1 } else { s as i64 }).collect();
        reshape(&value, &shape)
    };
    let lines = |along: usize, across: usize, largest: bool| -> Result<Tensor> {
        let totals = vector_norm(&x, 1.0, &[along as i64], keepdim, None)?;
        let empty = largest && x.size(across) == 0;
        let across = if keepdim || across < along { across } else { across - 1 } as i64;
        if empty {
            sum(&totals.detach(), &[across], keepdim, None)
        } else if largest {
            amax(&totals, &[across], keepdim)
        } else {
            amin(&totals, &[across], keepdim)
        }
    };
    let unknown = |text: String| Err(Error::runtime(format!("{WHAT}: Order {text} not supported.")));
    match order {
        Order::Name(name) => match name.as_str() {
            "fro" => vector_norm(&x, 2.0, &[p as i64, q as i64], keepdim, None),
            "nuc" => singular(&|s| sum(s, &[-1], false, None)),
            other => unknown(other.to_owned()),
        },
        Order::Number(o) => match *o {
            2.0 => singular(&|s| match s.shape().last() {
                // Of no values the largest is zero, the smallest an error.
                Some(0) => sum(&s.detach(), &[-1], false, None),
                _ => amax(s, &[-1], false),
            }),
            -2.0 => singular(&|s| amin(s, &[-1], false)),
            o if o.abs() == 1.0 => lines(p, q, o > 0.0),
            o if o.is_infinite() => lines(q, p, o > 0.0),
            o => unknown(o.to_string()),
        },
    }
}

/// `torch.linalg.norm`: of a vector or a matrix, by the number of dims.
pub fn linalg_norm(
    x: &Tensor,
    order: Option<&Order>,
    dims: Option<&[i64]>,
    keepdim: bool,
    dtype: Option<DType>,
) -> Result<Tensor> {
    let Some(order) = order else {
        return vector_norm(x, 2.0, dims.unwrap_or(&[]), keepdim, dtype);
    };
    let matrix = match dims {
        Some(d) if d.len() > 2 || d.is_empty() => {
            return Err(Error::runtime(format!(
                "linalg.norm: If dim is specified, it must be of length 1 or 2. Got {}",
                crate::error::list(d)
            )));
        }
        Some(d) => d.len() == 2,
        None if x.ndim() == 0 || x.ndim() > 2 => {
            return Err(Error::runtime(format!(
                "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {}D.",
                x.ndim()
            )));
        }
        None => x.ndim() == 2,
    };
    match order {
        _ if matrix => matrix_norm(x, order, dims.unwrap_or(&[-2, -1]), keepdim, dtype),
        Order::Number(p) => vector_norm(x, *p, dims.unwrap_or(&[]), keepdim, dtype),
        Order::Name(name) => Err(Error::runtime(format!("linalg.norm: Order {name} not supported for vectors."))),
    }
}

pub(crate) fn number_order(a: &Args, i: usize) -> Result<Option<Order>> {
    Ok(a.opt_scalar(i)?.map(Scalar::to_f64).map(Order::Number))
}
fn run_norm_str(a: &Args) -> Result<Value> {
    // `Tensor.norm("fro")` is the norm of all elements, whatever the rank.
    let (x, name, dims) = (a.tensor(0)?, a.str(1)?, a.opt_ints(2)?);
    Ok(if name == "fro" {
        vector_norm(x, 2.0, dims.as_deref().unwrap_or(&[]), a.bool(3)?, a.opt_dtype(4)?)?
    } else {
        matrix_norm(x, &Order::Name(name), dims.as_deref().unwrap_or(&[-2, -1]), a.bool(3)?, a.opt_dtype(4)?)?
    }
    .into())
}

pub(crate) const TABLE: &[Op] = &[
    op(
        "linalg_norm(Tensor self, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
        places::LINALG | places::OUT,
        |a| {
            let dims = a.opt_ints(2)?;
            Ok(linalg_norm(a.tensor(0)?, number_order(a, 1)?.as_ref(), dims.as_deref(), a.bool(3)?, a.opt_dtype(4)?)?
                .into())
        },
    ),
    op(
        "linalg_norm.ord_str(Tensor self, str ord, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
        places::LINALG | places::OUT,
        |a| {
            let (dims, order) = (a.opt_ints(2)?, Order::Name(a.str(1)?));
            Ok(linalg_norm(a.tensor(0)?, Some(&order), dims.as_deref(), a.bool(3)?, a.opt_dtype(4)?)?.into())
        },
    ),
    op(
        "linalg_matrix_norm(Tensor self, Scalar ord, int[] dim=[-2,-1], bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
        places::LINALG | places::OUT,
        |a| {
            let order = Order::Number(a.float(1)?);
            Ok(matrix_norm(a.tensor(0)?, &order, &a.ints(2)?, a.bool(3)?, a.opt_dtype(4)?)?.into())
        },
    ),
    op(
        "linalg_matrix_norm.str_ord(Tensor self, str ord='fro', int[] dim=[-2,-1], bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
        places::LINALG | places::OUT,
        |a| {
            let order = Order::Name(a.str(1)?);
            Ok(matrix_norm(a.tensor(0)?, &order, &a.ints(2)?, a.bool(3)?, a.opt_dtype(4)?)?.into())
        },
    ),
    op(
        "norm.str(Tensor self, str p, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
        places::BOTH,
        run_norm_str,
    ),
];
