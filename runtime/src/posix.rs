//! The native module `posix`: what `os` is made of, over this thread's [`crate::host`].
//!
//! The same module serves the browser and the native tool. Processes, signals and users are left out: `os` then
//! simply lacks those names.

pub(crate) use posix::module_def;

use crate::files::Errno;
use rustpython_vm::builtins::{PyBaseExceptionRef, PyStr};
use rustpython_vm::function::FsPath;
use rustpython_vm::{AsObject, PyObjectRef, PyResult, VirtualMachine};

/// An `OSError` (its right subclass) for an error number, with up to two file names.
pub(crate) fn os_error(error: Errno, names: &[&PyObjectRef], vm: &VirtualMachine) -> PyBaseExceptionRef {
    let types = &vm.ctx.exceptions;
    let class = match error.0 {
        1 | 13 => types.permission_error,
        2 => types.file_not_found_error,
        4 => types.interrupted_error,
        11 => types.blocking_io_error,
        17 => types.file_exists_error,
        20 => types.not_a_directory_error,
        21 => types.is_a_directory_error,
        32 => types.broken_pipe_error,
        _ => types.os_error,
    };
    let mut args: Vec<PyObjectRef> = vec![vm.ctx.new_int(error.0).into(), vm.ctx.new_str(error.text()).into()];
    match names {
        [] => {}
        [one] => args.push((*one).clone()),
        [one, two, ..] => args.extend([(*one).clone(), vm.ctx.none(), (*two).clone()]),
    }
    vm.invoke_exception(class, args).unwrap_or_else(|error| error)
}

/// A path argument: the object for error messages, its text, and whether bytes came in.
pub(crate) struct Path {
    pub(crate) object: PyObjectRef,
    pub(crate) text: String,
    pub(crate) bytes: bool,
}

impl Path {
    pub(crate) fn of(object: PyObjectRef, vm: &VirtualMachine) -> PyResult<Self> {
        let path = FsPath::try_from_path_like(object, true, vm)?;
        Ok(match path {
            FsPath::Str(s) => Self { text: text_of(&s), bytes: false, object: s.into() },
            FsPath::Bytes(b) => {
                let text = String::from_utf8_lossy(b.as_bytes()).into_owned();
                Self { text, bytes: true, object: b.into() }
            }
        })
    }

    pub(crate) fn or_raise<T>(&self, result: crate::files::Result<T>, vm: &VirtualMachine) -> PyResult<T> {
        result.map_err(|error| os_error(error, &[&self.object], vm))
    }

    fn give_back(&self, text: String, vm: &VirtualMachine) -> PyObjectRef {
        give_back(text, self.bytes, vm)
    }
}

fn give_back(text: String, bytes: bool, vm: &VirtualMachine) -> PyObjectRef {
    if bytes { vm.ctx.new_bytes(text.into_bytes()).into() } else { vm.ctx.new_str(text).into() }
}

fn text_of(s: &PyStr) -> String {
    s.to_string_lossy().into_owned()
}

/// A path or an open descriptor, as `os.stat` takes.
enum Place {
    Path(Path),
    Descriptor(i32),
}

impl Place {
    fn of(object: PyObjectRef, vm: &VirtualMachine) -> PyResult<Self> {
        if object.class().fast_issubclass(vm.ctx.types.int_type) {
            return Ok(Self::Descriptor(object.try_into_value(vm)?));
        }
        let class = object.class().name().to_string();
        let path = Path::of(object, vm).map_err(|error| {
            if !error.fast_isinstance(vm.ctx.exceptions.type_error) {
                return error;
            }
            vm.new_type_error(format!("stat: path should be string, bytes, os.PathLike or integer, not {class}"))
        })?;
        Ok(Self::Path(path))
    }
}

#[rustpython_vm::pymodule]
pub(crate) mod posix {
    use super::{Path, Place, os_error};
    use crate::files::{Errno, Kind, OpenHow, Seek, Stat};
    use crate::host;
    use rustpython_vm::builtins::{PyListRef, PyTuple, PyTupleRef, PyTypeRef};
    use rustpython_vm::convert::ToPyObject;
    use rustpython_vm::function::{ArgBytesLike, ArgMemoryBuffer, OptionalArg};
    use rustpython_vm::types::{PyStructSequence, Representable};
    use rustpython_vm::{
        Py, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass, pystruct_sequence, pystruct_sequence_data,
    };

