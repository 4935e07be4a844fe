//! The tensor and autograd engine of Rushlight: layouts and storages, dtypes and promotion, ops with their gradients,
//! backends, PyTorch's random numbers, printing and error texts. No Python and no DOM in here.
//!
//! Start reading at [`tensor::Tensor`], then `ops/` (an op is declared once: forward, gradient, PyTorch schema).

pub mod autograd;
pub mod backend;
pub mod device;
pub mod dtype;
pub mod error;
pub mod format;
pub mod layout;
pub mod ops;
pub mod placement;
pub mod random;
pub mod registry;
pub mod storage;
pub mod tensor;

pub use device::Device;
pub use dtype::{DType, Scalar};
pub use error::{Error, Result};
pub use layout::Layout;
pub use tensor::{Raw, Tensor};
