//! How long the device computes, where it can tell: two time stamps a pass, fetched when many have gathered or when
//! somebody asks.

use std::sync::atomic::{AtomicU64, Ordering};

use super::gpu::{Gpu, here};
use super::wait::{Later, wait};

/// Two a pass. Browsers allow 4096 in a set.
const STAMPS: u32 = 2048;

/// Nanoseconds of all passes whose stamps have come.
static COMPUTED: AtomicU64 = AtomicU64::new(0);

/// Milliseconds that the device has computed since the program began; `None` where it has no clock. Waits for the work
/// that is on its way.
pub fn device_ms() -> Option<f64> {
    let gpu = here()?;
    let waiting = gpu.batch.borrow_mut().stamps(&gpu)?;
    // No borrow is held here: while the browser waits, other code runs.
    if !gpu.is_lost() {
        let device = gpu.device.clone();
        wait(waiting, move || drop(device.poll(wgpu::PollType::wait_indefinitely())));
    }
    Some(device_ms_so_far())
}

/// The same of what is known already, without waiting.
pub fn device_ms_so_far() -> f64 {
    COMPUTED.load(Ordering::Relaxed) as f64 / 1e6
}

pub(super) struct Clock {
    set: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    used: u32,
    /// Nanoseconds of one tick.
    tick: f64,
}

impl Clock {
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue) -> Option<Self> {
        device.features().contains(wgpu::Features::TIMESTAMP_QUERY).then(|| Clock {
            set: device.create_query_set(&wgpu::QuerySetDescriptor {
                label: None,
                ty: wgpu::QueryType::Timestamp,
                count: STAMPS,
            }),
            resolved: buffer(device, wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC),
            used: 0,
            tick: f64::from(queue.get_timestamp_period()),
        })
    }

    /// Where the next pass leaves its stamps; a pass too many leaves none.
    pub fn next(&mut self) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        let at = (self.used + 2 <= STAMPS).then_some(self.used)?;
        self.used += 2;
        Some(wgpu::ComputePassTimestampWrites {
            query_set: &self.set,
            beginning_of_pass_write_index: Some(at),
            end_of_pass_write_index: Some(at + 1),
        })
    }

    /// Whether no pass left any.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// Whether the stamps should be fetched.
    pub fn is_full(&self) -> bool {
        self.used + STAMPS / 8 > STAMPS
    }

    /// Record their way to where they can be read.
    pub fn fetch(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder) -> Stamps {
        let staging = buffer(&gpu.device, wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST);
        let size = u64::from(self.used) * 8;
        encoder.resolve_query_set(&self.set, 0..self.used, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &staging, 0, size);
        self.used = 0;
        Stamps { staging, size, tick: self.tick }
    }
}

fn buffer(device: &wgpu::Device, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: u64::from(STAMPS) * 8,
        usage,
        mapped_at_creation: false,
    })
}

/// Stamps on their way.
pub(super) struct Stamps {
    staging: wgpu::Buffer,
    size: u64,
    tick: f64,
}

impl Stamps {
    /// Once they are submitted: add up what they tell when they come.
    pub fn count(self) -> Later<()> {
        let come = Later::new();
        let bring = come.clone();
        let Stamps { staging, size, tick } = self;
        staging.clone().map_async(wgpu::MapMode::Read, 0..size, move |mapped| {
            if mapped.is_ok()
                && let Ok(view) = staging.get_mapped_range(0..size)
            {
                let (stamps, _) = view.as_chunks::<8>();
                let (passes, _) = stamps.as_chunks::<2>();
                // A clock that was set back in between tells nothing.
                let took =
                    |[begin, end]: &[[u8; 8]; 2]| u64::from_le_bytes(*end).saturating_sub(u64::from_le_bytes(*begin));
                let ticks: u64 = passes.iter().map(took).sum();
                COMPUTED.fetch_add((ticks as f64 * tick) as u64, Ordering::Relaxed);
            }
            bring.bring(());
        });
        come
    }
}
