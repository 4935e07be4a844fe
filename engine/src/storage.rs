//! Bytes on one device, shared by reference count. Writing in place raises the version, by which autograd notices
//! that a value it saved is no longer there.

use std::cell::{Cell, Ref, RefCell, RefMut};
use std::rc::Rc;

use bytemuck::Pod;

use crate::backend::webgpu;
use crate::device::Device;
use crate::error::{Error, Result};

thread_local! {
    static NEXT_ID: Cell<u64> = const { Cell::new(1) };
    static METER: Meter = const { Meter::new() };
    static SPARE: RefCell<Spare> = const { RefCell::new(Spare { kept: Vec::new(), words: 0 }) };
}

/// Bytes that are held, the most there were, and the limit somebody has set: of one device's memory.
pub(crate) struct Meter {
    live: Cell<usize>,
    peak: Cell<usize>,
    budget: Cell<Option<usize>>,
}

impl Meter {
    pub const fn new() -> Self {
        Meter { live: Cell::new(0), peak: Cell::new(0), budget: Cell::new(None) }
    }
    pub fn live(&self) -> usize {
        self.live.get()
    }
    pub fn peak(&self) -> usize {
        self.peak.get()
    }
    pub fn reset_peak(&self) {
        self.peak.set(self.live.get());
    }
    pub fn budget(&self) -> Option<usize> {
        self.budget.get()
    }
    pub fn set_budget(&self, bytes: Option<usize>) {
        self.budget.set(bytes);
    }
    /// The limit, where so many bytes more would be over it.
    pub fn refuses(&self, bytes: usize) -> Option<usize> {
        self.budget.get().filter(|budget| self.live.get().saturating_add(bytes) > *budget)
    }
    pub fn take(&self, bytes: usize) {
        let live = self.live.get() + bytes;
        self.live.set(live);
        self.peak.set(self.peak.get().max(live));
    }
    pub fn give_back(&self, bytes: usize) {
        self.live.set(self.live.get() - bytes);
    }
}

/// Bytes held by all storages of the host now.
pub fn live_bytes() -> usize {
    METER.with(Meter::live)
}
/// The most bytes ever held at once.
pub fn peak_bytes() -> usize {
    METER.with(Meter::peak)
}
/// Count the peak from now on.
pub fn reset_peak() {
    METER.with(Meter::reset_peak);
}
/// What all storages together may hold, where somebody has set a limit.
pub fn budget() -> Option<usize> {
    METER.with(Meter::budget)
}
/// Refuse allocations that would take the live bytes over this; `None` for no limit but the machine's.
pub fn set_budget(bytes: Option<usize>) {
    METER.with(|meter| meter.set_budget(bytes));
}

/// A browser gives a page 4 GiB of memory and no more; the interpreter must keep some of it, or it ends.
const BROWSER_CEILING: usize = 3 << 30;

fn over_ceiling(bytes: usize) -> bool {
    cfg!(target_family = "wasm") && bytes > BROWSER_CEILING
}

/// Is there memory for so many items of so many bytes? Asked before lists are made whose length a caller chose.
///
/// # Errors
/// [`Error::Allocation`] when there is not.
pub fn room(count: usize, item: usize) -> Result<()> {
    let fail = || Error::Allocation { bytes: count as u128 * item as u128 };
    let bytes = count.checked_mul(item).filter(|bytes| !over_ceiling(*bytes)).ok_or_else(fail)?;
    Vec::<u8>::new().try_reserve_exact(bytes).map_err(|_| fail())
}

/// Memory is taken in words of this size and alignment, which is that of SIMD vectors.
type Word = u128;

/// Memory given back, kept for the next value of its size: a training loop asks for the same sizes again and again.
#[derive(Default)]
struct Spare {
    /// The one given back last stands last.
    kept: Vec<Vec<Word>>,
    words: usize,
}

/// How much spare memory is kept: so many pieces, and so many words.
const SPARE_PIECES: usize = 64;
const SPARE_WORDS: usize = (32 << 20) / size_of::<Word>();
/// Smaller pieces are cheap to ask for.
const SPARE_FROM: usize = 64;

impl Spare {
    /// A piece of at least so many words, and not of many more.
    fn take(&mut self, words: usize) -> Option<Vec<Word>> {
        let fits = |piece: &Vec<Word>| piece.len() >= words && piece.len() - words <= words / 8;
        let at = self.kept.iter().rposition(fits)?;
        let mut piece = self.kept.remove(at);
        self.words -= piece.len();
        piece.truncate(words);
        Some(piece)
    }
    fn put(&mut self, piece: Vec<Word>) {
        if !(SPARE_FROM..=SPARE_WORDS).contains(&piece.len()) {
            return;
        }
        self.words += piece.len();
        self.kept.push(piece);
        let mut old = 0;
        while self.words > SPARE_WORDS || self.kept.len() - old > SPARE_PIECES {
            self.words -= self.kept[old].len();
            old += 1;
        }
        self.kept.drain(..old);
    }
}

/// Host memory, aligned for every element type.
pub struct Bytes {
    words: Vec<Word>,
    len: usize,
}