    #[pyattr]
    const F_OK: i32 = 0;
    #[pyattr]
    const R_OK: i32 = 4;
    #[pyattr]
    const W_OK: i32 = 2;
    #[pyattr]
    const X_OK: i32 = 1;
    #[pyattr]
    const O_RDONLY: i32 = 0;
    #[pyattr]
    const O_WRONLY: i32 = 1;
    #[pyattr]
    const O_RDWR: i32 = 2;
    #[pyattr]
    const O_CREAT: i32 = 0o100;
    #[pyattr]
    const O_EXCL: i32 = 0o200;
    #[pyattr]
    const O_TRUNC: i32 = 0o1000;
    #[pyattr]
    const O_APPEND: i32 = 0o2000;
    #[pyattr]
    const O_CLOEXEC: i32 = 0o2_000_000;
    #[pyattr]
    const O_NOFOLLOW: i32 = 0o400_000;
    #[pyattr]
    const EX_OK: i32 = 0;

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

    fn raise(error: Errno, vm: &VirtualMachine) -> rustpython_vm::builtins::PyBaseExceptionRef {
        os_error(error, &[], vm)
    }

    fn files(vm: &VirtualMachine) -> PyResult<std::rc::Rc<dyn crate::files::FileTree>> {
        host::files().map_err(|error| raise(error, vm))
    }

    fn no_dir_fd(dir_fd: OptionalArg<PyObjectRef>, vm: &VirtualMachine) -> PyResult<()> {
        match dir_fd {
            OptionalArg::Present(fd) if !vm.is_none(&fd) => Err(vm.new_exception_msg(
                vm.ctx.exceptions.not_implemented_error.to_owned(),
                "dir_fd unavailable on this platform".into(),
            )),
            _ => Ok(()),
        }
    }

    #[derive(rustpython_vm::FromArgs)]
    struct OpenArgs {
        #[pyarg(any)]
        path: PyObjectRef,
        #[pyarg(any)]
        flags: i32,
        #[pyarg(any, default = 0o777)]
        mode: u32,
        #[pyarg(named, optional)]
        dir_fd: OptionalArg<PyObjectRef>,
    }

    pub(crate) fn how_of(flags: i32, mode: u32) -> OpenHow {
        let access = flags & 3;
        OpenHow {
            read: access == O_RDONLY || access == O_RDWR,
            write: access == O_WRONLY || access == O_RDWR,
            append: flags & O_APPEND != 0,
            create: flags & O_CREAT != 0,
            exclusive: flags & O_EXCL != 0,
            truncate: flags & O_TRUNC != 0,
            permissions: mode & 0o777 & !0o022,
        }
    }

    #[pyfunction]
    fn open(args: OpenArgs, vm: &VirtualMachine) -> PyResult<i32> {
        no_dir_fd(args.dir_fd, vm)?;
        let path = Path::of(args.path, vm)?;
        path.or_raise(host::open(&path.text, how_of(args.flags, args.mode)), vm)
    }

    #[pyfunction]
    fn close(fd: i32, vm: &VirtualMachine) -> PyResult<()> {
        host::close(fd).map_err(|error| raise(error, vm))
    }

    #[pyfunction]
    fn read(fd: i32, n: usize, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        // A large request is no reason to allocate more than a file may hold at once.
        let mut buffer = Vec::new();
        let n = n.min(1 << 26);
        buffer.try_reserve_exact(n).map_err(|_| vm.new_memory_error("cannot allocate the read buffer"))?;
        buffer.resize(n, 0);
        let got = host::read(fd, &mut buffer).map_err(|error| raise(error, vm))?;
        buffer.truncate(got);
        Ok(vm.ctx.new_bytes(buffer).into())
    }

    #[pyfunction]
    fn readinto(fd: i32, into: ArgMemoryBuffer, vm: &VirtualMachine) -> PyResult<usize> {
        host::read(fd, &mut into.borrow_buf_mut()).map_err(|error| raise(error, vm))
    }

    #[pyfunction]
    fn write(fd: i32, data: ArgBytesLike, vm: &VirtualMachine) -> PyResult<usize> {
        host::write(fd, &data.borrow_buf()).map_err(|error| raise(error, vm))
    }

