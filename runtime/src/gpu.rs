//! What a run did on the GPU, for the page's panel and the line under a cell.

use rushlight_engine::backend::webgpu::{self, Counts};
use rushlight_protocol::{Gpu, GpuUse};

/// How things stood when a run began.
pub(crate) struct Meter {
    counts: Counts,
    ms: f64,
    fallbacks: Vec<(String, u64)>,
}

impl Meter {
    pub fn start() -> Self {
        webgpu::refusal();
        Self { counts: webgpu::counts(), ms: webgpu::device_ms_so_far(), fallbacks: webgpu::fallbacks() }
    }

    /// What was done since; nothing when the GPU was left alone. `wait` allows to wait for what it still computes, so
    /// as to tell how long that took.
    pub fn end(self, wait: bool) -> Option<Gpu> {
        let refusal = webgpu::refusal();
        let (now, before) = (webgpu::counts(), self.counts);
        if now == before {
            return refusal.map(|reason| Gpu::Absent { reason });
        }
        let facts = webgpu::facts_if_used()?;
        let fallbacks = webgpu::fallbacks().into_iter().filter_map(|(op, times)| {
            let earlier = self.fallbacks.iter().find(|(other, _)| *other == op).map_or(0, |(_, times)| *times);
            // A program may have set the counts back.
            let times = times.checked_sub(earlier).unwrap_or(times);
            (times > 0).then_some((op, times))
        });
        let ms = if wait { webgpu::device_ms() } else { None };
        Some(Gpu::Used(Box::new(GpuUse {
            name: facts.name,
            api: facts.api,
            software: facts.software,
            max_buffer: facts.max_buffer,
            live: webgpu::live_bytes() as u64,
            reserved: webgpu::reserved_bytes() as u64,
            peak: webgpu::peak_bytes() as u64,
            launches: now.launches.saturating_sub(before.launches),
            reads: now.reads.saturating_sub(before.reads),
            bytes_read: now.bytes_read.saturating_sub(before.bytes_read),
            ms: ms.map(|ms| (ms - self.ms).max(0.0)),
            fallbacks: fallbacks.collect(),
        })))
    }
}
