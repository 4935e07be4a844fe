//! Putting tensors together: `cat`, `stack` and their kin, grids and products.

use crate::autograd::differentiable;
use crate::backend::backend;
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result, list};
use crate::layout::wrap_dim;
use crate::ops::{cast, expand_as_shape, index_tensors, reshape, result_type, slice_of, unsqueeze, view_as};
use crate::registry::{Op, op, places};
use crate::tensor::{Raw, Tensor};

/// One-dimensional and empty: `cat` passes over it, whatever the others' dimensions.
fn skipped(t: &Tensor) -> bool {
    t.shape() == [0]
}

/// The pieces one behind the other along `d`; shapes are checked.
fn joined(xs: &[Raw], d: usize, dtype: DType) -> Result<Raw> {
    let mut shape = xs.first().map(|x| x.shape().to_vec()).unwrap_or_default();
    shape[d] = xs.iter().map(|x| x.shape()[d]).sum();
    let b = backend(xs.first().map_or(crate::device::Device::Cpu, Raw::device));
    let out = b.full(&shape, Scalar::Int(0), dtype)?;
    let mut at = 0;
    for x in xs {
        let end = at + x.shape()[d];
        b.write(&out.with_layout(out.layout.slice(d, at, end, 1)), x)?;
        at = end;
    }
    Ok(out)
}

/// `torch.cat(xs, dim)`.
///
/// # Errors
/// PyTorch's: nothing given, other sizes or numbers of dimensions, 0-d tensors.
pub fn cat(xs: &[Tensor], dim: i64) -> Result<Tensor> {
    if xs.is_empty() {
        return Err(Error::value("torch.cat(): expected a non-empty list of Tensors"));
    }
    if let Some(i) = xs.iter().position(|x| x.ndim() == 0) {
        return Err(Error::runtime(format!("zero-dimensional tensor (at position {i}) cannot be concatenated")));
    }
    let refs: Vec<&Tensor> = xs.iter().collect();
    let dtype = result_type(&refs);
    let used: Vec<usize> = (0..xs.len()).filter(|&i| !skipped(&xs[i])).collect();
    let Some(&first) = used.first() else {
        wrap_dim(dim, 1)?;
        let raw = backend(xs[0].device()).full(&[0], Scalar::Int(0), dtype)?;
        return Ok(differentiable("CatBackward0", &refs, raw, &[], |_| Ok(vec![])));
    };
    let d = wrap_dim(dim, xs[first].ndim())?;
    let want = xs[first].shape();
    for &i in &used[1..] {
        let got = xs[i].shape();
        if got.len() != want.len() {
            return Err(Error::runtime(format!(
                "Tensors must have same number of dimensions: got {} and {}",
                want.len(),
                got.len()
            )));
        }
        if let Some(k) = (0..got.len()).find(|&k| k != d && got[k] != want[k]) {
            return Err(Error::runtime(format!(
                "Sizes of tensors must match except in dimension {d}. Expected size {} but got size {} for tensor \
                 number {i} in the list.",
                want[k], got[k]
            )));
        }
    }
    let raws: Vec<Raw> = used.iter().map(|&i| xs[i].raw()).collect();
    let raw = joined(&raws, d, dtype)?;
    let lengths: Vec<Option<usize>> = xs.iter().map(|x| (!skipped(x)).then(|| x.size(d))).collect();
    Ok(differentiable("CatBackward0", &refs, raw, &[], move |ctx| {
        let g = ctx.grad()?;
        let mut at = 0;
        let mut out = vec![];
        for (i, n) in lengths.iter().enumerate() {
            let Some(n) = n else {
                out.push(None);
                continue;
            };
            let end = at + *n as i64;
            out.push(ctx.needs(i).then(|| slice_of(&g, d as i64, Some(at), Some(end), 1)).transpose()?);
            at = end;
        }
        Ok(out)
    }))
}

/// `torch.stack(xs, dim)`.
pub fn stack(xs: &[Tensor], dim: i64) -> Result<Tensor> {
    let Some(first) = xs.first() else {
        return Err(Error::runtime("stack expects a non-empty TensorList"));
    };
    let n = first.ndim() + 1;
    let d = wrap_dim(dim, n)?;
    let want = first.shape();
    for (i, x) in xs.iter().enumerate() {
        if x.shape() != want {
            return Err(Error::runtime(format!(
                "stack expects each tensor to be equal size, but got {} at entry 0 and {} at entry {i}",
                list(&want),
                list(&x.shape())
            )));
        }
    }
    let refs: Vec<&Tensor> = xs.iter().collect();
    let raws: Vec<Raw> = xs
        .iter()
        .map(|x| {
            let raw = x.raw();
            raw.with_layout(raw.layout.unsqueeze(d))
        })
        .collect();
    let raw = joined(&raws, d, result_type(&refs))?;
    let count = xs.len();
    Ok(differentiable("StackBackward0", &refs, raw, &[], move |ctx| {
        let g = ctx.grad()?;
        (0..count).map(|i| ctx.needs(i).then(|| crate::ops::select(&g, d as i64, i as i64)).transpose()).collect()
    }))
}

