//! The TypeErrors of calls that fit no signature, in PyTorch's words.

use super::args::{self, Mismatch, bind};
use super::schema::Signature;
use rustpython_vm::builtins::PyBaseExceptionRef;
use rustpython_vm::function::KwArgs;
use rustpython_vm::{PyObject, PyObjectRef, VirtualMachine};

/// The exception for one signature that doesn't fit.
pub(crate) fn single(
    name: &str,
    signature: &Signature,
    mismatch: Mismatch,
    args: &[PyObjectRef],
    kwargs: &KwArgs,
    vm: &VirtualMachine,
) -> PyBaseExceptionRef {
    let param = |nr: usize| signature.params.get(nr).map_or("", |p| p.name.as_str());
    let kind = |nr: usize| signature.params.get(nr).map_or("", |p| p.kind.name());
    let text = match mismatch {
        Mismatch::Raise(error) => return named(name, error, vm),
        Mismatch::TooMany if signature.params.is_empty() => {
            if kwargs.is_empty() {
                format!("TensorBase.{name}() takes no arguments ({} given)", args.len())
            } else {
                format!("TensorBase.{name}() takes no keyword arguments")
            }
        }
        Mismatch::TooMany => {
            let max = signature.max_positional;
            let min = signature.params.iter().filter(|p| !p.keyword_only && p.default.is_none()).count();
            let s = |n: usize| if n == 1 { "" } else { "s" };
            let takes = if min < max {
                format!("from {min} to {max} positional arguments")
            } else {
                format!("{max} positional argument{}", s(max))
            };
            let were = if args.len() == 1 { "was" } else { "were" };
            format!("{name}() takes {takes} but {} {were} given", args.len())
        }
        Mismatch::Missing => {
            let given = |name: &str| kwargs.get(name).is_some();
            let missing: Vec<String> = signature
                .params
                .iter()
                .enumerate()
                .filter(|(i, p)| p.default.is_none() && *i >= args.len() && !given(&p.name))
                .map(|(_, p)| format!("\"{}\"", p.name))
                .collect();
            // One is "arguments", several are "argument": so PyTorch has it.
            let s = if missing.len() > 1 { "" } else { "s" };
            format!("{name}() missing {} required positional argument{s}: {}", missing.len(), missing.join(", "))
        }
        Mismatch::Type(nr, object, position) => {
            let at = position.map_or(String::new(), |p| format!(" (position {p})"));
            format!("{name}(): argument '{}'{at} must be {}, not {}", param(nr), kind(nr), type_name(&object))
        }
        Mismatch::Element(nr, element, position) => {
            let at = position.map_or(String::new(), |p| format!(" (position {p})"));
            format!(
                "{name}(): argument '{}'{at} must be {}, but found element of type {} at pos 0",
                param(nr),
                kind(nr),
                type_name(&element)
            )
        }
        Mismatch::Unexpected if signature.params.is_empty() => {
            format!("TensorBase.{name}() takes no keyword arguments")
        }
        Mismatch::Unexpected => {
            let unknown = args::unknown_keywords(signature, kwargs);
            match unknown.first() {
                Some(unknown) => format!("{name}() got an unexpected keyword argument '{unknown}'"),
                // A name that is known, and given by position or under another name already.
                None => {
                    let twice = kwargs
                        .keys()
                        .map(|k| k.to_string_lossy())
                        .find(|k| signature.params.iter().take(args.len()).any(|p| p.name == **k));
                    match twice {
                        Some(twice) => format!("{name}() got multiple values for argument '{twice}'"),
                        None => {
                            let last = kwargs.keys().last().map(|k| k.to_string_lossy().into_owned());
                            format!("{name}() got an unexpected keyword argument '{}'", last.unwrap_or_default())
                        }
                    }
                }
            }
        }
    };
    vm.new_type_error(text)
}

