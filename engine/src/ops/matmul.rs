//! Matrix products: two matrices, batches, vectors, and `matmul` over all of these; fused with an addition; `linear`.

use crate::autograd::{Save, differentiable, view};
use crate::backend::backend;
use crate::dtype::DType;
use crate::error::{Error, Result, list};
use crate::layout::{Layout, broadcast_shapes};
use crate::ops::{
    add, addmm, cast, dims_of, expand, long_name, mul, number, reshape, size_at, sum, t, transpose, unsqueeze,
};
use crate::registry::{Op, op, places};
use crate::tensor::{Raw, Tensor};

/// A 2-d value as a batch of one.
fn batch_of_one(raw: Raw) -> Raw {
    let layout = raw.layout.unsqueeze(0);
    raw.with_layout(layout)
}

/// The kernel on two matrices.
pub(super) fn mm_kernel(a: &Tensor, b: &Tensor) -> Result<Raw> {
    if a.dtype() == DType::Bool {
        return Err(Error::no_kernel("addmm_impl_cpu_", DType::Bool));
    }
    let out = backend(a.device()).matmul(&batch_of_one(a.raw()), &batch_of_one(b.raw()))?;
    Ok(out.with_layout(out.layout.select(0, 0)))
}

fn refuse_other_dtype(a: &Tensor, b: &Tensor) -> Result<()> {
    if a.dtype() == b.dtype() {
        return Ok(());
    }
    Err(Error::DTypes {
        want: a.dtype(),
        got: b.dtype(),
        what: format!(
            "expected m1 and m2 to have the same dtype, but got: {} != {}",
            long_name(a.dtype()),
            long_name(b.dtype())
        ),
    })
}

pub(super) fn refuse_shapes(what: &str, a: &Tensor, b: &Tensor, names: [&str; 2]) -> Result<()> {
    for (x, name) in [(a, names[0]), (b, names[1])] {
        if x.ndim() != 2 {
            return Err(Error::runtime(format!("{what}: {name} must be a matrix, got {}-D tensor", x.ndim())));
        }
    }
    if a.size(1) != b.size(0) {
        return Err(Error::runtime(format!(
            "{what}: mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})",
            a.size(0),
            a.size(1),
            b.size(0),
            b.size(1)
        )));
    }
    Ok(())
}

/// The gradient of `a` in `a @ b`, in `a`'s order in memory, as PyTorch gives it: the gradient of a transposed weight is
/// then, transposed back, contiguous.
pub(super) fn left_gradient(g: &Tensor, a: &MemoryOrder, b: &Tensor) -> Result<Tensor> {
    match a {
        MemoryOrder::Rows => mm(g, &transpose(b, 0, 1)?),
        MemoryOrder::Columns => transpose(&mm(b, &transpose(g, 0, 1)?)?, 0, 1),
    }
}

/// The gradient of `b` in `a @ b`, in `b`'s order in memory.
pub(super) fn right_gradient(g: &Tensor, a: &Tensor, b: &MemoryOrder) -> Result<Tensor> {
    match b {
        MemoryOrder::Rows => mm(&transpose(a, 0, 1)?, g),
        MemoryOrder::Columns => transpose(&mm(&transpose(g, 0, 1)?, a)?, 0, 1),
    }
}

/// How a matrix lies in memory.
pub(super) enum MemoryOrder {
    Rows,
    Columns,
}

impl MemoryOrder {
    pub(super) fn of(t: &Tensor) -> Self {
        let Layout { shape, strides, .. } = t.layout();
        if strides[0] == 1 && strides[1] == shape[0] && shape[1] != 1 {
            MemoryOrder::Columns
        } else {
            MemoryOrder::Rows
        }
    }
}

/// `torch.mm`: two matrices.
pub fn mm(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    refuse_shapes("mm", a, b, ["self", "mat2"])?;
    refuse_other_dtype(a, b)?;
    let saved = [Save::when(b.requires_grad(), a), Save::when(a.requires_grad(), b)];
    let orders = [MemoryOrder::of(a), MemoryOrder::of(b)];
    Ok(differentiable("MmBackward0", &[a, b], mm_kernel(a, b)?, &saved, move |ctx| {
        let (g, a, b) = (ctx.grad()?, ctx.saved(0), ctx.saved(1));
        let to_a = ctx.needs(0).then(|| left_gradient(&g, &orders[0], b)).transpose()?;
        let to_b = ctx.needs(1).then(|| right_gradient(&g, a, &orders[1])).transpose()?;
        Ok(vec![to_a, to_b])
    }))
}

