//! Matrix products.

use std::rc::Rc;

use super::gpu::{Gpu, gpu};
use super::lazy::{fresh, input, narrowed, settle, widened};
use super::shader::{GROUP, Shader};
use crate::device::Device;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::tensor::Raw;

/// A workgroup computes a square of this side, each invocation `EACH` by `EACH` of it, and walks the inner dimension in
/// steps of `DEPTH`, whose rows and columns it holds in its own memory.
const TILE: usize = 32;
const EACH: usize = 4;
const DEPTH: usize = 16;

/// See [`crate::backend::Backend::matmul`].
pub(super) fn matmul(device: Device, a: &Raw, b: &Raw) -> Result<Raw> {
    let gpu = gpu()?;
    let (&[batch, m, k], &[_, _, n]) = (a.shape(), b.shape()) else {
        return Err(Error::runtime("the matmul kernel takes [b, m, k] and [b, k, n]"));
    };
    let to = a.dtype;
    if batch * m * n * k == 0 {
        return super::lazy::full(device, &[batch, m, n], 0i64.into(), to);
    }
    // Elements are read again and again: what was put off is computed first.
    let (a, b) = (settle(&gpu, &widened(a)?)?, settle(&gpu, &widened(b)?)?);
    let out = if a.dtype != DType::F32 {
        plain(&gpu, device, &a, &b)?
    } else if m == 1 || n == 1 {
        vector(&gpu, device, &a, &b)?
    } else if gpu.facts.software {
        direct(&gpu, device, &a, &b)?
    } else {
        tiled(&gpu, device, &a, &b)?
    };
    narrowed(out, to)
}

/// What all kernels begin with: the functions `a` and `b` over the operands' memories, and as numbers of the launch the
/// sizes (rows, depth, columns) and each operand's offset and strides (batch, row, column); and the result's memory.
struct Product {
    s: Shader,
    out: Raw,
    /// The result's words.
    c: String,
    sizes: [String; 3],
    of_a: Layout,
    of_b: Layout,
    a: [String; 4],
    b: [String; 4],
}

/// Offset and strides of `[batch, rows, columns]`.
fn strides(s: &mut Shader, layout: &Layout) -> [String; 4] {
    [s.param(layout.offset), s.param(layout.strides[0]), s.param(layout.strides[1]), s.param(layout.strides[2])]
}

fn product(gpu: &Rc<Gpu>, device: Device, a: &Raw, b: &Raw) -> Result<Product> {
    let [batch, m, k, n] = extent(a, b);
    let (out, memory) = fresh(gpu, device, &[batch, m, n], a.dtype)?;
    let mut s = Shader::default();
    let (of_a, _held) = input(&mut s, gpu, "a", a)?;
    let (of_b, _held) = input(&mut s, gpu, "b", b)?;
    let (a, b) = (strides(&mut s, &of_a), strides(&mut s, &of_b));
    let sizes = [m, k, n].map(|size| s.param(size));
    let c = s.writes(&memory);
    Ok(Product { s, out, c, sizes, of_a, of_b, a, b })
}

/// Batch, rows, depth and columns; the caller has seen that there are three dimensions.
fn extent(a: &Raw, b: &Raw) -> [usize; 4] {
    [a.shape()[0], a.shape()[1], a.shape()[2], b.shape()[2]]
}

/// A grid of blocks of the result.
fn grid([batch, m, n]: [usize; 3], high: usize, wide: usize) -> Result<[u32; 3]> {
    let groups = [n.div_ceil(wide), m.div_ceil(high), batch];
    if groups.iter().any(|g| *g > 65_535) {
        return Err(Error::runtime("a matrix product of this size is more than a GPU kernel can count"));
    }
    Ok(groups.map(|g| g as u32))
}

/// One invocation for each element: for integers.
fn plain(gpu: &Rc<Gpu>, device: Device, a: &Raw, b: &Raw) -> Result<Raw> {
    let dtype = a.dtype;
    let Product { mut s, out, c, sizes: [m, k, n], a: [ao, ab, ar, ac], b: [bo, bb, br, bc], .. } =
        product(gpu, device, a, b)?;
    let (zero, term) = match dtype {
        DType::I64 => {
            let product = s.call("i64_mul", &["u", "v"]);
            ("vec2<u32>(0u, 0u)", s.call("i64_add", &["total", &product]))
        }
        _ => ("0", "total + u * v".to_owned()),
    };
    let store = s.store(&c, dtype, "i", "total");
    let body = format!(
        "let batch = i / ({m} * {n});\nlet row = i / {n} % {m};\nlet column = i % {n};\nlet pa = {ao} + batch * {ab} + row * \
         {ar};\nlet pb = {bo} + batch * {bb} + column * {bc};\nvar total = {zero};\nfor (var k = 0u; k < {k}; k++) {{ let u = a(pa \
         + k * {ac}); let v = b(pb + k * {br}); total = {term}; }}\n{store}"
    );
    s.run_each(gpu, out.numel(), &body)?;
    Ok(out)
}

