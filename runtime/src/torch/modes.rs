//! The switches of `torch` that a program sets and that outlive its run: each session has its own, so that what one
//! lesson turns off is on in the next, and in the checks of an exercise.

use super::autocast;
use rushlight_engine::autograd::{self, grad_mode};
use rushlight_engine::dtype::{default_dtype, set_default_dtype};
use rushlight_engine::{DType, Device, device, format, storage};

/// What is in force. The default is how PyTorch starts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Modes {
    grad: bool,
    inference: bool,
    anomaly: (bool, bool),
    dtype: DType,
    print: format::PrintOptions,
    autocast: Option<(DType, bool)>,
    memory_budget: Option<usize>,
    device: Device,
}

impl Default for Modes {
    fn default() -> Self {
        Modes {
            grad: true,
            inference: false,
            anomaly: (false, true),
            dtype: DType::F32,
            print: format::PrintOptions::default(),
            autocast: None,
            memory_budget: None,
            device: Device::Cpu,
        }
    }
}

impl Modes {
    /// What is in force now.
    pub fn now() -> Self {
        let inference = grad_mode::is_inference();
        Modes {
            grad: grad_mode::is_enabled() || inference,
            inference,
            anomaly: grad_mode::anomaly(),
            dtype: default_dtype(),
            print: format::options(),
            autocast: autocast::now(),
            memory_budget: storage::budget(),
            device: device::current(),
        }
    }

    /// Puts these in force. Hooks for saved tensors, which are set by `with` alone, end.
    pub fn apply(self) {
        grad_mode::set_enabled(self.grad);
        grad_mode::set_inference(self.inference);
        grad_mode::set_anomaly(self.anomaly.0, self.anomaly.1);
        set_default_dtype(self.dtype);
        format::set_options(self.print);
        autocast::set(self.autocast);
        storage::set_budget(self.memory_budget);
        device::set_current(self.device);
        autograd::clear_saved_hooks();
    }
}
