//! The GPU backend: kernels in WGSL, through wgpu. In the browser that is WebGPU; natively Vulkan, Metal or Direct3D 12.
//!
//! - `gpu` has the device, `pool` its memory, `batch` what is sent to it, `wait` how answers are waited for.
//! - `lazy` puts pointwise ops off and makes one kernel of a chain; `shader` builds kernels, `types` and `formulas` write
//!   their expressions, `wgsl/` holds the functions they call.
//! - one file for each family of kernels that are more than that.
//!
//! What no kernel is written for (float64 above all) is computed on the host and brought back, and counted: see
//! [`fallbacks`].

mod batch;
mod clock;
mod fallback;
mod faults;
mod formulas;
mod gpu;
mod index;
mod lazy;
mod matmul;
mod optim;
mod pool;
mod recurrent;
mod reduce;
mod scan;
mod shader;
mod softmax;
mod sort;
mod types;
mod wait;
mod window;
mod write;

use rushlight_kernels::optim::Adam;

pub use batch::{Counts, counts};
pub use clock::{device_ms, device_ms_so_far};
pub(crate) use fallback::{brought, place, renamed, to_host};
pub use fallback::{fallbacks, forget_fallbacks, note};
pub use gpu::{Facts, absence, allow, destroy, facts, facts_if_used, refusal};
pub use lazy::Value;
pub use pool::{live_buffers, live_bytes, peak_bytes, reserved_bytes, reset_peak, set_budget};
pub use wait::{Job, Waiter, set_waiter};

use crate::backend::{ArgOp, Backend, BinaryOp, CumOp, Fault, ReduceOp, Regions, ScatterOp, UnaryOp, Window};
use crate::device::Device;
use crate::dtype::{DType, Scalar};
use crate::error::Result;
use crate::storage::{Buffer, Storage};
use crate::tensor::Raw;

use fallback::{host, host_many};
use lazy::{Op, noted};
use types::ty;

/// The GPU backend; `device` is the name under which values are known.
pub struct WebGpu {
    pub device: Device,
}

impl WebGpu {
    fn known(&self, dtypes: &[DType]) -> bool {
        dtypes.iter().all(|d| ty(*d).is_some())
    }
}

/// Wait until the device in use has done all that it was given.
///
/// # Errors
/// The device is gone, or said that something went wrong.
pub fn synchronize() -> Result<()> {
    gpu::here().map_or(Ok(()), |gpu| batch::synchronize(&gpu))
}

/// Give memory that is kept for later back to the device.
pub fn empty_cache() {
    if let Some(gpu) = gpu::here() {
        gpu.pool.borrow_mut().clear();
    }
}

/// All bytes of a storage on the GPU.
fn read(storage: &Storage) -> Result<Vec<u8>> {
    let value = lazy::gpu_value(storage)?;
    if value.nbytes() == 0 {
        return Ok(vec![]);
    }
    if let Some(kept) = value.on_host() {
        return crate::backend::backend(Device::Cpu).read(&kept);
    }
    let gpu = gpu::gpu()?;
    let memory = lazy::force(&gpu, &value)?;
    let note = gpu.faults.note();
    let (bytes, noted) = batch::read(&gpu, &memory, value.nbytes(), note.as_ref().map(|n| (n, faults::BYTES)))?;
    gpu.faults.raise(&noted)?;
    Ok(bytes)
}

