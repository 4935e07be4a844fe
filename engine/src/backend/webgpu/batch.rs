//! Commands on their way to the GPU. Launches are recorded into one pass of one command buffer and submitted together:
//! when somebody wants to read, or when enough has gathered for the device to start on.

use std::cell::Cell;
use std::rc::Rc;

use super::clock::Clock;
use super::gpu::{Gpu, lost_error};
use super::pool::{Memory, memory};
use super::shader::Pipeline;
use super::wait::{Later, wait};
use crate::error::{Error, Result};

/// What was done since the count began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub launches: u64,
    pub submits: u64,
    pub reads: u64,
    pub bytes_read: u64,
    pub bytes_uploaded: u64,
    pub pipelines: u64,
}

thread_local! {
    static COUNTS: Cell<Counts> = const { Cell::new(Counts {
        launches: 0, submits: 0, reads: 0, bytes_read: 0, bytes_uploaded: 0, pipelines: 0,
    }) };
}

/// What was done since the program began.
pub fn counts() -> Counts {
    COUNTS.get()
}

pub(super) fn count(f: impl FnOnce(&mut Counts)) {
    let mut counts = COUNTS.get();
    f(&mut counts);
    COUNTS.set(counts);
}

/// So many launches are enough for the device to go on. To begin, while the program goes on beside it, fewer are.
const ENOUGH: usize = 48;
const ENOUGH_TO_BEGIN: usize = 6;
/// So many batches may wait for the device: a program that never looks at a result must not run minutes ahead of it.
const AHEAD: u32 = 8;
/// Room for the numbers of all launches of a batch.
const PARAMETERS: usize = 64 << 10;

pub(super) struct Batch {
    /// Counts batches from 1.
    pub number: u64,
    encoder: Option<wgpu::CommandEncoder>,
    pass: Option<wgpu::ComputePass<'static>>,
    launches: usize,
    /// Batches since somebody last waited.
    ahead: u32,
    parameters: Vec<u8>,
    parameter_buffer: wgpu::Buffer,
    staging: Option<wgpu::Buffer>,
    clock: Option<Clock>,
}

impl Batch {
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue) -> Self {
        let parameter_buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: PARAMETERS as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        Batch {
            number: 1,
            encoder: None,
            pass: None,
            launches: 0,
            ahead: 0,
            parameters: Vec::new(),
            parameter_buffer,
            staging: None,
            clock: Clock::new(device, queue),
        }
    }

    fn encoder(&mut self, device: &wgpu::Device) -> &mut wgpu::CommandEncoder {
        self.pass = None;
        self.encoder.get_or_insert_with(|| device.create_command_encoder(&Default::default()))
    }

    fn pass(&mut self, device: &wgpu::Device) -> &mut wgpu::ComputePass<'static> {
        let encoder = self.encoder.get_or_insert_with(|| device.create_command_encoder(&Default::default()));
        let clock = &mut self.clock;
        self.pass.get_or_insert_with(|| {
            let timestamp_writes = clock.as_mut().and_then(Clock::next);
            encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: None, timestamp_writes }).forget_lifetime()
        })
    }

    fn submit(&mut self, gpu: &Gpu) {
        self.pass = None;
        let Some(mut encoder) = self.encoder.take() else { return };
        if !self.parameters.is_empty() {
            gpu.queue.write_buffer(&self.parameter_buffer, 0, &self.parameters);
            self.parameters.clear();
        }
        let stamps = self.clock.as_mut().filter(|clock| clock.is_full()).map(|clock| clock.fetch(gpu, &mut encoder));
        gpu.queue.submit([encoder.finish()]);
        if let Some(stamps) = stamps {
            stamps.count();
        }
        count(|c| c.submits += 1);
        self.launches = 0;
        self.ahead += 1;
        self.number += 1;
    }

    /// Send everything, the time stamps behind it; says when they are there. `None` without a clock.
    pub fn stamps(&mut self, gpu: &Gpu) -> Option<Later<()>> {
        self.submit(gpu);
        let clock = self.clock.as_mut()?;
        if clock.is_empty() {
            let there = Later::new();
            there.bring(());
            return Some(there);
        }
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let stamps = clock.fetch(gpu, &mut encoder);
        gpu.queue.submit([encoder.finish()]);
        Some(stamps.count())
    }
}

/// Record a launch over so many workgroups.
pub(super) fn launch(
    gpu: &Rc<Gpu>,
    pipeline: &Pipeline,
    memories: &[Rc<Memory>],
    parameters: &[u32],
    groups: [u32; 3],
) -> Result<()> {
    if memories.iter().any(|m| !m.belongs_to(gpu)) {
        return Err(lost_error(""));
    }
    let mut batch = gpu.batch.borrow_mut();
    let align = (gpu.limits.min_uniform_buffer_offset_alignment as usize).max(16);
    let bytes: &[u8] = bytemuck::cast_slice(parameters);
    if batch.parameters.len().next_multiple_of(align) + bytes.len() > PARAMETERS {
        batch.submit(gpu);
    }
    let at = batch.parameters.len().next_multiple_of(align);
    batch.parameters.resize(at, 0);
    batch.parameters.extend_from_slice(bytes);
    let mut entries = Vec::with_capacity(memories.len() + 1);
    if !parameters.is_empty() {
        entries.push(wgpu::BindGroupEntry {
            binding: 0,
            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: &batch.parameter_buffer,
                offset: at as u64,
                size: wgpu::BufferSize::new(bytes.len() as u64),
            }),
        });
    }
    for (i, memory) in memories.iter().enumerate() {
        memory.used.set(batch.number);
        entries.push(wgpu::BindGroupEntry { binding: i as u32 + 1, resource: memory.buffer.as_entire_binding() });
    }
    let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.layout,
        entries: &entries,
    });
    let pass = batch.pass(&gpu.device);
    pass.set_pipeline(&pipeline.pipeline);
    pass.set_bind_group(0, &group, &[]);
    pass.dispatch_workgroups(groups[0], groups[1], groups[2]);
    count(|c| c.launches += 1);
    batch.launches += 1;
    let enough = if batch.ahead < 2 { ENOUGH_TO_BEGIN << batch.ahead } else { ENOUGH };
    if batch.launches >= enough {
        batch.submit(gpu);
        if batch.ahead >= AHEAD {
            drop(batch);
            return synchronize(gpu);
        }
    }
    Ok(())
}

