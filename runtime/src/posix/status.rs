//! `posix`: what a file is.

#[rustpython_vm::pymodule(sub, name = "posix")]
pub(crate) mod status {
    use super::super::{Path, Place, files, no_dir_fd, raise};
    use crate::files::Stat;
    use crate::host;
    use rustpython_vm::builtins::PyTupleRef;
    use rustpython_vm::function::OptionalArg;
    use rustpython_vm::types::PyStructSequence;
    use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine, pyclass, pystruct_sequence, pystruct_sequence_data};

    #[derive(Debug)]
    #[pystruct_sequence_data]
    struct StatResultData {
        pub st_mode: PyObjectRef,
        pub st_ino: PyObjectRef,
        pub st_dev: PyObjectRef,
        pub st_nlink: PyObjectRef,
        pub st_uid: PyObjectRef,
        pub st_gid: PyObjectRef,
        pub st_size: PyObjectRef,
        #[pystruct_sequence(unnamed)]
        pub st_atime_int: i64,
        #[pystruct_sequence(unnamed)]
        pub st_mtime_int: i64,
        #[pystruct_sequence(unnamed)]
        pub st_ctime_int: i64,
        #[pystruct_sequence(skip)]
        pub st_atime: f64,
        #[pystruct_sequence(skip)]
        pub st_mtime: f64,
        #[pystruct_sequence(skip)]
        pub st_ctime: f64,
        #[pystruct_sequence(skip)]
        pub st_atime_ns: i128,
        #[pystruct_sequence(skip)]
        pub st_mtime_ns: i128,
        #[pystruct_sequence(skip)]
        pub st_ctime_ns: i128,
        #[pystruct_sequence(skip)]
        pub st_blksize: u64,
        #[pystruct_sequence(skip)]
        pub st_blocks: u64,
    }

    #[pyattr]
    #[pystruct_sequence(name = "stat_result", module = "os", data = "StatResultData")]
    struct PyStatResult;

    #[pyclass(with(PyStructSequence))]
    impl PyStatResult {}

    pub(crate) fn stat_result(stat: &Stat, vm: &VirtualMachine) -> PyTupleRef {
        let int = |n: u64| -> PyObjectRef { vm.ctx.new_int(n).into() };
        let seconds = |ns: i128| ns as f64 / 1e9;
        let whole = |ns: i128| i64::try_from(ns.div_euclid(1_000_000_000)).unwrap_or(0);
        let data = StatResultData {
            st_mode: int(stat.mode().into()),
            st_ino: int(stat.inode),
            st_dev: int(stat.device),
            st_nlink: int(stat.links),
            st_uid: int(stat.user.into()),
            st_gid: int(stat.group.into()),
            st_size: int(stat.size),
            st_atime_int: whole(stat.accessed_ns),
            st_mtime_int: whole(stat.modified_ns),
            st_ctime_int: whole(stat.changed_ns),
            st_atime: seconds(stat.accessed_ns),
            st_mtime: seconds(stat.modified_ns),
            st_ctime: seconds(stat.changed_ns),
            st_atime_ns: stat.accessed_ns,
            st_mtime_ns: stat.modified_ns,
            st_ctime_ns: stat.changed_ns,
            st_blksize: 4096,
            st_blocks: stat.size.div_ceil(512),
        };
        PyStatResult::from_data(data, vm)
    }

    #[derive(rustpython_vm::FromArgs)]
    struct StatArgs {
        #[pyarg(any)]
        path: PyObjectRef,
        #[pyarg(named, optional)]
        dir_fd: OptionalArg<PyObjectRef>,
        #[pyarg(named, default = true)]
        follow_symlinks: bool,
    }

    #[pyfunction]
    fn stat(args: StatArgs, vm: &VirtualMachine) -> PyResult<PyTupleRef> {
        no_dir_fd(args.dir_fd, vm)?;
        let stat = match Place::of(args.path, vm)? {
            Place::Descriptor(fd) => host::stat(fd).map_err(|error| raise(error, vm))?,
            Place::Path(path) => path.or_raise(files(vm)?.stat(&path.text, args.follow_symlinks), vm)?,
        };
        Ok(stat_result(&stat, vm))
    }

    #[pyfunction]
    fn lstat(path: PyObjectRef, vm: &VirtualMachine) -> PyResult<PyTupleRef> {
        let path = Path::of(path, vm)?;
        let stat = path.or_raise(files(vm)?.stat(&path.text, false), vm)?;
        Ok(stat_result(&stat, vm))
    }

    #[pyfunction]
    fn fstat(fd: i32, vm: &VirtualMachine) -> PyResult<PyTupleRef> {
        let stat = host::stat(fd).map_err(|error| raise(error, vm))?;
        Ok(stat_result(&stat, vm))
    }

    #[derive(rustpython_vm::FromArgs)]
    struct AccessArgs {
        #[pyarg(any)]
        path: PyObjectRef,
        #[pyarg(any)]
        mode: u32,
        #[pyarg(named, optional)]
        dir_fd: OptionalArg<PyObjectRef>,
        #[pyarg(named, default = false)]
        effective_ids: bool,
        #[pyarg(named, default = true)]
        follow_symlinks: bool,
    }

    #[pyfunction]
    fn access(args: AccessArgs, vm: &VirtualMachine) -> PyResult<bool> {
        no_dir_fd(args.dir_fd, vm)?;
        let _ = args.effective_ids;
        let path = Path::of(args.path, vm)?;
        let Ok(stat) = files(vm)?.stat(&path.text, args.follow_symlinks) else { return Ok(false) };
        let any = stat.permissions | (stat.permissions >> 3) | (stat.permissions >> 6);
        Ok(args.mode & 7 & !any == 0)
    }
}
