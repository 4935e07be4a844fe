//! An uncaught exception as the page shows it, and the key of its plain-language explanation.

use crate::interpreter::OURS;
use crate::session::Tools;
use rushlight_protocol::PythonError;
use rustpython_vm::builtins::{PyBaseExceptionRef, PyTuple};
use rustpython_vm::{AsObject, PyObjectRef, PyResult, VirtualMachine};

/// Describes `error`; `file` is the learner's.
pub(crate) fn describe(vm: &VirtualMachine, tools: &Tools, error: &PyBaseExceptionRef, file: &str) -> PythonError {
    let described = tools.call(
        vm,
        "describe",
        vec![error.clone().into(), vm.ctx.new_str(file).into(), vm.ctx.new_str(OURS).into()],
    );
    described.and_then(|described| unpack(vm, described, error)).unwrap_or_else(|_| {
        // Even the description failed (out of memory, a broken `__str__`): the class alone is still true.
        bare(error.class().name().to_string())
    })
}

/// All that can be told of an exception when only its class is known.
pub(crate) fn bare(class: String) -> PythonError {
    PythonError {
        key: key(&class, "").map(str::to_owned),
        message: String::new(),
        traceback: class.clone(),
        line: None,
        columns: None,
        class,
    }
}

fn unpack(vm: &VirtualMachine, described: PyObjectRef, error: &PyBaseExceptionRef) -> PyResult<PythonError> {
    let parts = described.downcast_ref::<PyTuple>().map(|tuple| tuple.as_slice().to_vec()).unwrap_or_default();
    let [class, message, traceback, line, columns] = parts.as_slice() else {
        return Err(vm.new_system_error("describe() gave no description".to_owned()));
    };
    let text = |object: &PyObjectRef| -> PyResult<String> { Ok(object.str(vm)?.to_string_lossy().into_owned()) };
    let (class, message) = (text(class)?, text(message)?);
    let line = if vm.is_none(line) { None } else { Some(line.clone().try_into_value::<u32>(vm)?) };
    let columns = match columns.downcast_ref::<PyTuple>().map(|pair| pair.as_slice()) {
        Some([from, to]) => Some((from.clone().try_into_value(vm)?, to.clone().try_into_value(vm)?)),
        _ => None,
    };
    // A subclass of ours is explained as what it is derived from.
    let key = error
        .class()
        .mro_map_collect(|class| class.name().to_string())
        .iter()
        .find_map(|class| key(class, &message))
        .map(str::to_owned);
    Ok(PythonError { class, message, traceback: text(traceback)?, line, columns, key })
}

/// Key, class (empty: any), and words that all occur in the message. The first match counts.
const KEYS: &[(&str, &str, &[&str])] = &[
    ("matmul-shapes", "RuntimeError", &["mat1 and mat2 shapes cannot be multiplied"]),
    ("matmul-shapes", "RuntimeError", &["size mismatch, got input"]),
    ("matmul-shapes", "RuntimeError", &["inconsistent tensor size", "dot"]),
    ("matmul-shapes", "RuntimeError", &["Expected size for first two dimensions of batch2"]),
    ("broadcast-mismatch", "RuntimeError", &["The size of tensor a", "must match the size of tensor b"]),
    ("broadcast-mismatch", "RuntimeError", &["shape mismatch", "cannot be broadcast"]),
    ("broadcast-mismatch", "RuntimeError", &["The expanded size of the tensor"]),
    ("broadcast-mismatch", "RuntimeError", &["output with shape", "doesn't match the broadcast shape"]),
    ("view-size", "RuntimeError", &["is invalid for input of size"]),
    ("view-stride", "RuntimeError", &["view size is not compatible"]),
    ("backward-twice", "RuntimeError", &["Trying to backward through the graph a second time"]),
    ("backward-scalar", "RuntimeError", &["grad can be implicitly created only for scalar outputs"]),
    ("no-grad", "RuntimeError", &["does not require grad and does not have a grad_fn"]),
    ("leaf-inplace", "RuntimeError", &["a leaf Variable that requires grad", "in-place"]),
    ("inplace-modified", "RuntimeError", &["modified by an inplace operation"]),
    ("numpy-grad", "RuntimeError", &["Can't call numpy() on Tensor that requires grad"]),
    ("device-mismatch", "RuntimeError", &["Expected all tensors to be on the same device"]),
    ("dtype-mismatch", "RuntimeError", &["must have the same dtype"]),
    ("dtype-mismatch", "RuntimeError", &["expected scalar type"]),
    ("dtype-mismatch", "RuntimeError", &["Found dtype"]),
    ("dtype-mismatch", "RuntimeError", &["result type", "can't be cast"]),
    ("dtype-mismatch", "RuntimeError", &["Only Tensors of floating point"]),
    ("dtype-mismatch", "RuntimeError", &["could not infer output dtype"]),
    ("bool-of-tensor", "RuntimeError", &["Boolean value of Tensor with more than one value is ambiguous"]),
    ("item-of-many", "RuntimeError", &["cannot be converted to Scalar"]),
    ("out-of-memory", "RuntimeError", &["not enough memory"]),
    ("out-of-memory", "MemoryError", &[]),
    ("dimension-range", "IndexError", &["Dimension out of range"]),
    ("index-out-of-range", "IndexError", &[]),
    ("recursion", "RecursionError", &[]),
    ("zero-division", "ZeroDivisionError", &[]),
    ("unbound-local", "UnboundLocalError", &[]),
    ("name-error", "NameError", &[]),
    ("key-error", "KeyError", &[]),
    ("none-attribute", "AttributeError", &["'NoneType' object has no attribute"]),
    ("attribute-error", "AttributeError", &[]),
    ("module-not-found", "ModuleNotFoundError", &[]),
    ("import-error", "ImportError", &[]),
    ("indentation", "IndentationError", &[]),
    ("syntax-error", "SyntaxError", &[]),
    ("missing-argument", "TypeError", &["missing", "required", "argument"]),
    ("too-many-arguments", "TypeError", &["positional argument", "given"]),
    ("not-callable", "TypeError", &["is not callable"]),
    ("not-subscriptable", "TypeError", &["is not subscriptable"]),
    ("operand-types", "TypeError", &["unsupported operand type"]),
    ("type-error", "TypeError", &[]),
    ("unpack", "ValueError", &["values to unpack"]),
    ("value-error", "ValueError", &[]),
    ("assertion", "AssertionError", &[]),
    ("file-not-found", "FileNotFoundError", &[]),
    ("not-implemented", "NotImplementedError", &[]),
];

/// The key for one class, by name, and message.
pub(crate) fn key(class: &str, message: &str) -> Option<&'static str> {
    if class == "NameError" && message.contains("'______'") {
        return Some("blank-left");
    }
    if class == "IndexError" && message.starts_with("Target ") {
        return Some("target-out-of-range");
    }
    KEYS.iter()
        .find(|(_, of, words)| (of.is_empty() || *of == class) && words.iter().all(|word| message.contains(word)))
        .map(|(key, _, _)| *key)
}
