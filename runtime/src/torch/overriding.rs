//! `__torch_function__`: classes of Python that see the calls which get their objects, and may answer them themselves.
//! Modes (`torch.overrides.TorchFunctionMode`) see all calls.

use super::native;
use super::state;
use rustpython_vm::builtins::PyTypeRef;
use rustpython_vm::function::{FuncArgs, KwArgs};
use rustpython_vm::types::PyTypeFlags;
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyResult, VirtualMachine};
use std::cell::{Cell, RefCell};
use std::sync::atomic::Ordering;

thread_local! {
    /// Whether classes are not asked now: they are in the middle of answering.
    static OFF: Cell<bool> = const { Cell::new(false) };
    static MODES: RefCell<Vec<PyObjectRef>> = const { RefCell::new(Vec::new()) };
    /// Versions of classes, and whether they want to see calls.
    static KNOWN_CLASSES: [Cell<(u32, bool)>; KNOWN] = const { [const { Cell::new((0, false)) }; KNOWN] };
}

/// Whether the object's class wants to see calls. `Tensor` itself does not; `None` in a class says no as well.
pub(crate) fn overrides(object: &PyObject, vm: &VirtualMachine) -> bool {
    let class = object.class();
    if !class.slots.flags.has_feature(PyTypeFlags::HEAPTYPE) || OFF.get() {
        return false;
    }
    // A class keeps its version for as long as neither it nor a base of it is changed; 0 means that it has none.
    let version = class.tp_version_tag.load(Ordering::Acquire);
    let place = version as usize % KNOWN;
    let (known, answer) = KNOWN_CLASSES.with(|known| known[place].get());
    if version != 0 && known == version {
        return answer;
    }
    let handler = class.get_attr(vm.ctx.intern_str("__torch_function__"));
    let answer = !class.is(&state::get().tensor_class) && handler.is_some_and(|handler| !vm.is_none(&handler));
    // To look it up gave the class a version, where it had none.
    let version = class.tp_version_tag.load(Ordering::Acquire);
    KNOWN_CLASSES.with(|known| known[version as usize % KNOWN].set((version, answer)));
    answer
}

/// How many classes' answers are kept.
const KNOWN: usize = 32;

/// Whether the object's class is one that wants to see calls, even if it is not asked now.
pub(crate) fn answers(object: &PyObject, vm: &VirtualMachine) -> bool {
    let off = OFF.replace(false);
    let answers = overrides(object, vm);
    OFF.set(off);
    answers
}

/// The objects among the arguments whose classes want to see the call, one a class, subclasses first.
fn overriding<'a>(arguments: impl Iterator<Item = &'a PyObject>, vm: &VirtualMachine) -> Vec<PyObjectRef> {
    let mut found: Vec<PyObjectRef> = Vec::new();
    let mut look = |object: &PyObject| {
        if !overrides(object, vm) || found.iter().any(|f| f.class().is(object.class())) {
            return;
        }
        let before = found.iter().position(|f| object.class().fast_issubclass(f.class())).unwrap_or(found.len());
        found.insert(before, object.to_owned());
    };
    for argument in arguments {
        if let Some(list) = argument.downcast_ref::<rustpython_vm::builtins::PyList>() {
            list.borrow_vec().iter().for_each(|item| look(item));
        } else if let Some(tuple) = argument.downcast_ref::<rustpython_vm::builtins::PyTuple>() {
            tuple.as_slice().iter().for_each(|item| look(item));
        } else {
            look(argument);
        }
    }
    found
}

