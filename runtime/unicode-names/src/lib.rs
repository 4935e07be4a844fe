//! One table of Unicode names instead of two. The Python parser asks for `unicode_names2` 1, the interpreter for 3; the
//! part of the interface that they use is the same, and each table adds 0.27 MB to the compressed download.

#![no_std]

pub use unicode_names2::{character, name};
