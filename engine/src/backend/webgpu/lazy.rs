//! Values that are computed when somebody needs them. Pointwise ops only note what is to be done; a chain of them becomes
//! one kernel when its result is read, reduced or multiplied. A value never changes: writing in place makes a new one,
//! which takes over the old one's memory where nobody else needs that.

mod compute;

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use super::batch;
use super::gpu::{Gpu, gpu};
use super::pool::{Counted, Memory, memory};
use super::types::{Ty, ty};
use crate::backend::{BinaryOp, UnaryOp, Window};
use crate::device::Device;
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::storage::{Buffer, Bytes, Storage};
use crate::tensor::Raw;

pub(super) use compute::{force, input};

/// So many ops in one kernel, and so many memories that it reads (a shader may bind eight buffers, one is the result).
const MOST_OPS: usize = 48;
const MOST_MEMORIES: usize = 6;

/// The contents of a storage on the GPU: elements of `dtype`, row by row.
pub struct Value {
    pub(super) dtype: DType,
    pub(super) numel: usize,
    bytes: usize,
    state: RefCell<State>,
    /// It was computed inside of another kernel once. A second time it gets memory.
    inlined: Cell<bool>,
    device: Device,
    /// What a kernel of the host saw of it.
    seen: OnceCell<Bytes>,
    _counted: Counted,
}

enum State {
    Ready(Rc<Memory>),
    Lazy(Rc<Expr>),
    /// Elements that shaders do not compute with (float64) wait on the host for whoever does.
    Host(Storage),
}

/// What is to be computed, for each element of a contiguous result.
pub(super) enum Op {
    Constant(Scalar),
    /// `start + step * i`, int64
    Iota {
        start: i64,
        step: i64,
    },
    Unary(UnaryOp),
    Binary(BinaryOp),
    Select,
    Cast,
    /// The second operand says at which element of the first, row by row.
    Take,
    /// The second operand says how far from the place that `walk` gives, in steps of `stride`.
    Gather {
        walk: Layout,
        stride: usize,
    },
    /// Windows as columns; see [`super::window`].
    Unfold {
        window: Window,
        output: Vec<usize>,
    },
    /// An index, which must lie in `0..size`; else the fault is noted and 0 taken. Negative ones may count from the end.
    Checked {
        size: usize,
        wraps: bool,
        fault: u32,
    },
}

struct Expr {
    op: Op,
    inputs: Vec<Operand>,
    ops: usize,
    memories: Vec<*const Memory>,
}

/// A value under a layout.
#[derive(Clone)]
pub(super) struct Operand {
    pub value: Rc<Value>,
    pub layout: Layout,
    pub dtype: DType,
}

impl Value {
    pub fn nbytes(&self) -> usize {
        self.bytes
    }
    pub fn device(&self) -> Device {
        self.device
    }

    fn new(gpu: &Rc<Gpu>, device: Device, dtype: DType, numel: usize, state: State) -> Result<Rc<Self>> {
        let bytes = numel.checked_mul(dtype.size()).ok_or(Error::Allocation { bytes: u128::MAX })?;
        let counted = Counted::new(gpu, bytes)?;
        let state = RefCell::new(state);
        let (inlined, seen) = (Cell::new(false), OnceCell::new());
        Ok(Rc::new(Value { dtype, numel, bytes, state, inlined, device, seen, _counted: counted }))
    }

    /// The bytes, for a kernel of the host that got an operand of the GPU; counted as computing on the host. Nothing but
    /// zeros where they cannot be had: whoever looks at a value next learns why.
    pub fn seen(&self, storage: &Storage) -> &Bytes {
        self.seen.get_or_init(|| {
            super::fallback::note("host");
            let read = super::read(storage).unwrap_or_default();
            let mut bytes = Bytes::zeroed(self.bytes).unwrap_or_else(|_| Bytes::none());
            bytes.as_mut_slice::<u8>().iter_mut().zip(read).for_each(|(b, r)| *b = r);
            bytes
        })
    }

    /// A value that lies in memory.
    pub(super) fn ready(
        gpu: &Rc<Gpu>,
        device: Device,
        dtype: DType,
        numel: usize,
        memory: Rc<Memory>,
    ) -> Result<Rc<Self>> {
        Self::new(gpu, device, dtype, numel, State::Ready(memory))
    }

    /// Its memory, which nobody else may hold a claim to.
    fn memory_if_ready(&self) -> Option<Rc<Memory>> {
        match &*self.state.borrow() {
            State::Ready(memory) => Some(memory.clone()),
            _ => None,
        }
    }

    /// Host memory that holds the elements, where there is one.
    pub(super) fn on_host(&self) -> Option<Storage> {
        match &*self.state.borrow() {
            State::Host(storage) => Some(storage.clone()),
            _ => None,
        }
    }

