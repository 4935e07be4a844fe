//! `torch.device`. Every device PyTorch knows has a name here; tensors live on the CPU, or on the GPU as `webgpu` or, for
//! programs that ask for it so, `cuda`.

use rushlight_engine::backend::webgpu;
use rushlight_engine::{Device, device};
use rustpython_vm::builtins::{PyInt, PyStr, PyTypeRef};
use rustpython_vm::function::{FuncArgs, PyComparisonValue};
use rustpython_vm::types::{Comparable, Constructor, Hashable, PyComparisonOp, Representable};
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine, pyclass};

/// PyTorch's device types, in the order its error lists them.
const TYPES: &[&str] = &[
    "cpu",
    "cuda",
    "ipu",
    "xpu",
    "mkldnn",
    "opengl",
    "opencl",
    "ideep",
    "hip",
    "ve",
    "fpga",
    "maia",
    "xla",
    "lazy",
    "vulkan",
    "mps",
    "meta",
    "hpu",
    "mtia",
    "privateuseone",
];

#[pyclass(name = "device", module = "torch")]
#[derive(Debug, PyPayload, Clone)]
pub(crate) struct PyDevice {
    kind: String,
    index: Option<i64>,
}

impl PyDevice {
    pub fn new(kind: &str, index: Option<i64>) -> Self {
        PyDevice { kind: kind.to_owned(), index }
    }

    pub fn of(device: Device) -> Self {
        match device {
            Device::Cpu => Self::new("cpu", None),
            Device::WebGpu => Self::new("webgpu", Some(0)),
            Device::Cuda => Self::new("cuda", Some(0)),
        }
    }

    pub fn parse(text: &str, vm: &VirtualMachine) -> PyResult<Self> {
        if text.is_empty() {
            return Err(vm.new_runtime_error("Device string must not be empty".to_owned()));
        }
        let (kind, index) = match text.split_once(':') {
            Some((kind, index)) => (kind, Some(index)),
            None => (text, None),
        };
        let invalid = || vm.new_runtime_error(format!("Invalid device string: '{text}'"));
        if kind.is_empty() || !kind.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Err(invalid());
        }
        if !TYPES.contains(&kind) && kind != "webgpu" {
            return Err(vm.new_runtime_error(format!(
                "Expected one of {} device type at start of device string: {kind}",
                TYPES.join(", ")
            )));
        }
        let index = match index {
            Some(digits) if !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit()) => {
                Some(digits.parse::<u8>().map_err(|_| invalid())?.into())
            }
            Some(_) => return Err(invalid()),
            None => None,
        };
        Ok(Self::new(kind, index))
    }

    /// The engine's device, or the error of a machine that doesn't have it.
    pub fn usable(&self, vm: &VirtualMachine) -> PyResult<Device> {
        match self.kind.as_str() {
            "cpu" => Ok(Device::Cpu),
            "cuda" | "webgpu" => self.gpu(vm),
            kind => Err(vm.new_not_implemented_error(format!("the device '{kind}' is not available here"))),
        }
    }
}

impl PyDevice {
    fn gpu(&self, vm: &VirtualMachine) -> PyResult<Device> {
        let cuda = self.kind == "cuda";
        if let Some(why) = webgpu::absence() {
            return Err(vm.new_runtime_error(if cuda {
                "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver \
                 from http://www.nvidia.com/Download/index.aspx"
                    .to_owned()
            } else {
                format!("The device 'webgpu' is not available: {why}.")
            }));
        }
        if self.index.is_some_and(|i| i > 0) {
            let last = "GPU device may be out of range, do you have enough GPUs?";
            let text = "CUDA error: invalid device ordinal";
            return Err(vm.new_runtime_error(format!("{text}\n{last}")));
        }
        if !cuda {
            return Ok(Device::WebGpu);
        }
        say_once(vm)?;
        Ok(Device::Cuda)
    }
}

/// That "cuda" is not CUDA here.
fn say_once(vm: &VirtualMachine) -> PyResult<()> {
    thread_local! {
        static SAID: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
    }
    if SAID.replace(true) {
        return Ok(());
    }
    let name = webgpu::facts().map_or_else(String::new, |facts| format!(" ({})", facts.name));
    let stderr = vm.import("sys", 0)?.get_attr("stderr", vm)?;
    let text = format!("Note: there is no CUDA here. \"cuda\" is this machine's GPU, through WebGPU{name}.\n");
    vm.call_method(&stderr, "write", (text,)).map(drop)
}

thread_local! {
    /// What `with torch.device(...)` blocks have put aside.
    static OUTER: std::cell::RefCell<Vec<Device>> = const { std::cell::RefCell::new(Vec::new()) };
}

impl Constructor for PyDevice {
    type Args = FuncArgs;