pub(super) fn refuse_batches(a: &Tensor, b: &Tensor) -> Result<()> {
    for (x, name) in [(a, "batch1"), (b, "batch2")] {
        if x.ndim() != 3 {
            return Err(Error::runtime(format!("{name} must be a 3D tensor")));
        }
    }
    let (sa, sb) = (a.shape(), b.shape());
    if sb[..2] != [sa[0], sa[2]] {
        return Err(Error::runtime(format!(
            "Expected size for first two dimensions of batch2 tensor to be: {} but got: {}.",
            list(&[sa[0], sa[2]]),
            list(&sb[..2])
        )));
    }
    if a.dtype() != b.dtype() {
        let (x, y) = (a.dtype().scalar_type_name(), b.dtype().scalar_type_name());
        return Err(Error::runtime(format!("expected scalar type {x} but found {y}")));
    }
    if a.dtype() == DType::Bool {
        return Err(Error::no_kernel("bmm", DType::Bool));
    }
    Ok(())
}

/// `torch.bmm`: batches of matrices.
pub fn bmm(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    refuse_batches(a, b)?;
    let out = backend(a.device()).matmul(&a.raw(), &b.raw())?;
    let saved = [Save::when(b.requires_grad(), a), Save::when(a.requires_grad(), b)];
    Ok(differentiable("BmmBackward0", &[a, b], out, &saved, |ctx| {
        let (g, a, b) = (ctx.grad()?, ctx.saved(0), ctx.saved(1));
        let to_a = ctx.needs(0).then(|| bmm(&g, &transpose(b, 1, 2)?)).transpose()?;
        let to_b = ctx.needs(1).then(|| bmm(&transpose(a, 1, 2)?, &g)).transpose()?;
        Ok(vec![to_a, to_b])
    }))
}

/// The kernel on two vectors.
fn dot_kernel(a: &Tensor, b: &Tensor) -> Result<Raw> {
    if a.ndim() != 1 || b.ndim() != 1 {
        return Err(Error::runtime(format!("1D tensors expected, but got {}D and {}D tensors", a.ndim(), b.ndim())));
    }
    if a.dtype() != b.dtype() {
        let (x, y) = (a.dtype().scalar_type_name(), b.dtype().scalar_type_name());
        return Err(Error::runtime(format!("dot : expected both vectors to have same dtype, but found {x} and {y}")));
    }
    let (n, m) = (a.numel(), b.numel());
    if n != m {
        return Err(Error::runtime(format!(
            "inconsistent tensor size, expected tensor [{n}] and src [{m}] to have the same number of elements, but got \
             {n} and {m} elements respectively"
        )));
    }
    if a.dtype() == DType::Bool {
        return Err(Error::no_kernel("dot", DType::Bool));
    }
    let (x, y) = (a.raw(), b.raw());
    let (x, y) = (x.with_layout(x.layout.unsqueeze(0).unsqueeze(0)), y.with_layout(y.layout.unsqueeze(1).unsqueeze(0)));
    let out = backend(a.device()).matmul(&x, &y)?;
    Ok(out.with_layout(out.layout.squeeze(&[0, 1, 2])))
}

pub(crate) fn dot_named(name: &'static str, a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let saved = [Save::when(b.requires_grad(), a), Save::when(a.requires_grad(), b)];
    Ok(differentiable(name, &[a, b], dot_kernel(a, b)?, &saved, |ctx| {
        let g = ctx.grad()?;
        let to = |i: usize, other: usize| ctx.needs(i).then(|| mul(&g, ctx.saved(other))).transpose();
        Ok(vec![to(0, 1)?, to(1, 0)?])
    }))
}
/// `torch.dot`: two vectors.
pub fn dot(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    dot_named("DotBackward0", a, b)
}

pub(super) fn refuse_mv(mat: &Tensor, vec: &Tensor, out_dim: usize) -> Result<()> {
    if mat.ndim() != 2 || vec.ndim() != 1 || out_dim > 1 {
        return Err(Error::runtime(format!(
            "vector + matrix @ vector expected, got {out_dim}, {}, {}",
            mat.ndim(),
            vec.ndim()
        )));
    }
    if mat.size(1) != vec.size(0) {
        return Err(Error::runtime(format!(
            "size mismatch, got input ({}), mat ({}x{}), vec ({})",
            mat.size(0),
            mat.size(0),
            mat.size(1),
            vec.size(0)
        )));
    }
    Ok(())
}

pub(super) fn mv_kernel(mat: &Tensor, vec: &Tensor, start: DType) -> Result<Raw> {
    if mat.dtype() != vec.dtype() || start != vec.dtype() {
        return Err(Error::runtime(format!(
            "addmv input tensors must have the same dtype, but got {}, {}, and {}",
            start.scalar_type_name(),
            mat.dtype().scalar_type_name(),
            vec.dtype().scalar_type_name()
        )));
    }
    if mat.dtype() == DType::Bool {
        return Err(Error::no_kernel("addmv_impl_cpu", DType::Bool));
    }
    let (m, v) = (mat.raw(), vec.raw());
    let v = v.with_layout(v.layout.unsqueeze(1).unsqueeze(0));
    let out = backend(mat.device()).matmul(&batch_of_one(m), &v)?;
    Ok(out.with_layout(out.layout.squeeze(&[0, 2])))
}