pub fn atleast_1d(x: &Tensor) -> Result<Tensor> {
    if x.ndim() == 0 { view_as(x, &[1]) } else { Ok(x.clone()) }
}

pub fn atleast_2d(x: &Tensor) -> Result<Tensor> {
    match x.ndim() {
        0 => view_as(x, &[1, 1]),
        1 => unsqueeze(x, 0),
        _ => Ok(x.clone()),
    }
}

pub fn atleast_3d(x: &Tensor) -> Result<Tensor> {
    match x.ndim() {
        0 => view_as(x, &[1, 1, 1]),
        1 => unsqueeze(&unsqueeze(x, 0)?, -1),
        2 => unsqueeze(x, -1),
        _ => Ok(x.clone()),
    }
}

fn each(xs: &[Tensor], f: fn(&Tensor) -> Result<Tensor>) -> Result<Vec<Tensor>> {
    xs.iter().map(f).collect()
}

fn some(xs: &[Tensor], what: &str) -> Result<()> {
    if xs.is_empty() {
        return Err(Error::runtime(format!("{what} expects a non-empty TensorList")));
    }
    Ok(())
}

pub fn hstack(xs: &[Tensor]) -> Result<Tensor> {
    some(xs, "hstack")?;
    let xs = each(xs, atleast_1d)?;
    let dim = if xs[0].ndim() == 1 { 0 } else { 1 };
    cat(&xs, dim)
}

pub fn vstack(xs: &[Tensor]) -> Result<Tensor> {
    some(xs, "vstack")?;
    cat(&each(xs, atleast_2d)?, 0)
}

pub fn dstack(xs: &[Tensor]) -> Result<Tensor> {
    some(xs, "dstack")?;
    cat(&each(xs, atleast_3d)?, 2)
}

pub fn column_stack(xs: &[Tensor]) -> Result<Tensor> {
    some(xs, "column_stack")?;
    let column = |x: &Tensor| if x.ndim() <= 1 { reshape(x, &[x.numel() as i64, 1]) } else { Ok(x.clone()) };
    hstack(&xs.iter().map(column).collect::<Result<Vec<_>>>()?)
}

/// `torch.block_diag`.
pub fn block_diag(xs: &[Tensor]) -> Result<Tensor> {
    for (i, x) in xs.iter().enumerate() {
        if x.ndim() > 2 {
            return Err(Error::runtime(format!(
                "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {i} has {} dimensions",
                x.ndim()
            )));
        }
    }
    if xs.is_empty() {
        return Tensor::zeros(&[1, 0], crate::dtype::default_dtype());
    }
    let two = |x: &Tensor| -> Raw {
        let raw = x.raw();
        let mut layout = raw.layout.clone();
        while layout.ndim() < 2 {
            layout = layout.unsqueeze(0);
        }
        raw.with_layout(layout)
    };
    let raws: Vec<Raw> = xs.iter().map(two).collect();
    let (rows, cols) = raws.iter().fold((0, 0), |(r, c), x| (r + x.shape()[0], c + x.shape()[1]));
    let refs: Vec<&Tensor> = xs.iter().collect();
    let dtype = result_type(&refs);
    let b = backend(xs[0].device());
    let out = b.full(&[rows, cols], Scalar::Int(0), dtype)?;
    let mut at: Vec<(usize, usize, Vec<usize>)> = vec![];
    let (mut r, mut c) = (0, 0);
    for (x, raw) in xs.iter().zip(&raws) {
        let (h, w) = (raw.shape()[0], raw.shape()[1]);
        b.write(&out.with_layout(out.layout.slice(0, r, r + h, 1).slice(1, c, c + w, 1)), raw)?;
        at.push((r, c, x.shape()));
        (r, c) = (r + h, c + w);
    }
    Ok(differentiable("BlockDiagBackward0", &refs, out, &[], move |ctx| {
        let g = ctx.grad()?;
        at.iter()
            .map(|(r, c, shape)| {
                let h = if shape.len() == 2 { shape[0] } else { 1 };
                let w = shape.last().copied().unwrap_or(1);
                let part = slice_of(&g, 0, Some(*r as i64), Some((r + h) as i64), 1)?;
                let part = slice_of(&part, 1, Some(*c as i64), Some((c + w) as i64), 1)?;
                Ok(Some(reshape(&part, &crate::ops::dims_of(shape))?))
            })
            .collect()
    }))
}

