//! `Tensor`: a layout over a storage, plus what autograd knows of it. Cloning shares everything (it is one Python
//! object); views and detached tensors share the storage only.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use crate::autograd::{Meta, Node, grad_mode};
use crate::backend::{backend, webgpu};
use crate::device::{self, Device};
use crate::dtype::{B8, DType, Element, Scalar};
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::storage::Storage;
use crate::with_dtype;

/// Elements without history: what backend kernels take and give. Turning one into a [`Tensor`] goes through
/// `autograd::differentiable` or `autograd::non_differentiable`, so an op cannot forget its gradient.
#[derive(Clone)]
pub struct Raw {
    pub storage: Storage,
    pub layout: Layout,
    pub dtype: DType,
}

impl Raw {
    /// A contiguous value that fills its storage.
    pub fn whole(storage: Storage, shape: &[usize], dtype: DType) -> Self {
        Raw { storage, layout: Layout::contiguous(shape), dtype }
    }
    pub fn with_layout(&self, layout: Layout) -> Self {
        Raw { storage: self.storage.clone(), layout, dtype: self.dtype }
    }
    pub fn shape(&self) -> &[usize] {
        &self.layout.shape
    }
    pub fn numel(&self) -> usize {
        self.layout.numel()
    }
    pub fn device(&self) -> Device {
        self.storage.device()
    }
    pub fn broadcast_to(&self, shape: &[usize]) -> Result<Raw> {
        Ok(self.with_layout(self.layout.broadcast_to(shape)?))
    }
}

pub(crate) struct Inner {
    id: u64,
    pub(crate) raw: RefCell<Raw>,
    /// Shared by all views and detached tensors of one storage; `.data` gets its own.
    version: RefCell<Rc<Cell<u64>>>,
    /// A Python number that became a 0-d tensor: it does not take part in promotion with tensors of its category.
    wrapped_number: Cell<bool>,
    inference: Cell<bool>,
    pub(crate) meta: RefCell<Meta>,
    /// What the bindings keep here: the Python object of this tensor, weakly.
    foreign: RefCell<Option<Rc<dyn Any>>>,
}

/// A tensor. Cheap to clone; a clone is the same tensor.
#[derive(Clone)]
pub struct Tensor(pub(crate) Rc<Inner>);

/// A tensor that does not keep itself alive.
#[derive(Clone)]
pub struct WeakTensor(Weak<Inner>);

impl WeakTensor {
    pub fn upgrade(&self) -> Option<Tensor> {
        self.0.upgrade().map(Tensor)
    }
}

thread_local! {
    static NEXT_ID: Cell<u64> = const { Cell::new(1) };
}

/// Elements in host memory. An op that looks at elements of the GPU computes on the host, and that is counted.
fn looked_at(raw: Raw) -> Result<Raw> {
    if raw.device() == Device::Cpu {
        return Ok(raw);
    }
    // One element is an answer that somebody waits for, and no computing on the host.
    if let Some(op) = device::running_op().filter(|_| raw.numel() > 1) {
        webgpu::note(op);
    }
    // No more is brought here than is to be seen.
    let seen = raw.numel() * raw.dtype.size();
    let raw = if raw.storage.nbytes() > seen { backend(raw.device()).copy(&raw, raw.dtype)? } else { raw };
    crate::placement::to_host(&raw)
}

impl Tensor {
    /// A tensor without history. Outside `autograd/` and creation ops, use `differentiable` or `non_differentiable`.
    pub(crate) fn from_raw(raw: Raw) -> Self {
        Self::with_version(raw, Rc::new(Cell::new(0)))
    }

    pub(crate) fn with_version(raw: Raw, version: Rc<Cell<u64>>) -> Self {
        let id = NEXT_ID.get();
        NEXT_ID.set(id + 1);
        Tensor(Rc::new(Inner {
            id,
            raw: RefCell::new(raw),
            version: RefCell::new(version),
            wrapped_number: Cell::new(false),
            inference: Cell::new(grad_mode::is_inference()),
            meta: RefCell::new(Meta::default()),
            foreign: RefCell::new(None),
        }))
    }

