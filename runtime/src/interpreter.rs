//! Sets the interpreter up: native modules, embedded sources, files and streams.

use crate::{depth, embedded, native, numpy, odict, posix, stop::StopHandle, torch, watch};
use rustpython_vm::builtins::{PyCode, PyDictRef};
use rustpython_vm::compiler::Mode;
use rustpython_vm::frozen::FrozenModule;
use rustpython_vm::scope::Scope;
use rustpython_vm::{Interpreter, PyRef, PyResult, Settings, VirtualMachine, compiler, signal};

/// As deep as Python calls may nest before `RecursionError`, as in CPython.
const RECURSION_LIMIT: usize = 1000;

/// The start-up code.
const BOOT: &str = include_str!("../py/boot.py");

/// File name of the start-up code; frames of files that start with `<rushlight` are left out of tracebacks.
pub(crate) const OURS: &str = "<rushlight";

/// Builds an interpreter over this thread's host.
pub(crate) fn build() -> Result<(Interpreter, StopHandle), String> {
    let mut settings = Settings::default();
    settings.write_bytecode = false;
    settings.path_list = vec![embedded::ROOT.trim_end_matches('/').to_owned()];
    let builder = Interpreter::builder(settings);
    let ctx = builder.ctx.clone();
    let frozen = embedded::FROZEN.iter().map(|(name, package, bytes)| {
        let code = rustpython_vm::frozen::FrozenCodeObject { bytes: *bytes };
        (*name, FrozenModule { code, package: *package })
    });
    let mut library = rustpython_stdlib::stdlib_module_defs(&ctx);
    if cfg!(target_arch = "wasm32") {
        // `_datetime` asks the target for the time, which this target does not have; `_pydatetime` asks `time`. The East
        // Asian codecs' tables are large and emptied after linking (xtask/src/blank.rs), so none may be reachable.
        library.retain(|module| module.name.as_str() != "_datetime" && !module.name.as_str().starts_with("_codecs_"));
    }
    let (sender, receiver) = signal::user_signal_channel();
    let interpreter = builder
        .add_native_modules(&library)
        .add_native_modules(&[
            posix::module_def(&ctx),
            native::module_def(&ctx),
            torch::module_def(&ctx),
            numpy::module_def(&ctx),
        ])
        .add_frozen_modules(frozen.collect::<Vec<_>>())
        .init_hook(move |vm| vm.set_user_signal_channel(receiver))
        .build();
    interpreter.enter(|vm| {
        vm.recursion_limit.set(RECURSION_LIMIT);
        boot(vm).map_err(|error| {
            let mut text = String::new();
            // The text of an error that happens before streams exist.
            let _ = vm.write_exception(&mut text, &error);
            text
        })
    })?;
    // In the browser nobody would receive a signal.
    Ok((interpreter, StopHandle::new((!cfg!(target_arch = "wasm32")).then_some(sender))))
}

fn boot(vm: &VirtualMachine) -> PyResult<()> {
    run_ours(vm, BOOT, "<rushlight boot>")?;
    odict::print_views(vm)?;
    depth::guard_builtins(vm)
}

/// Runs a piece of our own Python and returns its names.
pub(crate) fn run_ours(vm: &VirtualMachine, source: &str, name: &str) -> PyResult<PyDictRef> {
    let code = compile_ours(vm, source, name)?;
    let globals = vm.ctx.new_dict();
    globals.set_item("__name__", vm.ctx.new_str("_rushlight_py").into(), vm)?;
    vm.run_code_obj(code, Scope::with_builtins(None, globals.clone(), vm))?;
    Ok(globals)
}

/// Compiles what the program brings along: without the search for doubtful escapes, which reads every text once more.
pub(crate) fn compile_ours(vm: &VirtualMachine, source: &str, name: &str) -> PyResult<PyRef<PyCode>> {
    match compiler::compile(source, Mode::Exec, name, vm.compile_opts()) {
        Ok(code) => Ok(PyCode::new_ref_from_bytecode(vm, code)),
        Err(error) => Err(vm.new_syntax_error(&error, Some(source))),
    }
}

/// Compiles a cell. A last statement that is an expression (and not ended by `;`) becomes the cell's value when `echo`
/// is set.
pub(crate) fn compile_cell(vm: &VirtualMachine, source: &str, file: &str, echo: bool) -> PyResult<PyRef<PyCode>> {
    let source = depth::compilable(source, vm)?;
    let mode = if echo && ends_in_expression(source) { Mode::BlockExpr } else { Mode::Exec };
    let code = vm.compile(source, mode, file.to_owned()).map_err(|error| error.into_pyexception(vm, Some(source)))?;
    Ok(watch::watched(vm, code, source, mode, file, vm.compile_opts()))
}

fn ends_in_expression(source: &str) -> bool {
    let Ok(parsed) = compiler::parser::parse_module(source) else { return false };
    let Some(compiler::ast::Stmt::Expr(last)) = parsed.syntax().body.last() else { return false };
    let rest = source.get(last.range.end().to_usize()..).unwrap_or_default();
    !rest.trim_start().starts_with(';')
}