    #[pyfunction]
    fn lseek(fd: i32, position: i64, how: i32, vm: &VirtualMachine) -> PyResult<u64> {
        let to = match how {
            0 => Seek::Start(u64::try_from(position).map_err(|_| raise(Errno::EINVAL, vm))?),
            1 => Seek::Current(position),
            2 => Seek::End(position),
            _ => return Err(raise(Errno::EINVAL, vm)),
        };
        host::seek(fd, to).map_err(|error| raise(error, vm))
    }

    #[pyfunction]
    fn ftruncate(fd: i32, length: i64, vm: &VirtualMachine) -> PyResult<()> {
        let length = u64::try_from(length).map_err(|_| raise(Errno::EINVAL, vm))?;
        host::set_len(fd, length).map_err(|error| raise(error, vm))
    }

    #[pyfunction]
    fn truncate(path: PyObjectRef, length: i64, vm: &VirtualMachine) -> PyResult<()> {
        let length = u64::try_from(length).map_err(|_| raise(Errno::EINVAL, vm))?;
        match Place::of(path, vm)? {
            Place::Descriptor(fd) => host::set_len(fd, length).map_err(|error| raise(error, vm)),
            Place::Path(path) => {
                let how = OpenHow { write: true, ..OpenHow::default() };
                let file = files(vm)?.open(&path.text, how);
                path.or_raise(file.and_then(|mut file| file.set_len(length)), vm)
            }
        }
    }

    #[pyfunction]
    fn fsync(fd: i32, vm: &VirtualMachine) -> PyResult<()> {
        host::sync(fd).map_err(|error| raise(error, vm))
    }

    #[pyfunction]
    fn isatty(fd: i32) -> bool {
        host::is_terminal(fd)
    }

    #[pyfunction]
    fn device_encoding(fd: i32, vm: &VirtualMachine) -> PyObjectRef {
        if host::is_terminal(fd) { vm.ctx.new_str("UTF-8").into() } else { vm.ctx.none() }
    }

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

