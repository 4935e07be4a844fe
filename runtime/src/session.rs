//! Sessions: namespaces that live from run to run, and running one cell in them.

use crate::files::FileTree;
use crate::gpu::Meter;
use crate::host::{self, Sink};
use crate::interpreter::{self, OURS};
use crate::stop::{self, StopHandle};
use crate::torch::Modes;
use crate::{clock, errors};
use rushlight_protocol::{Gpu, Name, Outcome, Source, TensorInfo};
use rustpython_vm::builtins::{PyBaseExceptionRef, PyDictRef, PyListRef, PyModule, PySet, PyTuple};
use rustpython_vm::scope::Scope;
use rustpython_vm::{AsObject, Interpreter, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// One Python interpreter with its sessions. One a thread; see [`on_big_stack`] for natives.
pub struct Runtime {
    interpreter: Interpreter,
    stop: StopHandle,
    sessions: RefCell<HashMap<String, Session>>,
}

/// What lives from run to run: the names, and the switches of `torch` as the last run left them.
struct Session {
    module: PyRef<PyModule>,
    modes: Modes,
}

/// One cell to run.
#[derive(Debug, Clone, Copy)]
pub struct Cell<'a> {
    /// Whose names it sees and makes.
    pub session: &'a str,
    /// File name for tracebacks.
    pub file: &'a str,
    /// What runs before it, in order.
    pub before: &'a [Source],
    pub source: &'a str,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    pub outcome: Outcome,
    pub seconds: f64,
    /// The namespace's names afterwards.
    pub names: Vec<Name>,
    /// What it did on the GPU, if anything.
    pub gpu: Option<Gpu>,
}

/// The Python functions of `py/errors.py`, `py/checks.py` and `py/names.py`.
pub(crate) struct Tools(PyDictRef);

const TOOLS: [(&str, &str); 3] = [
    ("<rushlight errors>", include_str!("../py/errors.py")),
    ("<rushlight checks>", include_str!("../py/checks.py")),
    ("<rushlight names>", include_str!("../py/names.py")),
];

impl Tools {
    /// Loaded when first needed and kept in `sys.modules`.
    pub(crate) fn load(vm: &VirtualMachine) -> PyResult<Self> {
        let modules = vm.sys_module.get_attr("modules", vm)?;
        if let Ok(kept) = modules.get_item("_rushlight_tools", vm)
            && let Ok(module) = kept.downcast::<PyModule>()
        {
            return Ok(Self(module.dict()));
        }
        let names = vm.ctx.new_dict();
        for (file, source) in TOOLS {
            for (name, value) in interpreter::run_ours(vm, source, file)? {
                names.set_item(&*name, value, vm)?;
            }
        }
        let module = vm.new_module("_rushlight_tools", names, None);
        modules.set_item("_rushlight_tools", module.clone().into(), vm)?;
        Ok(Self(module.dict()))
    }

    pub(crate) fn call(&self, vm: &VirtualMachine, name: &str, args: Vec<PyObjectRef>) -> PyResult {
        self.get(vm, name)?.call(args, vm)
    }

    pub(crate) fn get(&self, vm: &VirtualMachine, name: &str) -> PyResult {
        self.0.get_item(name, vm)
    }

    /// Makes a source's lines known to tracebacks.
    pub(crate) fn remember(&self, vm: &VirtualMachine, file: &str, source: &str) -> PyResult<()> {
        self.call(vm, "remember", vec![vm.ctx.new_str(file).into(), vm.ctx.new_str(source).into()]).map(drop)
    }
}

/// Runs `act` on a thread with a stack large enough for Python's recursion limit.
#[cfg(not(target_arch = "wasm32"))]
pub fn on_big_stack<R: Send>(act: impl FnOnce() -> R + Send) -> R {
    const STACK: usize = 64 << 20;
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("python".to_owned()).stack_size(STACK).spawn_scoped(scope, act);
        match thread.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(result)) => result,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => panic!("no thread could be started: {error}"),
        }
    })
}

impl Runtime {
    /// Starts an interpreter whose programs see `files` and whose output goes to `sink`.
    pub fn new(files: Rc<dyn FileTree>, sink: Rc<dyn Sink>) -> Result<Self, String> {
        host::install(files, sink);
        let (interpreter, stop) = interpreter::build()?;
        Ok(Self { interpreter, stop, sessions: RefCell::default() })
    }

    /// Asks the running program to stop, from any thread.
    pub fn stop_handle(&self) -> StopHandle {
        self.stop.clone()
    }

    /// For example `3.14.0 (RustPython 0.6.0)`.
    pub fn python_version() -> String {
        use rustpython_vm::version;
        format!("{}.{}.{} (RustPython 0.6.0)", version::MAJOR, version::MINOR, version::MICRO)
    }

    /// Runs `act` in the interpreter.
    pub fn enter<R>(&self, act: impl FnOnce(&VirtualMachine) -> R) -> R {
        self.interpreter.enter(act)
    }

