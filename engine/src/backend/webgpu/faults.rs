//! Indices out of range. A kernel that meets one notes it in a few words of memory and goes on with 0; whoever reads next
//! brings the note along and raises the error. So nobody waits for the device to check an index.

use std::cell::RefCell;
use std::fmt::Write;
use std::rc::Rc;

use super::batch;
use super::gpu::Gpu;
use super::pool::Memory;
use super::shader::Shader;
use crate::backend::Fault;
use crate::error::{Error, Result};

/// Bytes of the note: which fault, and the index.
pub(super) const BYTES: usize = 16;

#[derive(Default)]
pub(super) struct Faults {
    note: RefCell<Option<Rc<Memory>>>,
    kinds: RefCell<Vec<Fault>>,
}

impl Faults {
    /// The number by which kernels know a fault.
    pub fn number(&self, fault: Fault) -> u32 {
        let mut kinds = self.kinds.borrow_mut();
        let at = kinds.iter().position(|k| *k == fault).unwrap_or_else(|| {
            kinds.push(fault);
            kinds.len() - 1
        });
        at as u32
    }

    /// The note, where any kernel could have written one.
    pub fn note(&self) -> Option<Rc<Memory>> {
        self.note.borrow().clone()
    }

    /// The error that a note of these bytes stands for; the note is wiped.
    pub fn raise(&self, bytes: &[u8]) -> Result<()> {
        let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
        let [number, low, high, ..] = words[..] else { return Ok(()) };
        if number == 0 {
            return Ok(());
        }
        self.note.borrow_mut().take();
        let index = ((high as u64) << 32 | low as u64) as i64;
        let kinds = self.kinds.borrow();
        Err(kinds.get(number as usize - 1).map_or_else(|| Error::index("index out of range"), |k| k.error(index)))
    }
}

/// Statements that note a fault where the int64 `index` is not below `size`, with the index as it was `given`.
pub(super) fn emit(
    s: &mut Shader,
    gpu: &Rc<Gpu>,
    lines: &mut String,
    (index, given): (&str, &str),
    size: &str,
    fault: u32,
) -> Result<()> {
    let note = match gpu.faults.note() {
        Some(note) => note,
        None => {
            let fresh = batch::upload(gpu, &[0; BYTES])?;
            gpu.faults.note.replace(Some(fresh.clone()));
            fresh
        }
    };
    let (b, number) = (s.updates(&note), s.param(fault as usize + 1));
    let _ = writeln!(
        lines,
        "if ({index}.y != 0u || {index}.x >= {size}) {{ if (atomicMax(&{b}[0], {number}) == 0u) {{ atomicStore(&{b}[1], \
         {given}.x); atomicStore(&{b}[2], {given}.y); }} }}"
    );
    Ok(())
}
