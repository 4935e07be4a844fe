//! `posix`: the process a program seems to run in.

#[rustpython_vm::pymodule(sub, name = "posix")]
pub(crate) mod process {
    use super::super::{Path, files, raise};
    use crate::files::Errno;
    use crate::host;
    use rustpython_vm::builtins::{PyTupleRef, PyTypeRef};
    use rustpython_vm::convert::ToPyObject;
    use rustpython_vm::function::OptionalArg;
    use rustpython_vm::types::PyStructSequence;
    use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine, pyclass, pystruct_sequence, pystruct_sequence_data};

    #[pyattr(once)]
    fn error(vm: &VirtualMachine) -> PyTypeRef {
        vm.ctx.exceptions.os_error.to_owned()
    }

    /// Bytes to bytes, as `os` decodes it itself.
    #[pyattr(once)]
    fn environ(vm: &VirtualMachine) -> PyObjectRef {
        let dict = vm.ctx.new_dict();
        if let Ok(files) = host::files() {
            for (name, value) in files.environment() {
                let name: PyObjectRef = vm.ctx.new_bytes(name.into_bytes()).into();
                let value = vm.ctx.new_bytes(value.into_bytes());
                // Setting a bytes key of an exact dict cannot fail.
                let _ = dict.set_item(&*name, value.into(), vm);
            }
        }
        dict.into()
    }

    /// No `os` function here takes a directory descriptor.
    #[pyattr(once)]
    fn _have_functions(vm: &VirtualMachine) -> PyObjectRef {
        vm.ctx.new_list(vec![vm.ctx.new_str("HAVE_LSTAT").into(), vm.ctx.new_str("HAVE_FTRUNCATE").into()]).into()
    }

    #[pyfunction]
    fn getcwd(vm: &VirtualMachine) -> PyResult<String> {
        files(vm)?.working_directory().map_err(|error| raise(error, vm))
    }

    #[pyfunction]
    fn getcwdb(vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        Ok(vm.ctx.new_bytes(getcwd(vm)?.into_bytes()).into())
    }

    #[pyfunction]
    fn chdir(path: PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
        let path = Path::of(path, vm)?;
        path.or_raise(files(vm)?.change_directory(&path.text), vm)
    }

    #[pyfunction]
    fn fspath(path: PyObjectRef, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        Ok(rustpython_vm::function::FsPath::try_from_path_like(path, false, vm)?.to_pyobject(vm))
    }

    #[pyfunction]
    fn strerror(number: i32) -> String {
        Errno(number).text()
    }

    #[pyfunction]
    fn urandom(size: isize, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        let size = usize::try_from(size).map_err(|_| vm.new_value_error("negative argument not allowed".to_owned()))?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(size).map_err(|_| vm.new_memory_error(""))?;
        bytes.resize(size, 0);
        getrandom::fill(&mut bytes).map_err(|_| raise(Errno::EIO, vm))?;
        Ok(vm.ctx.new_bytes(bytes).into())
    }

    #[pyfunction]
    fn getpid() -> u32 {
        #[cfg(target_arch = "wasm32")]
        {
            42
        }
        #[cfg(not(target_arch = "wasm32"))]
        {
            std::process::id()
        }
    }

    #[pyfunction]
    fn cpu_count() -> usize {
        std::thread::available_parallelism().map_or(1, usize::from)
    }

    #[pyfunction]
    fn umask(mask: i32) -> i32 {
        let _ = mask;
        0o022
    }

    /// Ends the program at once, without cleaning up.
    #[pyfunction]
    fn _exit(status: i32, vm: &VirtualMachine) -> PyResult<()> {
        #[cfg(not(target_arch = "wasm32"))]
        {
            let _ = vm;
            std::process::exit(status)
        }
        #[cfg(target_arch = "wasm32")]
        Err(vm.new_exception(vm.ctx.exceptions.system_exit.to_owned(), vec![vm.ctx.new_int(status).into()]))
    }

    #[pystruct_sequence_data]
    struct TerminalSizeData {
        pub columns: usize,
        pub lines: usize,
    }

    #[pyattr]
    #[pystruct_sequence(name = "terminal_size", module = "os", data = "TerminalSizeData")]
    struct PyTerminalSize;

    #[pyclass(with(PyStructSequence))]
    impl PyTerminalSize {}

    #[pyfunction]
    fn get_terminal_size(fd: OptionalArg<i32>, vm: &VirtualMachine) -> PyResult<PyTupleRef> {
        let _ = fd;
        // `shutil.get_terminal_size` then falls back to 80 by 24, as for any output that is not a terminal.
        Err(raise(Errno(25), vm))
    }

    #[pystruct_sequence_data]
    struct UnameResultData {
        pub sysname: String,
        pub nodename: String,
        pub release: String,
        pub version: String,
        pub machine: String,
    }

    #[pyattr]
    #[pystruct_sequence(name = "uname_result", module = "posix", data = "UnameResultData")]
    struct PyUnameResult;

    #[pyclass(with(PyStructSequence))]
    impl PyUnameResult {}

    #[pyfunction]
    fn uname(vm: &VirtualMachine) -> PyTupleRef {
        let data = UnameResultData {
            sysname: "Rushlight".to_owned(),
            nodename: "localhost".to_owned(),
            release: env!("CARGO_PKG_VERSION").to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            machine: std::env::consts::ARCH.to_owned(),
        };
        PyUnameResult::from_data(data, vm)
    }

    #[pystruct_sequence_data]
    struct TimesResultData {
        pub user: f64,
        pub system: f64,
        pub children_user: f64,
        pub children_system: f64,
        pub elapsed: f64,
    }

    #[pyattr]
    #[pystruct_sequence(name = "times_result", module = "posix", data = "TimesResultData")]
    struct PyTimesResult;

    #[pyclass(with(PyStructSequence))]
    impl PyTimesResult {}

    #[pyfunction]
    fn putenv(name: PyObjectRef, value: PyObjectRef) {
        // `os.environ` keeps the mapping itself; there is no process of ours to pass it on to.
        let _ = (name, value);
    }

    #[pyfunction]
    fn unsetenv(name: PyObjectRef) {
        let _ = name;
    }
}