/// `torch.mv`: a matrix and a vector.
pub fn mv(mat: &Tensor, vec: &Tensor) -> Result<Tensor> {
    size_at(mat, 0)?;
    refuse_mv(mat, vec, 1)?;
    let out = mv_kernel(mat, vec, vec.dtype())?;
    let saved = [Save::when(vec.requires_grad(), mat), Save::when(mat.requires_grad(), vec)];
    Ok(differentiable("MvBackward0", &[mat, vec], out, &saved, |ctx| {
        let (g, mat, vec) = (ctx.grad()?, ctx.saved(0), ctx.saved(1));
        let to_mat = ctx.needs(0).then(|| outer(&g, vec)).transpose()?;
        let to_vec = ctx.needs(1).then(|| mv(&transpose(mat, 0, 1)?, &g)).transpose()?;
        Ok(vec![to_mat, to_vec])
    }))
}

/// `torch.outer`: all products of two vectors.
pub fn outer(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    for (x, name) in [(a, "self"), (b, "vec2")] {
        if x.ndim() != 1 {
            return Err(Error::runtime(format!("outer: Expected 1-D argument {name}, but got {}-D", x.ndim())));
        }
    }
    mul(&reshape(a, &[-1, 1])?, b)
}

/// `beta * x + alpha * product`, without history.
/// Another shape for a fresh contiguous result; not a view as far as in-place writes are concerned.
pub(crate) fn unsafe_view(x: &Tensor, shape: &[usize]) -> Result<Tensor> {
    let x = crate::ops::contiguous(x)?;
    let raw = x.raw();
    let mut layout = Layout::contiguous(shape);
    layout.offset = raw.layout.offset;
    let back = dims_of(&x.shape());
    Ok(differentiable("UnsafeViewBackward0", &[&x], raw.with_layout(layout), &[], move |ctx| {
        Ok(vec![Some(reshape(&ctx.grad()?, &back)?)])
    }))
}

/// Drop one dim of size 1 from a fresh result.
fn drop_dim(x: &Tensor, d: usize) -> Tensor {
    view("SqueezeBackward4", x, x.layout().squeeze(&[d]), move |ctx| Ok(vec![Some(unsqueeze(&ctx.grad()?, d as i64)?)]))
}

/// `torch.matmul`, `a @ b`: vectors, matrices, batches in any mixture; batch dims broadcast.
pub fn matmul(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let (na, nb) = (a.ndim(), b.ndim());
    match (na, nb) {
        (0, _) | (_, 0) => Err(Error::runtime(format!(
            "both arguments to matmul need to be at least 1D, but they are {na}D and {nb}D"
        ))),
        (1, 1) => dot(a, b),
        (2, 1) => mv(a, b),
        (1, 2) => Ok(drop_dim(&mm(&unsqueeze(a, 0)?, b)?, 0)),
        (2, 2) => mm(a, b),
        (_, 1) => {
            let lead = a.shape()[..na - 1].to_vec();
            unsafe_view(&mv(&reshape(a, &[rows_of(a), a.size(na - 1) as i64])?, b)?, &lead)
        }
        // One matrix for all of a batch: one tall product.
        (_, 2) if a.numel() > 0 && (b.requires_grad() || a.is_contiguous()) => {
            let mut shape = a.shape();
            let rows = mm(&reshape(a, &[rows_of(a), a.size(na - 1) as i64])?, b)?;
            shape[na - 1] = b.size(1);
            unsafe_view(&rows, &shape)
        }
        _ => matmul_batches(a, b),
    }
}

fn matmul_batches(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let (a2, b2) = (
        if a.ndim() == 1 { unsqueeze(a, 0)? } else { a.clone() },
        if b.ndim() == 1 { unsqueeze(b, 1)? } else { b.clone() },
    );
    let (sa, sb) = (a2.shape(), b2.shape());
    let ([lead_a @ .., m, k], [lead_b @ .., k2, n]) = (&sa[..], &sb[..]) else {
        return Err(Error::runtime("matmul needs matrices"));
    };
    let lead = broadcast_shapes(lead_a, lead_b)?;
    let batches = crate::layout::numel(&lead);
    let flat = |t: &Tensor, rows: usize, cols: usize| -> Result<Tensor> {
        let mut shape = lead.clone();
        shape.extend([rows, cols]);
        let wide = if t.shape() == shape { t.clone() } else { expand(t, &dims_of(&shape))? };
        // A batch that was broadcast over one dim keeps its stride of 0; reshape copies only where it must.
        reshape(&wide, &[batches as i64, rows as i64, cols as i64])
    };
    let product = bmm(&flat(&a2, *m, *k)?, &flat(&b2, *k2, *n)?)?;
    let mut shape = lead;
    if a.ndim() > 1 {
        shape.push(*m);
    }
    if b.ndim() > 1 {
        shape.push(*n);
    }
    unsafe_view(&product, &shape)
}

