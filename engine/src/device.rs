//! Where tensors live.

use std::fmt;

/// A device. The CPU is the only one with kernels; a GPU device gets its variant here and its backend in `backend/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Device {
    Cpu,
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cpu")
    }
}
