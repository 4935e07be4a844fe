//! The native module `_numpy`: what the Python sources of `numpy` can't do well themselves, which is random streams,
//! sums in NumPy's order, shortest digits.

mod bits;
mod counts;
mod draws;
mod sums;
mod tables;

pub(crate) use _numpy::module_def;

#[rustpython_vm::pymodule]
mod _numpy {
    use super::bits::{Bits, Pool};
    use super::draws::Draws;
    use super::sums;
    use crate::torch::{tensor_object, tensor_of};
    use rushlight_engine::dtype::Element;
    use rushlight_engine::random::Generator;
    use rushlight_engine::{DType, Device, Tensor, device};
    use rustpython_vm::builtins::PyType;
    use rustpython_vm::function::ArgSequence;
    use rustpython_vm::types::Constructor;
    use rustpython_vm::{Py, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine, pyclass};
    use std::cell::RefCell;

    /// More numbers than this a call does not make.
    const MOST: usize = 1 << 31;

    /// Arrays are in the host's memory, wherever torch makes its tensors.
    fn on_host<T: Element>(data: &[T], shape: &[usize]) -> rushlight_engine::Result<Tensor> {
        device::within(Device::Cpu, || Tensor::from_slice(data, shape))
    }

    /// A stream of random numbers: `Stream(old, words)`.
    #[pyattr]
    #[pyclass(module = false, name = "Stream")]
    #[derive(PyPayload)]
    struct Stream {
        draws: RefCell<Draws>,
    }

