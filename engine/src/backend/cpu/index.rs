//! Reading and writing at computed places.

use super::{fill, room_for, rows};
use crate::backend::ScatterOp;
use crate::dtype::{B8, DType, Element};
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::tensor::Raw;

fn out_of_range() -> Error {
    Error::index("index out of range in self")
}

fn combine<T: Element>(op: ScatterOp, old: T, new: T) -> T {
    let float = T::DTYPE.is_float();
    match op {
        ScatterOp::Set => new,
        ScatterOp::Add if float => T::from_f64(old.to_f64() + new.to_f64()),
        ScatterOp::Mul if float => T::from_f64(old.to_f64() * new.to_f64()),
        ScatterOp::Add => T::from_i64(old.to_i64().wrapping_add(new.to_i64())),
        ScatterOp::Mul => T::from_i64(old.to_i64().wrapping_mul(new.to_i64())),
        ScatterOp::Max if new.partial_cmp(&old) != Some(std::cmp::Ordering::Less) => new,
        ScatterOp::Min if new.partial_cmp(&old) != Some(std::cmp::Ordering::Greater) => new,
        ScatterOp::Max | ScatterOp::Min => old,
    }
}

/// For every element of an index of `shape`: the place in `over` where it points, given the index along `dim`.
fn along<'a>(
    over: &'a Layout,
    shape: &'a [usize],
    dim: usize,
    index: &'a [i64],
) -> impl Iterator<Item = Result<usize>> + 'a {
    // Walk the index's shape with the strides of `over`, standing still along `dim`.
    let mut strides = over.strides.clone();
    if let Some(s) = strides.get_mut(dim) {
        *s = 0;
    }
    let walk = Layout { shape: shape.to_vec(), strides, offset: over.offset };
    let (size, stride) = match over.ndim() {
        0 => (1, 0),
        _ => (over.shape[dim], over.strides[dim]),
    };
    let bases: Vec<usize> = walk.places().collect();
    bases.into_iter().zip(index).map(move |(base, &i)| {
        if i < 0 || i as usize >= size {
            return Err(out_of_range());
        }
        Ok(base + i as usize * stride)
    })
}

pub fn gather<T: Element>(x: &Raw, dim: usize, index: &Raw) -> Result<Raw> {
    let (xs, is) = (x.storage.slice::<T>(), index.storage.slice::<i64>());
    let idx = rows(&is, &index.layout);
    let out = room_for(index.shape(), T::DTYPE)?;
    for (o, place) in out.storage.slice_mut::<T>().iter_mut().zip(along(&x.layout, index.shape(), dim, &idx)) {
        *o = *xs.get(place?).ok_or_else(out_of_range)?;
    }
    Ok(out)
}

pub fn scatter<T: Element>(op: ScatterOp, x: &Raw, dim: usize, index: &Raw, src: &Raw) -> Result<Raw> {
    let out = super::pointwise::copy(x, x.dtype)?;
    {
        let (is, ss) = (index.storage.slice::<i64>(), src.storage.slice::<T>());
        let (idx, new) = (rows(&is, &index.layout), rows(&ss, &src.layout));
        let mut os = out.storage.slice_mut::<T>();
        for (place, &v) in along(&out.layout, index.shape(), dim, &idx).zip(new.iter()) {
            let o = os.get_mut(place?).ok_or_else(out_of_range)?;
            *o = combine(op, *o, v);
        }
    }
    Ok(out)
}

pub fn take<T: Element>(x: &Raw, places: &Raw) -> Result<Raw> {
    let (xs, ps) = (x.storage.slice::<T>(), places.storage.slice::<i64>());
    let (xs, ps) = (rows(&xs, &x.layout), rows(&ps, &places.layout));
    let out = room_for(places.shape(), T::DTYPE)?;
    for (o, &p) in out.storage.slice_mut::<T>().iter_mut().zip(ps.iter()) {
        *o = *usize::try_from(p).ok().and_then(|p| xs.get(p)).ok_or_else(out_of_range)?;
    }
    Ok(out)
}

pub fn put<T: Element>(op: ScatterOp, x: &Raw, places: &Raw, src: &Raw) -> Result<Raw> {
    let out = super::pointwise::copy(x, x.dtype)?;
    {
        let (ps, ss) = (places.storage.slice::<i64>(), src.storage.slice::<T>());
        let (ps, ss) = (rows(&ps, &places.layout), rows(&ss, &src.layout));
        let mut os = out.storage.slice_mut::<T>();
        for (&p, &v) in ps.iter().zip(ss.iter()) {
            let o = usize::try_from(p).ok().and_then(|p| os.get_mut(p)).ok_or_else(out_of_range)?;
            *o = combine(op, *o, v);
        }
    }
    Ok(out)
}

pub fn nonzero(mask: &Raw) -> Result<Raw> {
    if mask.dtype != DType::Bool {
        return Err(Error::runtime("the nonzero kernel takes a bool mask"));
    }
    let ms = mask.storage.slice::<B8>();
    let found: Vec<i64> =
        rows(&ms, &mask.layout).iter().enumerate().filter(|(_, b)| b.0 != 0).map(|(i, _)| i as i64).collect();
    fill::<i64>(&[found.len()], |out| out.copy_from_slice(&found))
}