impl Bytes {
    /// Zeroed memory.
    ///
    /// # Errors
    /// [`Error::Allocation`] when it cannot be had, [`Error::Budget`] when the budget is spent.
    pub fn zeroed(len: usize) -> Result<Self> {
        Self::get(len, true)
    }

    /// Memory with whatever was there before: for kernels that write all of it.
    ///
    /// # Errors
    /// As [`Bytes::zeroed`].
    pub fn any(len: usize) -> Result<Self> {
        Self::get(len, false)
    }

    /// No memory at all.
    pub(crate) fn none() -> Self {
        Bytes { words: vec![], len: 0 }
    }

    fn get(len: usize, clean: bool) -> Result<Self> {
        let fail = || Error::Allocation { bytes: len as u128 };
        let live = live_bytes().checked_add(len).ok_or_else(fail)?;
        if let Some(budget) = METER.with(|meter| meter.refuses(len)) {
            return Err(Error::Budget { bytes: len, budget, live: live_bytes() });
        }
        if over_ceiling(live) {
            return Err(fail());
        }
        let size = len.div_ceil(size_of::<Word>());
        let spare = if size < SPARE_FROM { None } else { SPARE.with_borrow_mut(|spare| spare.take(size)) };
        let words = match spare {
            Some(mut words) => {
                if clean {
                    words.fill(0);
                }
                words
            }
            None => new_words(size).ok_or_else(fail)?,
        };
        METER.with(|meter| meter.take(len));
        Ok(Bytes { words, len })
    }
    pub fn len(&self) -> usize {
        self.len
    }
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    pub fn as_slice<T: Pod>(&self) -> &[T] {
        let n = self.len / size_of::<T>();
        &bytemuck::cast_slice(&self.words)[..n]
    }
    pub fn as_mut_slice<T: Pod>(&mut self) -> &mut [T] {
        let n = self.len / size_of::<T>();
        &mut bytemuck::cast_slice_mut(&mut self.words)[..n]
    }
}

/// Zeroed words from the system; where it has none left, spare memory goes back to it first.
fn new_words(size: usize) -> Option<Vec<Word>> {
    let mut words = Vec::new();
    if words.try_reserve_exact(size).is_err() {
        drop(SPARE.take());
        words.try_reserve_exact(size).ok()?;
    }
    words.resize(size, 0);
    Some(words)
}

impl Drop for Bytes {
    fn drop(&mut self) {
        // The counters are gone when a thread's last tensors outlive its thread-locals.
        let _ = METER.try_with(|meter| meter.give_back(self.len));
        if self.words.len() >= SPARE_FROM {
            let words = std::mem::take(&mut self.words);
            let _ = SPARE.try_with(|spare| spare.borrow_mut().put(words));
        }
    }
}

/// What a storage holds, by device.
pub enum Buffer {
    Cpu(Bytes),
    Gpu(Rc<webgpu::Value>),
}

struct Inner {
    id: u64,
    buffer: RefCell<Buffer>,
}

/// Shared memory of one or more tensors. Cloning shares.
#[derive(Clone)]
pub struct Storage(Rc<Inner>);

impl Storage {
    pub fn new(buffer: Buffer) -> Self {
        let id = NEXT_ID.get();
        NEXT_ID.set(id + 1);
        Storage(Rc::new(Inner { id, buffer: RefCell::new(buffer) }))
    }
    /// No memory at all.
    pub fn empty() -> Self {
        Storage::new(Buffer::Cpu(Bytes::none()))
    }
    /// Equal for tensors that share memory.
    pub fn id(&self) -> u64 {
        self.0.id
    }
    pub fn device(&self) -> Device {
        match *self.0.buffer.borrow() {
            Buffer::Cpu(_) => Device::Cpu,
            Buffer::Gpu(ref value) => value.device(),
        }
    }
    pub fn nbytes(&self) -> usize {
        match &*self.0.buffer.borrow() {
            Buffer::Cpu(bytes) => bytes.len(),
            Buffer::Gpu(value) => value.nbytes(),
        }
    }
    pub fn same(&self, other: &Storage) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
    /// How many tensors (and saved values) hold this memory.
    pub fn holders(&self) -> usize {
        Rc::strong_count(&self.0)
    }
    pub fn buffer(&self) -> Ref<'_, Buffer> {
        self.0.buffer.borrow()
    }
    pub fn buffer_mut(&self) -> RefMut<'_, Buffer> {
        self.0.buffer.borrow_mut()
    }
    /// Put another buffer of the same length in place of this one, for all who share it.
    pub fn replace(&self, other: Storage) {
        if !self.same(&other) {
            self.0.buffer.swap(&other.0.buffer);
        }
    }
    /// The elements, for the CPU backend. Those of a GPU are brought to the host.
    pub fn slice<T: Pod>(&self) -> Ref<'_, [T]> {
        Ref::map(self.0.buffer.borrow(), |b| match b {
            Buffer::Cpu(bytes) => bytes.as_slice(),
            Buffer::Gpu(value) => value.seen(self).as_slice(),
        })
    }
    pub fn slice_mut<T: Pod>(&self) -> RefMut<'_, [T]> {
        RefMut::map(self.0.buffer.borrow_mut(), |b| match b {
            Buffer::Cpu(bytes) => bytes.as_mut_slice(),
            Buffer::Gpu(_) => &mut [],
        })
    }
}
