//! PyTorch's schemas as the binder uses them: parsed once, when an op is first called.

use rushlight_engine::registry::{Op, Value, places};
use rushlight_engine::{DType, Scalar};

/// What a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// With `number`, a Python number will do.
    Tensor {
        number: bool,
    },
    /// A number that the op gets as a 0-d tensor.
    NumberTensor,
    Tensors,
    OptTensors,
    Int,
    /// With a size from 1 on, one int stands for the whole list.
    Ints {
        size: usize,
    },
    Float,
    Floats,
    Scalars,
    Bool,
    Scalar,
    Str,
    DType,
    Layout,
    Device,
    MemoryFormat,
    Generator,
    /// `out=` of an op with several results.
    OutTensors,
}

impl Kind {
    /// As PyTorch's messages call it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Tensor { .. } => "Tensor",
            Kind::Tensors | Kind::OptTensors | Kind::OutTensors => "tuple of Tensors",
            Kind::Int => "int",
            Kind::Ints { .. } => "tuple of ints",
            Kind::Float => "float",
            Kind::Floats => "tuple of floats",
            Kind::Scalars => "tuple of Scalars",
            Kind::Bool => "bool",
            Kind::Scalar | Kind::NumberTensor => "Number",
            Kind::Str => "str",
            Kind::DType => "torch.dtype",
            Kind::Layout => "torch.layout",
            Kind::Device => "torch.device",
            Kind::MemoryFormat => "torch.memory_format",
            Kind::Generator => "torch.Generator",
        }
    }
}

/// Where a bound argument goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The op's argument with this number.
    Op(usize),
    Out,
    RequiresGrad,
    /// Accepted, and of no consequence here (`layout`, `pin_memory`).
    Ignored,
}

pub(crate) struct Param {
    pub name: String,
    pub kind: Kind,
    pub nullable: bool,
    pub default: Option<Value>,
    default_text: String,
    pub keyword_only: bool,
    pub role: Role,
}

/// One way to call an op.
pub(crate) struct Signature {
    pub op: &'static Op,
    pub params: Vec<Param>,
    /// How many arguments the op takes.
    pub arity: usize,
    /// Positional parameters.
    pub max_positional: usize,
    /// Parameters without a default.
    pub required: usize,
    /// `self` is the op's first argument, and not among `params`.
    pub method: bool,
    /// Names of the results, where the schema names them.
    pub returns: Vec<String>,
}

/// How an op is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Function,
    Method,
}

/// The Python name of an op: its schema's, without the overload.
pub(crate) fn base_name(schema: &str) -> &str {
    schema.split(['(', '.']).next().unwrap_or(schema)
}

/// Ops whose tensor operands may be Python numbers; for all others PyTorch has an overload of its own for numbers.
const NUMBERS_AS_TENSORS: &[&str] =
    &["add", "sub", "mul", "div", "divide", "multiply", "subtract", "true_divide", "floor_divide", "copy", "copy_"];

/// The signatures of an op in one form: usually one, two where a parameter is `Tensor|Scalar`.
pub(crate) fn signatures(op: &'static Op, form: Form, inplace: bool) -> Vec<Signature> {
    let name = base_name(op.schema);
    let two = op.schema.contains("Tensor|Scalar") && !NUMBERS_AS_TENSORS.contains(&name);
    let variants: &[bool] = if two { &[false, true] } else { &[false] };
    variants.iter().map(|&number| parse(op, form, inplace, two, number)).collect()
}

