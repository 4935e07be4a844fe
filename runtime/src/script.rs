//! Running a whole program, as `python FILE` does: `__main__`, arguments, exit status.

use crate::session::{Runtime, exit_status, flush, namespace, print_error, print_uncaught};
use crate::stop;
use rustpython_vm::builtins::{PyBaseExceptionRef, PyCode};
use rustpython_vm::scope::Scope;
use rustpython_vm::{AsObject, PyObjectRef, PyRef, PyResult, VirtualMachine};

/// What to run.
#[derive(Debug, Clone, Copy)]
pub enum Program<'a> {
    File(&'a str),
    /// Text given on the command line.
    Code(&'a str),
}

/// As CPython ends when what was printed could not be written.
const FLUSH_FAILED: i32 = 120;

impl Runtime {
    /// Runs a program to its end and gives its exit status.
    pub fn run_program(self, program: Program<'_>, arguments: &[String]) -> i32 {
        let status = self.enter(|vm| {
            stop::clear();
            let status = match run(vm, program, arguments) {
                Ok(()) => 0,
                Err(error) => status_of(vm, &error),
            };
            stop::clear();
            status
        });
        let ended = self.finish();
        if status == 0 { ended } else { status }
    }
}

fn run(vm: &VirtualMachine, program: Program<'_>, arguments: &[String]) -> PyResult<()> {
    let (name, folder) = match program {
        Program::File(path) => (path, path.rfind('/').map_or("", |at| path.get(..at.max(1)).unwrap_or(""))),
        Program::Code(_) => ("-c", ""),
    };
    let mut argv: Vec<PyObjectRef> = vec![vm.ctx.new_str(name).into()];
    argv.extend(arguments.iter().map(|argument| PyObjectRef::from(vm.ctx.new_str(argument.as_str()))));
    vm.sys_module.set_attr("argv", vm.ctx.new_list(argv), vm)?;
    let here: PyObjectRef = match program {
        Program::File(_) => {
            let absolute = vm.import("posixpath", 0)?;
            vm.call_method(&absolute, "realpath", (if folder.is_empty() { "." } else { folder },))?
        }
        Program::Code(_) => vm.ctx.new_str("").into(),
    };
    vm.sys_module.set_attr("path", vm.ctx.new_list(vec![here]), vm)?;

    let module = namespace(vm);
    vm.sys_module.get_attr("modules", vm)?.set_item("__main__", module.clone().into(), vm)?;
    let code: PyRef<PyCode> = match program {
        Program::Code(text) => vm
            .compile(text, rustpython_vm::compiler::Mode::Exec, "<string>".to_owned())
            .map_err(|error| error.into_pyexception(vm, Some(text)))?,
        Program::File(path) => {
            let file = vm.builtins.get_attr("open", vm)?.call((path, "rb"), vm)?;
            let bytes = vm.call_method(&file, "read", ())?;
            vm.call_method(&file, "close", ())?;
            module.dict().set_item("__file__", vm.ctx.new_str(path).into(), vm)?;
            let code = vm.builtins.get_attr("compile", vm)?.call((bytes, path, "exec"), vm)?;
            code.downcast().map_err(|_| vm.new_system_error("compile() gave no code".to_owned()))?
        }
    };
    vm.run_code_obj(code, Scope::with_builtins(None, module.dict(), vm)).map(drop)?;
    if flush(vm) {
        Ok(())
    } else {
        Err(vm.new_exception(vm.ctx.exceptions.system_exit.to_owned(), vec![vm.ctx.new_int(FLUSH_FAILED).into()]))
    }
}

fn status_of(vm: &VirtualMachine, error: &PyBaseExceptionRef) -> i32 {
    if error.fast_isinstance(vm.ctx.exceptions.system_exit) {
        let (status, message) = exit_status(vm, error);
        if let Some(message) = message {
            print_error(vm, &message);
        }
        flush(vm);
        return status;
    }
    flush(vm);
    print_uncaught(vm, error);
    flush(vm);
    if error.fast_isinstance(vm.ctx.exceptions.keyboard_interrupt) { 130 } else { 1 }
}
