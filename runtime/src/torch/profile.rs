//! The profiler's ears: while it listens, each call of an op is noted with its times and the shapes of its tensors.

use super::tensor::PyTensor;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{PyObject, PyObjectRef, PyResult, VirtualMachine};
use std::cell::{Cell, RefCell};

struct Event {
    name: String,
    start: f64,
    end: f64,
    shapes: Vec<Vec<usize>>,
}

thread_local! {
    static ON: Cell<bool> = const { Cell::new(false) };
    static EVENTS: RefCell<Vec<Event>> = const { RefCell::new(Vec::new()) };
}

pub(crate) fn on() -> bool {
    ON.get()
}

/// Runs `call` and notes it under `name`.
pub(crate) fn noted<'a, R>(name: &str, arguments: impl Iterator<Item = &'a PyObject>, call: impl FnOnce() -> R) -> R {
    let shapes = arguments.map(|a| a.downcast_ref::<PyTensor>().map_or(vec![], |t| t.tensor().shape())).collect();
    let start = crate::clock::now();
    let result = call();
    let end = crate::clock::now();
    EVENTS.with(|events| events.borrow_mut().push(Event { name: name.to_owned(), start, end, shapes }));
    result
}

/// `_profile(on)`: starts or stops listening; gives what was heard since the last time, as
/// `(name, start, end, shapes)` in seconds.
pub(crate) fn profile(args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let on = match args.args.first() {
        Some(on) => on.clone().is_true(vm)?,
        None => false,
    };
    ON.set(on);
    let ctx = &vm.ctx;
    let events = EVENTS.with(|events| std::mem::take(&mut *events.borrow_mut()));
    let events = events.into_iter().map(|event| {
        let sizes =
            |s: &Vec<usize>| -> PyObjectRef { ctx.new_list(s.iter().map(|&n| ctx.new_int(n).into()).collect()).into() };
        let shapes = ctx.new_list(event.shapes.iter().map(sizes).collect());
        let (start, end) = (ctx.new_float(event.start).into(), ctx.new_float(event.end).into());
        ctx.new_tuple(vec![ctx.new_str(event.name).into(), start, end, shapes.into()]).into()
    });
    Ok(ctx.new_list(events.collect()).into())
}

/// `_profile_now()`: the time on the same clock, in seconds.
pub(crate) fn now(_args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    Ok(vm.ctx.new_float(crate::clock::now()).into())
}
