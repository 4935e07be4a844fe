//! Running totals and positions of extremes along one dimension.

use std::rc::Rc;

use super::gpu::{Gpu, gpu};
use super::lazy::{fresh, input, narrowed, widened};
use super::reduce::{combine, kept, line_dims, places};
use super::shader::{GROUP, Shader};
use super::types::ty;
use crate::backend::{ArgOp, CumOp, ReduceOp};
use crate::device::Device;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::tensor::Raw;

/// Lines up to this length are walked by one invocation each.
const SHORT: usize = 64;

/// A kernel that gives each place of each line what the line holds up to there, joined by the function `join(a, b)` over
/// `State`, which `begin(k, place)` makes of an element. `store` writes the state `v` to place `at`.
fn running(mut s: Shader, gpu: &Rc<Gpu>, length: usize, lines: usize, store: &str) -> Result<()> {
    let n = s.param(length);
    if length <= SHORT || (gpu.facts.software && lines >= 16) {
        let body = format!(
            "let base = x_across(i);\nlet place = y_across(i);\nvar v = begin(0u, base + x_along(0u));\nfor (var k = 0u; k < {n}; \
             k++) {{ if (k > 0u) {{ v = join(v, begin(k, base + x_along(k))); }} let at = place + y_along(k); {store} }}"
        );
        return s.run_each(gpu, lines, &body);
    }
    // Each invocation has a stretch: its total first, then what all stretches before it come to, then the stretch again.
    s.declared.push_str(&format!("var<workgroup> before: array<State, {GROUP}>;\n"));
    let each = s.param(length.div_ceil(GROUP as usize));
    let body = format!(
        "let base = x_across(line);\nlet place = y_across(line);\nlet first = lane * {each};\nlet end = min(first + {each}, \
         {n});\nif (first < end) {{\nvar total = begin(first, base + x_along(first));\nfor (var k = first + 1u; k < end; k++) {{ \
         total = join(total, begin(k, base + x_along(k))); }}\nbefore[lane] = total;\n}}\nworkgroupBarrier();\nif (lane == 0u) \
         {{ for (var w = 1u; w < {GROUP}u && w * {each} < {n}; w++) {{ before[w] = join(before[w - 1u], before[w]); }} \
         }}\nworkgroupBarrier();\nif (first < end) {{\nvar v = begin(first, base + x_along(first));\nif (lane > 0u) {{ v = \
         join(before[lane - 1u], v); }}\nfor (var k = first; k < end; k++) {{ if (k > first) {{ v = join(v, begin(k, base + \
         x_along(k))); }} let at = place + y_along(k); {store} }}\n}}"
    );
    s.run_lines(gpu, lines, &body)
}

/// See [`crate::backend::Backend::cumulate`].
pub(super) fn cumulate(device: Device, op: CumOp, x: &Raw, dim: usize) -> Result<Raw> {
    let gpu = gpu()?;
    let (to, wide) = (x.dtype, widened(x)?);
    let (out, memory) = fresh(&gpu, device, x.shape(), wide.dtype)?;
    if x.numel() == 0 {
        return narrowed(out, to);
    }
    let dims = line_dims(x, dim);
    let mut s = Shader::default();
    let (layout, _held) = input(&mut s, &gpu, "x", &wide)?;
    let (length, lines) = places(&mut s, "x", &layout, &dims);
    places(&mut s, "y", &out.layout, &dims);
    let joined = match op {
        CumOp::Sum => combine(&mut s, ReduceOp::Sum, wide.dtype, "a", "b"),
        CumOp::Prod => combine(&mut s, ReduceOp::Prod, wide.dtype, "a", "b"),
        CumOp::Max => combine(&mut s, ReduceOp::Max, wide.dtype, "a", "b"),
        CumOp::Min => combine(&mut s, ReduceOp::Min, wide.dtype, "a", "b"),
        CumOp::LogSumExp => s.call("log_add_exp", &["a", "b"]),
    };
    let kind = ty(wide.dtype).map_or("f32", |t| t.wgsl());
    s.declared.push_str(&format!(
        "alias State = {kind};\nfn begin(k: u32, place: u32) -> State {{ return x(place); }}\nfn join(a: State, b: State) -> State \
         {{ return {joined}; }}\n"
    ));
    let b = s.writes(&memory);
    let store = s.store(&b, wide.dtype, "at", "v");
    running(s, &gpu, length, lines, &store)?;
    narrowed(out, to)
}

