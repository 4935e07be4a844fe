//! Checks: a lesson's check block, run over the names of the learner's cell.
//!
//! The block runs statement by statement, so that an exception in one `check(...)` is that check's failure and the
//! others are still tried.

use crate::host::{self, Capture};
use crate::interpreter::compile_cell;
use crate::session::{Cell, Report, Runtime, Tools, flush, namespace, run_source, show_value};
use crate::torch::Modes;
use rushlight_protocol::{CheckLine, Outcome, Source};
use rustpython_vm::builtins::{PyBaseExceptionRef, PyDictRef, PyModule};
use rustpython_vm::scope::Scope;
use rustpython_vm::{AsObject, PyObjectRef, PyRef, PyResult, VirtualMachine, compiler};
use std::cell::RefCell;
use std::rc::Rc;

/// A cell and the check block for it.
#[derive(Debug, Clone, Copy)]
pub struct Check<'a> {
    pub cell: Cell<'a>,
    pub check: &'a Source,
}

/// How a check went.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckReport {
    /// How the learner's cell ended, and its names; when it failed, no check was tried.
    pub run: Report,
    pub lines: Vec<CheckLine>,
}

impl CheckReport {
    /// Whether the cell ran and all its checks passed.
    pub fn passed(&self) -> bool {
        self.run.outcome == Outcome::Done && !self.lines.is_empty() && self.lines.iter().all(|line| line.passed)
    }
}

/// What a rerun needs, kept while the check block runs.
struct Again {
    file: String,
    before: Vec<Source>,
    source: String,
}

type Lines = Rc<RefCell<Vec<CheckLine>>>;

fn record(lines: &Lines, line: CheckLine) {
    if let Some(sink) = host::sink() {
        sink.checked(&line);
    }
    lines.borrow_mut().push(line);
}

impl Runtime {
    /// Runs a cell in a fresh namespace, then its checks. The session's own names are left alone.
    pub fn check(&self, check: Check<'_>) -> CheckReport {
        let lines = Lines::default();
        let run = self.enter(|vm| {
            let module = namespace(vm);
            self.report(vm, &module, check.cell.file, Modes::default(), || {
                let tools = Tools::load(vm)?;
                let output = run_captured(vm, &tools, &module, check.cell)?;
                run_block(vm, &tools, &module, check, output, &lines)
            })
        });
        let lines = lines.take();
        CheckReport { run, lines }
    }
}

/// Runs the cell and gives what it printed.
fn run_captured(vm: &VirtualMachine, tools: &Tools, module: &PyRef<PyModule>, cell: Cell<'_>) -> PyResult<String> {
    for before in cell.before {
        run_source(vm, tools, module, &before.file, &before.text, false)?;
    }
    flush(vm);
    let capture = Capture::start(false);
    let ran = run_source(vm, tools, module, cell.file, cell.source, true);
    flush(vm);
    let output = capture.finish();
    show_value(vm, &ran?)?;
    Ok(output)
}

fn run_block(
    vm: &VirtualMachine,
    tools: &Tools,
    module: &PyRef<PyModule>,
    check: Check<'_>,
    output: String,
    lines: &Lines,
) -> PyResult<()> {
    // A copy, so that the block's own names are not the learner's.
    let names = vm.ctx.new_dict();
    for (name, value) in module.dict() {
        names.set_item(&*name, value, vm)?;
    }
    names.set_item("source", vm.ctx.new_str(check.cell.source).into(), vm)?;
    names.set_item("output", vm.ctx.new_str(output).into(), vm)?;
    names.set_item("close", tools.get(vm, "close")?, vm)?;
    names.set_item("check", make_check(vm, tools, lines)?, vm)?;
    names.set_item("rerun", make_rerun(vm, tools, check.cell)?, vm)?;
    tools.remember(vm, &check.check.file, &check.check.text)?;

    let restore = tools.call(vm, "fresh_random", vec![])?;
    let done = run_statements(vm, tools, &names, check.check, lines);
    restore.call((), vm)?;
    done
}

fn make_check(vm: &VirtualMachine, tools: &Tools, lines: &Lines) -> PyResult {
    let lines = lines.clone();
    let report = move |text: String, passed: bool, hint: Option<String>, detail: Option<String>| {
        let hint = hint.filter(|_| !passed);
        record(&lines, CheckLine { text, passed, hint, detail });
    };
    let report: PyObjectRef = vm.new_function("report", report).into();
    tools.call(vm, "make_check", vec![report])
}

fn make_rerun(vm: &VirtualMachine, tools: &Tools, cell: Cell<'_>) -> PyResult {
    let again = Again { file: cell.file.to_owned(), before: cell.before.to_vec(), source: cell.source.to_owned() };
    let run = move |inputs: PyDictRef, vm: &VirtualMachine| run_again(vm, &again, inputs);
    let run: PyObjectRef = vm.new_function("run", run).into();
    tools.call(vm, "make_rerun", vec![run, vm.ctx.new_str(cell.file).into()])
}