/// `torch.meshgrid(xs, indexing)`.
pub fn meshgrid(xs: &[Tensor], indexing: &str) -> Result<Vec<Tensor>> {
    let Some(first) = xs.first() else {
        return Err(Error::runtime("meshgrid expects a non-empty TensorList"));
    };
    if let Some(x) = xs.iter().find(|x| x.ndim() > 1) {
        return Err(Error::runtime(format!(
            "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {}",
            crate::format::repr(x)?
        )));
    }
    if xs.iter().any(|x| x.dtype() != first.dtype()) {
        return Err(Error::runtime("meshgrid expects all tensors to have the same dtype"));
    }
    let swap = match indexing {
        "ij" => false,
        "xy" => xs.len() >= 2,
        other => {
            return Err(Error::runtime(format!(
                "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: {other}"
            )));
        }
    };
    let mut order: Vec<&Tensor> = xs.iter().collect();
    if swap {
        order.swap(0, 1);
    }
    let shape: Vec<usize> = order.iter().map(|x| x.numel()).collect();
    let mut grids = vec![];
    for (i, x) in order.iter().enumerate() {
        let mut sizes = vec![1i64; order.len()];
        sizes[i] = -1;
        grids.push(expand_as_shape(&view_as(x, &sizes)?, &shape)?);
    }
    if swap {
        grids.swap(0, 1);
    }
    Ok(grids)
}

/// `torch.cartesian_prod`.
pub fn cartesian_prod(xs: &[Tensor]) -> Result<Tensor> {
    if let Some(x) = xs.iter().find(|x| x.ndim() != 1) {
        return Err(Error::runtime(format!("Expect a 1D vector, but got shape {}", list(&x.shape()))));
    }
    if let [only] = xs {
        return Ok(only.clone());
    }
    let grids = meshgrid(xs, "ij")?;
    let flat = grids.iter().map(|g| reshape(g, &[-1])).collect::<Result<Vec<_>>>()?;
    stack(&flat, 1)
}

/// `torch.combinations`.
pub fn combinations(x: &Tensor, r: i64, with_replacement: bool) -> Result<Tensor> {
    if x.ndim() != 1 {
        return Err(Error::runtime(format!("Expect a 1D vector, but got shape {}", list(&x.shape()))));
    }
    if r < 0 {
        return Err(Error::runtime(format!("Expect a non-negative number, but got {r}")));
    }
    if r == 0 {
        return Tensor::zeros(&[0], x.dtype());
    }
    let n = x.numel() as i64;
    crate::storage::room(r as usize, 64)?;
    if n == 0 || !with_replacement && r > n {
        return index_tensors(x, &[Some(Tensor::from_slice::<i64>(&[], &[0, r as usize])?)]);
    }
    let mut columns: Vec<Vec<i64>> = vec![vec![]; r as usize];
    let mut pick: Vec<i64> = (0..r).map(|i| if with_replacement { 0 } else { i }).collect();
    let limit = |i: i64| if with_replacement { n - 1 } else { n - r + i };
    let mut more = n > 0 && (with_replacement || r <= n);
    while more {
        columns.iter_mut().zip(&pick).for_each(|(c, &p)| c.push(p));
        more = match (0..r as usize).rev().find(|&i| pick[i] < limit(i as i64)) {
            None => false,
            Some(i) => {
                let next = pick[i] + 1;
                for (k, p) in pick.iter_mut().enumerate().skip(i) {
                    *p = if with_replacement { next } else { next + (k - i) as i64 };
                }
                true
            }
        };
    }
    let rows = columns.first().map_or(0, Vec::len);
    let places: Vec<i64> = (0..rows).flat_map(|i| columns.iter().map(move |c| c[i])).collect();
    index_tensors(x, &[Some(Tensor::from_slice(&places, &[rows, r as usize])?)])
}

/// `torch.vander(x, N, increasing)`.
pub fn vander(x: &Tensor, n: Option<i64>, increasing: bool) -> Result<Tensor> {
    if x.ndim() != 1 {
        return Err(Error::runtime("x must be a one-dimensional tensor."));
    }
    let n = n.unwrap_or(x.numel() as i64);
    if n < 0 {
        return Err(Error::runtime("N must be non-negative."));
    }
    crate::storage::room(n as usize, 1024)?;
    let dtype = if x.dtype().is_inexact() { x.dtype() } else { DType::I64 };
    let x = cast(x, dtype)?;
    let mut columns = vec![Tensor::full(&x.shape(), Scalar::Int(1), dtype)?];
    while (columns.len() as i64) < n {
        let next = crate::ops::mul(&columns[columns.len() - 1], &x)?;
        columns.push(next);
    }
    columns.truncate(n as usize);
    if !increasing {
        columns.reverse();
    }
    if columns.is_empty() { Tensor::zeros(&[x.numel(), 0], dtype) } else { stack(&columns, 1) }
}