    /// Elements from host memory, row by row.
    ///
    /// # Errors
    /// The shape's number of elements is not the slice's; no memory.
    pub fn from_slice<T: Element>(data: &[T], shape: &[usize]) -> Result<Self> {
        if crate::layout::numel(shape) != data.len() {
            let shape = shape.iter().map(|&s| s as i64).collect();
            return Err(Error::Reshape { shape, numel: data.len() });
        }
        let storage = backend(device::current()).upload(bytemuck::cast_slice(data))?;
        Ok(Self::from_raw(Raw::whole(storage, shape, T::DTYPE)))
    }

    /// A tensor filled with one value.
    pub fn full(shape: &[usize], value: Scalar, dtype: DType) -> Result<Self> {
        Ok(Self::from_raw(backend(device::current()).full(shape, value, dtype)?))
    }
    pub fn zeros(shape: &[usize], dtype: DType) -> Result<Self> {
        Self::full(shape, Scalar::Int(0), dtype)
    }
    pub fn zeros_like(&self) -> Result<Self> {
        device::within(self.device(), || Self::zeros(&self.shape(), self.dtype()))
    }

    /// A Python number as an operand: 0-d, and weak in type promotion.
    pub fn from_number(value: Scalar) -> Result<Self> {
        // A Python float has 64 bits until it meets a tensor.
        let dtype = match value {
            Scalar::Float(_) => DType::F64,
            Scalar::Complex(..) => DType::C128,
            other => other.dtype(),
        };
        let t = Self::from_raw(backend(Device::Cpu).full(&[], value, dtype)?);
        t.0.wrapped_number.set(true);
        Ok(t)
    }
    pub fn is_wrapped_number(&self) -> bool {
        self.0.wrapped_number.get()
    }

    /// What [`Tensor::set_foreign`] put here.
    pub fn foreign(&self) -> Option<Rc<dyn Any>> {
        self.0.foreign.borrow().clone()
    }
    /// Keep something of the bindings with this tensor.
    pub fn set_foreign(&self, foreign: Rc<dyn Any>) {
        let old = self.0.foreign.borrow_mut().replace(foreign);
        drop(old);
    }

    pub fn id(&self) -> u64 {
        self.0.id
    }
    /// The same Python object?
    pub fn same(&self, other: &Tensor) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
    pub fn downgrade(&self) -> WeakTensor {
        WeakTensor(Rc::downgrade(&self.0))
    }

    /// The elements without history (shares the storage).
    pub fn raw(&self) -> Raw {
        self.0.raw.borrow().clone()
    }
    /// Let this tensor be other elements from now on (`x.data = y`, `resize_`, `t_()`).
    pub fn set_raw(&self, raw: Raw) {
        *self.0.raw.borrow_mut() = raw;
    }
    pub fn layout(&self) -> Layout {
        self.0.raw.borrow().layout.clone()
    }
    pub fn storage(&self) -> Storage {
        self.0.raw.borrow().storage.clone()
    }
    pub fn shape(&self) -> Vec<usize> {
        self.0.raw.borrow().layout.shape.clone()
    }
    pub fn strides(&self) -> Vec<usize> {
        self.0.raw.borrow().layout.strides.clone()
    }
    pub fn offset(&self) -> usize {
        self.0.raw.borrow().layout.offset
    }
    pub fn ndim(&self) -> usize {
        self.0.raw.borrow().layout.ndim()
    }
    pub fn numel(&self) -> usize {
        self.0.raw.borrow().layout.numel()
    }
    /// Size of one dimension; the caller has wrapped the index.
    pub fn size(&self, dim: usize) -> usize {
        self.0.raw.borrow().layout.shape.get(dim).copied().unwrap_or(1)
    }
    pub fn dtype(&self) -> DType {
        self.0.raw.borrow().dtype
    }
    pub fn device(&self) -> Device {
        self.0.raw.borrow().device()
    }
    pub fn is_contiguous(&self) -> bool {
        self.0.raw.borrow().layout.is_contiguous()
    }
    pub fn is_inference(&self) -> bool {
        self.0.inference.get()
    }
    /// A number that is equal for equal places in memory, as `Tensor.data_ptr()` shows.
    pub fn data_ptr(&self) -> u64 {
        if self.numel() == 0 {
            return 0;
        }
        0x5500_0000_0000 + (self.storage().id() << 24) + (self.offset() * self.dtype().size()) as u64
    }

