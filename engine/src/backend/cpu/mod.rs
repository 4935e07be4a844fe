//! The CPU backend: kernels over host memory, one file a family. Pointwise kernels take strided operands as `ndarray`
//! views; matrix products go to the crate `gemm`.

mod activation;
mod bessel;
mod index;
mod matmul;
mod moments;
mod optim;
mod pointwise;
mod product;
mod recurrent;
mod reduce;
mod scan;
mod softmax;
mod sort;
pub(crate) mod special;
mod sum;
mod waves;
mod window;

pub use product::{Product, lend_product};
pub use rushlight_fused as fused;

use ndarray::{ArrayViewD, IxDyn, ShapeBuilder};
use rushlight_kernels::optim::Adam;

use crate::backend::{ArgOp, Backend, BinaryOp, CumOp, Fault, ReduceOp, Regions, ScatterOp, UnaryOp, Window};
use crate::dtype::{DType, Element, Scalar};
use crate::error::{Error, Result};
use crate::layout::{Layout, checked_numel};
use crate::storage::{Buffer, Bytes, Storage};
use crate::tensor::Raw;
use crate::with_dtype;

/// The CPU backend.
pub struct Cpu;

/// Memory for a shape, zeroed.
fn alloc_shape(shape: &[usize], dtype: DType) -> Result<Raw> {
    Ok(Raw::whole(Storage::new(Buffer::Cpu(Bytes::zeroed(bytes_of(shape, dtype)?)?)), shape, dtype))
}

/// Memory for a shape, for kernels that write all of it.
fn room_for(shape: &[usize], dtype: DType) -> Result<Raw> {
    Ok(Raw::whole(Storage::new(Buffer::Cpu(Bytes::any(bytes_of(shape, dtype)?)?)), shape, dtype))
}

fn bytes_of(shape: &[usize], dtype: DType) -> Result<usize> {
    checked_numel(shape).and_then(|n| n.checked_mul(dtype.size())).ok_or_else(|| Error::Allocation {
        bytes: shape.iter().fold(dtype.size() as u128, |n, &s| n.saturating_mul(s as u128)),
    })
}

/// The elements of `slice` under `layout`, as ndarray sees them.
fn array<'a, T: Element>(slice: &'a [T], layout: &Layout) -> Result<ArrayViewD<'a, T>> {
    if layout.numel() == 0 {
        return ArrayViewD::from_shape(IxDyn(&layout.shape), &[]).map_err(|e| Error::runtime(e.to_string()));
    }
    let from = slice.get(layout.offset.min(slice.len())..).unwrap_or(&[]);
    let shape = IxDyn(&layout.shape).strides(IxDyn(&layout.strides));
    ArrayViewD::from_shape(shape, from)
        .map_err(|e| Error::runtime(format!("a layout reaches outside its storage: {e}")))
}

/// The slice of a contiguous value.
fn contiguous<'a, T: Element>(slice: &'a [T], layout: &Layout) -> Option<&'a [T]> {
    if layout.is_contiguous() { slice.get(layout.offset..layout.offset + layout.numel()) } else { None }
}

/// All elements in row-major order, borrowed where they already lie so.
fn rows<'a, T: Element>(slice: &'a [T], layout: &Layout) -> std::borrow::Cow<'a, [T]> {
    if let Some(s) = contiguous(slice, layout) {
        return s.into();
    }
    match array(slice, layout) {
        Ok(view) => view.as_standard_layout().into_owned().into_raw_vec_and_offset().0.into(),
        // Strides that ndarray refuses (overlapping windows): one by one.
        Err(_) => layout.places().map(|p| slice[p]).collect::<Vec<T>>().into(),
    }
}

/// Fill a new contiguous value from a row-major iterator's worth of elements.
fn fill<T: Element>(shape: &[usize], f: impl FnOnce(&mut [T])) -> Result<Raw> {
    let out = room_for(shape, T::DTYPE)?;
    f(&mut out.storage.slice_mut::<T>());
    Ok(out)
}

