//! What several tests share: the device they run on, and a small random stream, so that a failure can be found again by
//! its number.
#![allow(dead_code)]

use rushlight_engine::backend::webgpu;
use rushlight_engine::{Device, device};

/// With `RUSHLIGHT_DEVICE=webgpu` the tests run on the GPU: tensors are made there, in float32 where the record has
/// float64, which GPUs do not compute with, and fewer digits are asked for.
pub fn on_gpu() -> bool {
    std::env::var("RUSHLIGHT_DEVICE").is_ok_and(|name| name == "webgpu")
}

/// Run a test where it is to run.
pub fn on_device<T>(f: impl FnOnce() -> T) -> T {
    if !on_gpu() {
        return f();
    }
    webgpu::allow(true);
    assert_eq!(webgpu::absence(), None, "there is no GPU to test on");
    device::within(Device::WebGpu, f)
}

pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 ^ (self.0 >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 17
    }
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}