/// `State` of an extreme and its number, and `join(a, b)`, in which `b`, which stands behind, may take the place of `a`.
fn declare_wins(s: &mut Shader, op: ArgOp, dtype: DType, last: bool) {
    let kind = ty(dtype).map_or("f32", |t| t.wgsl());
    let less = |s: &mut Shader, a: &str, b: &str| match dtype {
        DType::I64 => s.call("i64_lt", &[a, b]),
        _ => format!("({a} < {b})"),
    };
    let better = if op == ArgOp::Max { less(s, "a.v", "b.v") } else { less(s, "b.v", "a.v") };
    let equal = if dtype == DType::I64 { "all(a.v == b.v)" } else { "a.v == b.v" };
    let mut text = if last { format!("({better} || {equal})") } else { better };
    if dtype == DType::F32 {
        // NaN is the extreme; of several the last one where the last of equals counts.
        s.helper("is_nan");
        text = if last {
            format!("(is_nan(b.v) || (!is_nan(a.v) && {text}))")
        } else {
            format!("(!is_nan(a.v) && (is_nan(b.v) || {text}))")
        };
    }
    s.declared.push_str(&format!(
        "struct State {{ v: {kind}, k: u32 }}\nfn begin(k: u32, place: u32) -> State {{ return State(x(place), k); }}\nfn \
         join(a: State, b: State) -> State {{ if ({text}) {{ return b; }} return a; }}\n"
    ));
}

/// See [`crate::backend::Backend::cumulate_arg`].
pub(super) fn cumulate_arg(device: Device, op: ArgOp, x: &Raw, dim: usize) -> Result<Raw> {
    let gpu = gpu()?;
    let wide = widened(x)?;
    let (out, memory) = fresh(&gpu, device, x.shape(), DType::I64)?;
    if x.numel() == 0 {
        return Ok(out);
    }
    let dims = line_dims(x, dim);
    let mut s = Shader::default();
    let (layout, _held) = input(&mut s, &gpu, "x", &wide)?;
    let (length, lines) = places(&mut s, "x", &layout, &dims);
    places(&mut s, "y", &out.layout, &dims);
    declare_wins(&mut s, op, wide.dtype, true);
    let b = s.writes(&memory);
    let store = s.store(&b, DType::I64, "at", "vec2<u32>(v.k, 0u)");
    running(s, &gpu, length, lines, &store)?;
    Ok(out)
}

/// See [`crate::backend::Backend::arg_reduce`].
pub(super) fn arg_reduce(device: Device, op: ArgOp, x: &Raw, dim: usize) -> Result<Raw> {
    let gpu = gpu()?;
    let wide = widened(x)?;
    let dims = line_dims(x, dim);
    let shape = kept(x.shape(), &dims);
    let (out, memory) = fresh(&gpu, device, &shape, DType::I64)?;
    if out.numel() == 0 {
        return Ok(out);
    }
    if x.numel() == 0 {
        return Err(Error::index("an extreme of an empty dimension has no position"));
    }
    let mut s = Shader::default();
    let (layout, _held) = input(&mut s, &gpu, "x", &wide)?;
    let (length, lines) = places(&mut s, "x", &layout, &dims);
    declare_wins(&mut s, op, wide.dtype, false);
    let b = s.writes(&memory);
    let n = s.param(length);
    let value = "vec2<u32>(best.k, 0u)";
    if length <= SHORT || gpu.facts.software || (lines >= 1024 && length <= 1024) {
        let store = s.store(&b, DType::I64, "i", value);
        let body = format!(
            "let base = x_across(i);\nvar best = begin(0u, base + x_along(0u));\nfor (var k = 1u; k < {n}; k++) {{ best = \
             join(best, begin(k, base + x_along(k))); }}\n{store}"
        );
        s.run_each(&gpu, lines, &body)?;
        return Ok(out);
    }
    // Stretches side by side, so that of equal ones the first is found.
    s.declared.push_str(&format!("var<workgroup> found: array<State, {GROUP}>;\n"));
    let each = s.param(length.div_ceil(GROUP as usize));
    let store = s.store(&b, DType::I64, "line", value);
    let body = format!(
        "let base = x_across(line);\nlet first = lane * {each};\nlet end = min(first + {each}, {n});\nif (first < end) {{\nvar \
         best = begin(first, base + x_along(first));\nfor (var k = first + 1u; k < end; k++) {{ best = join(best, begin(k, base + \
         x_along(k))); }}\nfound[lane] = best;\n}}\nworkgroupBarrier();\nif (lane == 0u) {{ var best = found[0]; for (var w = 1u; \
         w < {GROUP}u && w * {each} < {n}; w++) {{ best = join(best, found[w]); }} {store} }}"
    );
    s.run_lines(&gpu, lines, &body)?;
    Ok(out)
}
