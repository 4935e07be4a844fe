//! `torch.dtype`, `torch.layout`, `torch.memory_format`: constants of the package.

use super::state;
use rushlight_engine::DType;
use rustpython_vm::types::Representable;
use rustpython_vm::{Py, PyPayload, PyRef, PyResult, VirtualMachine, pyclass};

/// A `torch.dtype`. Those without a counterpart in the engine exist by name, so that programs can mention them.
#[pyclass(name = "dtype", module = "torch")]
#[derive(Debug, PyPayload)]
pub(crate) struct PyDType {
    pub name: &'static str,
    pub dtype: Option<DType>,
    size: usize,
}

/// Name, other name, bytes: dtypes whose tensors can't be made here.
const OTHERS: &[(&str, &str, usize)] = &[
    ("uint16", "", 2),
    ("uint32", "", 4),
    ("uint64", "", 8),
    ("complex32", "chalf", 4),
    ("float8_e4m3fn", "", 1),
    ("float8_e5m2", "", 1),
    ("quint8", "", 1),
    ("qint8", "", 1),
    ("qint32", "", 4),
];

/// The second name of a dtype: `torch.float` is `torch.float32`.
fn alias(dtype: DType) -> &'static str {
    match dtype {
        DType::F32 => "float",
        DType::F64 => "double",
        DType::F16 => "half",
        DType::I16 => "short",
        DType::I32 => "int",
        DType::I64 => "long",
        DType::C64 => "cfloat",
        DType::C128 => "cdouble",
        _ => "",
    }
}

/// All dtypes with both names.
pub(crate) fn all(vm: &VirtualMachine) -> Vec<(&'static str, &'static str, PyRef<PyDType>)> {
    let known = DType::ALL.iter().map(|&d| {
        let object = PyDType { name: d.name(), dtype: Some(d), size: d.size() }.into_ref(&vm.ctx);
        (d.name(), alias(d), object)
    });
    let others =
        OTHERS.iter().map(|&(name, alias, size)| (name, alias, PyDType { name, dtype: None, size }.into_ref(&vm.ctx)));
    known.chain(others).collect()
}

impl PyDType {
    /// The engine's dtype.
    pub fn known(&self, vm: &VirtualMachine) -> PyResult<DType> {
        self.dtype.ok_or_else(|| {
            vm.new_not_implemented_error(format!("tensors of dtype torch.{} are not available here", self.name))
        })
    }
}

#[pyclass(with(Representable))]
impl PyDType {
    #[pygetset]
    fn is_floating_point(zelf: &Py<Self>) -> bool {
        zelf.dtype.map_or(zelf.name.starts_with("float"), DType::is_float)
    }
    #[pygetset]
    fn is_complex(zelf: &Py<Self>) -> bool {
        zelf.name.starts_with("complex")
    }
    #[pygetset]
    fn is_signed(zelf: &Py<Self>) -> bool {
        zelf.dtype.map_or(!zelf.name.contains("uint"), DType::is_signed)
    }
    #[pygetset]
    fn itemsize(zelf: &Py<Self>) -> usize {
        zelf.size
    }
    #[pymethod]
    fn to_real(zelf: PyRef<Self>) -> PyRef<Self> {
        let to = match zelf.name {
            "complex32" => DType::F16,
            "complex64" => DType::F32,
            "complex128" => DType::F64,
            _ => return zelf,
        };
        state::get().dtype(to)
    }
    #[pymethod]
    fn to_complex(zelf: PyRef<Self>, vm: &VirtualMachine) -> PyResult<PyRef<Self>> {
        let name = match zelf.name {
            "float16" => "complex32",
            "float64" => "complex128",
            "float32" | "bfloat16" => "complex64",
            name if name.starts_with("complex") => return Ok(zelf),
            name => return Err(vm.new_runtime_error(format!("Expected a floating point dtype, got torch.{name}"))),
        };
        let found = state::get().dtypes.iter().find(|d| d.name == name).cloned();
        Ok(found.unwrap_or(zelf))
    }
    /// For pickling: the name under which the package has it.
    #[pymethod]
    fn __reduce__(zelf: &Py<Self>) -> String {
        zelf.name.to_owned()
    }
}

impl Representable for PyDType {
    fn repr_str(zelf: &Py<Self>, _vm: &VirtualMachine) -> PyResult<String> {
        Ok(format!("torch.{}", zelf.name))
    }
}

/// A `torch.layout`.
#[pyclass(name = "layout", module = "torch")]
#[derive(Debug, PyPayload)]
pub(crate) struct PyLayout {
    pub name: &'static str,
}

impl PyLayout {
    pub fn check(&self, vm: &VirtualMachine) -> PyResult<()> {
        if self.name == "strided" {
            return Ok(());
        }
        Err(vm.new_not_implemented_error(format!("tensors of layout torch.{} are not available here", self.name)))
    }
}

#[pyclass(with(Representable))]
impl PyLayout {}

impl Representable for PyLayout {
    fn repr_str(zelf: &Py<Self>, _vm: &VirtualMachine) -> PyResult<String> {
        Ok(format!("torch.{}", zelf.name))
    }
}

/// A `torch.memory_format`.
#[pyclass(name = "memory_format", module = "torch")]
#[derive(Debug, PyPayload)]
pub(crate) struct PyMemoryFormat {
    pub name: &'static str,
}

#[pyclass(with(Representable))]
impl PyMemoryFormat {}

impl Representable for PyMemoryFormat {
    fn repr_str(zelf: &Py<Self>, _vm: &VirtualMachine) -> PyResult<String> {
        Ok(format!("torch.{}", zelf.name))
    }
}

/// The constants that are neither dtypes nor classes.
pub(crate) fn constants(vm: &VirtualMachine) -> Vec<(&'static str, rustpython_vm::PyObjectRef)> {
    let layouts = ["strided", "sparse_coo", "sparse_csr"].map(|name| (name, PyLayout { name }.into_pyobject(vm)));
    let formats = ["contiguous_format", "preserve_format", "channels_last", "channels_last_3d"]
        .map(|name| (name, PyMemoryFormat { name }.into_pyobject(vm)));
    layouts.into_iter().chain(formats).collect()
}
