//! The narrow interface between ops and a device. Every kernel takes values of any layout and gives a fresh one;
//! shapes are already broadcast and dtypes already promoted when a kernel is called. `cpu/` implements it; a GPU
//! backend implements the same trait and runs the same tests. Neither sees a complex value: `pairs.rs` stands before
//! them and works on the real parts.

mod complex;
pub mod cpu;
pub mod dense;
pub mod eigen;
mod fault;
pub mod fourier;
mod kernel;
mod pairs;
mod real;
pub mod selection;
pub mod singular;
pub mod symmetric;
pub mod webgpu;

pub(crate) use cpu::special::{digamma, lgamma};
pub use fault::Fault;
pub use kernel::{ArgOp, BinaryOp, CumOp, ReduceOp, Regions, ScatterOp, UnaryOp, Window};

use rushlight_kernels::optim::Adam;

use crate::device::Device;
use crate::dtype::{DType, Scalar};
use crate::error::Result;
use crate::storage::Storage;
use crate::tensor::Raw;

/// Kernels of one device. "Contiguous" below means: row-major, filling its storage, offset 0.
pub trait Backend {
    /// Zeroed memory for `numel` elements.
    fn alloc(&self, numel: usize, dtype: DType) -> Result<Storage>;
    fn upload(&self, bytes: &[u8]) -> Result<Storage>;
    /// All bytes of a storage, on the host. A GPU backend waits here.
    fn read(&self, storage: &Storage) -> Result<Vec<u8>>;

    fn full(&self, shape: &[usize], value: Scalar, dtype: DType) -> Result<Raw>;
    /// `start + step * i` for `n` elements, int64.
    fn iota(&self, n: usize, start: i64, step: i64) -> Result<Raw>;
    /// The same indices (int64), each of which must be in `0..size`; from `-size` on where the fault's op counts from the
    /// end, and then wrapped. A GPU raises the error later: at the next read.
    fn checked(&self, index: &Raw, size: usize, fault: Fault) -> Result<Raw>;
    /// A contiguous copy, cast to `dtype`.
    fn copy(&self, x: &Raw, dtype: DType) -> Result<Raw>;
    /// Write `src` (same shape; cast) to the places of `dst`. The storages may be the same.
    fn write(&self, dst: &Raw, src: &Raw) -> Result<()>;

    /// `x` has the dtype the op computes in; predicates give bool.
    fn unary(&self, op: UnaryOp, x: &Raw) -> Result<Raw>;
    /// `a` and `b` have one shape and one dtype; comparisons give bool.
    fn binary(&self, op: BinaryOp, a: &Raw, b: &Raw) -> Result<Raw>;
    /// `cond` is bool; all three have one shape.
    fn select(&self, cond: &Raw, a: &Raw, b: &Raw) -> Result<Raw>;

    /// Reduce over `dims` (wrapped, distinct, sorted); the result keeps them with size 1. Dtype as `x`, bool for any/all.
    fn reduce(&self, op: ReduceOp, x: &Raw, dims: &[usize]) -> Result<Raw>;
    /// Index (int64) of the first extreme along `dim`, kept with size 1. NaN counts as extreme.
    fn arg_reduce(&self, op: ArgOp, x: &Raw, dim: usize) -> Result<Raw>;
    fn cumulate(&self, op: CumOp, x: &Raw, dim: usize) -> Result<Raw>;
    /// Index (int64) of the extreme so far along `dim`; the last of equal ones. NaN counts as extreme.
    fn cumulate_arg(&self, op: ArgOp, x: &Raw, dim: usize) -> Result<Raw>;
    /// Variance (or, with `root`, its square root) and mean over `dims`, kept with size 1. Float types; divides by
    /// `max(0, n - correction)`.
    fn variance(&self, x: &Raw, dims: &[usize], correction: f64, root: bool) -> Result<(Raw, Raw)>;
    /// Softmax along `dim`, or its logarithm. Float types.
    fn softmax(&self, x: &Raw, dim: usize, log: bool) -> Result<Raw>;
    /// The gradient of `softmax` along the last dimension, or of its logarithm, from the result's gradient and the result
    /// `y`. Float32.
    fn softmax_grad(&self, g: &Raw, y: &Raw, log: bool) -> Result<Raw>;
    /// Sorted values and int64 indices along `dim`. Always stable; NaN is the largest.
    fn sort(&self, x: &Raw, dim: usize, descending: bool) -> Result<(Raw, Raw)>;

    /// `[b, m, k] @ [b, k, n]`, any strides, one dtype.
    fn matmul(&self, a: &Raw, b: &Raw) -> Result<Raw>;
    /// `x += alpha * g` in place for pairs `(x, g)`, `x` contiguous, each memory another. Float32.
    fn add_scaled(&self, pairs: &[(Raw, Raw)], alpha: f32) -> Result<()>;
    /// Steps of Adam on parameter, mean and mean square from the gradient, in place, all contiguous and apart. Float32.
    fn adam(&self, steps: &[([Raw; 3], Raw, Adam)]) -> Result<()>;

    /// A GRU's new state from the input's and the state's share of the gates (`[b, 3 * size]`) and the old state
    /// (`[b, size]`), and the gates `r`, `z`, `n` beside each other. Float32.
    fn gru(&self, from_input: &Raw, from_state: &Raw, h: &Raw) -> Result<(Raw, Raw)>;
    /// The gradients of these three, from the new state's gradient.
    fn gru_grad(&self, g: &Raw, gates: &Raw, from_state: &Raw, h: &Raw) -> Result<[Raw; 3]>;

    /// `out[i] = x[.., index[i], ..]` along `dim`, `index` int64, in range, of the output's shape.
    fn gather(&self, x: &Raw, dim: usize, index: &Raw) -> Result<Raw>;
    /// Into a copy of `x`: `out[.., index[i], ..] (op)= src[i]` along `dim`; `src` has the shape of `index`.
    fn scatter(&self, op: ScatterOp, x: &Raw, dim: usize, index: &Raw, src: &Raw) -> Result<Raw>;
    /// `out[i] = x.flat[places[i]]` over a contiguous order of `x`; `places` int64, in range; shape of `places`.
    fn take(&self, x: &Raw, places: &Raw) -> Result<Raw>;
    /// Into a contiguous copy of `x`: `out.flat[places[i]] (op)= src[i]`.
    fn put(&self, op: ScatterOp, x: &Raw, places: &Raw, src: &Raw) -> Result<Raw>;
    /// The row-major places of the true elements, int64, one dimension.
    fn nonzero(&self, mask: &Raw) -> Result<Raw>;

    /// The windows of `[b, c, spatial…]` as columns: `[b, c * kernel…, windows…]`, zeros in the padding.
    fn im2col(&self, x: &Raw, window: &Window) -> Result<Raw>;
    /// The adjoint of `im2col`: columns added up into `[b, c, input…]`.
    fn col2im(&self, columns: &Raw, window: &Window, input: &[usize]) -> Result<Raw>;
    /// The largest element of each region of `[b, c, spatial…]`, NaN first, and its int64 row-major place in its plane.
    fn max_regions(&self, x: &Raw, regions: &Regions) -> Result<(Raw, Raw)>;
}

/// The kernels of a device.
pub fn backend(device: Device) -> &'static dyn Backend {
    match device {
        Device::Cpu => &pairs::Pairs(cpu::Cpu),
        Device::WebGpu => &pairs::Pairs(webgpu::WebGpu { device: Device::WebGpu }),
        Device::Cuda => &pairs::Pairs(webgpu::WebGpu { device: Device::Cuda }),
    }
}
