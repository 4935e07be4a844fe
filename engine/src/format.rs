//! How tensors print: the characters of PyTorch's `repr`, and Python's way of writing numbers.

use std::cell::Cell;

use crate::backend::backend;
use crate::device::Device;
use crate::dtype::{DType, Scalar, default_dtype};
use crate::error::Result;
use crate::layout::{Layout, checked_numel};
use crate::tensor::{Raw, Tensor};

/// `torch.set_printoptions`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PrintOptions {
    pub precision: usize,
    /// Tensors of more elements are summarised; infinite with the profile `full`.
    pub threshold: f64,
    pub edgeitems: usize,
    pub linewidth: i64,
    pub sci_mode: Option<bool>,
}

impl PrintOptions {
    /// The settings of a profile: `default`, `short` or `full`. `sci_mode` is not part of a profile.
    pub fn profile(name: &str) -> Option<Self> {
        let default = PrintOptions { precision: 4, threshold: 1000.0, edgeitems: 3, linewidth: 80, sci_mode: None };
        match name {
            "default" => Some(default),
            "short" => Some(PrintOptions { precision: 2, edgeitems: 2, ..default }),
            "full" => Some(PrintOptions { threshold: f64::INFINITY, ..default }),
            _ => None,
        }
    }
}

impl Default for PrintOptions {
    fn default() -> Self {
        PrintOptions { precision: 4, threshold: 1000.0, edgeitems: 3, linewidth: 80, sci_mode: None }
    }
}

thread_local! {
    static OPTIONS: Cell<PrintOptions> = const { Cell::new(PrintOptions { precision: 4, threshold: 1000.0, edgeitems: 3, linewidth: 80, sci_mode: None }) };
}

/// The options in force.
pub fn options() -> PrintOptions {
    OPTIONS.get()
}
pub fn set_options(options: PrintOptions) {
    OPTIONS.set(options);
}

/// `repr(t)`.
///
/// # Errors
/// The elements cannot be read.
pub fn repr(t: &Tensor) -> Result<String> {
    repr_as(t, "tensor")
}

/// `repr(t)` of a tensor whose Python class is `class` (`tensor` for `torch.Tensor` and `Parameter`).
pub fn repr_as(t: &Tensor, class: &str) -> Result<String> {
    let opts = options();
    let prefix = format!("{class}(");
    let indent = prefix.len() as i64;
    let mut suffixes = vec![];
    if t.device() != Device::Cpu {
        suffixes.push(format!("device='{}'", t.device()));
    }
    let size = || format!("size={}", tuple(&t.shape()));
    let dtype = || format!("dtype=torch.{}", t.dtype().name());
    let body = if t.numel() == 0 {
        if t.ndim() != 1 {
            suffixes.push(size());
        }
        if t.dtype() != default_dtype() {
            suffixes.push(dtype());
        }
        "[]".to_owned()
    } else {
        if opts.edgeitems == 0 {
            suffixes.push(size());
        }
        let usual = [default_dtype(), default_dtype().to_complex(), DType::I64, DType::Bool];
        if !usual.contains(&t.dtype()) {
            suffixes.push(dtype());
        }
        body(t, indent, &opts)?
    };
    if let Some(node) = t.grad_fn() {
        let name = node.name().rsplit("::").next().unwrap_or_default().to_owned();
        suffixes.push(format!("grad_fn=<{name}>"));
    } else if t.requires_grad() {
        suffixes.push("requires_grad=True".to_owned());
    }
    Ok(add_suffixes(prefix + &body, &suffixes, indent, opts.linewidth))
}

/// `(2, 3)`, `(2,)`, `()`: a Python tuple of sizes.
pub fn tuple(sizes: &[usize]) -> String {
    match sizes {
        [one] => format!("({one},)"),
        many => format!("({})", many.iter().map(|s| s.to_string()).collect::<Vec<_>>().join(", ")),
    }
}

fn add_suffixes(mut text: String, suffixes: &[String], indent: i64, linewidth: i64) -> String {
    // PyTorch counts the last line two characters long when it is the only one, one when it is not.
    let mut last_line = text.len() as i64 - text.rfind('\n').map_or(-1, |p| p as i64) + 1;
    for suffix in suffixes {
        let len = suffix.len() as i64;
        if last_line + len + 2 > linewidth {
            text.push_str(",\n");
            text.push_str(&" ".repeat(indent as usize));
            last_line = indent + len;
        } else {
            text.push_str(", ");
            last_line += len + 2;
        }
        text.push_str(suffix);
    }
    text.push(')');
    text
}