impl Backend for Cpu {
    fn alloc(&self, numel: usize, dtype: DType) -> Result<Storage> {
        Ok(alloc_shape(&[numel], dtype)?.storage)
    }
    fn upload(&self, bytes: &[u8]) -> Result<Storage> {
        let mut b = Bytes::any(bytes.len())?;
        b.as_mut_slice::<u8>().copy_from_slice(bytes);
        Ok(Storage::new(Buffer::Cpu(b)))
    }
    fn read(&self, storage: &Storage) -> Result<Vec<u8>> {
        Ok(storage.slice::<u8>().to_vec())
    }
    fn full(&self, shape: &[usize], value: Scalar, dtype: DType) -> Result<Raw> {
        if value.is_zero() {
            return alloc_shape(shape, dtype);
        }
        let out = room_for(shape, dtype)?;
        with_dtype!(dtype, T => out.storage.slice_mut::<T>().fill(T::from_scalar(value)));
        Ok(out)
    }
    fn iota(&self, n: usize, start: i64, step: i64) -> Result<Raw> {
        fill::<i64>(&[n], |out| {
            out.iter_mut().enumerate().for_each(|(i, o)| *o = start.wrapping_add(step.wrapping_mul(i as i64)));
        })
    }
    fn checked(&self, index: &Raw, size: usize, fault: Fault) -> Result<Raw> {
        let is = index.storage.slice::<i64>();
        let is = rows(&is, &index.layout);
        let low = if fault.wraps() { -(size as i64) } else { 0 };
        if let Some(&outside) = is.iter().find(|i| **i < low || **i >= size as i64) {
            return Err(fault.error(outside));
        }
        if is.iter().all(|i| *i >= 0) {
            return Ok(index.clone());
        }
        let wrap = |i: i64| if i < 0 { i + size as i64 } else { i };
        fill::<i64>(index.shape(), |out| out.iter_mut().zip(is.iter()).for_each(|(o, &i)| *o = wrap(i)))
    }
    fn copy(&self, x: &Raw, dtype: DType) -> Result<Raw> {
        pointwise::copy(x, dtype)
    }
    fn write(&self, dst: &Raw, src: &Raw) -> Result<()> {
        pointwise::write(dst, src)
    }
    fn unary(&self, op: UnaryOp, x: &Raw) -> Result<Raw> {
        pointwise::unary(op, x)
    }
    fn binary(&self, op: BinaryOp, a: &Raw, b: &Raw) -> Result<Raw> {
        pointwise::binary(op, a, b)
    }
    fn select(&self, cond: &Raw, a: &Raw, b: &Raw) -> Result<Raw> {
        pointwise::select(cond, a, b)
    }
    fn reduce(&self, op: ReduceOp, x: &Raw, dims: &[usize]) -> Result<Raw> {
        reduce::reduce(op, x, dims)
    }
    fn arg_reduce(&self, op: ArgOp, x: &Raw, dim: usize) -> Result<Raw> {
        with_dtype!(x.dtype, T => scan::arg_reduce::<T>(op, x, dim))
    }
    fn cumulate(&self, op: CumOp, x: &Raw, dim: usize) -> Result<Raw> {
        with_dtype!(x.dtype, T => scan::cumulate::<T>(op, x, dim))
    }
    fn variance(&self, x: &Raw, dims: &[usize], correction: f64, root: bool) -> Result<(Raw, Raw)> {
        with_dtype!(x.dtype, T => moments::variance::<T>(x, dims, correction, root))
    }
    fn softmax(&self, x: &Raw, dim: usize, log: bool) -> Result<Raw> {
        with_dtype!(x.dtype, T => softmax::softmax::<T>(x, dim, log))
    }
    fn softmax_grad(&self, g: &Raw, y: &Raw, log: bool) -> Result<Raw> {
        softmax::softmax_grad(g, y, log)
    }
    fn cumulate_arg(&self, op: ArgOp, x: &Raw, dim: usize) -> Result<Raw> {
        with_dtype!(x.dtype, T => scan::cumulate_arg::<T>(op, x, dim))
    }
    fn sort(&self, x: &Raw, dim: usize, descending: bool) -> Result<(Raw, Raw)> {
        with_dtype!(x.dtype, T => sort::sort::<T>(x, dim, descending))
    }
    fn matmul(&self, a: &Raw, b: &Raw) -> Result<Raw> {
        matmul::matmul(a, b)
    }
    fn add_scaled(&self, pairs: &[(Raw, Raw)], alpha: f32) -> Result<()> {
        pairs.iter().try_for_each(|(x, g)| optim::add_scaled(x, g, alpha))
    }
    fn adam(&self, steps: &[([Raw; 3], Raw, Adam)]) -> Result<()> {
        steps.iter().try_for_each(|(places, g, numbers)| optim::adam(places, g, numbers))
    }
    fn gru(&self, from_input: &Raw, from_state: &Raw, h: &Raw) -> Result<(Raw, Raw)> {
        recurrent::gru(from_input, from_state, h)
    }
    fn gru_grad(&self, g: &Raw, gates: &Raw, from_state: &Raw, h: &Raw) -> Result<[Raw; 3]> {
        recurrent::gru_grad(g, gates, from_state, h)
    }
    fn gather(&self, x: &Raw, dim: usize, index: &Raw) -> Result<Raw> {
        with_dtype!(x.dtype, T => index::gather::<T>(x, dim, index))
    }
    fn scatter(&self, op: ScatterOp, x: &Raw, dim: usize, index: &Raw, src: &Raw) -> Result<Raw> {
        with_dtype!(x.dtype, T => index::scatter::<T>(op, x, dim, index, src))
    }
    fn take(&self, x: &Raw, places: &Raw) -> Result<Raw> {
        with_dtype!(x.dtype, T => index::take::<T>(x, places))
    }
    fn put(&self, op: ScatterOp, x: &Raw, places: &Raw, src: &Raw) -> Result<Raw> {
        with_dtype!(x.dtype, T => index::put::<T>(op, x, places, src))
    }
    fn nonzero(&self, mask: &Raw) -> Result<Raw> {
        index::nonzero(mask)
    }
    fn im2col(&self, x: &Raw, w: &Window) -> Result<Raw> {
        with_dtype!(x.dtype, T => window::im2col::<T>(x, w))
    }
    fn col2im(&self, columns: &Raw, w: &Window, input: &[usize]) -> Result<Raw> {
        with_dtype!(columns.dtype, T => window::col2im::<T>(columns, w, input))
    }
    fn max_regions(&self, x: &Raw, regions: &Regions) -> Result<(Raw, Raw)> {
        with_dtype!(x.dtype, T => window::max_regions::<T>(x, regions))
    }
}
