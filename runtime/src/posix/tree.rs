//! `posix`: folders, names and times.

#[rustpython_vm::pymodule(sub, name = "posix")]
pub(crate) mod tree {
    use super::super::status::status::stat_result;
    use super::super::{Path, files, give_back, here_or, no_dir_fd, os_error};
    use crate::files::Kind;
    use rustpython_vm::builtins::{PyListRef, PyTuple, PyTupleRef};
    use rustpython_vm::function::OptionalArg;
    use rustpython_vm::types::Representable;
    use rustpython_vm::{Py, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};

    fn names(path: &Path, vm: &VirtualMachine) -> PyResult<Vec<(String, Kind)>> {
        path.or_raise(files(vm)?.list(&path.text), vm)
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
            give_back(self.path.clone(), self.bytes, vm)
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
            give_back(zelf.name.clone(), zelf.bytes, vm)
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
}