pub(crate) const TABLE: &[Op] = &[
    op("cat(Tensor[] tensors, int dim=0) -> Tensor", places::FUNCTION | places::OUT, |a| {
        Ok(cat(&a.tensors(0)?, a.int(1)?)?.into())
    }),
    op("concat(Tensor[] tensors, int dim=0) -> Tensor", places::FUNCTION | places::OUT, |a| {
        Ok(cat(&a.tensors(0)?, a.int(1)?)?.into())
    }),
    op("concatenate(Tensor[] tensors, int dim=0) -> Tensor", places::FUNCTION | places::OUT, |a| {
        Ok(cat(&a.tensors(0)?, a.int(1)?)?.into())
    }),
    op("stack(Tensor[] tensors, int dim=0) -> Tensor", places::FUNCTION | places::OUT, |a| {
        Ok(stack(&a.tensors(0)?, a.int(1)?)?.into())
    }),
    op("hstack(Tensor[] tensors) -> Tensor", places::FUNCTION | places::OUT, |a| Ok(hstack(&a.tensors(0)?)?.into())),
    op("vstack(Tensor[] tensors) -> Tensor", places::FUNCTION | places::OUT, |a| Ok(vstack(&a.tensors(0)?)?.into())),
    op("row_stack(Tensor[] tensors) -> Tensor", places::FUNCTION | places::OUT, |a| Ok(vstack(&a.tensors(0)?)?.into())),
    op("dstack(Tensor[] tensors) -> Tensor", places::FUNCTION | places::OUT, |a| Ok(dstack(&a.tensors(0)?)?.into())),
    op("column_stack(Tensor[] tensors) -> Tensor", places::FUNCTION | places::OUT, |a| {
        Ok(column_stack(&a.tensors(0)?)?.into())
    }),
    op("block_diag(Tensor[] tensors) -> Tensor", places::FUNCTION, |a| Ok(block_diag(&a.tensors(0)?)?.into())),
    op("atleast_1d(Tensor self) -> Tensor", places::FUNCTION, |a| Ok(atleast_1d(a.tensor(0)?)?.into())),
    op("atleast_1d.Sequence(Tensor[] tensors) -> Tensor[]", places::FUNCTION, |a| {
        Ok(each(&a.tensors(0)?, atleast_1d)?.into())
    }),
    op("atleast_2d(Tensor self) -> Tensor", places::FUNCTION, |a| Ok(atleast_2d(a.tensor(0)?)?.into())),
    op("atleast_2d.Sequence(Tensor[] tensors) -> Tensor[]", places::FUNCTION, |a| {
        Ok(each(&a.tensors(0)?, atleast_2d)?.into())
    }),
    op("atleast_3d(Tensor self) -> Tensor", places::FUNCTION, |a| Ok(atleast_3d(a.tensor(0)?)?.into())),
    op("atleast_3d.Sequence(Tensor[] tensors) -> Tensor[]", places::FUNCTION, |a| {
        Ok(each(&a.tensors(0)?, atleast_3d)?.into())
    }),
    op("meshgrid(Tensor[] tensors) -> Tensor[]", places::FUNCTION, |a| Ok(meshgrid(&a.tensors(0)?, "ij")?.into())),
    op("meshgrid.indexing(Tensor[] tensors, *, str indexing) -> Tensor[]", places::FUNCTION, |a| {
        Ok(meshgrid(&a.tensors(0)?, &a.str(1)?)?.into())
    }),
    op("cartesian_prod(Tensor[] tensors) -> Tensor", places::FUNCTION, |a| Ok(cartesian_prod(&a.tensors(0)?)?.into())),
    op("combinations(Tensor self, int r=2, bool with_replacement=False) -> Tensor", places::FUNCTION, |a| {
        Ok(combinations(a.tensor(0)?, a.int(1)?, a.bool(2)?)?.into())
    }),
    op("vander(Tensor x, int? N=None, bool increasing=False) -> Tensor", places::FUNCTION, |a| {
        Ok(vander(a.tensor(0)?, a.opt_int(1)?, a.bool(2)?)?.into())
    }),
];
