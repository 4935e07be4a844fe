//! Where a tensor's elements lie in its storage. A view changes the layout and nothing else.

use crate::dtype::DType;
use crate::error::{Error, ExpandReason, Result};

/// Shape, strides and offset, in elements. Strides are never negative (as in PyTorch); a broadcast dimension has
/// stride 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    pub shape: Vec<usize>,
    pub strides: Vec<usize>,
    pub offset: usize,
}

/// Number of elements of a shape; the largest number where there are more than can be counted (of a view that expands).
pub fn numel(shape: &[usize]) -> usize {
    checked_numel(shape).unwrap_or(usize::MAX)
}

/// Number of elements of a shape; `None` on overflow.
pub fn checked_numel(shape: &[usize]) -> Option<usize> {
    if shape.contains(&0) {
        return Some(0);
    }
    shape.iter().try_fold(1usize, |n, &s| n.checked_mul(s))
}

/// Row-major strides.
pub fn contiguous_strides(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1usize; shape.len()];
    for d in (0..shape.len().saturating_sub(1)).rev() {
        strides[d] = strides[d + 1].saturating_mul(shape[d + 1].max(1));
    }
    strides
}

/// `-1` for the last dimension and so on; 0-d tensors accept 0 and -1, as in PyTorch.
pub fn wrap_dim(dim: i64, ndim: usize) -> Result<usize> {
    let n = ndim.max(1) as i64;
    if dim < -n || dim >= n {
        return Err(Error::DimRange { dim, ndim });
    }
    Ok(if dim < 0 { dim + n } else { dim } as usize)
}

/// The shape two shapes broadcast to.
pub fn broadcast_shapes(a: &[usize], b: &[usize]) -> Result<Vec<usize>> {
    let n = a.len().max(b.len());
    let mut out = vec![0; n];
    for d in (0..n).rev() {
        let x = if d + a.len() >= n { a[d + a.len() - n] } else { 1 };
        let y = if d + b.len() >= n { b[d + b.len() - n] } else { 1 };
        out[d] = match (x, y) {
            (x, y) if x == y => x,
            (1, y) => y,
            (x, 1) => x,
            _ => return Err(Error::Broadcast { a: a.to_vec(), b: b.to_vec(), dim: d }),
        };
    }
    Ok(out)
}

impl Layout {
    pub fn contiguous(shape: &[usize]) -> Self {
        Layout { shape: shape.to_vec(), strides: contiguous_strides(shape), offset: 0 }
    }

    pub fn ndim(&self) -> usize {
        self.shape.len()
    }
    pub fn numel(&self) -> usize {
        numel(&self.shape)
    }

    /// Elements follow each other row by row (PyTorch's `is_contiguous`): strides of size-1 dimensions don't matter.
    pub fn is_contiguous(&self) -> bool {
        if self.numel() == 0 {
            return true;
        }
        let mut want = 1;
        for (&size, &stride) in self.shape.iter().zip(&self.strides).rev() {
            if size != 1 {
                if stride != want {
                    return false;
                }
                want *= size;
            }
        }
        true
    }

    /// Every element has its own place and there are no gaps, in some order of the dimensions.
    pub fn is_dense(&self) -> bool {
        let mut dims: Vec<(usize, usize)> =
            self.strides.iter().copied().zip(self.shape.iter().copied()).filter(|&(_, s)| s != 1).collect();
        dims.sort_unstable();
        let mut want = 1;
        for (stride, size) in dims {
            if stride != want {
                return false;
            }
            want *= size;
        }
        true
    }

    /// Two elements may share a place (a broadcast dimension).
    pub fn has_internal_overlap(&self) -> bool {
        self.shape.iter().zip(&self.strides).any(|(&n, &s)| n > 1 && s == 0)
    }

    /// All elements are at one place: a number, or one that is repeated.
    pub fn is_one_place(&self) -> bool {
        self.shape.iter().zip(&self.strides).all(|(&n, &s)| n == 1 || s == 0)
    }

    /// One past the last element's place, in elements; 0 when empty.
    pub fn end(&self) -> usize {
        if self.numel() == 0 {
            return 0;
        }
        self.offset + self.shape.iter().zip(&self.strides).map(|(&n, &s)| (n - 1) * s).sum::<usize>() + 1
    }

    pub fn permute(&self, dims: &[usize]) -> Self {
        Layout {
            shape: dims.iter().map(|&d| self.shape[d]).collect(),
            strides: dims.iter().map(|&d| self.strides[d]).collect(),
            offset: self.offset,
        }
    }

    pub fn transpose(&self, a: usize, b: usize) -> Self {
        let mut out = self.clone();
        if a != b {
            out.shape.swap(a, b);
            out.strides.swap(a, b);
        }
        out
    }

    /// The layout broadcast to `shape`, to which it must broadcast.
    pub fn broadcast_to(&self, shape: &[usize]) -> Result<Self> {
        let target: Vec<i64> = shape.iter().map(|&s| s as i64).collect();
        self.expand(&target)
    }