fn parse(op: &'static Op, form: Form, inplace: bool, two: bool, number: bool) -> Signature {
    let open = op.schema.find('(').unwrap_or(op.schema.len());
    let arrow = op.schema.rfind("->").unwrap_or(op.schema.len());
    let inner = op.schema.get(open + 1..arrow).unwrap_or("").trim_end();
    let inner = inner.strip_suffix(')').unwrap_or(inner);
    let mut params = Vec::new();
    let (mut keyword_only, mut arity) = (false, 0);
    let mut has_self = false;
    for part in split_top(inner) {
        if part == "*" {
            keyword_only = true;
            continue;
        }
        let Some(mut param) = parameter(part, arity, keyword_only) else { continue };
        if let Kind::Tensor { number: accepts @ true } = &mut param.kind {
            if two {
                param.kind = if number { Kind::NumberTensor } else { Kind::Tensor { number: false } };
            } else {
                *accepts = true;
            }
        }
        if param.name == "self" && matches!(param.kind, Kind::Tensor { .. } | Kind::NumberTensor) {
            if form == Form::Method && arity == 0 {
                has_self = true;
                arity += 1;
                continue;
            }
            if matches!(param.kind, Kind::Tensor { .. }) {
                param.name = "input".to_owned();
            }
        }
        arity += 1;
        params.push(param);
    }
    let returns = returns(op.schema.get(arrow + 2..).unwrap_or(""));
    let creates = params.iter().any(|p| p.name == "dtype" && p.keyword_only)
        && params.iter().any(|p| p.name == "device" && p.keyword_only);
    if form == Form::Function && op.places & places::OUT != 0 && !inplace {
        let at = if creates { params.iter().position(|p| p.name == "dtype") } else { None };
        let kind = if returns.len() > 1 { Kind::OutTensors } else { Kind::Tensor { number: false } };
        params.insert(at.unwrap_or(params.len()), extra("out", kind, true, "None", Role::Out));
    }
    if creates {
        let after = |params: &[Param], name: &str| params.iter().position(|p| p.name == name).map_or(0, |at| at + 1);
        if !params.iter().any(|p| p.name == "layout") {
            let at = after(&params, "dtype");
            params.insert(at, extra("layout", Kind::Layout, true, "None", Role::Ignored));
        }
        if !params.iter().any(|p| p.name == "pin_memory") {
            let at = after(&params, "device");
            params.insert(at, extra("pin_memory", Kind::Bool, true, "False", Role::Ignored));
        }
        let at = after(&params, "pin_memory");
        params.insert(at, extra("requires_grad", Kind::Bool, false, "False", Role::RequiresGrad));
    }
    let max_positional = params.iter().filter(|p| !p.keyword_only).count();
    let required = params.iter().filter(|p| p.default.is_none()).count();
    Signature { op, params, arity, max_positional, required, method: has_self, returns }
}

fn extra(name: &str, kind: Kind, nullable: bool, default: &str, role: Role) -> Param {
    let value = if kind == Kind::Bool { Value::Bool(false) } else { Value::None };
    Param {
        name: name.to_owned(),
        kind,
        nullable,
        default: Some(value),
        default_text: default.to_owned(),
        keyword_only: true,
        role,
    }
}

