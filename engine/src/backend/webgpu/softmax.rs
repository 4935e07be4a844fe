//! Softmax and its gradient, and variance: more than one pass over each line.

use std::rc::Rc;

use super::gpu::{Gpu, gpu};
use super::lazy::{fresh, input, narrowed, widened};
use super::reduce::{kept, line_dims, places};
use super::shader::{GROUP, Shader};
use crate::device::Device;
use crate::dtype::{DType, Scalar};
use crate::error::Result;
use crate::tensor::Raw;

/// Many short lines are walked by one invocation each, few long ones by a workgroup each. `walk` goes along a line
/// by its `k`, and `joined` joins what the workgroup's invocations found.
struct Lines {
    alone: bool,
    lines: usize,
    length: String,
}

impl Lines {
    fn new(s: &mut Shader, gpu: &Gpu, length: usize, lines: usize) -> Self {
        let alone = gpu.facts.software || length <= 64 || (lines >= 4096 && length <= 1024);
        if !alone {
            s.declared.push_str(&format!("var<workgroup> shared_: array<f32, {GROUP}>;\n"));
            for (name, joined) in
                [("sum", "shared_[lane] + shared_[lane + w]"), ("top", "max(shared_[lane], shared_[lane + w])")]
            {
                s.declared.push_str(&format!(
                    "fn all_{name}(v: f32, lane: u32) -> f32 {{\nworkgroupBarrier();\nshared_[lane] = v;\nworkgroupBarrier();\nfor \
                     (var w = {GROUP}u / 2u; w > 0u; w = w / 2u) {{ if (lane < w) {{ shared_[lane] = {joined}; }} \
                     workgroupBarrier(); }}\nreturn shared_[0];\n}}\n"
                ));
            }
        }
        Lines { alone, lines, length: s.param(length) }
    }
    fn walk(&self, body: &str) -> String {
        if self.alone {
            format!("for (var k = 0u; k < {}; k++) {{ {body} }}\n", self.length)
        } else {
            format!("for (var k = lane; k < {}; k += {GROUP}u) {{ {body} }}\n", self.length)
        }
    }
    fn joined(&self, how: &str, v: &str) -> String {
        if self.alone { String::new() } else { format!("{v} = all_{how}({v}, lane);\n") }
    }
    /// Only one of those that walk a line.
    fn once(&self, body: &str) -> String {
        if self.alone { body.to_owned() } else { format!("if (lane == 0u) {{ {body} }}\n") }
    }
    fn run(&self, s: Shader, gpu: &Rc<Gpu>, body: &str) -> Result<()> {
        if self.alone {
            s.run_each(gpu, self.lines, &format!("let line = i;\n{body}"))
        } else {
            s.run_lines(gpu, self.lines, body)
        }
    }
}

/// See [`crate::backend::Backend::softmax`].
pub(super) fn softmax(device: Device, x: &Raw, dim: usize, log: bool) -> Result<Raw> {
    let gpu = gpu()?;
    let (to, wide) = (x.dtype, widened(x)?);
    let (out, memory) = fresh(&gpu, device, x.shape(), DType::F32)?;
    let dims = line_dims(x, dim);
    let mut s = Shader::default();
    let (layout, _held) = input(&mut s, &gpu, "x", &wide)?;
    let (length, count) = places(&mut s, "x", &layout, &dims);
    places(&mut s, "y", &out.layout, &dims);
    let lines = Lines::new(&mut s, &gpu, length, count);
    let b = s.writes(&memory);
    let low = s.number(f32::NEG_INFINITY);
    let mut body = format!("let base = x_across(line);\nlet place = y_across(line);\nvar top = {low};\n");
    body += &lines.walk("top = max(top, x(base + x_along(k)));");
    body += &lines.joined("top", "top");
    body += "var total = 0.0;\n";
    body += &lines.walk("total += exp(x(base + x_along(k)) - top);");
    body += &lines.joined("sum", "total");
    let value = if log { "x(base + x_along(k)) - top - shift" } else { "exp(x(base + x_along(k)) - top) / total" };
    body += "let shift = log(total);\n";
    let store = s.store(&b, DType::F32, "(place + y_along(k))", "v");
    body += &lines.walk(&format!("let v = {value}; {store}"));
    lines.run(s, &gpu, &body)?;
    narrowed(out, to)
}

