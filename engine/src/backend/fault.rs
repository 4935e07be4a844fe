//! Indices out of range, and the error each is.

use crate::error::Error;

/// What an index that is out of range was meant for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The class of a loss.
    Target,
    /// A row of an embedding, or a place of `gather` and `index_select`.
    Itself,
    /// `x[index]` along a dimension of a size.
    Dimension { dim: usize, size: usize },
}

impl Fault {
    /// The error, in PyTorch's words.
    pub fn error(&self, index: i64) -> Error {
        match self {
            Fault::Target => Error::index(format!("Target {index} is out of bounds.")),
            Fault::Itself => Error::index("index out of range in self"),
            Fault::Dimension { dim, size } => {
                Error::index(format!("index {index} is out of bounds for dimension {dim} with size {size}"))
            }
        }
    }
}