/// Errors of unpacking know their argument, not the op: put its name before them.
pub(crate) fn named(name: &str, error: PyBaseExceptionRef, vm: &VirtualMachine) -> PyBaseExceptionRef {
    let first = error
        .args()
        .as_slice()
        .first()
        .and_then(|a| a.downcast_ref::<rustpython_vm::builtins::PyStr>().map(|s| s.to_string_lossy().into_owned()));
    match first.as_deref().and_then(|text| text.strip_prefix('\u{0}')) {
        Some(text) => vm.new_type_error(format!("{name}(): {text}")),
        None => error,
    }
}

/// A type as the comparison with an overload shows it: a list with the types of its elements.
fn class_text(object: &PyObject) -> String {
    let class = type_name(object);
    let Some(inner) = object
        .downcast_ref::<rustpython_vm::builtins::PyList>()
        .map(|l| l.borrow_vec().to_vec())
        .or_else(|| object.downcast_ref::<rustpython_vm::builtins::PyTuple>().map(|t| t.as_slice().to_vec()))
    else {
        return class;
    };
    let names: Vec<String> = inner.iter().map(|o| type_name(o)).collect();
    let names = names.join(", ");
    if class == "tuple" {
        format!("{class} of ({names}{})", if inner.len() == 1 { "," } else { "" })
    } else {
        format!("{class} of [{names}]")
    }
}

pub(crate) fn type_name(object: &PyObject) -> String {
    let class = object.class();
    if ["ndarray", "generic"].iter().any(|n| class.mro_map_collect(|c| *c.name() == **n).contains(&true)) {
        return format!("numpy.{}", class.name());
    }
    class.slot_name().to_string()
}

/// The ops that have a deprecated overload which messages don't show, but which makes them count as overloaded.
const HIDDEN: &[&str] =
    &["add", "sub", "addmv", "addr", "addmm", "addbmm", "baddbmm", "addcmul", "addcdiv", "subtract"];

/// One overload as a message lists it.
struct Listed {
    text: String,
    /// Types and names between the commas, as PyTorch counts them when it compares (a `*` counts).
    parts: Vec<(String, String)>,
    required: usize,
    params: usize,
}

impl Listed {
    fn of(signature: &Signature) -> Self {
        let parts = signature.listed().into_iter().map(|(kind, name)| (kind.to_owned(), name.to_owned())).collect();
        Listed { text: signature.text(), parts, required: signature.required, params: signature.params.len() }
    }

    fn parse(text: &str) -> Self {
        let text = text.replace("@O", OPTIONS);
        let inner = text.trim_start_matches('(').trim_end_matches(')');
        let (mut parts, mut required, mut params) = (Vec::new(), 0, 0);
        for part in inner.split(", ").filter(|p| !p.is_empty()) {
            let (param, default) = part.split_once(" = ").map_or((part, None), |(p, d)| (p, Some(d)));
            let (kind, name) = param.rsplit_once(' ').unwrap_or((param, param));
            parts.push((kind.to_owned(), name.to_owned()));
            if param != "*" {
                params += 1;
                required += default.is_none() as usize;
            }
        }
        if parts.is_empty() {
            parts.push((String::new(), String::new()));
        }
        Listed { text, parts, required, params }
    }
}

const OPTIONS: &str = "torch.dtype dtype = None, torch.layout layout = None, torch.device device = None, bool \
     pin_memory = False, bool requires_grad = False";

/// What a message lists for an op: as recorded, or the signatures themselves.
fn listing(name: &str, method: bool, signatures: &[Signature]) -> Vec<Listed> {
    let form = if method { "M" } else { "F" };
    let find = |name: &str| {
        include_str!("listings.txt").lines().find_map(|line| {
            let (head, rest) = line.split_once('|')?;
            let (f, n) = head.split_once(' ')?;
            (f == form && n == name).then(|| rest.split('|').map(Listed::parse).collect())
        })
    };
    let recorded = find(name).or_else(|| name.strip_suffix('_').filter(|_| method).and_then(find));
    recorded.unwrap_or_else(|| signatures.iter().map(Listed::of).collect())
}