/// Split at the commas that are not inside brackets or quotes.
fn split_top(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut quoted, mut start) = (Vec::new(), 0i32, false, 0);
    for (at, c) in text.char_indices() {
        match c {
            '\'' | '"' => quoted = !quoted,
            '(' | '[' if !quoted => depth += 1,
            ')' | ']' if !quoted => depth -= 1,
            ',' if depth == 0 && !quoted => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = text[start..].trim();
    if !last.is_empty() {
        parts.push(last);
    }
    parts
}

fn parameter(text: &str, nr: usize, keyword_only: bool) -> Option<Param> {
    let (left, default) = match text.split_once('=') {
        Some((left, default)) => (left.trim(), Some(default.trim())),
        None => (text, None),
    };
    let (kind, name) = left.rsplit_once(' ')?;
    let (kind, nullable) = kind_of(kind.trim());
    Some(Param {
        name: name.to_owned(),
        kind,
        nullable,
        default: default.map(|d| default_value(d, kind)),
        default_text: default.unwrap_or_default().to_owned(),
        keyword_only,
        role: Role::Op(nr),
    })
}

fn kind_of(text: &str) -> (Kind, bool) {
    let (text, nullable) = match text.strip_suffix('?') {
        Some(rest) => (rest, true),
        None => (text, false),
    };
    let list = |text: &str| text.split_once('[').map(|(_, n)| n.trim_end_matches(']').parse().unwrap_or(0));
    let kind = if text == "Number" {
        Kind::NumberTensor
    } else if text == "Tensor|Scalar" {
        Kind::Tensor { number: true }
    } else if text.starts_with("Tensor?[") {
        Kind::OptTensors
    } else if text.starts_with("Tensor") {
        if text.ends_with(']') { Kind::Tensors } else { Kind::Tensor { number: false } }
    } else if text.starts_with("int[") || text.starts_with("SymInt[") {
        Kind::Ints { size: list(text).unwrap_or(0) }
    } else if text.starts_with("float[") {
        Kind::Floats
    } else if text.starts_with("Scalar[") {
        Kind::Scalars
    } else {
        match text {
            "int" | "SymInt" => Kind::Int,
            "float" => Kind::Float,
            "bool" => Kind::Bool,
            "Scalar" => Kind::Scalar,
            "ScalarType" => Kind::DType,
            "Layout" => Kind::Layout,
            "Device" => Kind::Device,
            "MemoryFormat" => Kind::MemoryFormat,
            "Generator" => Kind::Generator,
            _ => Kind::Str,
        }
    };
    (kind, nullable)
}

fn default_value(text: &str, kind: Kind) -> Value {
    let number = |text: &str| -> Option<Scalar> {
        match text {
            "True" => Some(Scalar::Bool(true)),
            "False" => Some(Scalar::Bool(false)),
            "Mean" => Some(Scalar::Int(1)),
            "inf" => Some(Scalar::Float(f64::INFINITY)),
            "-inf" => Some(Scalar::Float(f64::NEG_INFINITY)),
            _ => text.parse().map(Scalar::Int).ok().or_else(|| text.parse().map(Scalar::Float).ok()),
        }
    };
    if text == "None" {
        return Value::None;
    }
    match kind {
        Kind::Ints { size } => match text.strip_prefix('[') {
            Some(list) => {
                let items = list.trim_end_matches(']').split(',');
                Value::Ints(items.filter_map(|i| i.trim().parse().ok()).collect())
            }
            None => Value::Ints(vec![number(text).map_or(0, Scalar::to_i64); size.max(1)]),
        },
        Kind::Floats => {
            Value::Floats(text.trim_matches(['[', ']']).split(',').filter_map(|i| i.trim().parse().ok()).collect())
        }
        Kind::Str => Value::Str(text.trim_matches(['"', '\'']).to_owned()),
        Kind::Bool => Value::Bool(text == "True"),
        Kind::Int => Value::Int(number(text).map_or(0, Scalar::to_i64)),
        Kind::Float => Value::Float(number(text).map_or(0.0, Scalar::to_f64)),
        Kind::DType => match text {
            "long" => Value::DType(DType::I64),
            "float" => Value::DType(DType::F32),
            _ => Value::None,
        },
        Kind::Scalar => number(text).map_or(Value::None, Value::Scalar),
        _ => Value::None,
    }
}

/// The names of several results, as in `(Tensor values, Tensor indices)`.
fn returns(text: &str) -> Vec<String> {
    let text = text.trim();
    let Some(inner) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) else { return Vec::new() };
    split_top(inner)
        .into_iter()
        .map(|part| part.rsplit_once(' ').map_or(String::new(), |(_, name)| name.to_owned()))
        .collect()
}

impl Signature {
    /// As PyTorch's messages show it: `(Tensor input, Tensor other, *, Number alpha = 1, Tensor out = None)`.
    pub fn text(&self) -> String {
        let (mut out, mut starred) = (String::from("("), false);
        for (i, p) in self.params.iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            if p.keyword_only && !starred {
                starred = true;
                out.push_str("*, ");
            }
            out.push_str(p.kind.name());
            out.push(' ');
            out.push_str(&p.name);
            if p.default.is_some() {
                out.push_str(" = ");
                out.push_str(&p.default_text);
            }
        }
        out.push(')');
        out
    }

    /// The text's parts between commas with their types, as PyTorch counts them when it compares (a `*` counts).
    pub fn listed(&self) -> Vec<(&'static str, &str)> {
        let (mut parts, mut starred) = (Vec::new(), false);
        for p in &self.params {
            if p.keyword_only && !starred {
                starred = true;
                parts.push(("*", "*"));
            }
            parts.push((p.kind.name(), p.name.as_str()));
        }
        if parts.is_empty() {
            parts.push(("", ""));
        }
        parts
    }
}
