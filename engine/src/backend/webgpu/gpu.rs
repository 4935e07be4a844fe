//! The GPU itself: adapter, device, queue, what they can do, and what became of them. There is one at a time; after a
//! loss the next use asks for a new one.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::mem::ManuallyDrop;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use super::batch::Batch;
use super::pool::Pool;
use super::shader::Pipeline;
use super::wait::{self, wait};
use crate::error::{Class, Error, Result};

/// What is known of the device in use.
#[derive(Debug, Clone)]
pub struct Facts {
    /// As the driver calls itself; browsers say little.
    pub name: String,
    /// `vulkan`, `metal`, `dx12` or `webgpu`.
    pub api: String,
    /// A processor pretends to be the GPU.
    pub software: bool,
    /// The largest single buffer, in bytes.
    pub max_buffer: u64,
}

pub(super) struct Gpu {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub limits: wgpu::Limits,
    pub facts: Facts,
    /// Invocations in a subgroup, where kernels may speak of them and their number is the same for every kernel.
    pub lanes: Option<usize>,
    /// Shaders may compute with `f16`.
    pub half: bool,
    pub pool: RefCell<Pool>,
    pub batch: RefCell<Batch>,
    pub faults: super::faults::Faults,
    pub pipelines: RefCell<HashMap<String, Rc<Pipeline>>>,
    /// What the driver said when the device went away.
    lost: Arc<Mutex<Option<String>>>,
    /// Errors that belong to no call.
    stray: Arc<Mutex<Vec<String>>>,
}

#[derive(Clone)]
enum Slot {
    Untried,
    Absent(String),
    Here(Rc<Gpu>),
}

