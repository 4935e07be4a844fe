//! `torch.finfo` and `torch.iinfo`.

use super::args::dtype_of;
use rushlight_engine::DType;
use rustpython_vm::builtins::PyType;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::types::{Constructor, Representable};
use rustpython_vm::{Py, PyPayload, PyResult, VirtualMachine, pyclass};

fn wanted(args: &FuncArgs, vm: &VirtualMachine) -> PyResult<Option<DType>> {
    match args.args.first().cloned().or_else(|| args.get_optional_kwarg("type")) {
        None => Ok(None),
        Some(object) => match dtype_of(&object, vm)? {
            Some(dtype) => Ok(Some(dtype)),
            None => Err(vm.new_type_error(format!(
                "finfo(): argument 'type' (position 1) must be torch.dtype, not {}",
                object.class().name()
            ))),
        },
    }
}

/// The limits of a floating point type.
#[pyclass(name = "finfo", module = "torch")]
#[derive(Debug, PyPayload)]
pub(crate) struct PyFInfo {
    dtype: DType,
}

impl PyFInfo {
    /// Bits of the fraction, smallest exponent of a normal number, decimal digits, largest number.
    fn facts(&self) -> (i32, i32, i32, f64) {
        match self.dtype {
            DType::F16 => (10, -14, 3, 65504.0),
            DType::BF16 => (7, -126, 2, f64::from(f32::from_bits(0x7f7f_0000))),
            DType::F64 | DType::C128 => (52, -1022, 15, f64::MAX),
            _ => (23, -126, 6, f64::from(f32::MAX)),
        }
    }
}

impl Constructor for PyFInfo {
    type Args = FuncArgs;
    fn py_new(_cls: &Py<PyType>, args: FuncArgs, vm: &VirtualMachine) -> PyResult<Self> {
        let dtype = wanted(&args, vm)?.unwrap_or_else(rushlight_engine::dtype::default_dtype);
        if !dtype.is_inexact() {
            let text = "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'";
            return Err(vm.new_type_error(text.to_owned()));
        }
        Ok(PyFInfo { dtype: dtype.to_real() })
    }
}

#[pyclass(with(Constructor, Representable))]
impl PyFInfo {
    #[pygetset]
    fn bits(zelf: &Py<Self>) -> usize {
        zelf.dtype.size() * 8
    }
    #[pygetset]
    fn eps(zelf: &Py<Self>) -> f64 {
        2f64.powi(-zelf.facts().0)
    }
    #[pygetset]
    fn max(zelf: &Py<Self>) -> f64 {
        zelf.facts().3
    }
    #[pygetset]
    fn min(zelf: &Py<Self>) -> f64 {
        -zelf.facts().3
    }
    #[pygetset]
    fn tiny(zelf: &Py<Self>) -> f64 {
        2f64.powi(zelf.facts().1)
    }
    #[pygetset]
    fn smallest_normal(zelf: &Py<Self>) -> f64 {
        Self::tiny(zelf)
    }
    #[pygetset]
    fn resolution(zelf: &Py<Self>) -> f64 {
        10f64.powi(-zelf.facts().2)
    }
    #[pygetset]
    fn dtype(zelf: &Py<Self>) -> String {
        zelf.dtype.name().to_owned()
    }
}

/// C++'s `%g` with six digits.
fn general(x: f64) -> String {
    let text = format!("{x:.5e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trim =
        |s: &str| if s.contains('.') { s.trim_end_matches('0').trim_end_matches('.').to_owned() } else { s.to_owned() };
    if (-4..6).contains(&exponent) {
        return trim(&format!("{x:.*}", (5 - exponent).max(0) as usize));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trim(mantissa), exponent.abs())
}

impl Representable for PyFInfo {
    fn repr_str(zelf: &Py<Self>, _vm: &VirtualMachine) -> PyResult<String> {
        Ok(format!(
            "finfo(resolution={}, min={}, max={}, eps={}, smallest_normal={}, tiny={}, dtype={})",
            general(Self::resolution(zelf)),
            general(Self::min(zelf)),
            general(Self::max(zelf)),
            general(Self::eps(zelf)),
            general(Self::tiny(zelf)),
            general(Self::tiny(zelf)),
            zelf.dtype.name()
        ))
    }
}

/// The limits of an integer type.
#[pyclass(name = "iinfo", module = "torch")]
#[derive(Debug, PyPayload)]
pub(crate) struct PyIInfo {
    dtype: DType,
}

impl Constructor for PyIInfo {
    type Args = FuncArgs;
    fn py_new(_cls: &Py<PyType>, args: FuncArgs, vm: &VirtualMachine) -> PyResult<Self> {
        let Some(dtype) = wanted(&args, vm)? else {
            return Err(vm.new_type_error("iinfo() missing 1 required positional arguments: \"type\"".to_owned()));
        };
        if !dtype.is_int() {
            let text = if dtype == DType::Bool {
                "torch.bool is not supported by torch.iinfo"
            } else {
                "torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'"
            };
            return Err(vm.new_type_error(text.to_owned()));
        }
        Ok(PyIInfo { dtype })
    }
}

#[pyclass(with(Constructor, Representable))]
impl PyIInfo {
    #[pygetset]
    fn bits(zelf: &Py<Self>) -> usize {
        zelf.dtype.size() * 8
    }
    #[pygetset]
    fn max(zelf: &Py<Self>) -> i64 {
        match zelf.dtype {
            DType::U8 => 255,
            other => i64::MAX >> (64 - other.size() * 8),
        }
    }
    #[pygetset]
    fn min(zelf: &Py<Self>) -> i64 {
        match zelf.dtype {
            DType::U8 => 0,
            other => i64::MIN >> (64 - other.size() * 8),
        }
    }
    #[pygetset]
    fn dtype(zelf: &Py<Self>) -> String {
        zelf.dtype.name().to_owned()
    }
}

impl Representable for PyIInfo {
    fn repr_str(zelf: &Py<Self>, _vm: &VirtualMachine) -> PyResult<String> {
        Ok(format!("iinfo(min={}, max={}, dtype={})", Self::min(zelf), Self::max(zelf), zelf.dtype.name()))
    }
}
