//! Indices out of range, and the error each is.

use crate::error::Error;

/// What an index that is out of range was meant for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The class of a loss.
    Target,
    /// A row of an embedding.
    Row,
    /// `gather`, `scatter` and their kin.
    Gather { dim: usize, size: usize },
    /// `index_select`.
    Select { dim: usize, size: usize },
    /// `x[index]`.
    Bracket { dim: usize, size: usize },
    /// `take` and `put_`.
    Flat { numel: usize },
    /// `index_add_`, `index_copy_`, `index_fill_`.
    Vector { op: &'static str, dim: usize, size: usize },
    /// What cannot happen unless a kernel is wrong.
    Kernel,
}

impl Fault {
    /// Whether a negative index counts from the end.
    pub fn wraps(&self) -> bool {
        matches!(self, Fault::Bracket { .. } | Fault::Flat { .. } | Fault::Vector { op: "index_fill_", .. })
    }

    /// The error, in PyTorch's words.
    pub fn error(&self, index: i64) -> Error {
        match *self {
            Fault::Target => Error::index(format!("Target {index} is out of bounds.")),
            Fault::Row | Fault::Kernel => Error::index("index out of range in self"),
            Fault::Gather { dim, size } => {
                Error::runtime(format!("index {index} is out of bounds for dimension {dim} with size {size}"))
            }
            Fault::Select { size: 0, .. } => {
                Error::runtime("index_select(): self indexing axis dim should be positive")
            }
            Fault::Select { dim: 1, size } => {
                Error::runtime(format!("INDICES element is out of DATA bounds, id={index} axis_dim={size}"))
            }
            Fault::Select { .. } => Error::index("index out of range in self"),
            Fault::Bracket { size: 0, .. } => Error::index("index is out of bounds for dimension with size 0"),
            Fault::Bracket { dim, size } => {
                Error::index(format!("index {index} is out of bounds for dimension {dim} with size {size}"))
            }
            Fault::Flat { numel } => {
                Error::index(format!("out of range: tried to access index {index} on a tensor of {numel} elements."))
            }
            Fault::Vector { op, dim, size } => {
                let text = format!("index {index} is out of bounds for dimension {dim} with size {size}");
                match op {
                    "index_add_" => Error::runtime(text),
                    "index_copy_" => Error::index(format!("index_copy_(): {text}")),
                    _ => Error::index(text),
                }
            }
        }
    }
}