/// The numbers that are shown, row by row, and what they are part of.
struct Shown {
    /// Sizes of the tensor itself.
    shape: Vec<usize>,
    summarize: bool,
    items: Vec<Scalar>,
}

/// Read what is shown: everything, or the edges of every dimension.
fn shown(t: &Tensor, opts: &PrintOptions) -> Result<Shown> {
    let raw = t.raw();
    let shape = raw.layout.shape.clone();
    let summarize = checked_numel(&shape).is_none_or(|n| n as f64 > opts.threshold);
    let small = if summarize { edges(&raw, opts.edgeitems)? } else { raw };
    let small = Tensor::from_raw(small);
    let items = small.scalars()?;
    Ok(Shown { shape, summarize, items })
}

/// The elements at the edges of every dimension.
fn edges(raw: &Raw, edge: usize) -> Result<Raw> {
    let kept: Vec<Vec<usize>> = raw.layout.shape.iter().map(|&n| kept(n, edge)).collect();
    let shape: Vec<usize> = kept.iter().map(Vec::len).collect();
    let mut places = vec![raw.layout.offset as i64];
    for (dim, kept) in kept.iter().enumerate() {
        let stride = raw.layout.strides.get(dim).copied().unwrap_or(0);
        places = places.iter().flat_map(|p| kept.iter().map(move |k| p + (k * stride) as i64)).collect();
    }
    let places = Tensor::from_slice(&places, &shape)?;
    let all = Layout::contiguous(&[raw.storage.nbytes() / raw.dtype.size()]);
    backend(raw.device()).take(&raw.with_layout(all), &places.raw())
}

/// Which of `n` items along a dimension are shown in a summary.
fn kept(n: usize, edge: usize) -> Vec<usize> {
    if n > 2 * edge { (0..edge).chain(n - edge..n).collect() } else { (0..n).collect() }
}

fn body(t: &Tensor, indent: i64, opts: &PrintOptions) -> Result<String> {
    let shown = shown(t, opts)?;
    let style = Styles::new(&shown.items, t.dtype(), opts);
    let mut items = shown.items.iter();
    if shown.shape.is_empty() {
        return Ok(items.next().map(|v| style.format(*v)).unwrap_or_default());
    }
    Ok(nested(&shown.shape, &mut items, indent, shown.summarize, &style, opts))
}

fn nested(
    shape: &[usize],
    items: &mut std::slice::Iter<Scalar>,
    indent: i64,
    summarize: bool,
    style: &Styles,
    opts: &PrintOptions,
) -> String {
    let size = shape.first().copied().unwrap_or(0);
    let cut = summarize && size > 2 * opts.edgeitems;
    let count = if cut { 2 * opts.edgeitems } else { size };
    if shape.len() <= 1 {
        let mut data: Vec<String> = items.take(count).map(|v| style.format(*v)).collect();
        if cut {
            data.insert(opts.edgeitems, if opts.edgeitems == 0 { "..." } else { " ..." }.to_owned());
        }
        let per_line = ((opts.linewidth - indent).div_euclid(style.width() as i64 + 2)).max(1) as usize;
        let lines: Vec<String> = data.chunks(per_line).map(|line| line.join(", ")).collect();
        return format!("[{}]", lines.join(&format!(",\n{}", " ".repeat(indent as usize + 1))));
    }
    let mut rows: Vec<String> =
        (0..count).map(|_| nested(&shape[1..], items, indent + 1, summarize, style, opts)).collect();
    if cut {
        rows.insert(opts.edgeitems, "...".to_owned());
    }
    let between = format!(",{}{}", "\n".repeat(shape.len() - 1), " ".repeat(indent as usize + 1));
    format!("[{}]", rows.join(&between))
}

/// How the elements of one tensor are written: of complex ones, each part in a style of its own.
struct Styles {
    real: Style,
    imag: Option<Style>,
}

impl Styles {
    fn new(items: &[Scalar], dtype: DType, opts: &PrintOptions) -> Self {
        if !dtype.is_complex() {
            return Styles { real: Style::new(items, dtype.is_float(), opts), imag: None };
        }
        let part = |f: fn(&Scalar) -> f64| {
            let values: Vec<Scalar> = items.iter().map(|v| Scalar::Float(f(v))).collect();
            Style::new(&values, true, opts)
        };
        Styles { real: part(|v| v.to_f64()), imag: Some(part(|v| v.imag())) }
    }

    fn width(&self) -> usize {
        // The sign between the parts counts too.
        self.real.width + self.imag.as_ref().map_or(0, |imag| imag.width + 1)
    }

