//! `torch.Generator`.

use super::device::PyDevice;
use super::errors::ToPy;
use super::tensor::{expect, wrap};
use rushlight_engine::Tensor;
use rushlight_engine::random::{DEFAULT_SEED, Generator, default_generator};
use rushlight_engine::registry::GeneratorRef;
use rustpython_vm::builtins::PyType;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::types::Constructor;
use rustpython_vm::{Py, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine, pyclass};
use std::cell::RefCell;
use std::rc::Rc;

#[pyclass(name = "Generator", module = "torch._C")]
#[derive(PyPayload)]
pub(crate) struct PyGenerator {
    inner: Rc<GeneratorRef>,
    device: rushlight_engine::Device,
}

impl std::fmt::Debug for PyGenerator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Generator")
    }
}

impl PyGenerator {
    pub fn inner(&self) -> Rc<GeneratorRef> {
        self.inner.clone()
    }
    /// The one that ops draw from when they are given none.
    pub fn default_one() -> Self {
        PyGenerator { inner: default_generator(), device: rushlight_engine::Device::Cpu }
    }
}

impl Constructor for PyGenerator {
    type Args = FuncArgs;

    fn py_new(_cls: &Py<PyType>, args: FuncArgs, vm: &VirtualMachine) -> PyResult<Self> {
        let device = match args.args.first().cloned().or_else(|| args.get_optional_kwarg("device")) {
            Some(device) => super::args::device_of(&device, vm)?.unwrap_or(rushlight_engine::Device::Cpu),
            None => rushlight_engine::Device::Cpu,
        };
        Ok(PyGenerator { device, inner: Rc::new(RefCell::new(Generator::new(DEFAULT_SEED))) })
    }
}

/// A seed as PyTorch takes it: 64 bits, negative numbers too.
pub(crate) fn seed_of(object: &PyObjectRef, vm: &VirtualMachine) -> PyResult<u64> {
    let int = object.try_index(vm)?;
    let big = int.as_bigint();
    let seed = u64::try_from(big).ok().or_else(|| i64::try_from(big).ok().map(|i| i as u64));
    seed.ok_or_else(|| vm.new_value_error("Overflow when unpacking long long".to_owned()))
}

/// A seed from the system's randomness; below 2**63, so that it is the same number wherever it is stored.
fn drawn() -> Result<u64, getrandom::Error> {
    let mut bytes = [0u8; 8];
    getrandom::fill(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes) >> 1)
}

/// Seeds the default generator from the system's randomness, as PyTorch does when it starts. A host that wants the same
/// numbers in every run, as proofs of lessons do, leaves it as it is.
pub fn seed_by_chance() {
    if let Ok(seed) = drawn() {
        *default_generator().borrow_mut() = Generator::new(seed);
    }
}

#[pyclass(with(Constructor))]
impl PyGenerator {
    #[pymethod]
    fn manual_seed(zelf: PyRef<Self>, seed: PyObjectRef, vm: &VirtualMachine) -> PyResult<PyRef<Self>> {
        *zelf.inner.borrow_mut() = Generator::new(seed_of(&seed, vm)?);
        Ok(zelf)
    }
    /// Seed from the system's randomness.
    #[pymethod]
    fn seed(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<u64> {
        let seed = drawn().map_err(|e| vm.new_runtime_error(format!("no randomness to be had: {e}")))?;
        *zelf.inner.borrow_mut() = Generator::new(seed);
        Ok(seed)
    }
    #[pymethod]
    fn initial_seed(zelf: &Py<Self>) -> u64 {
        zelf.inner.borrow().seed()
    }
    #[pygetset]
    fn device(zelf: &Py<Self>, vm: &VirtualMachine) -> PyObjectRef {
        PyDevice::of(zelf.device).into_pyobject(vm)
    }
    /// The state as a tensor of bytes, laid out as PyTorch's.
    #[pymethod]
    fn get_state(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult {
        let bytes = zelf.inner.borrow().state_bytes();
        wrap(&Tensor::from_slice(&bytes, &[bytes.len()]).py(vm)?, vm)
    }
    #[pymethod]
    fn set_state(zelf: PyRef<Self>, state: PyObjectRef, vm: &VirtualMachine) -> PyResult<PyRef<Self>> {
        let class = super::mismatch::type_name(&state);
        let t = expect(&state, "state", vm)
            .map_err(|_| vm.new_type_error(format!("expected a torch.ByteTensor, but got {class}")))?;
        if t.dtype() != rushlight_engine::DType::U8 {
            return Err(vm.new_type_error("RNG state must be a torch.ByteTensor".to_owned()));
        }
        let bytes = t.to_vec::<u8>().py(vm)?;
        let Some(made) = Generator::from_state_bytes(&bytes) else {
            return Err(vm.new_runtime_error("RNG state is wrong size".to_owned()));
        };
        *zelf.inner.borrow_mut() = made;
        Ok(zelf)
    }
    #[pymethod]
    fn clone_state(zelf: &Py<Self>) -> Self {
        PyGenerator { inner: Rc::new(RefCell::new(zelf.inner.borrow().clone())), device: zelf.device }
    }
}