/// Wait until the device has done all that it was given.
///
/// # Errors
/// As [`read`].
pub(super) fn synchronize(gpu: &Rc<Gpu>) -> Result<()> {
    gpu.batch.borrow_mut().submit(gpu);
    let answer = Later::new();
    let bring = answer.clone();
    gpu.queue.on_submitted_work_done(move || bring.bring(()));
    let device = gpu.device.clone();
    wait(answer, move || drop(device.poll(wgpu::PollType::wait_indefinitely())));
    gpu.batch.borrow_mut().ahead = 0;
    gpu.check()
}

/// Memory with these bytes.
pub(super) fn upload(gpu: &Rc<Gpu>, bytes: &[u8]) -> Result<Rc<Memory>> {
    let to = memory(gpu, bytes.len(), true)?;
    let whole = bytes.len() & !3;
    if whole > 0 {
        gpu.queue.write_buffer(&to.buffer, 0, &bytes[..whole]);
    }
    if whole < bytes.len() {
        let mut last = [0; 4];
        last[..bytes.len() - whole].copy_from_slice(&bytes[whole..]);
        gpu.queue.write_buffer(&to.buffer, whole as u64, &last);
    }
    count(|c| c.bytes_uploaded += bytes.len() as u64);
    Ok(to)
}

/// A copy of the first bytes of a memory.
pub(super) fn duplicate(gpu: &Rc<Gpu>, from: &Rc<Memory>, bytes: usize) -> Result<Rc<Memory>> {
    let to = memory(gpu, bytes, false)?;
    let mut batch = gpu.batch.borrow_mut();
    let size = (bytes as u64).next_multiple_of(4).min(from.size()).min(to.size());
    from.used.set(batch.number);
    to.used.set(batch.number);
    batch.encoder(&gpu.device).copy_buffer_to_buffer(&from.buffer, 0, &to.buffer, 0, size);
    Ok(to)
}

/// The first bytes of a memory, and of another one beside it (so that one wait serves both).
///
/// # Errors
/// The device is gone, or said that something before went wrong.
pub(super) fn read(
    gpu: &Rc<Gpu>,
    from: &Rc<Memory>,
    bytes: usize,
    beside: Option<(&Rc<Memory>, usize)>,
) -> Result<(Vec<u8>, Vec<u8>)> {
    gpu.check()?;
    if !from.belongs_to(gpu) {
        return Err(lost_error(""));
    }
    let size = bytes.next_multiple_of(8).min(from.size() as usize);
    let extra = beside.map_or(0, |(_, n)| n.next_multiple_of(8));
    let total = (size + extra) as u64;
    let staging = {
        let mut batch = gpu.batch.borrow_mut();
        let kept = batch.staging.take().filter(|kept| kept.size() >= total);
        let staging = kept.unwrap_or_else(|| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: total.next_power_of_two().max(256),
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        });
        let encoder = batch.encoder(&gpu.device);
        encoder.copy_buffer_to_buffer(&from.buffer, 0, &staging, extra as u64, size as u64);
        if let Some((memory, n)) = beside {
            encoder.copy_buffer_to_buffer(&memory.buffer, 0, &staging, 0, n as u64);
        }
        batch.submit(gpu);
        staging
    };
    let answer = Later::new();
    let bring = answer.clone();
    staging.map_async(wgpu::MapMode::Read, 0..total, move |result| bring.bring(result));
    let device = gpu.device.clone();
    // No borrow is held here: while the browser waits, other code runs.
    let mapped = wait(answer, move || drop(device.poll(wgpu::PollType::wait_indefinitely())));
    match mapped {
        Some(Ok(())) => {}
        _ => {
            gpu.check()?;
            return Err(Error::runtime("the GPU gave no answer"));
        }
    }
    let out = {
        let view = staging
            .get_mapped_range(0..total)
            .map_err(|e| Error::runtime(format!("what the GPU gave cannot be read: {e}")))?;
        (view[extra..extra + bytes].to_vec(), view[..extra].to_vec())
    };
    staging.unmap();
    if total <= 16 << 20 {
        gpu.batch.borrow_mut().staging = Some(staging);
    }
    gpu.batch.borrow_mut().ahead = 0;
    count(|c| {
        c.reads += 1;
        c.bytes_read += bytes as u64;
    });
    gpu.check()?;
    Ok(out)
}