thread_local! {
    // A thread that ends leaves its device to the process: drivers are not fond of being closed that late.
    static SLOT: ManuallyDrop<RefCell<Slot>> = const { ManuallyDrop::new(RefCell::new(Slot::Untried)) };
    // So that a program prints the same on every machine, unless its host says otherwise.
    static ALLOWED: Cell<bool> = const { Cell::new(false) };
    /// Why somebody who looked for a GPU found none.
    static REFUSED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Whether programs may have the GPU (at first not); without, they are told that there is none.
pub fn allow(allowed: bool) {
    ALLOWED.set(allowed);
}

/// Why somebody who looked for a GPU since the last call found none; `None` when nobody looked, or it is there.
pub fn refusal() -> Option<String> {
    REFUSED.take()
}

/// Why there is no GPU; `None` when there is one. Asks for it the first time.
pub fn absence() -> Option<String> {
    match find() {
        Slot::Absent(why) => Some(why),
        _ => None,
    }
}

/// What is known of the device; `None` without one.
pub fn facts() -> Option<Facts> {
    match find() {
        Slot::Here(gpu) => Some(gpu.facts.clone()),
        _ => None,
    }
}

/// The same, without asking for a device that nobody wanted yet.
pub fn facts_if_used() -> Option<Facts> {
    here().map(|gpu| gpu.facts.clone())
}

/// The device, if it is in use already.
pub(super) fn here() -> Option<Rc<Gpu>> {
    match SLOT.with(|slot| slot.borrow().clone()) {
        Slot::Here(gpu) => Some(gpu),
        _ => None,
    }
}

/// Take the device away, as a driver's reset does.
pub fn destroy() {
    if let Slot::Here(gpu) = SLOT.with(|slot| slot.borrow().clone()) {
        gpu.device.destroy();
        gpu.note_loss("the device was destroyed");
    }
}

fn find() -> Slot {
    let slot = look();
    if let Slot::Absent(why) = &slot {
        REFUSED.set(Some(why.clone()));
    }
    slot
}

fn look() -> Slot {
    if !ALLOWED.get() {
        return Slot::Absent("the GPU is switched off".to_owned());
    }
    let slot = SLOT.with(|slot| slot.borrow().clone());
    let stale = match &slot {
        Slot::Here(gpu) => gpu.is_lost(),
        Slot::Untried => true,
        Slot::Absent(_) => false,
    };
    if !stale {
        return slot;
    }
    let slot = match open() {
        Ok(gpu) => Slot::Here(Rc::new(gpu)),
        Err(why) => Slot::Absent(why),
    };
    // The old device's last tensors may be dropped here: not while the slot is borrowed.
    let old = SLOT.with(|s| s.replace(slot.clone()));
    drop(old);
    slot
}

/// The device for new values.
///
/// # Errors
/// There is none.
pub(super) fn gpu() -> Result<Rc<Gpu>> {
    match find() {
        Slot::Here(gpu) => Ok(gpu),
        Slot::Absent(why) => Err(Error::runtime(format!("there is no GPU to compute on: {why}"))),
        Slot::Untried => Err(Error::runtime("there is no GPU to compute on")),
    }
}

fn open() -> std::result::Result<Gpu, String> {
    if !wait::can_wait() {
        return Err("this browser cannot wait for a GPU while a program runs (it has no JSPI)".to_owned());
    }
    let mut description = wgpu::InstanceDescriptor::new_without_display_handle();
    description.flags = wgpu::InstanceFlags::empty();
    let instance = wgpu::Instance::new(description);
    let options =
        wgpu::RequestAdapterOptions { power_preference: wgpu::PowerPreference::HighPerformance, ..Default::default() };
    let cannot_wait = || "the answer never came".to_owned();
    let adapter = wait(instance.request_adapter(&options), || {})
        .ok_or_else(cannot_wait)?
        .map_err(|_| absent_text().to_owned())?;
    let info = adapter.get_info();
    // As much as there is: a tensor is one buffer, and a step of an optimiser reads many.
    let limits = adapter.limits();
    let features =
        adapter.features() & (wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::SUBGROUP | wgpu::Features::SHADER_F16);
    let half = features.contains(wgpu::Features::SHADER_F16);
    // In a browser whoever starts the runtime asks for them (`static/worker.js`); it gives two sizes where there are none.
    let subgroups = features.contains(wgpu::Features::SUBGROUP) || cfg!(target_family = "wasm");
    let one_size = info.subgroup_min_size == info.subgroup_max_size && info.subgroup_min_size > 0;
    let lanes = (subgroups && one_size).then_some(info.subgroup_min_size as usize);
    let request = adapter.request_device(&wgpu::DeviceDescriptor {
        required_features: features,
        required_limits: limits.clone(),
        ..Default::default()
    });
    let (device, queue) = wait(request, || {}).ok_or_else(cannot_wait)?.map_err(|e| format!("the GPU refused: {e}"))?;
    let software = info.device_type == wgpu::DeviceType::Cpu
        || ["swiftshader", "llvmpipe"].iter().any(|name| {
            [&info.name, &info.driver, &info.driver_info].iter().any(|text| text.to_lowercase().contains(name))
        });
    // So that the kernels for real ones are tested without one.
    let software = software && std::env::var_os("RUSHLIGHT_REAL_GPU").is_none();
    let facts = Facts {
        name: if info.name.is_empty() { "GPU".to_owned() } else { info.name.clone() },
        api: if cfg!(target_family = "wasm") { "webgpu".to_owned() } else { info.backend.to_str().to_owned() },
        software,
        max_buffer: limits.max_buffer_size.min(limits.max_storage_buffer_binding_size),
    };
    let lost = Arc::new(Mutex::new(None));
    let noted = lost.clone();
    device.set_device_lost_callback(move |_, message| {
        if let Ok(mut lost) = noted.lock() {
            lost.get_or_insert(message);
        }
    });
    let stray = Arc::new(Mutex::new(Vec::new()));
    let heard = stray.clone();
    device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
        if let Ok(mut heard) = heard.lock() {
            heard.push(error.to_string());
        }
    }));
    Ok(Gpu {
        pool: RefCell::new(Pool::default()),
        batch: RefCell::new(Batch::new(&device, &queue)),
        faults: Default::default(),
        pipelines: RefCell::default(),
        device,
        queue,
        limits,
        facts,
        lanes,
        half,
        lost,
        stray,
    })
}

fn absent_text() -> &'static str {
    if cfg!(target_family = "wasm") {
        "this browser has no WebGPU here"
    } else {
        "no Vulkan, Metal or Direct3D 12 driver was found"
    }
}

impl Gpu {
    pub fn is_lost(&self) -> bool {
        self.lost.lock().is_ok_and(|lost| lost.is_some())
    }

    fn note_loss(&self, why: &str) {
        if let Ok(mut lost) = self.lost.lock() {
            lost.get_or_insert(why.to_owned());
        }
    }

    /// An error where the device is gone, or said that something went wrong.
    pub fn check(&self) -> Result<()> {
        if let Ok(lost) = self.lost.lock()
            && let Some(why) = &*lost
        {
            return Err(lost_error(why));
        }
        let said = self.stray.lock().map(|mut stray| std::mem::take(&mut *stray)).unwrap_or_default();
        match said.into_iter().next() {
            None => Ok(()),
            Some(text) if text.to_lowercase().contains("out of memory") || text.contains("not enough memory") => {
                Err(Error::Text(Class::OutOfMemory, format!("WebGPU out of memory. The device said: {text}")))
            }
            Some(text) => Err(Error::runtime(format!("WebGPU error: {text}"))),
        }
    }
}

/// The device of a value is gone.
pub(super) fn lost_error(why: &str) -> Error {
    let why = if why.is_empty() { String::new() } else { format!(" ({})", why.trim_end_matches('.')) };
    Error::runtime(format!(
        "the GPU device was lost{why}. Tensors that lived on it are gone; run the cell again to make them anew on a new \
         device."
    ))
}