    /// Has cells look for Stop by themselves, as they must where the interpreter does not (in the browser).
    pub fn watch(&self) -> Result<(), String> {
        self.enter(|vm| crate::watch::start(vm).map_err(|error| error.class().name().to_string()))
    }

    /// Loads what nearly every cell needs: `torch`, and the tools for errors and names. A fault in it shows when a cell
    /// asks for it.
    pub fn warm(&self) {
        self.enter(|vm| {
            let _ = Tools::load(vm);
            let _ = vm.import("torch", 0);
        });
    }

    /// Sets the clocks of `time` to the present, where the interpreter was started at another time.
    pub fn set_clocks(&self) -> Result<(), String> {
        let set = |vm: &VirtualMachine| vm.import("_rushlight", 0)?.get_attr("set_clocks", vm)?.call((), vm).map(drop);
        self.enter(|vm| set(vm).map_err(|error| error.class().name().to_string()))
    }

    /// Ends the interpreter: exit functions run, streams are flushed. Gives the exit status of that.
    pub(crate) fn finish(self) -> i32 {
        self.enter(|_| self.sessions.borrow_mut().clear());
        i32::try_from(self.interpreter.finalize(None)).unwrap_or(1)
    }

    /// Forgets a session's names.
    pub fn forget(&self, session: &str) {
        let session = self.sessions.borrow_mut().remove(session);
        self.enter(|_| drop(session));
    }

    /// Runs one cell; its names stay in the session.
    pub fn run(&self, cell: Cell<'_>) -> Report {
        self.enter(|vm| {
            let new = || Session { module: namespace(vm), modes: Modes::default() };
            let (module, modes) = {
                let mut sessions = self.sessions.borrow_mut();
                let session = sessions.entry(cell.session.to_owned()).or_insert_with(new);
                (session.module.clone(), session.modes)
            };
            let report = self.report(vm, &module, cell.file, modes, || {
                let tools = Tools::load(vm)?;
                run_in(vm, &tools, &module, cell, true)
            });
            if let Some(session) = self.sessions.borrow_mut().get_mut(cell.session) {
                session.modes = Modes::now();
            }
            report
        })
    }

    /// Runs `act` as a program whose `__main__` is `module`, under `modes`, and reports how it ended.
    pub(crate) fn report(
        &self,
        vm: &VirtualMachine,
        module: &PyRef<PyModule>,
        file: &str,
        modes: Modes,
        act: impl FnOnce() -> PyResult<()>,
    ) -> Report {
        let start = clock::now();
        let meter = Meter::start();
        modes.apply();
        stop::clear();
        let result = become_main(vm, module, file).and_then(|()| act());
        let outcome = match result {
            Ok(()) => Outcome::Done,
            Err(error) => outcome_of(vm, &error, file),
        };
        stop::clear();
        flush(vm);
        // Who presses Stop does not want to wait for what the GPU still computes.
        let gpu = meter.end(!matches!(outcome, Outcome::Stopped));
        let seconds = clock::now() - start;
        #[cfg(target_arch = "wasm32")]
        crate::worker::hurry();
        // Showing values reads them: not the program's doing.
        let names = names_of(vm, module).unwrap_or_default();
        stop::clear();
        Report { outcome, seconds, names, gpu }
    }
}

/// A fresh module named `__main__`.
pub(crate) fn namespace(vm: &VirtualMachine) -> PyRef<PyModule> {
    vm.new_module("__main__", vm.ctx.new_dict(), None)
}

pub(crate) fn become_main(vm: &VirtualMachine, module: &PyRef<PyModule>, file: &str) -> PyResult<()> {
    let modules = vm.sys_module.get_attr("modules", vm)?;
    modules.set_item("__main__", module.clone().into(), vm)?;
    let argv = vm.ctx.new_list(vec![vm.ctx.new_str(file).into()]);
    vm.sys_module.set_attr("argv", argv, vm)?;
    let path: PyListRef = vm.sys_module.get_attr("path", vm)?.try_into_value(vm)?;
    if path.borrow_vec().is_empty() {
        path.borrow_vec_mut().push(vm.ctx.new_str("").into());
    }
    Ok(())
}

/// Runs a cell, and what comes before it, in a namespace.
pub(crate) fn run_in(
    vm: &VirtualMachine,
    tools: &Tools,
    module: &PyRef<PyModule>,
    cell: Cell<'_>,
    echo: bool,
) -> PyResult<()> {
    for before in cell.before {
        run_source(vm, tools, module, &before.file, &before.text, false)?;
    }
    let value = run_source(vm, tools, module, cell.file, cell.source, echo)?;
    if echo { show_value(vm, &value) } else { Ok(()) }
}

/// Shows the value of a cell's last expression, unless it is `None`.
pub(crate) fn show_value(vm: &VirtualMachine, value: &PyObjectRef) -> PyResult<()> {
    if !vm.is_none(value) {
        let text = value.repr(vm)?.to_string_lossy().into_owned();
        flush(vm);
        if let Some(sink) = host::sink() {
            sink.value(&text);
        }
    }
    Ok(())
}

