//! What can go wrong in the engine. A variant carries the facts (op, shapes, dtypes); its `Display` text is PyTorch's
//! text, so that a learner can search for it. Which Python exception it becomes is [`Error::class`].

use std::any::Any;
use std::fmt;
use std::rc::Rc;

use crate::dtype::DType;

pub type Result<T> = std::result::Result<T, Error>;

/// The Python exception class an [`Error`] is raised as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    Runtime,
    Type,
    Value,
    Index,
    NotImplemented,
    OutOfMemory,
    /// `torch.linalg.LinAlgError`
    LinAlg,
}

#[derive(Clone)]
pub enum Error {
    /// Two shapes that do not broadcast together.
    Broadcast { a: Vec<usize>, b: Vec<usize>, dim: usize },
    /// A target of `expand` that the tensor does not fit.
    Expand { shape: Vec<usize>, target: Vec<i64>, reason: ExpandReason, dtype: DType },
    /// A dimension outside `-ndim..ndim`.
    DimRange { dim: i64, ndim: usize },
    /// A view that the strides do not allow.
    View,
    /// A shape whose number of elements is not the tensor's.
    Reshape { shape: Vec<i64>, numel: usize },
    /// Two dtypes where one was wanted.
    DTypes { want: DType, got: DType, what: String },
    /// A result dtype that the destination of an in-place or `out=` op cannot hold.
    ResultCast { from: DType, to: DType },
    /// The memory asked for cannot be had. In bytes.
    Allocation { bytes: u128 },
    /// The memory budget (`storage::set_budget`) is spent.
    Budget { bytes: usize, budget: usize, live: usize },
    /// A tensor saved for backward was written to afterwards.
    Modified { dtype: DType, shape: Vec<usize>, output_of: Option<(usize, String)>, version: u64, expected: u64 },
    /// The graph was already freed.
    BackwardTwice,
    /// A kind that needs no more facts than its text.
    Text(Class, String),
    /// An error from outside the engine (a Python exception raised in a hook or a custom function), carried unchanged.
    Foreign(Rc<dyn Any>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExpandReason {
    TooFewDims,
    Size { dim: usize, existing: usize, wanted: i64 },
    LeadingMinusOne { dim: usize },
}

impl Error {
    /// A layout does not know its dtype, which the text of `expand` names.
    pub fn of_dtype(self, dtype: DType) -> Self {
        match self {
            Error::Expand { shape, target, reason, .. } => Error::Expand { shape, target, reason, dtype },
            other => other,
        }
    }
    pub fn runtime(text: impl Into<String>) -> Self {
        Error::Text(Class::Runtime, text.into())
    }
    pub fn value(text: impl Into<String>) -> Self {
        Error::Text(Class::Value, text.into())
    }
    pub fn type_error(text: impl Into<String>) -> Self {
        Error::Text(Class::Type, text.into())
    }
    pub fn index(text: impl Into<String>) -> Self {
        Error::Text(Class::Index, text.into())
    }
    pub fn not_implemented(text: impl Into<String>) -> Self {
        Error::Text(Class::NotImplemented, text.into())
    }
    /// `"<op>" not implemented for '<dtype>'`, as PyTorch's dispatch says it.
    pub fn no_kernel(kernel: &str, dtype: DType) -> Self {
        Error::not_implemented(format!("\"{kernel}\" not implemented for '{}'", dtype.scalar_type_name()))
    }

    pub fn class(&self) -> Class {
        match self {
            Error::DimRange { .. } => Class::Index,
            Error::Budget { .. } => Class::OutOfMemory,
            Error::Text(class, _) => *class,
            _ => Class::Runtime,
        }
    }
}

/// `[2, 3]`, as PyTorch writes sizes in messages.
pub fn list<T: fmt::Display>(items: &[T]) -> String {
    let inner: Vec<String> = items.iter().map(|i| i.to_string()).collect();
    format!("[{}]", inner.join(", "))
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Broadcast { a, b, dim } => {
                let size = |s: &[usize], n: usize| if *dim + s.len() >= n { s[*dim + s.len() - n] } else { 1 };
                let n = a.len().max(b.len());
                write!(
                    f,
                    "The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton dimension {dim}",
                    size(a, n),
                    size(b, n)
                )
            }
            Error::Expand { shape, target, reason, dtype } => match reason {
                ExpandReason::TooFewDims => write!(
                    f,
                    "expand({}{{{}}}, size={}): the number of sizes provided ({}) must be greater or equal to the number of \
                     dimensions in the tensor ({})",
                    dtype.cpu_type_name(),
                    list(shape),
                    list(target),
                    target.len(),
                    shape.len()
                ),
                ExpandReason::Size { dim, existing, wanted } => write!(
                    f,
                    "The expanded size of the tensor ({wanted}) must match the existing size ({existing}) at \
                     non-singleton dimension {dim}.  Target sizes: {}.  Tensor sizes: {}",
                    list(target),
                    list(shape)
                ),
                ExpandReason::LeadingMinusOne { dim } => write!(
                    f,
                    "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension {dim}"
                ),
            },
            Error::DimRange { dim, ndim } => {
                let n = (*ndim).max(1) as i64;
                write!(f, "Dimension out of range (expected to be in range of [{}, {}], but got {dim})", -n, n - 1)
            }
            Error::View => f.write_str(
                "view size is not compatible with input tensor's size and stride (at least one dimension spans across \
                 two contiguous subspaces). Use .reshape(...) instead.",
            ),
            Error::Reshape { shape, numel } => {
                write!(f, "shape '{}' is invalid for input of size {numel}", list(shape))
            }
            Error::DTypes { what, .. } => f.write_str(what),
            Error::ResultCast { from, to } => write!(
                f,
                "result type {} can't be cast to the desired output type {}",
                from.scalar_type_name(),
                to.scalar_type_name()
            ),
            Error::Budget { bytes, budget, live } => {
                let mib = |bytes: usize| bytes as f64 / (1 << 20) as f64;
                write!(
                    f,
                    "CPU out of memory. Tried to allocate {:.2} MiB. The memory budget is {:.2} MiB, of which {:.2} MiB \
                     is free: {:.2} MiB is in use by tensors.",
                    mib(*bytes),
                    mib(*budget),
                    mib(budget.saturating_sub(*live)),
                    mib(*live)
                )
            }
            Error::Allocation { bytes } => write!(
                f,
                "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you tried \
                 to allocate {bytes} bytes. Error code 12 (Cannot allocate memory)"
            ),
            Error::Modified { dtype, shape, output_of, version, expected } => {
                write!(
                    f,
                    "one of the variables needed for gradient computation has been modified by an inplace operation: \
                     [torch.{} {}]",
                    dtype.tensor_type_name(),
                    list(shape)
                )?;
                if let Some((nr, name)) = output_of {
                    let op = name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches("Backward");
                    write!(f, ", which is output {nr} of {op},")?;
                }
                write!(
                    f,
                    " is at version {version}; expected version {expected} instead. Hint: {}",
                    if crate::autograd::grad_mode::anomaly().0 {
                        "the backtrace further above shows the operation that failed to compute its gradient. The \
                         variable in question was changed in there or anywhere later. Good luck!"
                    } else {
                        "enable anomaly detection to find the operation that failed to compute its gradient, with \
                         torch.autograd.set_detect_anomaly(True, check_nan=False)."
                    }
                )
            }
            Error::BackwardTwice => f.write_str(
                "Trying to backward through the graph a second time (or directly access saved tensors after they have \
                 already been freed). Saved intermediate values of the graph are freed when you call .backward() or \
                 autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or \
                 if you need to access saved tensors after calling backward.",
            ),
            Error::Text(_, text) => f.write_str(text),
            Error::Foreign(_) => f.write_str("an exception was raised in Python code called by the engine"),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.class())
    }
}

impl std::error::Error for Error {}
