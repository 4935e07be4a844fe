//! Sums, products, extremes and the like over dimensions.

use std::rc::Rc;

use super::gpu::{Gpu, gpu};
use super::lazy::{self, fresh, input, narrowed, wide};
use super::shader::{GROUP, Shader};
use crate::backend::ReduceOp;
use crate::device::Device;
use crate::dtype::{DType, Scalar};
use crate::error::Result;
use crate::layout::Layout;
use crate::tensor::Raw;

/// Lines up to this length are walked by one invocation each.
const SHORT: usize = 32;
/// One workgroup takes so many elements; of longer lines several do.
const PART: usize = 16_384;

/// The part of a layout that is walked along `dims`, and the part that stands still.
fn split(layout: &Layout, dims: &[usize]) -> (Layout, Layout) {
    let part = |inside: bool| {
        let of: Vec<usize> = (0..layout.ndim()).filter(|d| dims.contains(d) == inside).collect();
        let mut part = layout.permute(&of);
        if inside {
            part.offset = 0;
        }
        part
    };
    (part(true), part(false))
}

/// The functions `{name}_across(line)`, where a line begins, and `{name}_along(k)`, how far from there its element `k` is:
/// for lines along `dims`. Gives how long they are and how many.
pub(super) fn places(s: &mut Shader, name: &str, layout: &Layout, dims: &[usize]) -> (usize, usize) {
    let (along, across) = split(layout, dims);
    s.place_function(&format!("{name}_along"), &along);
    s.place_function(&format!("{name}_across"), &across);
    (along.numel(), across.numel())
}

/// The dimension of lines along `dim`; a 0-d value is one line of one element.
pub(super) fn line_dims(x: &Raw, dim: usize) -> Vec<usize> {
    if x.layout.ndim() == 0 { vec![] } else { vec![dim] }
}

/// The shape with `dims` of size 1.
pub(super) fn kept(shape: &[usize], dims: &[usize]) -> Vec<usize> {
    shape.iter().enumerate().map(|(d, &s)| if dims.contains(&d) { 1 } else { s }).collect()
}

/// How two partial results become one, and what nothing is. Extremes have no such thing and begin with an element.
pub(super) fn combine(s: &mut Shader, op: ReduceOp, dtype: DType, a: &str, b: &str) -> String {
    match (op, dtype) {
        (ReduceOp::Sum | ReduceOp::Norm2, DType::I64) => s.call("i64_add", &[a, b]),
        (ReduceOp::Sum | ReduceOp::Norm2, _) => format!("({a} + {b})"),
        (ReduceOp::Prod, DType::I64) => s.call("i64_mul", &[a, b]),
        (ReduceOp::Prod, _) => format!("({a} * {b})"),
        (ReduceOp::Max, DType::F32) => s.call("max_nan", &[a, b]),
        (ReduceOp::Min, DType::F32) => s.call("min_nan", &[a, b]),
        (ReduceOp::Max, DType::I64) => format!("select({a}, {b}, {})", s.call("i64_lt", &[a, b])),
        (ReduceOp::Min, DType::I64) => format!("select({a}, {b}, {})", s.call("i64_lt", &[b, a])),
        (ReduceOp::Max, _) => format!("max({a}, {b})"),
        (ReduceOp::Min, _) => format!("min({a}, {b})"),
        (ReduceOp::Any, _) => format!("({a} | {b})"),
        (ReduceOp::All, _) => format!("({a} & {b})"),
    }
}

fn nothing(op: ReduceOp, dtype: DType) -> &'static str {
    match (op, dtype) {
        (ReduceOp::Prod, DType::I64) => "vec2<u32>(1u, 0u)",
        (_, DType::I64) => "vec2<u32>(0u, 0u)",
        (ReduceOp::Prod, DType::F32) => "1.0",
        (_, DType::F32) => "0.0",
        (ReduceOp::Prod | ReduceOp::All, _) => "1",
        _ => "0",
    }
}