/// The cell once more, in a namespace of its own, with other values for given names. Gives names and output.
fn run_again(vm: &VirtualMachine, again: &Again, inputs: PyDictRef) -> PyResult<(PyDictRef, String)> {
    let tools = Tools::load(vm)?;
    let module = namespace(vm);
    flush(vm);
    let capture = Capture::start(true);
    let modes = Modes::now();
    Modes::default().apply();
    let ran = (|| {
        for before in &again.before {
            run_source(vm, &tools, &module, &before.file, &before.text, false)?;
        }
        let names = module.dict();
        let given = again.before.iter().any(|before| before.given);
        for (name, value) in &inputs {
            if given && !names.contains_key(&*name, vm) {
                let name = name.str(vm)?;
                return Err(vm.new_type_error(format!("rerun() knows no given name '{name}'")));
            }
            names.set_item(&*name, value, vm)?;
        }
        run_source(vm, &tools, &module, &again.file, &again.source, false)
    })();
    modes.apply();
    flush(vm);
    let output = capture.finish();
    match ran {
        Err(error) if !error.fast_isinstance(vm.ctx.exceptions.system_exit) => Err(error),
        _ => Ok((module.dict(), output)),
    }
}

/// One top-level statement of a check block.
struct Statement {
    /// With empty lines before it, so that its lines keep their numbers.
    text: String,
    /// The arguments when it is a call of `check`: its text, and the hint where there is one.
    check: Option<(String, Option<String>)>,
}

fn statements(source: &str) -> Option<Vec<Statement>> {
    use compiler::ast::{Expr, Stmt};
    use ruff_text_size::Ranged;
    let parsed = compiler::parser::parse_module(source).ok()?;
    let slice = |from: usize, to: usize| source.get(from..to).map(str::to_owned);
    let range = |node: &dyn Ranged| (node.start().to_usize(), node.end().to_usize());
    let mut found = Vec::new();
    for stmt in &parsed.syntax().body {
        let (from, to) = range(stmt);
        let lines = source.get(..from)?.matches('\n').count();
        let text = format!("{}{}", "\n".repeat(lines), source.get(from..to)?);
        let mut check = None;
        if let Stmt::Expr(stmt) = stmt
            && let Expr::Call(call) = &*stmt.value
            && matches!(&*call.func, Expr::Name(name) if name.id.as_str() == "check")
        {
            let named = |wanted: &str| {
                let mut keywords = call.arguments.keywords.iter();
                keywords.find(|k| k.arg.as_ref().is_some_and(|arg| arg.as_str() == wanted)).map(|k| &k.value)
            };
            let text = call.arguments.args.first().or_else(|| named("text"));
            let hint = call.arguments.args.get(2).or_else(|| named("hint"));
            let text_of = |expr: &Expr| {
                let (from, to) = range(expr);
                slice(from, to)
            };
            check = text.and_then(text_of).map(|text| (text, hint.and_then(text_of)));
        }
        found.push(Statement { text, check });
    }
    Some(found)
}

fn run_statements(
    vm: &VirtualMachine,
    tools: &Tools,
    names: &PyDictRef,
    check: &Source,
    lines: &Lines,
) -> PyResult<()> {
    let scope = || Scope::with_builtins(None, names.clone(), vm);
    let failed = |error: &PyBaseExceptionRef| {
        let explained = tools.call(vm, "explain", vec![error.clone().into()]).and_then(|text| text.str(vm));
        explained.map_or_else(|_| error.class().name().to_string(), |text| text.to_string_lossy().into_owned())
    };
    let Some(statements) = statements(&check.text) else {
        // The compiler says what is wrong with it, and where.
        let error = match compile_cell(vm, &check.text, &check.file, false) {
            Ok(code) => vm.run_code_obj(code, scope()).err(),
            Err(error) => Some(error),
        };
        if let Some(error) = error {
            record(lines, CheckLine { text: failed(&error), passed: false, hint: None, detail: None });
        }
        return Ok(());
    };
    for statement in statements {
        let ran = compile_cell(vm, &statement.text, &check.file, false).and_then(|code| vm.run_code_obj(code, scope()));
        let Err(error) = ran else { continue };
        if error.fast_isinstance(vm.ctx.exceptions.keyboard_interrupt) {
            return Err(error);
        }
        // The text of a check may be computed; ask for it once more, alone.
        let text_of = |expression: &str| {
            let code = vm.compile(expression, compiler::Mode::Eval, check.file.clone()).ok()?;
            let text = vm.run_code_obj(code, scope()).ok()?.str(vm).ok()?;
            Some(text.to_string_lossy().into_owned())
        };
        let Some((text, hint)) = &statement.check else {
            record(lines, CheckLine { text: failed(&error), passed: false, hint: None, detail: None });
            // What follows would fail for want of what this statement should have made.
            break;
        };
        let hint = hint.as_deref().and_then(text_of);
        let text = text_of(text).unwrap_or_else(|| text.clone());
        record(lines, CheckLine { text, passed: false, hint, detail: Some(failed(&error)) });
    }
    Ok(())
}
