//! Memory on the GPU. Buffers that are given back are kept by size and used again: a training loop asks for the same
//! sizes in each step.

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::{Rc, Weak};

use super::gpu::Gpu;
use crate::error::{Class, Error, Result};
use crate::storage::Meter;

thread_local! {
    static METER: Meter = const { Meter::new() };
    static RESERVED: Cell<usize> = const { Cell::new(0) };
    static BUFFERS: Cell<usize> = const { Cell::new(0) };
}

/// Bytes of all values on the GPU now.
pub fn live_bytes() -> usize {
    METER.with(Meter::live)
}
/// The most bytes ever held at once.
pub fn peak_bytes() -> usize {
    METER.with(Meter::peak)
}
/// Count the peak from now on.
pub fn reset_peak() {
    METER.with(Meter::reset_peak);
}
/// Bytes of all buffers taken from the device, in use or kept.
pub fn reserved_bytes() -> usize {
    RESERVED.get()
}
/// How many buffers are in use.
pub fn live_buffers() -> usize {
    BUFFERS.get()
}
/// Refuse values that would take the live bytes over this.
pub fn set_budget(bytes: Option<usize>) {
    METER.with(|meter| meter.set_budget(bytes));
}

/// Counts the bytes of a value for as long as it lives, whether they lie in a buffer already or not.
pub(super) struct Counted(usize);

impl Counted {
    /// # Errors
    /// `OutOfMemoryError` over the budget or over what one buffer can hold.
    pub fn new(gpu: &Gpu, bytes: usize) -> Result<Self> {
        if bytes as u64 > gpu.facts.max_buffer {
            return Err(out_of_memory(bytes, gpu.facts.max_buffer as usize));
        }
        if let Some(budget) = METER.with(|meter| meter.refuses(bytes)) {
            return Err(out_of_memory(bytes, budget));
        }
        METER.with(|meter| meter.take(bytes));
        Ok(Counted(bytes))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let _ = METER.try_with(|meter| meter.give_back(self.0));
    }
}

/// In PyTorch's words.
fn out_of_memory(bytes: usize, limit: usize) -> Error {
    let size = |bytes: usize| {
        if bytes >= 1 << 30 {
            format!("{:.2} GiB", bytes as f64 / (1 << 30) as f64)
        } else {
            format!("{:.2} MiB", bytes as f64 / (1 << 20) as f64)
        }
    };
    let (live, reserved) = (live_bytes(), RESERVED.get());
    let text = format!(
        "CUDA out of memory. Tried to allocate {}. GPU 0 has a total capacity of {} of which {} is free. Of the allocated \
         memory {} is allocated by PyTorch, and {} is reserved by PyTorch but unallocated.",
        size(bytes),
        size(limit),
        size(limit.saturating_sub(live)),
        size(live),
        size(reserved.saturating_sub(live))
    );
    Error::Text(Class::OutOfMemory, text)
}

/// A buffer in use. The contents are what was there before.
pub(super) struct Memory {
    pub buffer: wgpu::Buffer,
    class: u64,
    /// The batch of commands that used it last.
    pub used: Cell<u64>,
    gpu: Weak<Gpu>,
}

impl Memory {
    /// Whether it is of this device, which still lives.
    pub fn belongs_to(&self, gpu: &Rc<Gpu>) -> bool {
        std::ptr::eq(self.gpu.as_ptr(), Rc::as_ptr(gpu))
    }
    pub fn size(&self) -> u64 {
        self.class
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let _ = BUFFERS.try_with(|n| n.set(n.get() - 1));
        match self.gpu.upgrade() {
            Some(gpu) => gpu.pool.borrow_mut().put(self.buffer.clone(), self.class, self.used.get()),
            None => given_back(self.class),
        }
    }
}

/// A buffer is the device's again.
fn given_back(class: u64) {
    let _ = RESERVED.try_with(|n| n.set(n.get() - class as usize));
}

/// How many spare bytes are kept.
const SPARE: u64 = 512 << 20;

struct Spare {
    buffer: wgpu::Buffer,
    used: u64,
}

#[derive(Default)]
pub(super) struct Pool {
    free: HashMap<u64, Vec<Spare>>,
    spare: u64,
}

/// The size a buffer of at least so many bytes has: eight steps to each power of two, lest many sizes be kept.
fn class(bytes: usize) -> u64 {
    let bytes = (bytes as u64).max(256);
    let step = (bytes.next_power_of_two() / 8).max(256);
    bytes.div_ceil(step) * step
}

const USAGE: wgpu::BufferUsages =
    wgpu::BufferUsages::STORAGE.union(wgpu::BufferUsages::COPY_SRC).union(wgpu::BufferUsages::COPY_DST);

impl Pool {
    fn put(&mut self, buffer: wgpu::Buffer, class: u64, used: u64) {
        if self.spare + class > SPARE {
            given_back(class);
            return;
        }
        self.spare += class;
        self.free.entry(class).or_default().push(Spare { buffer, used });
    }

    /// A spare buffer; with `idle`, one that no command of batch `now` uses.
    fn take(&mut self, class: u64, idle: Option<u64>) -> Option<Spare> {
        let kept = self.free.get_mut(&class)?;
        let at = kept.iter().rposition(|spare| idle.is_none_or(|now| spare.used != now))?;
        self.spare -= class;
        Some(kept.remove(at))
    }

    /// Give all spare buffers back to the device.
    pub fn clear(&mut self) {
        for (class, kept) in self.free.drain() {
            kept.iter().for_each(|_| given_back(class));
        }
        self.spare = 0;
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Memory of at least so many bytes. With `idle`, of which no command that is waiting to be submitted makes use.
pub(super) fn memory(gpu: &Rc<Gpu>, bytes: usize, idle: bool) -> Result<Rc<Memory>> {
    let class = class(bytes);
    let now = gpu.batch.borrow().number;
    let spare = gpu.pool.borrow_mut().take(class, idle.then_some(now));
    let (buffer, used) = match spare {
        Some(spare) => (spare.buffer, spare.used),
        None => {
            gpu.check()?;
            let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: class,
                usage: USAGE,
                mapped_at_creation: false,
            });
            RESERVED.set(RESERVED.get() + class as usize);
            (buffer, 0)
        }
    };
    BUFFERS.set(BUFFERS.get() + 1);
    Ok(Rc::new(Memory { buffer, class, used: Cell::new(used), gpu: Rc::downgrade(gpu) }))
}