/// The answer of a mode or of the arguments' classes to a call of `func`; `None` where nobody wants to see it.
pub(crate) fn answer(
    func: impl FnOnce() -> PyResult,
    zelf: Option<&PyObject>,
    args: &[PyObjectRef],
    kwargs: &KwArgs,
    vm: &VirtualMachine,
) -> PyResult<Option<PyObjectRef>> {
    let named = kwargs.iter().map(|(_, value)| &**value);
    let found = overriding(zelf.into_iter().chain(args.iter().map(|a| &**a)).chain(named), vm);
    if found.is_empty() && MODES.with(|modes| modes.borrow().is_empty()) {
        return Ok(None);
    }
    let mode = MODES.with(|modes| modes.borrow_mut().pop());
    let given: Vec<PyObjectRef> = zelf.map(|z| z.to_owned()).into_iter().chain(args.iter().cloned()).collect();
    let given: PyObjectRef = vm.ctx.new_tuple(given).into();
    let settings = vm.ctx.new_dict();
    for (name, value) in kwargs.iter() {
        if let Ok(name) = name.as_str() {
            settings.set_item(name, value.clone(), vm)?;
        }
    }
    let types = found.iter().map(|f| f.class().to_owned().into()).collect();
    let types: PyObjectRef = vm.ctx.new_tuple(types).into();
    let func = func()?;
    let ask = |object: &PyObject| {
        let handler = object.get_attr("__torch_function__", vm)?;
        handler.call((func.clone(), types.clone(), given.clone(), settings.clone()), vm)
    };
    if let Some(mode) = mode {
        let answered = ask(&mode);
        MODES.with(|modes| modes.borrow_mut().push(mode));
        let answered = answered?;
        if !answered.is(&vm.ctx.not_implemented()) {
            return Ok(Some(answered));
        }
    }
    for object in &found {
        let answered = ask(object)?;
        if !answered.is(&vm.ctx.not_implemented()) {
            return Ok(Some(answered));
        }
    }
    let name = func.get_attr("__name__", vm)?.str(vm)?;
    let mut text = format!(
        "Multiple dispatch failed for 'torch.{}'; all __torch_function__ handlers returned NotImplemented:\n\n",
        name.to_string_lossy()
    );
    for object in &found {
        text += &format!("  - tensor subclass {}\n", object.class().as_object().repr(vm)?.to_string_lossy());
    }
    text += "\nFor more information, try re-running with TORCH_LOGS=not_implemented";
    Err(vm.new_type_error(text))
}

/// `Tensor.<name>`, as a handler gets to see a method; the function where tensors have none of this name.
pub(crate) fn method(name: &str, vm: &VirtualMachine) -> PyResult {
    let class: PyTypeRef = state::get().tensor_class.clone();
    match class.as_object().get_attr(vm.ctx.intern_str(name), vm) {
        Ok(method) => Ok(method),
        Err(missing) => match state::get().op(name) {
            Some(overloads) => Ok(native::op_function(overloads.clone(), vm)),
            None => Err(missing),
        },
    }
}

/// Whether the class of the object, or of one in it, wants to see calls.
pub(crate) fn touches(object: &PyObject, vm: &VirtualMachine) -> bool {
    if let Some(tuple) = object.downcast_ref::<rustpython_vm::builtins::PyTuple>() {
        return tuple.as_slice().iter().any(|item| overrides(item, vm));
    }
    overrides(object, vm)
}

/// The answer to reading an attribute.
pub(crate) fn attribute(
    zelf: &PyObject,
    read: impl Fn(&PyObject, &VirtualMachine) -> PyResult + 'static,
    vm: &VirtualMachine,
) -> PyResult<Option<PyObjectRef>> {
    if !overrides(zelf, vm) {
        return Ok(None);
    }
    let getter = move |args: FuncArgs, vm: &VirtualMachine| match args.args.first() {
        Some(object) => read(object, vm),
        None => Err(vm.new_type_error("__get__() needs an object".to_owned())),
    };
    answer(|| Ok(native::function("__get__", getter, vm)), Some(zelf), &[], &KwArgs::default(), vm)
}

/// `_set_torch_function(on)`: whether classes are asked; gives what was.
pub(crate) fn set_on(args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let on = match args.args.first() {
        Some(on) => on.clone().is_true(vm)?,
        None => true,
    };
    Ok(vm.ctx.new_bool(!OFF.replace(!on)).into())
}

/// `_push_torch_function_mode(mode)` and `_pop_torch_function_mode()`
pub(crate) fn push_mode(args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    if let Some(mode) = args.args.first() {
        MODES.with(|modes| modes.borrow_mut().push(mode.clone()));
    }
    Ok(vm.ctx.none())
}

pub(crate) fn pop_mode(_args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    Ok(MODES.with(|modes| modes.borrow_mut().pop()).unwrap_or_else(|| vm.ctx.none()))
}