/// See [`crate::backend::Backend::reduce`].
pub(super) fn reduce(device: Device, op: ReduceOp, x: &Raw, dims: &[usize]) -> Result<Raw> {
    let gpu = gpu()?;
    let out_shape = kept(x.shape(), dims);
    let truth = matches!(op, ReduceOp::Any | ReduceOp::All);
    let to = if truth { DType::Bool } else { x.dtype };
    if x.numel() == 0 {
        let v = if matches!(op, ReduceOp::Prod | ReduceOp::All) { 1 } else { 0 };
        return lazy::full(device, &out_shape, Scalar::Int(v), to);
    }
    let x = if truth && x.dtype != DType::Bool { lazy::cast(x, DType::Bool)? } else { x.clone() };
    let x = lazy::widened(&x)?;
    let (along, across) = split(&x.layout, dims);
    let (length, lines) = (along.numel(), across.numel());
    let root = op == ReduceOp::Norm2;
    // A long line is cut into parts, whose results are reduced once more.
    let part = if gpu.facts.software { 1024 } else { PART };
    if length > part && lines < 256 {
        let parts = length.div_ceil(part).min(1024);
        let partial = pass(&gpu, device, op, &x, dims, &[lines, parts], parts, false)?;
        let again = if root { ReduceOp::Sum } else { op };
        return narrowed(pass(&gpu, device, again, &partial, &[1], &out_shape, 1, root)?, to);
    }
    narrowed(pass(&gpu, device, op, &x, dims, &out_shape, 1, root)?, to)
}

/// One kernel: each line along `dims` (or each of its `parts`) becomes one element.
#[allow(clippy::too_many_arguments)]
fn pass(
    gpu: &Rc<Gpu>,
    device: Device,
    op: ReduceOp,
    x: &Raw,
    dims: &[usize],
    shape: &[usize],
    parts: usize,
    root: bool,
) -> Result<Raw> {
    let dtype = wide(x.dtype);
    let (out, memory) = fresh(gpu, device, shape, dtype)?;
    let mut s = Shader::default();
    let (layout, _held) = input(&mut s, gpu, "x", x)?;
    let (length, lines) = places(&mut s, "x", &layout, dims);
    let b = s.writes(&memory);
    let element = if op == ReduceOp::Norm2 { "square(x(base + x_along(k)))" } else { "x(base + x_along(k))" };
    if op == ReduceOp::Norm2 {
        s.declared.push_str("fn square(v: f32) -> f32 { return v * v; }\n");
    }
    let extreme = matches!(op, ReduceOp::Max | ReduceOp::Min);
    let result = if root { "sqrt(total)" } else { "total" };
    let n = s.param(length);
    let joined = combine(&mut s, op, dtype, "total", "v");
    // Barriers are dear where a processor pretends to be a GPU.
    if gpu.facts.software || parts == 1 && (length <= SHORT || lines >= 4096 && length <= 1024) {
        let start = if extreme { "x(base + x_along(begin))" } else { nothing(op, dtype) };
        let store = s.store(&b, dtype, "i", "result");
        let (each, parts) = (s.param(length.div_ceil(parts)), s.param(parts));
        let body = format!(
            "let base = x_across(i / {parts});\nlet begin = (i % {parts}) * {each};\nlet end = min(begin + {each}, {n});\nvar total = \
             {start};\nfor (var k = begin; k < end; k++) {{ let v = {element}; total = {joined}; }}\nlet result = \
             {result};\n{store}"
        );
        s.run_each(gpu, out.numel(), &body)?;
        return Ok(out);
    }
    let kind = super::types::ty(dtype).map_or("f32", |t| t.wgsl());
    s.declared.push_str(&format!("var<workgroup> partial: array<{kind}, {GROUP}>;\n"));
    let (each, parts) = (s.param(length.div_ceil(parts)), s.param(parts));
    let start = if extreme { "x(base + x_along(begin))" } else { nothing(op, dtype) };
    let tree = combine(&mut s, op, dtype, "partial[lane]", "partial[lane + w]");
    let store = s.store(&b, dtype, "line", "result");
    let body = format!(
        "let base = x_across(line / {parts});\nlet begin = (line % {parts}) * {each};\nlet end = min(begin + {each}, {n});\nvar \
         total = {start};\nfor (var k = begin + lane; k < end; k += {GROUP}u) {{ let v = {element}; total = {joined}; \
         }}\npartial[lane] = total;\nworkgroupBarrier();\nfor (var w = {GROUP}u / 2u; w > 0u; w = w / 2u) {{ if (lane < w) {{ \
         partial[lane] = {tree}; }} workgroupBarrier(); }}\nif (lane == 0u) {{ let total = partial[0]; let result = {result}; \
         {store} }}"
    );
    s.run_lines(gpu, out.numel(), &body)?;
    Ok(out)
}