    /// A value whose elements stay on the host until a kernel wants their bits.
    pub(super) fn of_host(gpu: &Rc<Gpu>, device: Device, dtype: DType, storage: Storage) -> Result<Rc<Self>> {
        let numel = storage.nbytes() / dtype.size();
        Self::new(gpu, device, dtype, numel, State::Host(storage))
    }

    fn expr(&self) -> Option<Rc<Expr>> {
        match &*self.state.borrow() {
            State::Lazy(expr) => Some(expr.clone()),
            _ => None,
        }
    }

    /// It was computed inside of another kernel before, and to do so again would cost more than a kernel of its own.
    fn worth_keeping(&self) -> bool {
        self.inlined.get() && self.numel > 4096 && self.expr().is_some_and(|e| e.ops > 8)
    }

    /// One number everywhere.
    fn constant(&self) -> Option<Scalar> {
        match &*self.state.borrow() {
            State::Lazy(expr) => match expr.op {
                Op::Constant(v) => Some(v),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Wrap a value as the contents of a fresh storage.
pub(super) fn raw_of(value: Rc<Value>, shape: &[usize]) -> Raw {
    let dtype = value.dtype;
    Raw::whole(Storage::new(Buffer::Gpu(value)), shape, dtype)
}

/// The value of a storage on the GPU.
pub(super) fn value_of(storage: &Storage) -> Option<Rc<Value>> {
    match &*storage.buffer() {
        Buffer::Gpu(value) => Some(value.clone()),
        Buffer::Cpu(_) => None,
    }
}

/// The value of a storage that is to be on the GPU.
///
/// # Errors
/// It is not.
pub(super) fn gpu_value(storage: &Storage) -> Result<Rc<Value>> {
    value_of(storage).ok_or_else(|| Error::runtime("this memory is not on the GPU"))
}

/// The memory of what `x` lies in.
pub(super) fn in_memory(gpu: &Rc<Gpu>, x: &Raw) -> Result<Rc<Memory>> {
    force(gpu, &gpu_value(&x.storage)?)
}

/// The operand a kernel sees. Host memory comes along: a single number as a constant, more of it as an upload.
pub(super) fn operand(gpu: &Rc<Gpu>, raw: &Raw) -> Result<Operand> {
    let Some(value) = value_of(&raw.storage) else {
        return from_host(gpu, raw);
    };
    let same = value.dtype == raw.dtype;
    // To be computed again for each place at which it stands would be a waste, and bits seen as another dtype need memory.
    let spread = raw.layout.numel() > value.numel && value.constant().is_none();
    if !same || spread || value.worth_keeping() || value.on_host().is_some() {
        force(gpu, &value)?;
    }
    Ok(Operand { value, layout: raw.layout.clone(), dtype: raw.dtype })
}

fn from_host(gpu: &Rc<Gpu>, raw: &Raw) -> Result<Operand> {
    if raw.layout.is_one_place() && raw.numel() > 0 {
        let one = raw.with_layout(Layout { shape: vec![], strides: vec![], offset: raw.layout.offset });
        let number = crate::tensor::Tensor::from_raw(one).item()?;
        let value = constant(gpu, Device::WebGpu, number, raw.dtype, 1)?;
        return Ok(Operand { value, layout: Layout { offset: 0, ..raw.layout.clone() }, dtype: raw.dtype });
    }
    let bytes = crate::backend::backend(Device::Cpu).read(&raw.storage)?;
    let numel = bytes.len() / raw.dtype.size();
    let value = Value::ready(gpu, Device::WebGpu, raw.dtype, numel, batch::upload(gpu, &bytes)?)?;
    Ok(Operand { value, layout: raw.layout.clone(), dtype: raw.dtype })
}

fn constant(gpu: &Rc<Gpu>, device: Device, v: Scalar, dtype: DType, numel: usize) -> Result<Rc<Value>> {
    let expr = Expr { op: Op::Constant(v), inputs: vec![], ops: 0, memories: vec![] };
    Value::new(gpu, device, dtype, numel, State::Lazy(Rc::new(expr)))
}

/// `shape` filled with one number.
pub(super) fn full(device: Device, shape: &[usize], v: Scalar, dtype: DType) -> Result<Raw> {
    let numel = crate::layout::checked_numel(shape).ok_or(Error::Allocation { bytes: u128::MAX })?;
    Ok(raw_of(constant(&gpu()?, device, v, dtype, numel)?, shape))
}

/// `start + step * i` for `n` elements, int64.
pub(super) fn iota(device: Device, n: usize, start: i64, step: i64) -> Result<Raw> {
    let expr = Expr { op: Op::Iota { start, step }, inputs: vec![], ops: 1, memories: vec![] };
    Ok(raw_of(Value::new(&gpu()?, device, DType::I64, n, State::Lazy(Rc::new(expr)))?, &[n]))
}

/// An op over operands, noted and not yet computed. The result is contiguous.
pub(super) fn noted(op: Op, inputs: &[&Raw], shape: &[usize], dtype: DType) -> Result<Raw> {
    let gpu = gpu()?;
    let device = inputs.iter().map(|r| r.device()).find(|d| *d != Device::Cpu).unwrap_or(Device::WebGpu);
    let mut operands = inputs.iter().map(|r| operand(&gpu, r)).collect::<Result<Vec<_>>>()?;
    // The largest operands get memory until the rest fits into one kernel.
    loop {
        let (ops, memories) = extent(&operands);
        if ops < MOST_OPS && memories.len() <= MOST_MEMORIES {
            let expr = Expr { op, inputs: operands, ops: ops + 1, memories };
            let value = Value::new(&gpu, device, dtype, crate::layout::numel(shape), State::Lazy(Rc::new(expr)))?;
            return Ok(raw_of(value, shape));
        }
        let largest = operands
            .iter_mut()
            .max_by_key(|o| o.value.expr().map_or(0, |e| 1 + e.ops + e.memories.len() * 16))
            .ok_or_else(|| Error::runtime("an op without operands"))?;
        force(&gpu, &largest.value)?;
    }
}

/// `x` as another dtype.
pub(super) fn cast(x: &Raw, dtype: DType) -> Result<Raw> {
    noted(Op::Cast, &[x], x.shape(), dtype)
}

/// The dtype that kernels write: whole words, so that no two invocations share one. Results are cast afterwards.
pub(super) fn wide(dtype: DType) -> DType {
    match ty(dtype) {
        Some(Ty::F32) => DType::F32,
        Some(Ty::I64) => DType::I64,
        _ => DType::I32,
    }
}

/// Operands of a kernel as its `wide` dtype.
pub(super) fn widened(x: &Raw) -> Result<Raw> {
    let to = wide(x.dtype);
    if x.dtype == to {
        return Ok(x.clone());
    }
    match value_of(&x.storage) {
        // All that lies there, under the same layout: its elements need not be moved.
        Some(value) if value.numel <= x.numel() && value.dtype == x.dtype => {
            let whole = Raw::whole(x.storage.clone(), &[value.numel], x.dtype);
            Ok(cast(&whole, to)?.with_layout(x.layout.clone()))
        }
        _ => cast(x, to),
    }
}

/// A result of the `wide` dtype as what it should be.
pub(super) fn narrowed(x: Raw, dtype: DType) -> Result<Raw> {
    if x.dtype == dtype { Ok(x) } else { cast(&x, dtype) }
}

/// The same value in memory, unless it is a picture of memory that costs nothing to look at: for kernels that read
/// elements many times.
pub(super) fn settle(gpu: &Rc<Gpu>, x: &Raw) -> Result<Raw> {
    if let Some(value) = value_of(&x.storage) {
        let picture = value.expr().is_some_and(|e| match e.op {
            Op::Unfold { .. } | Op::Constant(_) => true,
            // Half the memory to read is worth more than the cast costs.
            Op::Cast => {
                let from = &e.inputs[0];
                !gpu.facts.software
                    && from.layout.is_contiguous()
                    && from.dtype.size() == 2
                    && from.dtype.is_float()
                    && from.value.expr().is_none()
            }
            _ => false,
        });
        if !picture {
            force(gpu, &value)?;
        }
    }
    Ok(x.clone())
}

/// Memory for a kernel's result.
pub(super) fn fresh(gpu: &Rc<Gpu>, device: Device, shape: &[usize], dtype: DType) -> Result<(Raw, Rc<Memory>)> {
    let numel = crate::layout::checked_numel(shape).ok_or(Error::Allocation { bytes: u128::MAX })?;
    let out = memory(gpu, numel * dtype.size(), false)?;
    let value = Value::ready(gpu, device, dtype, numel, out.clone())?;
    Ok((raw_of(value, shape), out))
}

/// How many ops operands stand for, and which memories they read.
fn extent(operands: &[Operand]) -> (usize, Vec<*const Memory>) {
    let (mut ops, mut memories) = (0, vec![]);
    for o in operands {
        let more = match &*o.value.state.borrow() {
            State::Ready(memory) => vec![Rc::as_ptr(memory)],
            State::Host(_) => vec![],
            State::Lazy(expr) => {
                ops += expr.ops;
                expr.memories.clone()
            }
        };
        for memory in more {
            if !memories.contains(&memory) {
                memories.push(memory);
            }
        }
    }
    (ops, memories)
}
