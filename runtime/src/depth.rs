//! Source text nested so deeply that parsing or compiling it would use up the browser's stack, which ends the worker:
//! refused beforehand, in CPython's words. On other targets the parser's stack grows.

use rustpython_vm::builtins::{PyBytes, PyStr};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine};
use std::borrow::Cow;

/// Chromium's stack is used up from about 1,100 nested calls on, and from 1,900 nested operators.
const MAX_NESTING: usize = 800;
/// What CPython allows.
const MAX_BRACKETS: usize = 200;
/// What CPython allows.
const MAX_INDENTS: usize = 100;

/// How a text is nested too deeply.
#[derive(Debug, PartialEq, Eq)]
enum TooDeep {
    /// More open brackets than CPython allows; the text up to the one too many ends here.
    Brackets {
        end: usize,
    },
    Operators,
    Indents,
}

/// The text to compile in place of `source`: itself, or so much of it as shows the compiler the bracket too many.
///
/// # Errors
/// `RecursionError` or `IndentationError`.
pub(crate) fn compilable<'a>(source: &'a str, vm: &VirtualMachine) -> PyResult<&'a str> {
    if !cfg!(target_arch = "wasm32") {
        return Ok(source);
    }
    match look(source) {
        None => Ok(source),
        Some(TooDeep::Brackets { end }) => Ok(source.get(..end).unwrap_or(source)),
        Some(TooDeep::Operators) => {
            Err(vm.new_recursion_error("maximum recursion depth exceeded during compilation".to_owned()))
        }
        Some(TooDeep::Indents) => Err(vm.new_exception_msg(
            vm.ctx.exceptions.indentation_error.to_owned(),
            "too many levels of indentation".into(),
        )),
    }
}

/// Has `compile`, `eval` and `exec` look at their text first.
pub(crate) fn guard_builtins(vm: &VirtualMachine) -> PyResult<()> {
    if !cfg!(target_arch = "wasm32") {
        return Ok(());
    }
    for name in ["compile", "eval", "exec"] {
        let inner = vm.builtins.get_attr(name, vm)?;
        let guarded = vm.new_function(name, move |mut args: FuncArgs, vm: &VirtualMachine| -> PyResult {
            if let Some(source) = args.args.first_mut() {
                *source = compilable_object(source, vm)?;
            }
            inner.call(args, vm)
        });
        vm.builtins.set_attr(name, guarded, vm)?;
    }
    Ok(())
}

fn compilable_object(source: &PyObjectRef, vm: &VirtualMachine) -> PyResult {
    let text: Cow<'_, str> = match (source.downcast_ref::<PyStr>(), source.downcast_ref::<PyBytes>()) {
        (Some(text), _) => text.to_string_lossy(),
        (_, Some(bytes)) => String::from_utf8_lossy(bytes.as_bytes()),
        _ => return Ok(source.clone()),
    };
    let kept = compilable(&text, vm)?;
    Ok(if kept.len() == text.len() { source.clone() } else { vm.ctx.new_str(kept).into() })
}

