//! Writing to some places of a memory.

use std::rc::Rc;

use super::fallback;
use super::gpu::{Gpu, gpu};
use super::lazy::{self, Value, force, gpu_value, in_memory, input, value_of};
use super::pool::Memory;
use super::shader::Shader;
use super::types::{per_word, ty};
use super::{batch, types};
use crate::backend::backend;
use crate::device::Device;
use crate::dtype::DType;
use crate::error::Result;
use crate::storage::Buffer;
use crate::tensor::Raw;

/// The memory of `dst`, which nobody else reads: a copy where an op that was put off still needs the old contents.
pub(super) fn own(gpu: &Rc<Gpu>, dst: &Raw) -> Result<Rc<Memory>> {
    let value = gpu_value(&dst.storage)?;
    let memory = force(gpu, &value)?;
    // The storage and this function hold the value; it and this function hold the memory.
    if Rc::strong_count(&value) <= 2 && Rc::strong_count(&memory) <= 2 {
        return Ok(memory);
    }
    let fresh = batch::duplicate(gpu, &memory, value.nbytes())?;
    let renewed = Value::ready(gpu, value.device(), value.dtype, value.numel, fresh.clone())?;
    *dst.storage.buffer_mut() = Buffer::Gpu(renewed);
    Ok(fresh)
}

/// See [`crate::backend::Backend::write`].
pub(super) fn write(dst: &Raw, src: &Raw) -> Result<()> {
    if dst.numel() == 0 {
        return Ok(());
    }
    let device = dst.device();
    if ty(dst.dtype).is_none() || ty(src.dtype).is_none() {
        let kept = value_of(&dst.storage).is_some_and(|v| v.on_host().is_some());
        if dst.dtype == src.dtype && dst.dtype.size() == 8 && !kept {
            // Words are words: as int64 they are moved without being looked at.
            let moved = |r: &Raw| Raw { dtype: DType::I64, ..r.clone() };
            return write(&moved(dst), &moved(src));
        }
        fallback::note("copy_");
        let (shared, from) = (fallback::to_host(dst)?, fallback::to_host(src)?);
        // Others may hold the old contents.
        let copy = backend(Device::Cpu).upload(&backend(Device::Cpu).read(&shared.storage)?)?;
        let here = Raw { storage: copy, ..shared };
        backend(Device::Cpu).write(&here, &from)?;
        let placed = fallback::place(device, &here)?;
        dst.storage.replace(placed.storage);
        return Ok(());
    }
    let gpu = gpu()?;
    let src = if src.dtype == dst.dtype { src.clone() } else { lazy::cast(src, dst.dtype)? };
    // What the source reads of this memory must be read before: another view of it is copied, and what was put off is
    // computed.
    let src = if src.storage.same(&dst.storage) { lazy::cast(&src, dst.dtype)? } else { src };
    let shared = value_of(&dst.storage).is_some_and(|v| Rc::strong_count(&v) > 2);
    if let (true, Some(value)) = (shared, value_of(&src.storage)) {
        force(&gpu, &value)?;
    }
    let memory = own(&gpu, dst)?;
    let mut s = Shader::default();
    let (layout, _held) = input(&mut s, &gpu, "x", &src)?;
    s.place_function("from_place", &layout);
    s.place_function("to_place", &dst.layout);
    let dtype = dst.dtype;
    if per_word(dtype) == 1 {
        let b = s.writes(&memory);
        let store = s.store(&b, dtype, "at", "v");
        return s.run_each(&gpu, dst.numel(), &format!("let v = x(from_place(i));\nlet at = to_place(i);\n{store}"));
    }
    // Neighbours in a word are others' business.
    let b = s.updates(&memory);
    let bits = s.with(types::bits(dtype, "x(from_place(i))"));
    let (each, width) = (per_word(dtype), dtype.size() * 8);
    let mask = (1u64 << width) - 1;
    let body = format!(
        "let v = {bits};\nlet at = to_place(i);\nlet shift = (at % {each}u) * {width}u;\natomicAnd(&{b}[at / {each}u], \
         ~({mask}u << shift));\natomicOr(&{b}[at / {each}u], v << shift);"
    );
    s.run_each(&gpu, dst.numel(), &body)
}

/// A contiguous copy of elements that shaders do not compute with: their words are moved.
pub(super) fn copy_words(device: Device, x: &Raw) -> Result<Raw> {
    let kept = value_of(&x.storage).is_some_and(|v| v.on_host().is_some());
    let words = match x.dtype.size() {
        8 if !kept => Raw { dtype: DType::I64, ..x.clone() },
        _ => return fallback::host(device, "clone", &[x], |b, x| b.copy(&x[0], x[0].dtype)),
    };
    let moved = lazy::cast(&words, DType::I64)?;
    let gpu = gpu()?;
    let memory = in_memory(&gpu, &moved)?;
    Ok(lazy::raw_of(Value::ready(&gpu, device, x.dtype, x.numel(), memory)?, x.shape()))
}
