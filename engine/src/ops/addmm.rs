//! Matrix products added to something: `beta * x + alpha * (a @ b)` and its kin.

use crate::autograd::{Save, differentiable, grad_mode::no_grad};
use crate::backend::backend;
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::ops::matmul::{
    MemoryOrder, left_gradient, mm_kernel, mv_kernel, refuse_batches, refuse_mv, refuse_shapes, right_gradient,
};
use crate::ops::{add, bmm, cast, expand, mv, outer, rounded_once, scaled, select, size_at, sum, transpose, unsqueeze};
use crate::registry::{Args, Op, Value, op, places};
use crate::tensor::{Raw, Tensor};

/// `beta * x + alpha * product`, rounded once where `x` is half or bfloat16; `product` is made of `a` and `b`.
fn blend(
    [x, a, b]: [&Tensor; 3],
    beta: Scalar,
    alpha: Scalar,
    product: impl Fn(&Tensor, &Tensor) -> Result<Raw>,
) -> Result<Raw> {
    let out = rounded_once([x, a, b], |[x, a, b]| {
        let product = crate::autograd::non_differentiable(product(a, b)?);
        // Not only a shortcut: NaN in `x` is ignored when beta is 0.
        if beta.is_zero() {
            return scaled(&product, alpha);
        }
        add(&scaled(x, beta)?, &scaled(&product, alpha)?)
    })?;
    Ok(out.raw())
}

fn refuse_scalars(dtype: DType, beta: Scalar, alpha: Scalar) -> Result<()> {
    for (s, name) in [(beta, "beta"), (alpha, "alpha")] {
        if matches!(s, Scalar::Float(_)) && !dtype.is_inexact() {
            return Err(Error::runtime(format!(
                "For integral input tensors, argument {name} must not be a floating point number."
            )));
        }
    }
    Ok(())
}

/// `beta * x + alpha * (a @ b)`
pub fn addmm(x: &Tensor, a: &Tensor, b: &Tensor, beta: Scalar, alpha: Scalar) -> Result<Tensor> {
    refuse_shapes("addmm", a, b, ["self", "mat2"])?;
    for (t, name) in [(x, "self"), (a, "mat1")] {
        if t.dtype() != b.dtype() {
            let (p, q) = (t.dtype().scalar_type_name(), b.dtype().scalar_type_name());
            return Err(Error::runtime(format!("{name} and mat2 must have the same dtype, but got {p} and {q}")));
        }
    }
    refuse_scalars(x.dtype(), beta, alpha)?;
    x.layout().expand(&[a.size(0) as i64, b.size(1) as i64])?;
    let out = blend([x, a, b], beta, alpha, mm_kernel)?;
    let saved = [Save::when(b.requires_grad(), a), Save::when(a.requires_grad(), b)];
    let orders = [MemoryOrder::of(a), MemoryOrder::of(b)];
    Ok(differentiable("AddmmBackward0", &[x, a, b], out, &saved, move |ctx| {
        let (g, a, b) = (ctx.grad()?, ctx.saved(0), ctx.saved(1));
        let to_x = ctx.needs(0).then(|| scaled(&g, beta)).transpose()?;
        let to_a = ctx.needs(1).then(|| scaled(&left_gradient(&g, &orders[0], b)?, alpha)).transpose()?;
        let to_b = ctx.needs(2).then(|| scaled(&right_gradient(&g, a, &orders[1])?, alpha)).transpose()?;
        Ok(vec![to_x, to_a, to_b])
    }))
}

/// `beta * x + alpha * (mat @ vec)`
pub fn addmv(x: &Tensor, mat: &Tensor, vec: &Tensor, beta: Scalar, alpha: Scalar) -> Result<Tensor> {
    refuse_mv(mat, vec, x.ndim())?;
    refuse_scalars(x.dtype(), beta, alpha)?;
    x.layout().expand(&[mat.size(0) as i64])?;
    let out = blend([x, mat, vec], beta, alpha, |mat, vec| mv_kernel(mat, vec, mat.dtype()))?;
    Ok(differentiable("AddmvBackward0", &[x, mat, vec], out, &[Save::Input(mat), Save::Input(vec)], move |ctx| {
        let (g, mat, vec) = (ctx.grad()?, ctx.saved(0), ctx.saved(1));
        let to_x = ctx.needs(0).then(|| scaled(&g, beta)).transpose()?;
        let to_mat = ctx.needs(1).then(|| scaled(&outer(&g, vec)?, alpha)).transpose()?;
        let to_vec = ctx.needs(2).then(|| scaled(&mv(&transpose(mat, 0, 1)?, &g)?, alpha)).transpose()?;
        Ok(vec![to_x, to_mat, to_vec])
    }))
}

/// `beta * x + alpha * outer(a, b)`
pub fn addr(x: &Tensor, a: &Tensor, b: &Tensor, beta: Scalar, alpha: Scalar) -> Result<Tensor> {
    for (t, name) in [(a, "vec1"), (b, "vec2")] {
        if t.ndim() != 1 {
            return Err(Error::runtime(format!("addr: Expected 1-D argument {name}, but got {}-D", t.ndim())));
        }
    }
    let out = if x.dtype().is_half() {
        // Unlike the products of matrices, this rounds after each step.
        no_grad(|| Ok(add(&scaled(x, beta)?, &outer(&scaled(a, alpha)?, b)?)?.raw()))?
    } else {
        blend([x, a, b], beta, alpha, |a, b| Ok(outer(a, b)?.raw()))?
    };
    Ok(differentiable("AddrBackward0", &[x, a, b], out, &[Save::Input(a), Save::Input(b)], move |ctx| {
        let (g, a, b) = (ctx.grad()?, ctx.saved(0), ctx.saved(1));
        let to_x = ctx.needs(0).then(|| scaled(&g, beta)).transpose()?;
        let to_a = ctx.needs(1).then(|| scaled(&mv(&g, b)?, alpha)).transpose()?;
        let to_b = ctx.needs(2).then(|| scaled(&mv(&transpose(&g, 0, 1)?, a)?, alpha)).transpose()?;
        Ok(vec![to_x, to_a, to_b])
    }))
}