pub(crate) fn run_source(
    vm: &VirtualMachine,
    tools: &Tools,
    module: &PyRef<PyModule>,
    file: &str,
    source: &str,
    echo: bool,
) -> PyResult {
    tools.remember(vm, file, source)?;
    let code = interpreter::compile_cell(vm, source, file, echo)?;
    // Where the last expression is the cell's value, the compiler records annotated names (`x: int = 1`) in this set
    // and does not make it first, as it does for a module.
    module.dict().set_item("__conditional_annotations__", PySet::default().into_ref(&vm.ctx).into(), vm)?;
    vm.run_code_obj(code, Scope::with_builtins(None, module.dict(), vm))
}

fn outcome_of(vm: &VirtualMachine, error: &PyBaseExceptionRef, file: &str) -> Outcome {
    if error.fast_isinstance(vm.ctx.exceptions.keyboard_interrupt) {
        return Outcome::Stopped;
    }
    if error.fast_isinstance(vm.ctx.exceptions.system_exit) {
        if let (_, Some(message)) = exit_status(vm, error) {
            print_error(vm, &message);
        }
        return Outcome::Done;
    }
    match Tools::load(vm) {
        Ok(tools) => Outcome::Failed(errors::describe(vm, &tools, error, file)),
        Err(_) => {
            let class = error.class().name().to_string();
            Outcome::Failed(errors::bare(class))
        }
    }
}

/// Exit status of a `SystemExit`, and the message it prints.
pub(crate) fn exit_status(vm: &VirtualMachine, error: &PyBaseExceptionRef) -> (i32, Option<String>) {
    let code = error.as_object().get_attr("code", vm).unwrap_or_else(|_| vm.ctx.none());
    if vm.is_none(&code) {
        return (0, None);
    }
    if code.class().fast_issubclass(vm.ctx.types.int_type) {
        // As a process keeps the low byte of its status.
        return (code.try_into_value::<i64>(vm).map_or(-1, |code| (code & 0xff) as i32), None);
    }
    let text = code.str(vm).map_or_else(|_| String::new(), |text| text.to_string_lossy().into_owned());
    (1, Some(text))
}

pub(crate) fn print_error(vm: &VirtualMachine, text: &str) {
    flush(vm);
    // A closed standard error has nowhere to tell that it is closed.
    let _ = host::write(2, format!("{text}\n").as_bytes());
}

/// Passes on what Python still holds back. `false` when that failed.
pub(crate) fn flush(vm: &VirtualMachine) -> bool {
    let mut done = true;
    for name in ["stdout", "stderr"] {
        let Ok(stream) = vm.sys_module.get_attr(name, vm) else { continue };
        done &= vm.is_none(&stream) || vm.call_method(&stream, "flush", ()).is_ok();
    }
    done
}

fn names_of(vm: &VirtualMachine, module: &PyRef<PyModule>) -> PyResult<Vec<Name>> {
    let found = Tools::load(vm)?.call(vm, "names", vec![module.dict().into()])?;
    let found: PyListRef = found.try_into_value(vm)?;
    let mut names = Vec::new();
    for item in found.borrow_vec().iter() {
        let parts = item.downcast_ref::<PyTuple>().map(|tuple| tuple.as_slice()).unwrap_or_default();
        if let [name, class, preview, tensor] = parts {
            names.push(Name {
                name: text(vm, name)?,
                class: text(vm, class)?,
                preview: text(vm, preview)?,
                tensor: tensor_info(vm, tensor)?,
            });
        }
    }
    Ok(names)
}

fn text(vm: &VirtualMachine, object: &PyObjectRef) -> PyResult<String> {
    Ok(object.str(vm)?.to_string_lossy().into_owned())
}

fn tensor_info(vm: &VirtualMachine, tensor: &PyObjectRef) -> PyResult<Option<TensorInfo>> {
    let parts = tensor.downcast_ref::<PyTuple>().map(|tuple| tuple.as_slice()).unwrap_or_default();
    let [shape, strides, offset, dtype, device, requires_grad, grad_fn, storage, version] = parts else {
        return Ok(None);
    };
    Ok(Some(TensorInfo {
        shape: shape.clone().try_into_value(vm)?,
        strides: strides.clone().try_into_value(vm)?,
        offset: offset.clone().try_into_value(vm)?,
        dtype: text(vm, dtype)?,
        device: text(vm, device)?,
        requires_grad: requires_grad.clone().try_into_value(vm)?,
        grad_fn: if vm.is_none(grad_fn) { None } else { Some(text(vm, grad_fn)?) },
        storage: storage.clone().try_into_value(vm)?,
        version: version.clone().try_into_value(vm)?,
    }))
}

/// Prints an uncaught exception to standard error as Python does.
pub(crate) fn print_uncaught(vm: &VirtualMachine, error: &PyBaseExceptionRef) {
    let printed = Tools::load(vm).and_then(|tools| {
        let ours = vm.ctx.new_str(OURS).into();
        tools.call(vm, "print_uncaught", vec![error.clone().into(), ours])
    });
    if printed.is_err() {
        print_error(vm, &error.class().name());
    }
}