    impl std::fmt::Debug for Stream {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("Stream")
        }
    }

    impl Constructor for Stream {
        /// Which kind (0: an integer for the twister, 1: words for it, 2: words for PCG64) and the words.
        type Args = (u32, ArgSequence<u32>);

        fn py_new(_cls: &Py<PyType>, (kind, words): Self::Args, _vm: &VirtualMachine) -> PyResult<Self> {
            let words = words.into_vec();
            let bits = match kind {
                0 => {
                    let seed = words.first().copied().unwrap_or(0);
                    Bits::Twister(Box::new(Generator::new(u64::from(seed))))
                }
                1 => Bits::Twister(Box::new(Generator::from_words(&words))),
                _ => Bits::pcg(&Pool::new(&words)),
            };
            Ok(Stream { draws: RefCell::new(Draws { bits, second: None }) })
        }
    }

    fn room(n: usize, vm: &VirtualMachine) -> PyResult<usize> {
        if n <= MOST { Ok(n) } else { Err(vm.new_memory_error(format!("Unable to allocate {n} random numbers"))) }
    }

    fn floats(n: usize, mut next: impl FnMut() -> f64, vm: &VirtualMachine) -> PyResult {
        let data: Vec<f64> = (0..room(n, vm)?).map(|_| next()).collect();
        tensor_object(on_host(&data, &[data.len()]), vm)
    }

    fn floats32(n: usize, mut next: impl FnMut() -> f32, vm: &VirtualMachine) -> PyResult {
        let data: Vec<f32> = (0..room(n, vm)?).map(|_| next()).collect();
        tensor_object(on_host(&data, &[data.len()]), vm)
    }

    fn ints(data: &[i64], vm: &VirtualMachine) -> PyResult {
        tensor_object(on_host(data, &[data.len()]), vm)
    }

    #[pyclass(with(Constructor))]
    impl Stream {
        #[pymethod]
        fn random(zelf: &Py<Self>, n: usize, vm: &VirtualMachine) -> PyResult {
            let draws = &mut *zelf.draws.borrow_mut();
            floats(n, || draws.bits.f64(), vm)
        }
        #[pymethod]
        fn random32(zelf: &Py<Self>, n: usize, vm: &VirtualMachine) -> PyResult {
            let draws = &mut *zelf.draws.borrow_mut();
            floats32(n, || draws.bits.f32(), vm)
        }
        #[pymethod]
        fn normal(zelf: &Py<Self>, n: usize, vm: &VirtualMachine) -> PyResult {
            let draws = &mut *zelf.draws.borrow_mut();
            floats(n, || draws.normal(), vm)
        }
        #[pymethod]
        fn normal32(zelf: &Py<Self>, n: usize, vm: &VirtualMachine) -> PyResult {
            let draws = &mut *zelf.draws.borrow_mut();
            floats32(n, || draws.normal_f32(), vm)
        }
        #[pymethod]
        fn exponential(zelf: &Py<Self>, n: usize, vm: &VirtualMachine) -> PyResult {
            let draws = &mut *zelf.draws.borrow_mut();
            floats(n, || draws.exponential(), vm)
        }
        #[pymethod]
        fn gamma(zelf: &Py<Self>, shape: f64, n: usize, vm: &VirtualMachine) -> PyResult {
            let draws = &mut *zelf.draws.borrow_mut();
            floats(n, || draws.gamma(shape), vm)
        }
        #[pymethod]
        fn poisson(zelf: &Py<Self>, lambda: f64, n: usize, vm: &VirtualMachine) -> PyResult {
            let draws = &mut *zelf.draws.borrow_mut();
            ints(&(0..room(n, vm)?).map(|_| draws.poisson(lambda)).collect::<Vec<_>>(), vm)
        }
        #[pymethod]
        fn binomial(zelf: &Py<Self>, trials: i64, p: f64, n: usize, vm: &VirtualMachine) -> PyResult {
            let draws = &mut *zelf.draws.borrow_mut();
            ints(&(0..room(n, vm)?).map(|_| draws.binomial(trials, p)).collect::<Vec<_>>(), vm)
        }
        /// `n` integers from `low` to `low + range`, made for a dtype of `width` bits.
        #[pymethod]
        fn bounded(zelf: &Py<Self>, low: i64, range: u64, width: u32, n: usize, vm: &VirtualMachine) -> PyResult {
            let width = if matches!(width, 1 | 8 | 16 | 32) { width } else { 64 };
            let drawn = zelf.draws.borrow_mut().fill_bounded(range, width, room(n, vm)?);
            ints(&drawn.into_iter().map(|v| low.wrapping_add(v as i64)).collect::<Vec<_>>(), vm)
        }
        #[pymethod]
        fn order(zelf: &Py<Self>, n: usize, vm: &VirtualMachine) -> PyResult {
            ints(&zelf.draws.borrow_mut().order(room(n, vm)?), vm)
        }
        #[pymethod]
        fn sample(zelf: &Py<Self>, n: usize, size: usize, shuffle: bool, vm: &VirtualMachine) -> PyResult {
            ints(&zelf.draws.borrow_mut().sample(room(n, vm)?, size.min(n), shuffle), vm)
        }
        #[pymethod]
        fn bits32(zelf: &Py<Self>) -> u32 {
            zelf.draws.borrow_mut().bits.u32()
        }
        #[pymethod]
        fn bits64(zelf: &Py<Self>) -> u64 {
            zelf.draws.borrow_mut().bits.u64()
        }
        #[pymethod]
        fn copy(zelf: &Py<Self>, vm: &VirtualMachine) -> PyRef<Self> {
            Stream { draws: RefCell::new(zelf.draws.borrow().clone()) }.into_ref(&vm.ctx)
        }
        /// Go on as `other` would.
        #[pymethod]
        fn take(zelf: &Py<Self>, other: PyRef<Self>) {
            let draws = other.draws.borrow().clone();
            *zelf.draws.borrow_mut() = draws;
        }
        /// The words of the old kind's state and the number of the next.
        #[pymethod]
        fn words(zelf: &Py<Self>, vm: &VirtualMachine) -> PyObjectRef {
            let draws = zelf.draws.borrow();
            let Bits::Twister(twister) = &draws.bits else { return vm.ctx.none() };
            let (words, next) = twister.words();
            let words = words.iter().map(|w| vm.ctx.new_int(*w).into()).collect();
            let second = draws.second.map_or_else(|| vm.ctx.none(), |s| vm.ctx.new_float(s).into());
            vm.ctx.new_tuple(vec![vm.ctx.new_list(words).into(), vm.ctx.new_int(next).into(), second]).into()
        }
        /// Go on from such a state.
        #[pymethod]
        fn set_words(
            zelf: &Py<Self>,
            words: ArgSequence<u32>,
            next: usize,
            second: Option<f64>,
            vm: &VirtualMachine,
        ) -> PyResult<()> {
            match Generator::from_state_words(&words.into_vec(), next) {
                Some(twister) => {
                    *zelf.draws.borrow_mut() = Draws { bits: Bits::Twister(Box::new(twister)), second };
                    Ok(())
                }
                None => Err(vm.new_value_error("state dictionary is not valid.".to_owned())),
            }
        }
    }

    /// `SeedSequence(words).generate_state(n)`
    #[pyfunction]
    fn seed_words(words: ArgSequence<u32>, n: usize, vm: &VirtualMachine) -> PyObjectRef {
        let words = Pool::new(&words.into_vec()).words(n.min(1 << 20));
        vm.ctx.new_list(words.into_iter().map(|w| vm.ctx.new_int(w).into()).collect()).into()
    }

    /// Sums a contiguous tensor of floats: `marks[i]` says whether axis `i` is summed, `run` how many of the last axes'
    /// elements are one row.
    #[pyfunction]
    fn sum(x: PyObjectRef, marks: ArgSequence<bool>, run: usize, vm: &VirtualMachine) -> PyResult {
        let x = tensor_of(&x, vm)?;
        let shape = x.shape();
        // The axes of the run are the last ones; the others are walked.
        let mut outer = shape.len();
        let mut inside = 1usize;
        while outer > 0 && inside < run {
            outer -= 1;
            inside = inside.saturating_mul(shape.get(outer).copied().unwrap_or(1));
        }
        let dims: Vec<(usize, bool)> = shape.iter().copied().zip(marks.into_vec()).take(outer).collect();
        let kept: Vec<usize> = dims.iter().filter(|d| !d.1).map(|d| d.0).collect();
        let failed = |e| crate::torch::raise(e, vm);
        let out = if x.dtype() == DType::F64 {
            on_host(&sums::sum(&x.to_vec::<f64>().map_err(failed)?, &dims, run), &kept)
        } else {
            on_host(&sums::sum(&x.to_vec::<f32>().map_err(failed)?, &dims, run), &kept)
        };
        tensor_object(out, vm)
    }

    /// The fewest digits that read back as the same float32 (float16 where `half`), as `1.5e0`.
    #[pyfunction]
    fn digits(x: f64, half: bool) -> String {
        if !half {
            return format!("{:e}", x as f32);
        }
        let same = |text: &str| text.parse::<f32>().is_ok_and(|v| f64::from(half::f16::from_f32(v)) == x);
        (0..6).map(|places| format!("{x:.places$e}")).find(|text| same(text)).unwrap_or_else(|| format!("{x:e}"))
    }

    /// `nextafter` of a float64: by one step up or down.
    #[pyfunction]
    fn spacing(x: f64) -> f64 {
        x.next_up() - x
    }
}
