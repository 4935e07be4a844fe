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

/// Key, class, and words that all occur in the message. The first match counts. The page's texts (`why-KEY`) say what to
/// do about it.
const KEYS: &[(&str, &str, &[&str])] = &[
    ("blank", "NameError", &["'______'"]),
    ("matmul-shapes", "RuntimeError", &["mat1 and mat2 shapes cannot be multiplied"]),
    ("matmul-shapes", "RuntimeError", &["size mismatch, got input"]),
    ("matmul-shapes", "RuntimeError", &["inconsistent tensor size", "same number of elements"]),
    ("matmul-shapes", "RuntimeError", &["Expected size for first two dimensions of batch2"]),
    ("broadcast-mismatch", "RuntimeError", &["The size of tensor a", "must match the size of tensor b"]),
    ("broadcast-mismatch", "RuntimeError", &["shape mismatch", "cannot be broadcast"]),
    ("broadcast-mismatch", "RuntimeError", &["The expanded size of the tensor"]),
    ("broadcast-mismatch", "RuntimeError", &["output with shape", "doesn't match the broadcast shape"]),
    ("reshape-size", "RuntimeError", &["is invalid for input of size"]),
    ("view-strides", "RuntimeError", &["view size is not compatible"]),
    ("backward-twice", "RuntimeError", &["Trying to backward through the graph a second time"]),
    ("backward-nonscalar", "RuntimeError", &["grad can be implicitly created only for scalar outputs"]),
    ("no-grad", "RuntimeError", &["does not require grad and does not have a grad_fn"]),
    ("no-grad", "RuntimeError", &["One of the differentiated Tensors does not require grad"]),
    ("grad-needs-float", "RuntimeError", &["nly Tensors of floating point", "require gradients"]),
    ("leaf-inplace", "RuntimeError", &["a leaf Variable that requires grad", "in-place"]),
    ("leaf-inplace", "RuntimeError", &["a view of a leaf Variable that requires grad"]),
    ("version-changed", "RuntimeError", &["modified by an inplace operation"]),
    ("numpy-grad", "RuntimeError", &["Can't call numpy() on Tensor that requires grad"]),
    ("dtype-mismatch", "RuntimeError", &["to have the same dtype, but got"]),
    ("dtype-mismatch", "RuntimeError", &["must have the same dtype"]),
    ("dtype-mismatch", "RuntimeError", &["expected scalar type"]),
    ("dtype-mismatch", "RuntimeError", &["expected target dtype to be"]),
    ("dtype-mismatch", "RuntimeError", &["result type", "can't be cast"]),
    ("dtype-mismatch", "NotImplementedError", &["could not infer output dtype"]),
    ("bool-ambiguous", "RuntimeError", &["Boolean value of Tensor with more than one value is ambiguous"]),
    ("item-many", "RuntimeError", &["cannot be converted to Scalar"]),
    ("item-many", "ValueError", &["only one element tensors can be converted to Python scalars"]),
    ("allocation", "RuntimeError", &["can't allocate memory"]),
    ("allocation", "RuntimeError", &["not enough memory"]),
    ("allocation", "MemoryError", &[]),
    ("recursion", "RecursionError", &[]),
    ("not-here", "NotImplementedError", &[]),
    ("dimension", "IndexError", &["Dimension out of range"]),
    ("index", "IndexError", &[]),
    ("zero-division", "ZeroDivisionError", &[]),
    ("unbound-local", "UnboundLocalError", &[]),
    ("name", "NameError", &[]),
    ("key", "KeyError", &[]),
    ("attribute", "AttributeError", &[]),
    ("import", "ImportError", &[]),
    ("indentation", "IndentationError", &[]),
    ("syntax", "SyntaxError", &[]),
    ("type", "TypeError", &[]),
    ("value", "ValueError", &[]),
    ("assertion", "AssertionError", &[]),
    ("file-not-found", "FileNotFoundError", &[]),
];

/// The key for one class, by name, and message.
pub(crate) fn key(class: &str, message: &str) -> Option<&'static str> {
    KEYS.iter()
        .find(|(_, of, words)| *of == class && words.iter().all(|word| message.contains(word)))
        .map(|(key, _, _)| *key)
}

#[cfg(test)]
mod tests {
    use super::key;

    /// What PyTorch 2.15 says, and what is explained.
    #[test]
    fn pytorchs_messages_have_their_keys() {
        for (class, message, want) in [
            (
                "RuntimeError",
                "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1",
                "broadcast-mismatch",
            ),
            ("RuntimeError", "mm: mat1 and mat2 shapes cannot be multiplied (3x2 and 3x2)", "matmul-shapes"),
            ("RuntimeError", "size mismatch, got input (3), mat (3x2), vec (3)", "matmul-shapes"),
            ("RuntimeError", "output with shape [3] doesn't match the broadcast shape [2, 3]", "broadcast-mismatch"),
            ("RuntimeError", "shape '[4]' is invalid for input of size 6", "reshape-size"),
            ("RuntimeError", "grad can be implicitly created only for scalar outputs", "backward-nonscalar"),
            ("RuntimeError", "element 0 of tensors does not require grad and does not have a grad_fn", "no-grad"),
            (
                "RuntimeError",
                "a leaf Variable that requires grad is being used in an in-place operation.",
                "leaf-inplace",
            ),
            ("RuntimeError", "expected m1 and m2 to have the same dtype, but got: float != double", "dtype-mismatch"),
            ("RuntimeError", "only Tensors of floating point dtype can require gradients", "grad-needs-float"),
            ("RuntimeError", "a Tensor with 2 elements cannot be converted to Scalar", "item-many"),
            (
                "RuntimeError",
                "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you tried \
                 to allocate 4000000000000 bytes. Error code 12 (Cannot allocate memory)",
                "allocation",
            ),
            ("IndexError", "index 5 is out of bounds for dimension 0 with size 2", "index"),
            ("NameError", "name '______' is not defined", "blank"),
        ] {
            assert_eq!(key(class, message), Some(want), "{message}");
        }
        assert_eq!(key("RuntimeError", "anything else"), None);
    }
}