/// `x @ weight.T + bias`, as `nn.Linear` computes it.
pub fn linear(x: &Tensor, weight: &Tensor, bias: Option<&Tensor>) -> Result<Tensor> {
    if x.ndim() == 0 || weight.ndim() == 0 {
        return Err(Error::runtime(format!(
            "both arguments to linear need to be at least 1D, but they are {}D and {}D",
            x.ndim(),
            weight.ndim()
        )));
    }
    let w = t(weight)?;
    let Some(bias) = bias else {
        return matmul(x, &w);
    };
    if x.ndim() == 0 || weight.ndim() != 2 {
        return add(&matmul(x, &w)?, bias);
    }
    if x.ndim() == 2 {
        return addmm(bias, x, &w, 1.into(), 1.into());
    }
    let mut shape = x.shape();
    let last = shape.len() - 1;
    let rows = crate::layout::numel(&shape[..last]);
    let flat = reshape(x, &[rows as i64, shape[last] as i64])?;
    shape[last] = w.size(1);
    unsafe_view(&addmm(bias, &flat, &w, 1.into(), 1.into())?, &shape)
}

/// `torch.inner`: products summed over the last dims of both.
pub fn inner(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    if a.ndim() == 0 || b.ndim() == 0 {
        return mul(a, b);
    }
    if a.shape().last() != b.shape().last() {
        return Err(Error::runtime(format!(
            "inner() the last dimension must match on both input tensors but got shapes {} and {}",
            list(&a.shape()),
            list(&b.shape())
        )));
    }
    crate::ops::tensordot(a, b, &[-1], &[-1])
}

/// Products summed along `dim`.
pub fn vecdot(a: &Tensor, b: &Tensor, dim: i64) -> Result<Tensor> {
    sum(&mul(&crate::ops::conj(a)?, b)?, &[dim], false, None)
}

/// How many rows stand above each other in all matrices of a batch.
fn rows_of(x: &Tensor) -> i64 {
    let shape = x.shape();
    crate::layout::numel(&shape[..shape.len().saturating_sub(1)]) as i64
}

macro_rules! two {
    ($schema:literal, $places:expr, $f:path) => {
        op($schema, $places, |a| Ok($f(a.tensor(0)?, a.tensor(1)?)?.into()))
    };
}

pub(crate) const TABLE: &[Op] = &[
    two!("mm(Tensor self, Tensor mat2) -> Tensor", places::BOTH | places::OUT, mm),
    two!("bmm(Tensor self, Tensor mat2) -> Tensor", places::BOTH | places::OUT, bmm),
    two!("mv(Tensor self, Tensor vec) -> Tensor", places::BOTH | places::OUT, mv),
    two!("dot(Tensor self, Tensor tensor) -> Tensor", places::BOTH | places::OUT, dot),
    two!("matmul(Tensor self, Tensor other) -> Tensor", places::BOTH | places::OUT, matmul),
    two!("linalg_matmul(Tensor self, Tensor other) -> Tensor", places::LINALG | places::OUT, matmul),
    two!("outer(Tensor self, Tensor vec2) -> Tensor", places::BOTH | places::OUT, outer),
    two!("ger(Tensor self, Tensor vec2) -> Tensor", places::BOTH | places::OUT, outer),
    two!("inner(Tensor self, Tensor other) -> Tensor", places::BOTH | places::OUT, inner),
    op("linalg_vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor", places::LINALG | places::OUT, |a| {
        Ok(vecdot(a.tensor(0)?, a.tensor(1)?, a.int(2)?)?.into())
    }),
    op("linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor", places::NN, |a| {
        Ok(linear(a.tensor(0)?, a.tensor(1)?, a.opt_tensor(2)?.as_ref())?.into())
    }),
];

/// The identity matrix with a batch's shape, for powers of order 0.
pub(crate) fn identity_like(x: &Tensor) -> Result<Tensor> {
    let mask = crate::ops::identity_mask(&x.shape())?;
    let one = mul(&cast(&mask, x.dtype())?, &number(1)?)?;
    crate::ops::clone(&crate::ops::expand_as_shape(&one, &x.shape())?)
}
