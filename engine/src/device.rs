//! Where tensors live, and where an op makes new ones.

use std::cell::Cell;
use std::fmt;

/// A device. `Cuda` is the GPU under the name by which most programs ask for it; `WebGpu` is the same GPU under its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Device {
    Cpu,
    WebGpu,
    Cuda,
}

impl Device {
    pub fn is_gpu(self) -> bool {
        self != Device::Cpu
    }
    /// Whether values of both may be computed with together.
    pub fn shares_memory(self, other: Device) -> bool {
        self.is_gpu() == other.is_gpu()
    }
}

/// As PyTorch prints the device of a tensor.
impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Device::Cpu => "cpu",
            Device::WebGpu => "webgpu:0",
            Device::Cuda => "cuda:0",
        })
    }
}

thread_local! {
    static HERE: Cell<Device> = const { Cell::new(Device::Cpu) };
    static OP: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// Where new tensors are made that are made from no other ones.
pub fn current() -> Device {
    HERE.get()
}

/// Make new tensors on `device` from now on (`torch.set_default_device`).
pub fn set_current(device: Device) {
    HERE.set(device);
}

/// Make new tensors on `device` meanwhile. What an op makes inside of itself must lie where its operands lie.
pub fn within<T>(device: Device, f: impl FnOnce() -> T) -> T {
    // Also when `f` unwinds.
    struct Back(Device);
    impl Drop for Back {
        fn drop(&mut self) {
            HERE.set(self.0);
        }
    }
    let _back = Back(HERE.replace(device));
    f()
}

/// The name of the op that runs, the outermost one.
pub fn running_op() -> Option<&'static str> {
    OP.get()
}

/// `f` is what the op of this name does, on `device`.
pub fn running<T>(name: &'static str, device: Device, f: impl FnOnce() -> T) -> T {
    struct Back(Option<&'static str>);
    impl Drop for Back {
        fn drop(&mut self) {
            OP.set(self.0);
        }
    }
    let before = OP.get();
    let _back = Back(before);
    OP.set(before.or(Some(name)));
    within(device, f)
}
