//! `UntypedStorage`, and tensors as bytes for saving and loading.

use super::device::PyDevice;
use super::errors::ToPy;
use rushlight_engine::dtype::Element;
use rushlight_engine::{DType, Tensor, ops};
use rustpython_vm::protocol::PyMappingMethods;
use rustpython_vm::types::{AsMapping, Representable};
use rustpython_vm::{AsObject, Py, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};
use std::sync::LazyLock;

/// The memory of a tensor, as bytes.
#[pyclass(name = "UntypedStorage", module = "torch.storage")]
#[derive(PyPayload)]
pub(crate) struct PyStorage {
    tensor: Tensor,
}

impl std::fmt::Debug for PyStorage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "storage {}", self.tensor.storage().id())
    }
}

/// The storage of a tensor.
pub(crate) fn of(t: &Tensor) -> PyStorage {
    PyStorage { tensor: t.detach() }
}

/// All bytes of a tensor's storage.
pub(crate) fn bytes(t: &Tensor, vm: &VirtualMachine) -> PyResult<Vec<u8>> {
    rushlight_engine::backend::backend(t.device()).read(&t.storage()).py(vm)
}

#[pyclass(with(AsMapping, Representable))]
impl PyStorage {
    #[pymethod]
    fn nbytes(zelf: &Py<Self>) -> usize {
        zelf.tensor.storage().nbytes()
    }
    #[pymethod]
    fn size(zelf: &Py<Self>) -> usize {
        Self::nbytes(zelf)
    }
    #[pymethod]
    fn data_ptr(zelf: &Py<Self>) -> u64 {
        // The address of its first byte.
        let whole = zelf.tensor.data_ptr();
        whole.saturating_sub((zelf.tensor.offset() * zelf.tensor.dtype().size()) as u64)
    }
    #[pymethod]
    fn element_size(_zelf: &Py<Self>) -> usize {
        1
    }
    #[pygetset]
    fn device(zelf: &Py<Self>, vm: &VirtualMachine) -> PyObjectRef {
        PyDevice::of(zelf.tensor.device()).into_pyobject(vm)
    }
    #[pymethod]
    fn tolist(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult {
        let items = bytes(&zelf.tensor, vm)?.into_iter().map(|b| vm.ctx.new_int(b).into()).collect();
        Ok(vm.ctx.new_list(items).into())
    }
}

impl AsMapping for PyStorage {
    fn as_mapping() -> &'static PyMappingMethods {
        static METHODS: LazyLock<PyMappingMethods> = LazyLock::new(|| PyMappingMethods {
            length: Some(|m, vm| {
                let storage = m.obj.downcast_ref::<PyStorage>();
                storage.map(PyStorage::nbytes).ok_or_else(|| vm.new_type_error("not a storage".to_owned()))
            }),
            subscript: Some(|m, index, vm| {
                let Some(storage) = m.obj.downcast_ref::<PyStorage>() else {
                    return Err(vm.new_type_error("not a storage".to_owned()));
                };
                PyStorage::tolist(storage, vm)?.as_object().get_item(index, vm)
            }),
            ass_subscript: None,
        });
        &METHODS
    }
}

impl Representable for PyStorage {
    fn repr_str(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<String> {
        let bytes = bytes(&zelf.tensor, vm)?;
        let lines: Vec<String> = bytes.iter().map(|b| format!(" {b}")).collect();
        let device = zelf.tensor.device();
        Ok(format!("{}\n[torch.storage.UntypedStorage(device={device}) of size {}]", lines.join("\n"), bytes.len()))
    }
}

/// A tensor over a copy of `bytes`, in one dimension.
pub(crate) fn from_bytes(bytes: &[u8], dtype: DType, vm: &VirtualMachine) -> PyResult<Tensor> {
    fn typed<T: Element>(bytes: &[u8]) -> rushlight_engine::Result<Tensor> {
        let data: Vec<T> = bytemuck::pod_collect_to_vec(&bytes[..bytes.len() / size_of::<T>() * size_of::<T>()]);
        Tensor::from_slice(&data, &[data.len()])
    }
    if dtype == DType::Bool {
        // Any byte but 0 is true.
        let bits: Vec<u8> = bytes.iter().map(|b| u8::from(*b != 0)).collect();
        return typed::<rushlight_engine::dtype::B8>(&bits).py(vm);
    }
    rushlight_engine::with_dtype!(dtype, T => typed::<T>(bytes).py(vm); else {
        let real = from_bytes(bytes, dtype.to_real(), vm)?;
        let shape = [real.numel() as i64 / 2, 2];
        let even = ops::narrow(&real, 0, 0, shape[0] * 2).and_then(|even| ops::view_as(&even, &shape));
        even.and_then(|pairs| ops::view_as_complex(&pairs)).map(|z| z.detach()).py(vm)
    })
}

/// The elements of a tensor, row by row, as bytes.
pub(crate) fn element_bytes(t: &Tensor, vm: &VirtualMachine) -> PyResult<Vec<u8>> {
    let copy = rushlight_engine::backend::backend(t.device()).copy(&t.raw(), t.dtype()).py(vm)?;
    rushlight_engine::backend::backend(t.device()).read(&copy.storage).py(vm)
}
