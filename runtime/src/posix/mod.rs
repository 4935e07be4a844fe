//! The native module `posix`: what `os` is made of, over this thread's [`crate::host`].
//!
//! The same module serves the browser and the native tool. Processes, signals and users are left out: `os` then
//! simply lacks those names.

// The macro `pymodule` wants a module of its own inside each of these files.
#![allow(clippy::module_inception)]

mod descriptors;
mod process;
mod status;
mod tree;

pub(crate) use descriptors::posix::module_def;

use crate::files::{Errno, FileTree, OpenHow};
use crate::host;
use rustpython_vm::builtins::{PyBaseExceptionRef, PyStr};
use rustpython_vm::function::{FsPath, OptionalArg};
use rustpython_vm::{AsObject, PyObjectRef, PyResult, VirtualMachine};
use std::rc::Rc;

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

pub(super) fn raise(error: Errno, vm: &VirtualMachine) -> PyBaseExceptionRef {
    os_error(error, &[], vm)
}

pub(super) fn files(vm: &VirtualMachine) -> PyResult<Rc<dyn FileTree>> {
    host::files().map_err(|error| raise(error, vm))
}

pub(super) fn no_dir_fd(dir_fd: OptionalArg<PyObjectRef>, vm: &VirtualMachine) -> PyResult<()> {
    match dir_fd {
        OptionalArg::Present(fd) if !vm.is_none(&fd) => Err(vm.new_exception_msg(
            vm.ctx.exceptions.not_implemented_error.to_owned(),
            "dir_fd unavailable on this platform".into(),
        )),
        _ => Ok(()),
    }
}

pub(super) fn here_or(path: OptionalArg<PyObjectRef>, vm: &VirtualMachine) -> PyResult<Path> {
    match path {
        OptionalArg::Present(path) if !vm.is_none(&path) => Path::of(path, vm),
        _ => Path::of(vm.ctx.new_str(".").into(), vm),
    }
}

/// How `flags` (Linux's `O_...`) and `mode` want a file opened.
pub(crate) fn how_of(flags: i32, mode: u32) -> OpenHow {
    let access = flags & 3;
    OpenHow {
        read: access == 0 || access == 2,
        write: access == 1 || access == 2,
        append: flags & 0o2000 != 0,
        create: flags & 0o100 != 0,
        exclusive: flags & 0o200 != 0,
        truncate: flags & 0o1000 != 0,
        permissions: mode & 0o777 & !0o022,
    }
}