/// The exception for a call that fits none of `signatures`.
pub(crate) fn none_fits(
    name: &str,
    signatures: &[Signature],
    zelf: Option<&rushlight_engine::Tensor>,
    args: &[PyObjectRef],
    kwargs: &KwArgs,
    vm: &VirtualMachine,
) -> PyBaseExceptionRef {
    let given = args.len() + kwargs.len();
    let hidden = HIDDEN.contains(&name.trim_end_matches('_'));
    let listed = listing(name, zelf.is_some(), signatures);
    let unknown_to_all = || {
        let all = signatures.iter().map(|s| args::unknown_keywords(s, kwargs));
        all.min_by_key(Vec::len).unwrap_or_default()
    };
    if hidden && listed.len() == 1 && !unknown_to_all().is_empty() {
        let unknown = unknown_to_all().join(", ");
        return vm.new_type_error(format!(
            "{name}() received an invalid combination of arguments - got unrecognized keyword arguments: {unknown}"
        ));
    }
    let plausible: Vec<&Listed> = if listed.len() == 1 && !hidden {
        listed.iter().collect()
    } else {
        listed.iter().filter(|s| s.required <= given && given <= s.params).collect()
    };
    // PyTorch lists an op that takes a generator twice, with it and without.
    let names = |one: &Listed| -> Vec<String> {
        let named = one.parts.iter().map(|(_, name)| name.clone());
        named.filter(|name| name != "generator").collect()
    };
    let ours = |one: &Listed| signatures.iter().find(|s| names(&Listed::of(s)) == names(one));
    if let [only] = plausible.as_slice()
        && let Some(only) = ours(only)
        && let Err(mismatch) = bind(only, zelf, args, kwargs, vm)
    {
        return single(name, only, mismatch, args, kwargs, vm);
    }
    let got = got(args, kwargs);
    let mut text = format!("{name}() received an invalid combination of arguments - got ({got}), but expected ");
    if let [only] = listed.as_slice() {
        text.push_str(&only.text);
        return vm.new_type_error(text);
    }
    text.push_str("one of:\n");
    for one in &listed {
        text.push_str(" * ");
        text.push_str(&one.text);
        text.push('\n');
        let listed = &one.parts;
        if listed.len() != given {
            continue;
        }
        let unknown: Vec<String> = kwargs
            .keys()
            .map(|k| k.to_string_lossy().into_owned())
            .filter(|k| !listed.iter().any(|(_, name)| name == k))
            .collect();
        if !unknown.is_empty() {
            text.push_str("      didn't match because some of the keywords were incorrect: ");
            text.push_str(&unknown.join(", "));
            text.push('\n');
            continue;
        }
        let mark = |kind: &str, object: &PyObjectRef, name: &str| {
            let class = class_text(object);
            if class == kind { format!("{name}{class}") } else { format!("!{name}{class}!") }
        };
        let mut parts: Vec<String> =
            args.iter().zip(listed).map(|(object, (kind, _))| mark(kind, object, "")).collect();
        for (name, object) in kwargs {
            let name = name.to_string_lossy();
            let kind = listed.iter().find(|(_, n)| **n == *name).map_or("", |(kind, _)| kind);
            parts.push(mark(kind, object, &format!("{name}=")));
        }
        text.push_str("      didn't match because some of the arguments have invalid types: (");
        text.push_str(&parts.join(", "));
        // PyTorch writes a comma after keywords that stand alone.
        text.push_str(if args.is_empty() && !kwargs.is_empty() { ", )\n" } else { ")\n" });
    }
    vm.new_type_error(text)
}

fn got(args: &[PyObjectRef], kwargs: &KwArgs) -> String {
    let mut parts: Vec<String> = args.iter().map(|o| type_name(o)).collect();
    parts.extend(kwargs.iter().map(|(name, o)| format!("{}={}", name.to_string_lossy(), type_name(o))));
    let mut text = parts.join(", ");
    if args.is_empty() && !kwargs.is_empty() {
        text.push_str(", ");
    }
    text
}