/// See [`crate::backend::Backend::softmax_grad`].
pub(super) fn softmax_grad(device: Device, g: &Raw, y: &Raw, log: bool) -> Result<Raw> {
    let gpu = gpu()?;
    let (out, memory) = fresh(&gpu, device, y.shape(), DType::F32)?;
    let dims: Vec<usize> = y.layout.ndim().checked_sub(1).into_iter().collect();
    let mut s = Shader::default();
    let (of_g, _held) = input(&mut s, &gpu, "g", g)?;
    let (of_y, _held) = input(&mut s, &gpu, "y", y)?;
    let (length, count) = places(&mut s, "g", &of_g, &dims);
    places(&mut s, "y", &of_y, &dims);
    places(&mut s, "o", &out.layout, &dims);
    let lines = Lines::new(&mut s, &gpu, length, count);
    let b = s.writes(&memory);
    let term = if log { "g(gs + g_along(k))" } else { "g(gs + g_along(k)) * y(ys + y_along(k))" };
    let value = if log {
        "g(gs + g_along(k)) - exp(y(ys + y_along(k))) * total"
    } else {
        "y(ys + y_along(k)) * (g(gs + g_along(k)) - total)"
    };
    let mut body =
        "let gs = g_across(line);\nlet ys = y_across(line);\nlet os = o_across(line);\nvar total = 0.0;\n".to_owned();
    body += &lines.walk(&format!("total += {term};"));
    body += &lines.joined("sum", "total");
    let store = s.store(&b, DType::F32, "(os + o_along(k))", "v");
    body += &lines.walk(&format!("let v = {value}; {store}"));
    lines.run(s, &gpu, &body)?;
    Ok(out)
}

/// See [`crate::backend::Backend::variance`].
pub(super) fn variance(device: Device, x: &Raw, dims: &[usize], correction: f64, root: bool) -> Result<(Raw, Raw)> {
    let gpu = gpu()?;
    let (to, wide, shape) = (x.dtype, widened(x)?, kept(x.shape(), dims));
    if x.numel() == 0 {
        let nan = |shape: &[usize]| super::lazy::full(device, shape, Scalar::Float(f64::NAN), to);
        return Ok((nan(&shape)?, nan(&shape)?));
    }
    let ((var, var_memory), (mean, mean_memory)) =
        (fresh(&gpu, device, &shape, DType::F32)?, fresh(&gpu, device, &shape, DType::F32)?);
    let mut s = Shader::default();
    let (layout, _held) = input(&mut s, &gpu, "x", &wide)?;
    let (length, count) = places(&mut s, "x", &layout, dims);
    let lines = Lines::new(&mut s, &gpu, length, count);
    let (v, m) = (s.writes(&var_memory), s.writes(&mean_memory));
    let (n, free) = (s.number(length as f32), s.number((length as f64 - correction).max(0.0) as f32));
    let mut body = "let base = x_across(line);\nvar total = 0.0;\n".to_owned();
    body += &lines.walk("total += x(base + x_along(k));");
    body += &lines.joined("sum", "total");
    body += &format!("let mean = total / {n};\nvar squares = 0.0;\nvar rest = 0.0;\n");
    // The second sum takes away what rounding of the mean added.
    body += &lines.walk("let d = x(base + x_along(k)) - mean; squares += d * d; rest += d;");
    body += &lines.joined("sum", "squares");
    body += &lines.joined("sum", "rest");
    let (zero, root) = (s.number(0.0), if root { s.call("sqrt_", &["spread"]) } else { "spread".to_owned() });
    let store = format!(
        "{} {}",
        s.store(&v, DType::F32, "line", "value"),
        s.store(&m, DType::F32, "line", "(mean + rest / count)")
    );
    body += &lines.once(&format!(
        "let count = {n}; let spread = (squares - rest * rest / count) / ({free} + {zero}); let value = {root}; {store}"
    ));
    lines.run(s, &gpu, &body)?;
    Ok((narrowed(var, to)?, narrowed(mean, to)?))
}
