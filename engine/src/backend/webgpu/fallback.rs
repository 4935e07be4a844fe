//! Ops without a kernel: computed on the host, brought back, and counted by the name of the op that a program called.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::backend::{Backend, backend};
use crate::device::{self, Device};
use crate::error::Result;
use crate::storage::{Buffer, Storage};
use crate::tensor::Raw;

use super::gpu::gpu;
use super::lazy::{Value, force, gpu_value, value_of};

thread_local! {
    static COUNTED: RefCell<BTreeMap<String, u64>> = const { RefCell::new(BTreeMap::new()) };
}

/// How often which op was computed on the host although its tensors were on the GPU.
pub fn fallbacks() -> Vec<(String, u64)> {
    COUNTED.with_borrow(|counted| counted.iter().map(|(name, n)| (name.clone(), *n)).collect())
}

/// Count from none again.
pub fn forget_fallbacks() {
    COUNTED.with_borrow_mut(BTreeMap::clear);
}

/// Count one, under the name of the op that runs, or under `kernel` outside of any.
pub fn note(kernel: &str) {
    let name = device::running_op().map_or_else(|| kernel.to_owned(), str::to_owned);
    COUNTED.with_borrow_mut(|counted| *counted.entry(name).or_default() += 1);
}

/// The same elements in host memory, under the same layout: to be looked at, since the memory may be another's.
pub(crate) fn to_host(x: &Raw) -> Result<Raw> {
    if x.device() == Device::Cpu {
        return Ok(x.clone());
    }
    match value_of(&x.storage).and_then(|v| v.on_host()) {
        Some(storage) => Ok(Raw { storage, layout: x.layout.clone(), dtype: x.dtype }),
        None => brought(x),
    }
}

/// The elements of a GPU in host memory of their own, under the same layout.
pub(crate) fn brought(x: &Raw) -> Result<Raw> {
    let storage = backend(Device::Cpu).upload(&super::read(&x.storage)?)?;
    Ok(Raw { storage, layout: x.layout.clone(), dtype: x.dtype })
}

/// The same elements on a device, under the same layout.
pub(crate) fn place(device: Device, x: &Raw) -> Result<Raw> {
    if super::types::ty(x.dtype).is_none() {
        // A copy: what is written to the one is not to be seen in the other.
        let copy = backend(Device::Cpu).upload(&backend(Device::Cpu).read(&x.storage)?)?;
        let value = Value::of_host(&gpu()?, device, x.dtype, copy)?;
        return Ok(Raw { storage: Storage::new(Buffer::Gpu(value)), layout: x.layout.clone(), dtype: x.dtype });
    }
    let bytes = backend(Device::Cpu).read(&x.storage)?;
    let storage = super::WebGpu { device }.upload(&bytes)?;
    Ok(Raw { storage, layout: x.layout.clone(), dtype: x.dtype })
}

/// The same elements of the GPU under another name of it.
pub(crate) fn renamed(device: Device, x: &Raw) -> Result<Raw> {
    if super::types::ty(x.dtype).is_none() {
        return place(device, &to_host(x)?);
    }
    let gpu = gpu()?;
    let value = gpu_value(&x.storage)?;
    let memory = force(&gpu, &value)?;
    let value = Value::ready(&gpu, device, value.dtype, value.numel, memory)?;
    Ok(Raw { storage: Storage::new(Buffer::Gpu(value)), layout: x.layout.clone(), dtype: x.dtype })
}

/// Run a CPU kernel over these values.
pub(super) fn host(
    device: Device,
    kernel: &str,
    xs: &[&Raw],
    f: impl FnOnce(&dyn Backend, &[Raw]) -> Result<Raw>,
) -> Result<Raw> {
    let [out] = host_many(device, kernel, xs, |b, xs| Ok([f(b, xs)?]))?;
    Ok(out)
}

/// [`host`] for several results.
pub(super) fn host_many<const N: usize>(
    device: Device,
    kernel: &str,
    xs: &[&Raw],
    f: impl FnOnce(&dyn Backend, &[Raw]) -> Result<[Raw; N]>,
) -> Result<[Raw; N]> {
    note(kernel);
    let here = xs.iter().map(|x| to_host(x)).collect::<Result<Vec<_>>>()?;
    let mut outs = device::within(Device::Cpu, || f(backend(Device::Cpu), &here))?;
    for out in &mut outs {
        *out = place(device, out)?;
    }
    Ok(outs)
}
