//! The native module `torch._C`: tensors and operators for Python, over the engine.

pub(crate) use _c::module_def;

#[rustpython_vm::pymodule(name = "torch._C")]
mod _c {}