impl Backend for WebGpu {
    fn alloc(&self, numel: usize, dtype: DType) -> Result<Storage> {
        Ok(lazy::full(self.device, &[numel], Scalar::Int(0), dtype)?.storage)
    }
    fn upload(&self, bytes: &[u8]) -> Result<Storage> {
        let gpu = gpu::gpu()?;
        let memory = batch::upload(&gpu, bytes)?;
        let value = lazy::Value::ready(&gpu, self.device, DType::U8, bytes.len(), memory)?;
        Ok(Storage::new(Buffer::Gpu(value)))
    }
    fn read(&self, storage: &Storage) -> Result<Vec<u8>> {
        read(storage)
    }
    fn full(&self, shape: &[usize], value: Scalar, dtype: DType) -> Result<Raw> {
        if ty(dtype).is_none() {
            let raw = crate::backend::backend(Device::Cpu).full(shape, value, dtype)?;
            return fallback::place(self.device, &raw);
        }
        lazy::full(self.device, shape, value, dtype)
    }
    fn iota(&self, n: usize, start: i64, step: i64) -> Result<Raw> {
        lazy::iota(self.device, n, start, step)
    }
    fn checked(&self, index: &Raw, size: usize, fault: Fault) -> Result<Raw> {
        let number = gpu::gpu()?.faults.number(fault);
        noted(Op::Checked { size, wraps: fault.wraps(), fault: number }, &[index], index.shape(), DType::I64)
    }
    fn copy(&self, x: &Raw, dtype: DType) -> Result<Raw> {
        if !self.known(&[x.dtype, dtype]) {
            if x.dtype == dtype {
                return write::copy_words(self.device, x);
            }
            return host(self.device, "_to_copy", &[x], |b, x| b.copy(&x[0], dtype));
        }
        noted(Op::Cast, &[x], x.shape(), dtype)
    }
    fn write(&self, dst: &Raw, src: &Raw) -> Result<()> {
        write::write(dst, src)
    }
    fn unary(&self, op: UnaryOp, x: &Raw) -> Result<Raw> {
        let mut probe = shader::Shader::default();
        if formulas::unary(&mut probe, op, x.dtype, "x").is_none() {
            return host(self.device, &format!("{op:?}"), &[x], |b, x| b.unary(op, &x[0]));
        }
        let predicate = matches!(op, UnaryOp::LogicalNot | UnaryOp::IsNan | UnaryOp::IsInf | UnaryOp::IsFinite);
        noted(Op::Unary(op), &[x], x.shape(), if predicate { DType::Bool } else { x.dtype })
    }
    fn binary(&self, op: BinaryOp, a: &Raw, b: &Raw) -> Result<Raw> {
        let mut probe = shader::Shader::default();
        if formulas::binary(&mut probe, op, a.dtype, "a", "b").is_none() {
            return host(self.device, &format!("{op:?}"), &[a, b], |c, x| c.binary(op, &x[0], &x[1]));
        }
        noted(Op::Binary(op), &[a, b], a.shape(), if op.gives_bool() { DType::Bool } else { a.dtype })
    }
    fn select(&self, cond: &Raw, a: &Raw, b: &Raw) -> Result<Raw> {
        if !self.known(&[a.dtype]) {
            return host(self.device, "where", &[cond, a, b], |c, x| c.select(&x[0], &x[1], &x[2]));
        }
        noted(Op::Select, &[cond, a, b], cond.shape(), a.dtype)
    }
    fn reduce(&self, op: ReduceOp, x: &Raw, dims: &[usize]) -> Result<Raw> {
        if !self.known(&[x.dtype]) || (op == ReduceOp::Norm2 && !x.dtype.is_float()) {
            return host(self.device, &format!("{op:?}"), &[x], |b, x| b.reduce(op, &x[0], dims));
        }
        reduce::reduce(self.device, op, x, dims)
    }
    fn arg_reduce(&self, op: ArgOp, x: &Raw, dim: usize) -> Result<Raw> {
        if !self.known(&[x.dtype]) {
            return host(self.device, "arg_reduce", &[x], |b, x| b.arg_reduce(op, &x[0], dim));
        }
        scan::arg_reduce(self.device, op, x, dim)
    }
    fn cumulate(&self, op: CumOp, x: &Raw, dim: usize) -> Result<Raw> {
        if !self.known(&[x.dtype]) || (op == CumOp::LogSumExp && !x.dtype.is_float()) {
            return host(self.device, "cumulate", &[x], |b, x| b.cumulate(op, &x[0], dim));
        }
        scan::cumulate(self.device, op, x, dim)
    }
    fn cumulate_arg(&self, op: ArgOp, x: &Raw, dim: usize) -> Result<Raw> {
        if !self.known(&[x.dtype]) {
            return host(self.device, "cumulate_arg", &[x], |b, x| b.cumulate_arg(op, &x[0], dim));
        }
        scan::cumulate_arg(self.device, op, x, dim)
    }
    fn variance(&self, x: &Raw, dims: &[usize], correction: f64, root: bool) -> Result<(Raw, Raw)> {
        if self.known(&[x.dtype]) {
            return softmax::variance(self.device, x, dims, correction, root);
        }
        let [v, m] =
            host_many(self.device, "var", &[x], |b, x| b.variance(&x[0], dims, correction, root).map(|(v, m)| [v, m]))?;
        Ok((v, m))
    }
    fn softmax(&self, x: &Raw, dim: usize, log: bool) -> Result<Raw> {
        if !self.known(&[x.dtype]) || x.numel() == 0 {
            return host(self.device, "softmax", &[x], |b, x| b.softmax(&x[0], dim, log));
        }
        softmax::softmax(self.device, x, dim, log)
    }
    fn softmax_grad(&self, g: &Raw, y: &Raw, log: bool) -> Result<Raw> {
        softmax::softmax_grad(self.device, g, y, log)
    }
    fn sort(&self, x: &Raw, dim: usize, descending: bool) -> Result<(Raw, Raw)> {
        if self.known(&[x.dtype]) {
            return sort::sort(self.device, x, dim, descending);
        }
        let [v, i] = host_many(self.device, "sort", &[x], |b, x| b.sort(&x[0], dim, descending).map(|(v, i)| [v, i]))?;
        Ok((v, i))
    }
    fn matmul(&self, a: &Raw, b: &Raw) -> Result<Raw> {
        if !self.known(&[a.dtype, b.dtype]) {
            return host(self.device, "matmul", &[a, b], |c, x| c.matmul(&x[0], &x[1]));
        }
        matmul::matmul(self.device, a, b)
    }
    fn add_scaled(&self, pairs: &[(Raw, Raw)], alpha: f32) -> Result<()> {
        optim::add_scaled(pairs, alpha)
    }
    fn adam(&self, steps: &[([Raw; 3], Raw, Adam)]) -> Result<()> {
        optim::adam(steps)
    }
    fn gru(&self, from_input: &Raw, from_state: &Raw, h: &Raw) -> Result<(Raw, Raw)> {
        recurrent::gru(self.device, from_input, from_state, h)
    }
    fn gru_grad(&self, g: &Raw, gates: &Raw, from_state: &Raw, h: &Raw) -> Result<[Raw; 3]> {
        recurrent::gru_grad(self.device, g, gates, from_state, h)
    }
    fn gather(&self, x: &Raw, dim: usize, index: &Raw) -> Result<Raw> {
        if !self.known(&[x.dtype]) {
            return host(self.device, "gather", &[x, index], |b, x| b.gather(&x[0], dim, &x[1]));
        }
        index::gather(x, dim, index)
    }
    fn scatter(&self, op: ScatterOp, x: &Raw, dim: usize, index: &Raw, src: &Raw) -> Result<Raw> {
        if !index::updates(op, x.dtype) {
            return host(self.device, "scatter", &[x, index, src], |b, x| b.scatter(op, &x[0], dim, &x[1], &x[2]));
        }
        index::scatter(self.device, op, x, dim, index, src)
    }
    fn take(&self, x: &Raw, places: &Raw) -> Result<Raw> {
        if !self.known(&[x.dtype]) {
            return host(self.device, "take", &[x, places], |b, x| b.take(&x[0], &x[1]));
        }
        index::take(x, places)
    }
    fn put(&self, op: ScatterOp, x: &Raw, places: &Raw, src: &Raw) -> Result<Raw> {
        if !index::updates(op, x.dtype) {
            return host(self.device, "put", &[x, places, src], |b, x| b.put(op, &x[0], &x[1], &x[2]));
        }
        index::put(self.device, op, x, places, src)
    }
    fn nonzero(&self, mask: &Raw) -> Result<Raw> {
        index::nonzero(self.device, mask)
    }
    fn im2col(&self, x: &Raw, window: &Window) -> Result<Raw> {
        if !self.known(&[x.dtype]) {
            return host(self.device, "im2col", &[x], |b, x| b.im2col(&x[0], window));
        }
        window::im2col(x, window)
    }
    fn col2im(&self, columns: &Raw, window: &Window, input: &[usize]) -> Result<Raw> {
        if !self.known(&[columns.dtype]) {
            return host(self.device, "col2im", &[columns], |b, x| b.col2im(&x[0], window, input));
        }
        window::col2im(self.device, columns, window, input)
    }
    fn max_regions(&self, x: &Raw, regions: &Regions) -> Result<(Raw, Raw)> {
        if self.known(&[x.dtype]) {
            return window::max_regions(self.device, x, regions);
        }
        let [v, i] =
            host_many(self.device, "max_pool", &[x], |b, x| b.max_regions(&x[0], regions).map(|(v, i)| [v, i]))?;
        Ok((v, i))
    }
}
