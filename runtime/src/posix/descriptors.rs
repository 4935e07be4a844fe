//! `posix`: open files by number.

#[rustpython_vm::pymodule(name = "posix", with(super::process::process, super::status::status, super::tree::tree))]
pub(crate) mod posix {
    use super::super::{Path, Place, files, how_of, no_dir_fd, raise};
    use crate::files::{Errno, OpenHow, Seek};
    use crate::host;
    use rustpython_vm::function::{ArgBytesLike, ArgMemoryBuffer, OptionalArg};
    use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine};

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
}