/// A workgroup for each element, which is a sum over the inner dimension.
fn vector(gpu: &Rc<Gpu>, device: Device, a: &Raw, b: &Raw) -> Result<Raw> {
    let k = a.shape()[2];
    let Product { mut s, out, c, sizes: [rows, depth, columns], a: [ao, ab, ar, ac], b: [bo, bb, br, bc], .. } =
        product(gpu, device, a, b)?;
    let index = |line: &str| {
        format!(
            "let batch = {line} / ({rows} * {columns});\nlet row = {line} / {columns} % {rows};\nlet column = {line} % \
             {columns};\nlet pa = {ao} + batch * {ab} + row * {ar};\nlet pb = {bo} + batch * {bb} + column * {bc};\n"
        )
    };
    if k <= 128 || out.numel() >= 16_384 || gpu.facts.software {
        let store = s.store(&c, DType::F32, "i", "total");
        let body = format!(
            "{}var total = 0.0;\nfor (var k = 0u; k < {depth}; k++) {{ total += a(pa + k * {ac}) * b(pb + k * {br}); }}\n{store}",
            index("i")
        );
        s.run_each(gpu, out.numel(), &body)?;
        return Ok(out);
    }
    s.declared.push_str(&format!("var<workgroup> partial: array<f32, {GROUP}>;\n"));
    let store = s.store(&c, DType::F32, "line", "partial[0]");
    let body = format!(
        "{}var total = 0.0;\nfor (var k = lane; k < {depth}; k += {GROUP}u) {{ total += a(pa + k * {ac}) * b(pb + k * {br}); \
         }}\npartial[lane] = total;\nworkgroupBarrier();\nfor (var w = {GROUP}u / 2u; w > 0u; w = w / 2u) {{ if (lane < w) {{ \
         partial[lane] += partial[lane + w]; }} workgroupBarrier(); }}\nif (lane == 0u) {{ {store} }}",
        index("line")
    );
    s.run_lines(gpu, out.numel(), &body)?;
    Ok(out)
}

/// For a processor that pretends to be a GPU: it has no fast memory for a workgroup, and a barrier costs it much. Each
/// invocation computes a block of elements, its columns between those of its neighbours, so that a vector register's worth
/// of neighbours reads a vector.
fn direct(gpu: &Rc<Gpu>, device: Device, a: &Raw, b: &Raw) -> Result<Raw> {
    let [batch, m, _, n] = extent(a, b);
    // Invocations side by side, and the block of each: higher where there are rows enough.
    let (wide, down, across) = (8, if m >= 512 { 16 } else { 8 }, 8);
    let Product { s, out, c, sizes: [rows, depth, columns], a: [ao, ab, ar, ac], b: [bo, bb, br, bc], .. } =
        product(gpu, device, a, b)?;
    let mut text = format!(
        "@compute @workgroup_size({wide})\nfn main(@builtin(workgroup_id) g: vec3<u32>, @builtin(local_invocation_id) l: \
         vec3<u32>) {{\nlet row = g.y * {down}u;\nlet column = g.x * {}u + l.x;\n",
        wide * across
    );
    for r in 0..down {
        text += &format!("var pa{r} = {ao} + g.z * {ab} + min(row + {r}u, {rows} - 1u) * {ar};\n");
    }
    for q in 0..across {
        text += &format!("var pb{q} = {bo} + g.z * {bb} + min(column + {}u, {columns} - 1u) * {bc};\n", q * wide);
    }
    for r in 0..down {
        for q in 0..across {
            text += &format!("var s{r}_{q} = 0.0;\n");
        }
    }
    let mut step = String::new();
    for q in 0..across {
        step += &format!("let b{q}_ = b(pb{q});\npb{q} += {br};\n");
    }
    for r in 0..down {
        step += &format!("let a{r}_ = a(pa{r});\npa{r} += {ac};\n");
        for q in 0..across {
            step += &format!("s{r}_{q} += a{r}_ * b{q}_;\n");
        }
    }
    text += &format!("for (var k = 0u; k < {depth}; k++) {{\n{step}}}\nlet base = g.z * {rows} * {columns};\n");
    for r in 0..down {
        for q in 0..across {
            let at = q * wide;
            text += &format!(
                "if (row + {r}u < {rows} && column + {at}u < {columns}) {{ {c}[base + (row + {r}u) * {columns} + column + {at}u] = \
                 bitcast<u32>(s{r}_{q}); }}\n"
            );
        }
    }
    text += "}\n";
    s.run(gpu, &text, grid([batch, m, n], down, wide * across)?)?;
    Ok(out)
}

