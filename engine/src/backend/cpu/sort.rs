//! Sorting along one dimension.

use std::cmp::Ordering;

use super::{alloc_shape, rows};
use crate::dtype::{DType, Element};
use crate::error::Result;
use crate::tensor::Raw;

/// NaN is larger than every number and equal to itself.
pub fn compare<T: Element>(a: &T, b: &T) -> Ordering {
    a.partial_cmp(b).unwrap_or_else(|| a.to_f64().is_nan().cmp(&b.to_f64().is_nan()))
}

pub fn sort<T: Element>(x: &Raw, dim: usize, descending: bool) -> Result<(Raw, Raw)> {
    let values = alloc_shape(x.shape(), T::DTYPE)?;
    let indices = alloc_shape(x.shape(), DType::I64)?;
    let size = x.shape().get(dim).copied().unwrap_or(1);
    let inner: usize = crate::layout::numel(x.shape().get(dim + 1..).unwrap_or_default());
    if x.numel() == 0 {
        return Ok((values, indices));
    }
    {
        let xs = x.storage.slice::<T>();
        let xs = rows(&xs, &x.layout);
        let mut vs = values.storage.slice_mut::<T>();
        let mut is = indices.storage.slice_mut::<i64>();
        let mut order: Vec<usize> = Vec::with_capacity(size);
        for line in 0..x.numel() / size {
            let start = (line / inner) * size * inner + line % inner;
            order.clear();
            order.extend(0..size);
            let at = |i: usize| &xs[start + i * inner];
            if descending {
                order.sort_by(|&a, &b| compare(at(b), at(a)));
            } else {
                order.sort_by(|&a, &b| compare(at(a), at(b)));
            }
            for (k, &i) in order.iter().enumerate() {
                vs[start + k * inner] = *at(i);
                is[start + k * inner] = i as i64;
            }
        }
    }
    Ok((values, indices))
}