    fn format(&self, v: Scalar) -> String {
        let Some(imag) = &self.imag else { return self.real.format(v) };
        let imag = imag.format(Scalar::Float(v.imag()));
        let imag = imag.trim_start();
        let sign = if imag.starts_with(['+', '-']) { "" } else { "+" };
        format!("{}{sign}{imag}j", self.real.format(Scalar::Float(v.to_f64())))
    }
}

/// How the numbers of one tensor are written, all in one width.
struct Style {
    float: bool,
    int_mode: bool,
    sci: bool,
    precision: usize,
    width: usize,
}

impl Style {
    fn new(items: &[Scalar], float: bool, opts: &PrintOptions) -> Self {
        let mut style = Style { float, int_mode: true, sci: false, precision: opts.precision, width: 1 };
        if !float {
            style.width = items.iter().map(|v| scalar(*v).len()).max().unwrap_or(1);
            return style;
        }
        let ordinary = || items.iter().map(|v| v.to_f64()).filter(|v| v.is_finite() && *v != 0.0);
        let (mut min, mut max) = (f64::INFINITY, 0f64);
        for v in ordinary() {
            min = min.min(v.abs());
            max = max.max(v.abs());
            style.int_mode &= v == v.ceil();
        }
        if max == 0.0 {
            return style;
        }
        style.sci = opts.sci_mode.unwrap_or(max / min > 1000.0 || max > 1e8 || min < 1e-4);
        let dot = usize::from(style.int_mode && !style.sci);
        style.width = ordinary().map(|v| style.number(v).len() + dot).max().unwrap_or(1);
        style
    }

    fn number(&self, v: f64) -> String {
        match (self.sci, self.int_mode) {
            (true, _) => exponent(v, self.precision),
            (false, true) => fixed(v, 0),
            (false, false) => fixed(v, self.precision),
        }
    }

    fn format(&self, v: Scalar) -> String {
        let mut text = match v {
            v if !self.float => scalar(v),
            v => self.number(v.to_f64()),
        };
        if self.float && self.int_mode && !self.sci && v.to_f64().is_finite() {
            text.push('.');
        }
        format!("{text:>width$}", width = self.width)
    }
}

fn not_finite(v: f64) -> Option<&'static str> {
    if v.is_nan() {
        Some("nan")
    } else if v.is_infinite() {
        Some(if v > 0.0 { "inf" } else { "-inf" })
    } else {
        None
    }
}

/// Python's `f"{v:.{precision}f}"`.
pub fn fixed(v: f64, precision: usize) -> String {
    not_finite(v).map_or_else(|| format!("{v:.precision$}"), str::to_owned)
}

/// Python's `f"{v:.{precision}e}"`.
pub fn exponent(v: f64, precision: usize) -> String {
    if let Some(text) = not_finite(v) {
        return text.to_owned();
    }
    let text = format!("{v:.precision$e}");
    let (mantissa, exp) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, digits) = exp.strip_prefix('-').map_or(('+', exp), |digits| ('-', digits));
    format!("{mantissa}e{sign}{digits:0>2}")
}

/// Python's `repr` of a number.
pub fn scalar(v: Scalar) -> String {
    match v {
        Scalar::Bool(b) => if b { "True" } else { "False" }.to_owned(),
        Scalar::Int(i) => i.to_string(),
        Scalar::Float(f) => float(f),
        Scalar::Complex(re, im) => complex(re, im),
    }
}

/// Python's `repr(complex)`.
fn complex(re: f64, im: f64) -> String {
    let short = |v: f64| float(v).trim_end_matches(".0").to_owned();
    if re == 0.0 && re.is_sign_positive() {
        return format!("{}j", short(im));
    }
    let imag = short(im);
    let sign = if imag.starts_with('-') { "" } else { "+" };
    format!("({}{sign}{imag}j)", short(re))
}

/// Python's `repr(float)`: the fewest digits that give the same number again.
pub fn float(v: f64) -> String {
    if let Some(text) = not_finite(v) {
        return text.to_owned();
    }
    // Rust gives the same digits; Python switches to an exponent below 1e-4 and from 1e16 on.
    let text = format!("{v:e}");
    let (mantissa, exp) = text.split_once('e').unwrap_or((&text, "0"));
    let power: i32 = exp.parse().unwrap_or(0);
    if v != 0.0 && !(-4..16).contains(&power) {
        let sign = if power < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:02}", power.abs());
    }
    let text = format!("{v}");
    if text.contains('.') { text } else { text + ".0" }
}