fn tiled(gpu: &Rc<Gpu>, device: Device, a: &Raw, b: &Raw) -> Result<Raw> {
    let [batch, m, _, n] = extent(a, b);
    let Product { mut s, out, c, sizes: [rows, depth, columns], of_a, of_b, a: [ao, ab, ar, ac], b: [bo, bb, br, bc] } =
        product(gpu, device, a, b)?;
    // Neighbouring invocations read neighbouring elements, whichever way a matrix lies.
    let a_by_rows = of_a.strides[2] <= of_a.strides[1];
    let b_by_rows = of_b.strides[2] <= of_b.strides[1];
    let side = TILE / EACH;
    let threads = side * side;
    let loads = TILE * DEPTH / threads;
    s.declared.push_str(&format!(
        "var<workgroup> ta: array<f32, {}>;\nvar<workgroup> tb: array<f32, {}>;\n",
        DEPTH * (TILE + 1),
        DEPTH * TILE
    ));
    let pad = TILE + 1;
    let (ta_row, ta_depth) = if a_by_rows {
        (format!("t / {DEPTH}u"), format!("t % {DEPTH}u"))
    } else {
        (format!("t % {TILE}u"), format!("t / {TILE}u"))
    };
    let (tb_depth, tb_column) = if b_by_rows {
        (format!("t / {TILE}u"), format!("t % {TILE}u"))
    } else {
        (format!("t % {DEPTH}u"), format!("t / {DEPTH}u"))
    };
    let mut text = format!(
        "@compute @workgroup_size({side}, {side})\nfn main(@builtin(workgroup_id) g: vec3<u32>, @builtin(local_invocation_id) l: \
         vec3<u32>, @builtin(local_invocation_index) lane: u32) {{\nlet top = g.y * {TILE}u;\nlet left = g.x * {TILE}u;\nlet pa = {ao} + g.z \
         * {ab};\nlet pb = {bo} + g.z * {bb};\n"
    );
    for r in 0..EACH {
        for c in 0..EACH {
            text += &format!("var s{r}{c} = 0.0;\n");
        }
    }
    text += &format!(
        "for (var k0 = 0u; k0 < {depth}; k0 += {DEPTH}u) {{\nfor (var q = 0u; q < {loads}u; q++) {{\nlet t = lane + q * {threads}u;\n"
    );
    text += &format!(
        "{{ let r = {ta_row}; let d = {ta_depth}; var v = 0.0; if (top + r < {rows} && k0 + d < {depth}) {{ v = a(pa + (top + r) * \
         {ar} + (k0 + d) * {ac}); }} ta[d * {pad}u + r] = v; }}\n"
    );
    text += &format!(
        "{{ let d = {tb_depth}; let r = {tb_column}; var v = 0.0; if (left + r < {columns} && k0 + d < {depth}) {{ v = b(pb + (k0 + d) \
         * {br} + (left + r) * {bc}); }} tb[d * {TILE}u + r] = v; }}\n"
    );
    text += &format!("}}\nworkgroupBarrier();\nfor (var d = 0u; d < {DEPTH}u; d++) {{\n");
    for r in 0..EACH {
        text += &format!("let a{r} = ta[d * {pad}u + l.y * {EACH}u + {r}u];\n");
    }
    for c in 0..EACH {
        text += &format!("let b{c} = tb[d * {TILE}u + l.x * {EACH}u + {c}u];\n");
    }
    for r in 0..EACH {
        for c in 0..EACH {
            text += &format!("s{r}{c} += a{r} * b{c};\n");
        }
    }
    text += "}\nworkgroupBarrier();\n}\n";
    text += &format!(
        "let row = top + l.y * {EACH}u;\nlet column = left + l.x * {EACH}u;\nlet base = g.z * {rows} * {columns};\n"
    );
    for r in 0..EACH {
        for q in 0..EACH {
            text += &format!(
                "if (row + {r}u < {rows} && column + {q}u < {columns}) {{ {c}[base + (row + {r}u) * {columns} + column + {q}u] = \
                 bitcast<u32>(s{r}{q}); }}\n"
            );
        }
    }
    text += "}\n";
    s.run(gpu, &text, grid([batch, m, n], TILE, TILE)?)?;
    Ok(out)
}