    fn stat_result(stat: &Stat, vm: &VirtualMachine) -> PyTupleRef {
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

    fn names(path: &Path, vm: &VirtualMachine) -> PyResult<Vec<(String, Kind)>> {
        path.or_raise(files(vm)?.list(&path.text), vm)
    }

    fn here_or(path: OptionalArg<PyObjectRef>, vm: &VirtualMachine) -> PyResult<Path> {
        match path {
            OptionalArg::Present(path) if !vm.is_none(&path) => Path::of(path, vm),
            _ => Path::of(vm.ctx.new_str(".").into(), vm),
        }
    }

    #[pyfunction]
    fn listdir(path: OptionalArg<PyObjectRef>, vm: &VirtualMachine) -> PyResult<PyListRef> {
        let path = here_or(path, vm)?;
        let list = names(&path, vm)?;
        Ok(vm.ctx.new_list(list.into_iter().map(|(name, _)| path.give_back(name, vm)).collect()))
    }

    /// One entry of `os.scandir`.
    #[pyattr]
    #[pyclass(module = "posix", name)]
    #[derive(Debug, PyPayload)]
    struct DirEntry {
        name: String,
        path: String,
        bytes: bool,
        kind: Kind,
    }

    #[derive(rustpython_vm::FromArgs)]
    struct FollowArgs {
        #[pyarg(named, default = true)]
        follow_symlinks: bool,
    }

    impl DirEntry {
        fn path_object(&self, vm: &VirtualMachine) -> PyObjectRef {
            super::give_back(self.path.clone(), self.bytes, vm)
        }

        fn kind(&self, follow: bool, vm: &VirtualMachine) -> PyResult<Option<Kind>> {
            if self.kind != Kind::Link || !follow {
                return Ok(Some(self.kind));
            }
            Ok(files(vm)?.stat(&self.path, true).ok().map(|stat| stat.kind))
        }
    }

    impl Representable for DirEntry {
        fn repr_str(zelf: &Py<Self>, _vm: &VirtualMachine) -> PyResult<String> {
            Ok(format!("<DirEntry '{}'>", zelf.name))
        }
    }

    #[pyclass(flags(DISALLOW_INSTANTIATION), with(Representable))]
    impl DirEntry {
        #[pygetset]
        fn name(zelf: &Py<Self>, vm: &VirtualMachine) -> PyObjectRef {
            super::give_back(zelf.name.clone(), zelf.bytes, vm)
        }

        #[pygetset]
        fn path(zelf: &Py<Self>, vm: &VirtualMachine) -> PyObjectRef {
            zelf.path_object(vm)
        }

        #[pymethod(name = "__fspath__")]
        fn fspath(zelf: &Py<Self>, vm: &VirtualMachine) -> PyObjectRef {
            zelf.path_object(vm)
        }

        #[pymethod]
        fn is_dir(zelf: &Py<Self>, args: FollowArgs, vm: &VirtualMachine) -> PyResult<bool> {
            Ok(zelf.kind(args.follow_symlinks, vm)? == Some(Kind::Directory))
        }

        #[pymethod]
        fn is_file(zelf: &Py<Self>, args: FollowArgs, vm: &VirtualMachine) -> PyResult<bool> {
            Ok(zelf.kind(args.follow_symlinks, vm)? == Some(Kind::File))
        }

        #[pymethod]
        fn is_symlink(zelf: &Py<Self>) -> bool {
            zelf.kind == Kind::Link
        }

        #[pymethod]
        fn is_junction(zelf: &Py<Self>) -> bool {
            let _ = zelf;
            false
        }

        #[pymethod]
        fn inode(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<u64> {
            let path = Path::of(zelf.path_object(vm), vm)?;
            Ok(path.or_raise(files(vm)?.stat(&zelf.path, false), vm)?.inode)
        }

        #[pymethod]
        fn stat(zelf: &Py<Self>, args: FollowArgs, vm: &VirtualMachine) -> PyResult<PyTupleRef> {
            let path = Path::of(zelf.path_object(vm), vm)?;
            let stat = path.or_raise(files(vm)?.stat(&zelf.path, args.follow_symlinks), vm)?;
            Ok(stat_result(&stat, vm))
        }
    }

    /// What `scandir` walks over; the Python side wraps it for `with`.
    #[pyfunction]
    fn _scandir(path: OptionalArg<PyObjectRef>, vm: &VirtualMachine) -> PyResult<PyListRef> {
        let path = here_or(path, vm)?;
        let entry = |(name, kind): (String, Kind)| -> PyObjectRef {
            let joined =
                if path.text.ends_with('/') { format!("{}{name}", path.text) } else { format!("{}/{name}", path.text) };
            DirEntry { name, path: joined, bytes: path.bytes, kind }.into_ref(&vm.ctx).into()
        };
        let list = names(&path, vm)?.into_iter().map(entry).collect();
        Ok(vm.ctx.new_list(list))
    }

    #[derive(rustpython_vm::FromArgs)]
    struct ModeArgs {
        #[pyarg(any)]
        path: PyObjectRef,
        #[pyarg(any, default = 0o777)]
        mode: u32,
        #[pyarg(named, optional)]
        dir_fd: OptionalArg<PyObjectRef>,
        #[pyarg(named, default = true)]
        follow_symlinks: bool,
    }

    #[pyfunction]
    fn mkdir(args: ModeArgs, vm: &VirtualMachine) -> PyResult<()> {
        no_dir_fd(args.dir_fd, vm)?;
        let path = Path::of(args.path, vm)?;
        path.or_raise(files(vm)?.make_directory(&path.text, args.mode), vm)
    }

    #[pyfunction]
    fn chmod(args: ModeArgs, vm: &VirtualMachine) -> PyResult<()> {
        no_dir_fd(args.dir_fd, vm)?;
        let _ = args.follow_symlinks;
        let path = Path::of(args.path, vm)?;
        path.or_raise(files(vm)?.set_permissions(&path.text, args.mode), vm)
    }

    #[derive(rustpython_vm::FromArgs)]
    struct OnePath {
        #[pyarg(any)]
        path: PyObjectRef,
        #[pyarg(named, optional)]
        dir_fd: OptionalArg<PyObjectRef>,
    }

    #[pyfunction]
    fn rmdir(args: OnePath, vm: &VirtualMachine) -> PyResult<()> {
        no_dir_fd(args.dir_fd, vm)?;
        let path = Path::of(args.path, vm)?;
        path.or_raise(files(vm)?.remove_directory(&path.text), vm)
    }

    #[pyfunction]
    #[pyfunction(name = "remove")]
    fn unlink(args: OnePath, vm: &VirtualMachine) -> PyResult<()> {
        no_dir_fd(args.dir_fd, vm)?;
        let path = Path::of(args.path, vm)?;
        path.or_raise(files(vm)?.remove_file(&path.text), vm)
    }

    #[pyfunction]
    fn readlink(args: OnePath, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        no_dir_fd(args.dir_fd, vm)?;
        let path = Path::of(args.path, vm)?;
        let target = path.or_raise(files(vm)?.read_link(&path.text), vm)?;
        Ok(path.give_back(target, vm))
    }

    #[derive(rustpython_vm::FromArgs)]
    struct TwoPaths {
        #[pyarg(any)]
        src: PyObjectRef,
        #[pyarg(any)]
        dst: PyObjectRef,
        #[pyarg(named, optional)]
        src_dir_fd: OptionalArg<PyObjectRef>,
        #[pyarg(named, optional)]
        dst_dir_fd: OptionalArg<PyObjectRef>,
    }

    #[pyfunction]
    #[pyfunction(name = "replace")]
    fn rename(args: TwoPaths, vm: &VirtualMachine) -> PyResult<()> {
        no_dir_fd(args.src_dir_fd, vm)?;
        no_dir_fd(args.dst_dir_fd, vm)?;
        let (from, to) = (Path::of(args.src, vm)?, Path::of(args.dst, vm)?);
        let done = files(vm)?.rename(&from.text, &to.text);
        done.map_err(|error| os_error(error, &[&from.object, &to.object], vm))
    }

    #[derive(rustpython_vm::FromArgs)]
    struct LinkArgs {
        #[pyarg(any)]
        src: PyObjectRef,
        #[pyarg(any)]
        dst: PyObjectRef,
        #[pyarg(any, default = false)]
        target_is_directory: bool,
        #[pyarg(named, optional)]
        dir_fd: OptionalArg<PyObjectRef>,
    }

    #[pyfunction]
    fn symlink(args: LinkArgs, vm: &VirtualMachine) -> PyResult<()> {
        no_dir_fd(args.dir_fd, vm)?;
        let _ = args.target_is_directory;
        let (target, path) = (Path::of(args.src, vm)?, Path::of(args.dst, vm)?);
        let done = files(vm)?.make_link(&target.text, &path.text);
        done.map_err(|error| os_error(error, &[&target.object, &path.object], vm))
    }

    #[derive(rustpython_vm::FromArgs)]
    struct UtimeArgs {
        #[pyarg(any)]
        path: PyObjectRef,
        #[pyarg(any, optional)]
        times: OptionalArg<PyObjectRef>,
        #[pyarg(named, optional)]
        ns: OptionalArg<PyObjectRef>,
        #[pyarg(named, optional)]
        dir_fd: OptionalArg<PyObjectRef>,
        #[pyarg(named, default = true)]
        follow_symlinks: bool,
    }

    #[pyfunction]
    fn utime(args: UtimeArgs, vm: &VirtualMachine) -> PyResult<()> {
        no_dir_fd(args.dir_fd, vm)?;
        let _ = args.follow_symlinks;
        let path = Path::of(args.path, vm)?;
        let pair = |object: &PyObjectRef| match object.downcast_ref::<PyTuple>().map(|pair| pair.as_slice()) {
            Some([first, second]) => Ok((first.clone(), second.clone())),
            _ => Err(vm.new_type_error("utime: 'times' must be either a tuple of two ints or None".to_owned())),
        };
        let (accessed, modified) = match (args.times.into_option(), args.ns.into_option()) {
            (Some(times), None) if !vm.is_none(&times) => {
                let (first, second) = pair(&times)?;
                let ns = |time: PyObjectRef| -> PyResult<i128> {
                    let seconds: f64 = time.try_float(vm)?.to_f64();
                    Ok((seconds * 1e9).round() as i128)
                };
                (ns(first)?, ns(second)?)
            }
            (_, Some(ns)) => {
                let (first, second) = pair(&ns)?;
                (first.try_into_value::<i128>(vm)?, second.try_into_value::<i128>(vm)?)
            }
            _ => {
                let now = crate::files::now_ns();
                (now, now)
            }
        };
        path.or_raise(files(vm)?.set_times(&path.text, accessed, modified), vm)
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