/// `beta * x + alpha * bmm(a, b)`
pub fn baddbmm(x: &Tensor, a: &Tensor, b: &Tensor, beta: Scalar, alpha: Scalar) -> Result<Tensor> {
    let sizes = [size_at(a, 0)? as i64, size_at(a, 1)? as i64, size_at(b, 2)? as i64];
    x.layout().expand(&sizes).map_err(|e| e.of_dtype(x.dtype()))?;
    refuse_batches(a, b)?;
    refuse_scalars(x.dtype(), beta, alpha)?;
    let out = blend([x, a, b], beta, alpha, |a, b| backend(a.device()).matmul(&a.raw(), &b.raw()))?;
    Ok(differentiable("BaddbmmBackward0", &[x, a, b], out, &[Save::Input(a), Save::Input(b)], move |ctx| {
        let (g, a, b) = (ctx.grad()?, ctx.saved(0), ctx.saved(1));
        let to_x = ctx.needs(0).then(|| scaled(&g, beta)).transpose()?;
        let to_a = ctx.needs(1).then(|| scaled(&bmm(&g, &transpose(b, 1, 2)?)?, alpha)).transpose()?;
        let to_b = ctx.needs(2).then(|| scaled(&bmm(&transpose(a, 1, 2)?, &g)?, alpha)).transpose()?;
        Ok(vec![to_x, to_a, to_b])
    }))
}

/// `beta * x + alpha * sum over the batch of (a @ b)`
pub fn addbmm(x: &Tensor, a: &Tensor, b: &Tensor, beta: Scalar, alpha: Scalar) -> Result<Tensor> {
    if a.requires_grad() || b.requires_grad() {
        // The graph asks for the batch before the sizes are checked.
        size_at(a, 0)?;
    }
    let sizes = [size_at(a, 1)? as i64, size_at(b, 2)? as i64];
    x.layout().expand(&sizes).map_err(|e| e.of_dtype(x.dtype()))?;
    if a.ndim() == 3 && b.ndim() == 3 && a.size(0) != b.size(0) {
        return Err(Error::runtime(format!(
            "batch1 and batch2 must have same number of batches, got {} and {}",
            a.size(0),
            b.size(0)
        )));
    }
    if a.ndim() == 3 && b.ndim() == 3 && a.size(2) != b.size(1) {
        return Err(Error::runtime(format!(
            "Incompatible matrix sizes for bmm ({}x{} and {}x{})",
            a.size(1),
            a.size(2),
            b.size(1),
            b.size(2)
        )));
    }
    refuse_batches(a, b)?;
    refuse_scalars(x.dtype(), beta, alpha)?;
    let target = [a.size(1) as i64, b.size(2) as i64];
    x.layout().expand(&target)?;
    let out = if x.dtype().is_half() {
        // One matrix after the other, each sum rounded.
        no_grad(|| {
            let mut total = expand(x, &target)?;
            for i in 0..a.size(0) as i64 {
                let beta = if i == 0 { beta } else { 1.into() };
                total = addmm(&total, &select(a, 0, i)?, &select(b, 0, i)?, beta, alpha)?;
            }
            Ok(total.raw())
        })?
    } else {
        blend([x, a, b], beta, alpha, |a, b| Ok(cast(&sum(&bmm(a, b)?, &[0], false, None)?, a.dtype())?.raw()))?
    };
    let batch = a.size(0) as i64;
    Ok(differentiable("AddbmmBackward0", &[x, a, b], out, &[Save::Input(a), Save::Input(b)], move |ctx| {
        let (g, a, b) = (ctx.grad()?, ctx.saved(0), ctx.saved(1));
        let wide = expand(&unsqueeze(&g, 0)?, &[batch, target[0], target[1]])?;
        let to_x = ctx.needs(0).then(|| scaled(&g, beta)).transpose()?;
        let to_a = ctx.needs(1).then(|| scaled(&bmm(&wide, &transpose(b, 1, 2)?)?, alpha)).transpose()?;
        let to_b = ctx.needs(2).then(|| scaled(&bmm(&transpose(a, 1, 2)?, &wide)?, alpha)).transpose()?;
        Ok(vec![to_x, to_a, to_b])
    }))
}

fn blended(a: &Args, f: fn(&Tensor, &Tensor, &Tensor, Scalar, Scalar) -> Result<Tensor>) -> Result<Value> {
    Ok(f(a.tensor(0)?, a.tensor(1)?, a.tensor(2)?, a.scalar(3)?, a.scalar(4)?)?.into())
}

pub(crate) const TABLE: &[Op] = &[
    op("addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", places::ALL, |a| {
        blended(a, addmm)
    }),
    op(
        "addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
        places::ALL | places::INPLACE_FUNCTION,
        |a| blended(a, addmv),
    ),
    op("addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", places::ALL, |a| {
        blended(a, addr)
    }),
    op(
        "baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
        places::ALL,
        |a| blended(a, baddbmm),
    ),
    op(
        "addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
        places::ALL,
        |a| blended(a, addbmm),
    ),
];
