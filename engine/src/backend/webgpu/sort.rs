//! Sorting along a dimension: a network of comparisons over the numbers of the elements (Batcher's bitonic sort). Equal
//! elements are told apart by their numbers, so that the order is the stable one.

use super::gpu::gpu;
use super::index::gather;
use super::lazy::{fresh, input, settle, widened};
use super::reduce::{line_dims, places};
use super::shader::Shader;
use super::types::ty;
use crate::device::Device;
use crate::dtype::DType;
use crate::error::Result;
use crate::tensor::Raw;

/// Lines up to this length are sorted by one workgroup in its own memory.
const LOCAL: usize = 1024;

fn declare_before(s: &mut Shader, dtype: DType, descending: bool) {
    let kind = ty(dtype).map_or("f32", |t| t.wgsl());
    let less = match dtype {
        DType::I64 => s.call("i64_lt", &["a", "b"]),
        DType::F32 => {
            s.helper("is_nan");
            "(a < b || (is_nan(b) && !is_nan(a)))".to_owned()
        }
        _ => "(a < b)".to_owned(),
    };
    let (first, second) = if descending { ("v, u", "u, v") } else { ("u, v", "v, u") };
    s.declared.push_str(&format!(
        "fn less(a: {kind}, b: {kind}) -> bool {{ return {less}; }}\nfn before(line: u32, p: u32, q: u32, n: u32) -> bool {{\nif (p \
         >= n || q >= n) {{ return p < q; }}\nlet base = x_across(line);\nlet u = x(base + x_along(p));\nlet v = x(base + \
         x_along(q));\nif (less({first})) {{ return true; }}\nif (less({second})) {{ return false; }}\nreturn p < q;\n}}\n"
    ));
}

/// See [`crate::backend::Backend::sort`].
pub(super) fn sort(device: Device, x: &Raw, dim: usize, descending: bool) -> Result<(Raw, Raw)> {
    let gpu = gpu()?;
    let (order, memory) = fresh(&gpu, device, x.shape(), DType::I64)?;
    if x.numel() == 0 {
        return Ok((super::lazy::cast(x, x.dtype)?, order));
    }
    let wide = settle(&gpu, &widened(x)?)?;
    let dims = line_dims(x, dim);
    let length: usize = dims.iter().map(|&d| x.shape()[d]).product();
    let (lines, padded) = (x.numel() / length, length.next_power_of_two());
    let build = |s: &mut Shader| -> Result<String> {
        input(s, &gpu, "x", &wide)?;
        places(s, "x", &wide.layout, &dims);
        declare_before(s, wide.dtype, descending);
        Ok(s.param(length))
    };
    if padded <= LOCAL {
        let mut s = Shader::default();
        let n = build(&mut s)?;
        places(&mut s, "to", &order.layout, &dims);
        s.declared.push_str(&format!("var<workgroup> order: array<u32, {LOCAL}>;\n"));
        let (b, p) = (s.writes(&memory), s.param(padded));
        let store = s.store(&b, DType::I64, "at", "vec2<u32>(order[k], 0u)");
        let body = format!(
            "for (var k = lane; k < {p}; k += 64u) {{ order[k] = k; }}\nworkgroupBarrier();\nfor (var size = 2u; size <= {p}; size = \
             size * 2u) {{\nfor (var step = size / 2u; step > 0u; step = step / 2u) {{\nfor (var t = lane; t < {p} / 2u; t += 64u) \
             {{\nlet i = 2u * step * (t / step) + t % step;\nlet j = i + step;\nlet up = (i & size) == 0u;\nlet u = order[i];\nlet v \
             = order[j];\nif (before(line, v, u, {n}) == up) {{ order[i] = v; order[j] = u; }}\n}}\nworkgroupBarrier();\n}}\n}}\nlet \
             place = to_across(line);\nfor (var k = lane; k < {n}; k += 64u) {{ let at = place + to_along(k); {store} }}"
        );
        s.run_lines(&gpu, lines, &body)?;
    } else {
        // The numbers lie in memory, and each step of the network is a launch.
        let (_numbers, scratch) = fresh(&gpu, device, &[lines, padded], DType::I32)?;
        let mut s = Shader::default();
        let (b, p) = (s.writes(&scratch), s.param(padded));
        s.run_each(&gpu, lines * padded, &format!("{b}[i] = i % {p};"))?;
        let mut size = 2;
        while size <= padded {
            let mut step = size / 2;
            while step > 0 {
                let mut s = Shader::default();
                let n = build(&mut s)?;
                let (b, p) = (s.writes(&scratch), s.param(padded));
                let (size, stride) = (s.param(size), s.param(step));
                let body = format!(
                    "let line = i / ({p} / 2u);\nlet t = i % ({p} / 2u);\nlet at = 2u * {stride} * (t / {stride}) + t % {stride};\nlet up = \
                     (at & {size}) == 0u;\nlet first = line * {p} + at;\nlet second = first + {stride};\nlet u = {b}[first];\nlet v = \
                     {b}[second];\nif (before(line, v, u, {n}) == up) {{ {b}[first] = v; {b}[second] = u; }}"
                );
                s.run_each(&gpu, lines * padded / 2, &body)?;
                step /= 2;
            }
            size *= 2;
        }
        let mut s = Shader::default();
        places(&mut s, "to", &order.layout, &dims);
        let (b, from) = (s.writes(&memory), s.reads(&scratch));
        let (n, p) = (s.param(length), s.param(padded));
        let value = format!("vec2<u32>({from}[(i / {n}) * {p} + i % {n}], 0u)");
        let store = s.store(&b, DType::I64, "at", &value);
        s.run_each(&gpu, lines * length, &format!("let at = to_across(i / {n}) + to_along(i % {n});\n{store}"))?;
    }
    let values = if x.layout.ndim() == 0 { super::lazy::cast(x, x.dtype)? } else { gather(x, dim, &order)? };
    Ok((values, order))
}