/// Estimates nesting from the tokens, from above: open brackets, and in each of them the operators and prefix words since
/// the last comma. Whether the text is right is the compiler's to say.
fn look(source: &str) -> Option<TooDeep> {
    let bytes = source.as_bytes();
    let mut at = 0;
    // Operators so far, for the line and for each open bracket; their sum is the nesting.
    let mut open = vec![0usize];
    let mut nesting = 0;
    let mut indents = vec![0usize];
    let mut line_start = true;
    while let Some(&byte) = bytes.get(at) {
        if line_start {
            line_start = false;
            let width = bytes[at..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
            at += width;
            if open.len() == 1 && !matches!(bytes.get(at), None | Some(b'\n' | b'\r' | b'#')) {
                indents.retain(|&indent| indent < width);
                indents.push(width);
                if indents.len() > MAX_INDENTS + 1 {
                    return Some(TooDeep::Indents);
                }
            }
            continue;
        }
        let mut operator = false;
        match byte {
            b'#' => {
                at += bytes[at..].iter().take_while(|&&b| b != b'\n').count();
                continue;
            }
            b'"' | b'\'' => {
                at = after_string(bytes, at);
                continue;
            }
            b'\\' => at += 1,
            b'\n' => {
                line_start = true;
                if open.len() == 1 {
                    (open[0], nesting) = (0, 0);
                }
            }
            b'(' | b'[' | b'{' => {
                open.push(1);
                nesting += 1;
                if open.len() > MAX_BRACKETS + 1 {
                    return Some(TooDeep::Brackets { end: at + 1 });
                }
            }
            b')' | b']' | b'}' => {
                if open.len() > 1 {
                    nesting -= open.pop().unwrap_or(0);
                }
                // `f(1)(2)(3)` nests too.
                operator = true;
            }
            b',' | b';' => {
                // The bracket itself stays open.
                let kept = usize::from(open.len() > 1);
                if let Some(last) = open.last_mut() {
                    nesting -= *last - kept.min(*last);
                    *last = kept.min(*last);
                }
            }
            b'+' | b'-' | b'*' | b'/' | b'%' | b'@' | b'&' | b'|' | b'^' | b'~' | b'<' | b'>' | b'=' | b'!' | b'.' => {
                operator = true;
            }
            b if b == b'_' || b.is_ascii_alphanumeric() || !b.is_ascii() => {
                let word = bytes[at..]
                    .iter()
                    .take_while(|b| **b == b'_' || b.is_ascii_alphanumeric() || !b.is_ascii())
                    .count();
                let words: [&[u8]; 10] =
                    [b"not", b"await", b"lambda", b"if", b"else", b"and", b"or", b"in", b"is", b"for"];
                operator = words.contains(&&bytes[at..at + word]);
                at += word - 1;
            }
            _ => {}
        }
        if operator && let Some(last) = open.last_mut() {
            *last += 1;
            nesting += 1;
            if nesting > MAX_NESTING {
                return Some(TooDeep::Operators);
            }
        }
        at += 1;
    }
    None
}

/// The place behind the string literal that begins at `at`; an open one ends with its line.
fn after_string(bytes: &[u8], at: usize) -> usize {
    let quote = bytes[at];
    let triple = bytes[at..].starts_with(&[quote; 3]);
    let mut at = at + if triple { 3 } else { 1 };
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\n' if !triple => return at,
            b if b == quote && (!triple || bytes[at..].starts_with(&[quote; 3])) => {
                return at + if triple { 3 } else { 1 };
            }
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_write_passes() {
        let table = format!("x = [{}]\n", "[-1.5, 2 * (3 + 4), {'a': -1}],\n".repeat(5000));
        let strings = "s = '((((' + \"\"\"[[[\n'{{\"\"\" # ((((\n".repeat(5000);
        let lines = "y = a.b(c)[d] + -1 if not e else f\n".repeat(5000);
        let blocks = format!("{}{}pass\n", "if x:\n", "  ");
        for source in [&table, &strings, &lines, &blocks, "", "'unclosed\n(", "\\"] {
            assert_eq!(look(source), None, "{}", source.get(..60).unwrap_or(source));
        }
    }

    #[test]
    fn deep_nesting_is_noticed_whatever_makes_it() {
        let deep = |open: &str, middle: &str, close: &str, n| {
            look(&format!("x = {}{middle}{}\n", open.repeat(n), close.repeat(n)))
        };
        assert_eq!(deep("(", "1", ")", 201), Some(TooDeep::Brackets { end: 205 }));
        assert_eq!(deep("(", "1", ")", 199), None);
        for (open, middle, close) in [
            ("-", "1", ""),
            ("not ", "1", ""),
            ("lambda: ", "1", ""),
            ("", "a", ".b"),
            ("", "f", "()"),
            ("", "1", "+1"),
        ] {
            assert_eq!(deep(open, middle, close, 2000), Some(TooDeep::Operators), "{open}{middle}{close}");
            assert_eq!(deep(open, middle, close, 300), None, "{open}{middle}{close}");
        }
        let blocks: String = (0..200).map(|i| format!("{}if x:\n", " ".repeat(i))).collect();
        assert_eq!(look(&blocks), Some(TooDeep::Indents));
    }
}