    fn py_new(_cls: &Py<rustpython_vm::builtins::PyType>, args: FuncArgs, vm: &VirtualMachine) -> PyResult<Self> {
        let kind = args
            .args
            .first()
            .cloned()
            .or_else(|| args.get_optional_kwarg("type").or_else(|| args.get_optional_kwarg("device")));
        let index = args.args.get(1).cloned().or_else(|| args.get_optional_kwarg("index"));
        let Some(kind) = kind else {
            return Err(vm.new_type_error("Device() missing 1 required positional arguments: \"device\"".to_owned()));
        };
        let index = match index {
            None => None,
            Some(i) if vm.is_none(&i) => None,
            Some(i) => Some(i.try_into_value::<i64>(vm)?),
        };
        if let Some(device) = kind.downcast_ref::<PyDevice>() {
            return Ok((**device).clone());
        }
        if let Some(n) = kind.downcast_ref::<PyInt>() {
            let n = super::args::int_value(n, vm)?;
            if n < 0 {
                return Err(vm.new_runtime_error(format!("Device index must not be negative: {n}")));
            }
            return Ok(Self::new("cuda", Some(n)));
        }
        let Some(text) = kind.downcast_ref::<PyStr>() else {
            return Err(vm.new_type_error(format!(
                "device(): argument 'type' (position 1) must be str, not {}",
                kind.class().name()
            )));
        };
        let mut device = Self::parse(&text.to_string_lossy(), vm)?;
        if index.is_some() {
            if device.index.is_some() {
                let text = text.to_string_lossy();
                return Err(vm.new_runtime_error(format!(
                    "type (string) must not include an index because index was passed explicitly: {text}"
                )));
            }
            device.index = index;
        }
        Ok(device)
    }
}

#[pyclass(with(Constructor, Comparable, Hashable, Representable))]
impl PyDevice {
    #[pygetset(name = "type")]
    fn kind(zelf: &Py<Self>) -> String {
        zelf.kind.clone()
    }
    #[pygetset]
    fn index(zelf: &Py<Self>) -> Option<i64> {
        zelf.index
    }
    /// `with torch.device("cuda"):` new tensors are made there.
    #[pymethod]
    fn __enter__(zelf: PyRef<Self>, vm: &VirtualMachine) -> PyResult<PyRef<Self>> {
        let to = zelf.usable(vm)?;
        OUTER.with_borrow_mut(|outer| outer.push(device::current()));
        device::set_current(to);
        Ok(zelf)
    }
    #[pymethod]
    fn __exit__(_zelf: &Py<Self>, _args: FuncArgs) {
        if let Some(before) = OUTER.with_borrow_mut(Vec::pop) {
            device::set_current(before);
        }
    }
    #[pymethod]
    fn __str__(zelf: &Py<Self>) -> String {
        match zelf.index {
            Some(i) => format!("{}:{i}", zelf.kind),
            None => zelf.kind.clone(),
        }
    }
    #[pymethod]
    fn __reduce__(zelf: &Py<Self>, vm: &VirtualMachine) -> (PyTypeRef, PyObjectRef) {
        let args = match zelf.index {
            Some(i) => vm.ctx.new_tuple(vec![vm.ctx.new_str(zelf.kind.clone()).into(), vm.ctx.new_int(i).into()]),
            None => vm.ctx.new_tuple(vec![vm.ctx.new_str(zelf.kind.clone()).into()]),
        };
        (zelf.as_object().class().to_owned(), args.into())
    }
}

impl Comparable for PyDevice {
    fn cmp(zelf: &Py<Self>, other: &PyObject, op: PyComparisonOp, _vm: &VirtualMachine) -> PyResult<PyComparisonValue> {
        op.eq_only(|| {
            let Some(other) = other.downcast_ref::<PyDevice>() else { return Ok(PyComparisonValue::NotImplemented) };
            Ok(PyComparisonValue::Implemented(zelf.kind == other.kind && zelf.index == other.index))
        })
    }
}

impl Hashable for PyDevice {
    fn hash(zelf: &Py<Self>, _vm: &VirtualMachine) -> PyResult<rustpython_vm::common::hash::PyHash> {
        let kind = TYPES.iter().position(|t| *t == zelf.kind).unwrap_or(TYPES.len()) as i64;
        Ok(kind * 65_536 + zelf.index.unwrap_or(-1) + 1)
    }
}

impl Representable for PyDevice {
    fn repr_str(zelf: &Py<Self>, _vm: &VirtualMachine) -> PyResult<String> {
        Ok(match zelf.index {
            Some(i) => format!("device(type='{}', index={i})", zelf.kind),
            None => format!("device(type='{}')", zelf.kind),
        })
    }
}