    /// How often the elements were written in place.
    pub fn version(&self) -> u64 {
        self.0.version.borrow().get()
    }
    pub(crate) fn version_counter(&self) -> Rc<Cell<u64>> {
        self.0.version.borrow().clone()
    }
    pub fn bump_version(&self) {
        let v = self.0.version.borrow();
        v.set(v.get() + 1);
    }

    /// Elements row by row, converted to `T` as a cast would.
    ///
    /// # Errors
    /// Complex elements as anything but bool: what computes on the host is written for real numbers.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        let raw = self.raw();
        if raw.dtype.is_complex() && T::DTYPE != DType::Bool {
            return Err(Error::no_kernel("this op", raw.dtype));
        }
        let b = backend(Device::Cpu);
        let raw = b.copy(&looked_at(raw)?, T::DTYPE)?;
        let bytes = b.read(&raw.storage)?;
        Ok(bytemuck::allocation::pod_collect_to_vec(&bytes))
    }

    /// Complex elements (or others as such) row by row: real and imaginary parts.
    pub fn to_pairs(&self) -> Result<Vec<(f64, f64)>> {
        let raw = self.raw();
        let b = backend(Device::Cpu);
        let bytes = b.read(&b.copy(&looked_at(raw)?, DType::C128)?.storage)?;
        let flat: Vec<f64> = bytemuck::allocation::pod_collect_to_vec(&bytes);
        Ok(flat.as_chunks::<2>().0.iter().map(|p| (p[0], p[1])).collect())
    }

    /// Complex elements from host memory, row by row.
    pub fn from_pairs(pairs: &[(f64, f64)], shape: &[usize], dtype: DType) -> Result<Self> {
        let flat: Vec<f64> = pairs.iter().flat_map(|&(re, im)| [re, im]).collect();
        let b = backend(device::current());
        let raw = Raw::whole(b.upload(bytemuck::cast_slice(&flat))?, shape, DType::C128);
        Ok(Self::from_raw(if dtype == DType::C128 { raw } else { b.copy(&raw, dtype)? }))
    }

    /// Elements row by row as Python's numbers.
    pub fn scalars(&self) -> Result<Vec<Scalar>> {
        with_dtype!(self.dtype(), T => Ok(self.to_vec::<T>()?.into_iter().map(Element::to_scalar).collect());
            else Ok(self.to_pairs()?.into_iter().map(|(re, im)| Scalar::Complex(re, im)).collect()))
    }

    /// The one element (`Tensor.item()`).
    pub fn item(&self) -> Result<Scalar> {
        let n = self.numel();
        if n != 1 {
            return Err(Error::runtime(format!("a Tensor with {n} elements cannot be converted to Scalar")));
        }
        Ok(self.scalars()?.first().copied().unwrap_or(Scalar::Int(0)))
    }

    /// `bool(tensor)`.
    pub fn is_true(&self) -> Result<bool> {
        match self.numel() {
            1 => Ok(self.to_vec::<B8>()?.first().is_some_and(|b| b.0 != 0)),
            0 => Err(Error::runtime("Boolean value of Tensor with no values is ambiguous")),
            _ => Err(Error::runtime("Boolean value of Tensor with more than one value is ambiguous")),
        }
    }

    /// The node that computed this tensor, for a view of something since written to: recomputed. See `autograd::view`.
    pub fn grad_fn(&self) -> Option<Rc<Node>> {
        crate::autograd::current_grad_fn(self).map(|e| e.node)
    }
}

impl std::fmt::Debug for Tensor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tensor{:?} {}", self.shape(), self.dtype().name())?;
        match self.to_vec::<f64>() {
            Ok(v) => write!(f, " {:?}", &v[..v.len().min(64)]),
            Err(e) => write!(f, " ({e})"),
        }
    }
}