    /// `Tensor.expand`: -1 keeps a size.
    pub fn expand(&self, target: &[i64]) -> Result<Self> {
        let fail =
            |reason| Error::Expand { shape: self.shape.clone(), target: target.to_vec(), reason, dtype: DType::F32 };
        if target.len() < self.ndim() {
            return Err(fail(ExpandReason::TooFewDims));
        }
        let lead = target.len() - self.ndim();
        let mut shape = Vec::with_capacity(target.len());
        let mut strides = Vec::with_capacity(target.len());
        for (d, &want) in target.iter().enumerate() {
            if d < lead {
                if want < 0 {
                    return Err(fail(ExpandReason::LeadingMinusOne { dim: d }));
                }
                shape.push(want as usize);
                strides.push(0);
                continue;
            }
            let (size, stride) = (self.shape[d - lead], self.strides[d - lead]);
            if want == -1 || want as usize == size {
                shape.push(size);
                strides.push(stride);
            } else if size == 1 && want >= 0 {
                shape.push(want as usize);
                strides.push(0);
            } else {
                return Err(fail(ExpandReason::Size { dim: d, existing: size, wanted: want }));
            }
        }
        // A new dim of size 1 repeats nothing: it gets the stride it would have in a contiguous tensor.
        for d in (0..lead).rev().filter(|&d| shape[d] == 1) {
            strides[d] = match strides.get(d + 1) {
                Some(next) => next * shape[d + 1],
                None => 1,
            };
        }
        Ok(Layout { shape, strides, offset: self.offset })
    }

    /// The strides a view of `shape` would have, or `None` where the elements don't allow one
    /// (the number of elements is the same).
    pub fn view_strides(&self, shape: &[usize]) -> Option<Vec<usize>> {
        if self.numel() == 0 {
            return Some(if self.shape == shape { self.strides.clone() } else { contiguous_strides(shape) });
        }
        let mut strides = vec![0; shape.len()];
        let mut view_d = shape.len();
        let mut chunk_numel = 1;
        let mut chunk_stride = self.strides.last().copied().unwrap_or(1);
        for d in (0..self.ndim()).rev() {
            chunk_numel *= self.shape[d];
            let ends_chunk = d == 0 || (self.shape[d - 1] != 1 && self.strides[d - 1] != chunk_numel * chunk_stride);
            if !ends_chunk {
                continue;
            }
            let mut view_numel = 1;
            while view_d > 0 && (view_numel < chunk_numel || shape[view_d - 1] == 1) {
                view_d -= 1;
                strides[view_d] = view_numel * chunk_stride;
                view_numel *= shape[view_d];
            }
            if view_numel != chunk_numel {
                return None;
            }
            if d > 0 {
                chunk_numel = 1;
                chunk_stride = self.strides[d - 1];
            }
        }
        if self.ndim() == 0 {
            strides.fill(1);
            return Some(strides);
        }
        (view_d == 0).then_some(strides)
    }

    /// Elements `start, start + step, …` below `end` of one dimension; the bounds are within the size.
    pub fn slice(&self, dim: usize, start: usize, end: usize, step: usize) -> Self {
        let mut out = self.clone();
        let len = end.saturating_sub(start).div_ceil(step);
        out.offset += start * self.strides[dim];
        out.shape[dim] = len;
        // A step that no memory has leaves one element, whose stride does not matter.
        out.strides[dim] = self.strides[dim].saturating_mul(step.min(1 << 31));
        out
    }

    /// One index of one dimension, which goes away; the index is within the size.
    pub fn select(&self, dim: usize, index: usize) -> Self {
        let mut out = self.clone();
        out.offset += index * self.strides[dim];
        out.shape.remove(dim);
        out.strides.remove(dim);
        out
    }

    pub fn unsqueeze(&self, dim: usize) -> Self {
        let mut out = self.clone();
        let stride = if dim < self.ndim() { self.shape[dim] * self.strides[dim] } else { 1 };
        out.shape.insert(dim, 1);
        out.strides.insert(dim, stride);
        out
    }

    pub fn squeeze(&self, dims: &[usize]) -> Self {
        let keep: Vec<usize> = (0..self.ndim()).filter(|d| !(dims.contains(d) && self.shape[*d] == 1)).collect();
        self.permute(&keep)
    }

    /// The places of all elements, row by row.
    pub fn places(&self) -> Places<'_> {
        Places { layout: self, index: vec![0; self.ndim()], place: self.offset, left: self.numel() }
    }
}

/// Iterator over the places of a layout's elements.
pub struct Places<'a> {
    layout: &'a Layout,
    index: Vec<usize>,
    place: usize,
    left: usize,
}

impl Iterator for Places<'_> {
    type Item = usize;
    fn next(&mut self) -> Option<usize> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let here = self.place;
        for d in (0..self.index.len()).rev() {
            self.index[d] += 1;
            self.place += self.layout.strides[d];
            if self.index[d] < self.layout.shape[d] {
                break;
            }
            self.place -= self.layout.strides[d] * self.layout.shape[d];
            self.index[d] = 0;
        }
        Some(here)
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}
impl ExactSizeIterator for Places<'_> {}
