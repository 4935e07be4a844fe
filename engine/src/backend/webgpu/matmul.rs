//! Matrix products.

use std::rc::Rc;

use super::gpu::{Gpu, gpu};
use super::lazy::{fresh, input, narrowed, settle, widened};
use super::shader::{GROUP, Shader, Text};
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
    } else if let (true, Some(lanes)) = (gpu.facts.software, gpu.lanes) {
        direct(&gpu, device, &a, &b, lanes)?
    } else {
        tiled(&gpu, device, &a, &b, to == DType::F16 && gpu.half)?
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

/// For a processor that pretends to be a GPU: it has no fast memory for a workgroup, a barrier costs it much, and a load
/// as much as a dozen multiplications, because it goes lane by lane. So the `lanes` invocations of a subgroup are the
/// lanes of one vector register: each loads one element of a row or column and hands it to the others.
fn direct(gpu: &Rc<Gpu>, device: Device, a: &Raw, b: &Raw, lanes: usize) -> Result<Raw> {
    let [batch, m, _, n] = extent(a, b);
    // A subgroup computes so many times its lanes in each direction.
    let times = |size: usize, most: usize| size.div_ceil(lanes).next_power_of_two().min((most / lanes).max(1));
    let (down, across) = (times(m, 16), times(n, 32));
    let Product { mut s, out, c, sizes: [rows, depth, columns], a: [ao, ab, ar, ac], b: [bo, bb, br, bc], .. } =
        product(gpu, device, a, b)?;
    s.use_subgroups();
    let names = ["rows", "depth", "columns", "ao", "ab", "ar", "ac", "bo", "bb", "br", "bc"];
    let values = [rows, depth, columns, ao, ab, ar, ac, bo, bb, br, bc];
    let mut head = format!(
        "@compute @workgroup_size({lanes})\nfn main(@builtin(workgroup_id) g: vec3<u32>, @builtin(subgroup_invocation_id) lane: \
         u32) {{\n"
    );
    for (name, value) in names.iter().zip(values) {
        head += &format!("let {name} = {value};\n");
    }
    let body =
        Text { name: format!("{down} by {across} of {lanes}, to {c}"), write: &|| block(down, across, lanes, &c) };
    s.run_text(gpu, &head, body, grid([batch, m, n], down * lanes, across * lanes)?)?;
    Ok(out)
}

/// What a subgroup of [`direct`] does: hundreds of statements, in the names that its head gives. Two steps of the depth go
/// into one statement, because a variable is dear to write to. What lies beyond an edge computes the edge's element again
/// and writes the same, so that no write asks whether it may.
fn block(down: usize, across: usize, lanes: usize, c: &str) -> String {
    let mut text = format!("let row = g.y * {}u;\nlet column = g.x * {}u + lane;\n", down * lanes, across * lanes);
    let (mut step, mut stores) = (String::new(), String::new());
    for q in 0..across {
        text += &format!(
            "let c{q} = min(column + {}u, columns - 1u);\nvar pb{q} = bo + g.z * bb + c{q} * bc;\n",
            q * lanes
        );
        step += &format!("let y{q} = b(pb{q});\nlet z{q} = select(0.0, b(pb{q} + br), more);\npb{q} += 2u * br;\n");
    }
    for r in 0..down * lanes {
        let (of, lane) = (r / lanes, r % lanes);
        if lane == 0 {
            text += &format!("var pa{of} = ao + g.z * ab + min(row + {r}u + lane, rows - 1u) * ar;\n");
            step += &format!(
                "let a{of} = a(pa{of});\nlet d{of} = select(0.0, a(pa{of} + ac), more);\npa{of} += 2u * ac;\n"
            );
        }
        step +=
            &format!("let u{r} = subgroupBroadcast(a{of}, {lane}u);\nlet v{r} = subgroupBroadcast(d{of}, {lane}u);\n");
        stores += &format!("let to{r} = (g.z * rows + min(row + {r}u, rows - 1u)) * columns;\n");
        for q in 0..across {
            text += &format!("var s{r}_{q} = 0.0;\n");
            step += &format!("s{r}_{q} += u{r} * y{q} + v{r} * z{q};\n");
            stores += &format!("{c}[to{r} + c{q}] = bitcast<u32>(s{r}_{q});\n");
        }
    }
    text + &format!("for (var k = 0u; k < depth; k += 2u) {{\nlet more = k + 1u < depth;\n{step}}}\n{stores}}}\n")
}

/// For real ones. With `half`, what a workgroup holds of float16 operands is held as float16; sums are float32 as ever.
fn tiled(gpu: &Rc<Gpu>, device: Device, a: &Raw, b: &Raw, half: bool) -> Result<Raw> {
    let [batch, m, _, n] = extent(a, b);
    let Product { mut s, out, c, sizes: [rows, depth, columns], of_a, of_b, a: [ao, ab, ar, ac], b: [bo, bb, br, bc] } =
        product(gpu, device, a, b)?;
    // Neighbouring invocations read neighbouring elements, whichever way a matrix lies.
    let a_by_rows = of_a.strides[2] <= of_a.strides[1];
    let b_by_rows = of_b.strides[2] <= of_b.strides[1];
    let side = TILE / EACH;
    let threads = side * side;
    let loads = TILE * DEPTH / threads;
    let kind = if half { "f16" } else { "f32" };
    if half {
        s.use_half();
    }
    s.declared.push_str(&format!(
        "var<workgroup> ta: array<{kind}, {}>;\nvar<workgroup> tb: array<{kind}, {}>;\n",
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
         {ar} + (k0 + d) * {ac}); }} ta[d * {pad}u + r] = {kind}(v); }}\n"
    );
    text += &format!(
        "{{ let d = {tb_depth}; let r = {tb_column}; var v = 0.0; if (left + r < {columns} && k0 + d < {depth}) {{ v = b(pb + (k0 + d) \
         * {br} + (left + r) * {bc}); }} tb[d * {TILE}u + r] = {kind}(v); }}\n"
    );
    text += &format!("}}\nworkgroupBarrier();\nfor (var d = 0u; d < {DEPTH}u; d++) {{\n");
    for r in 0..EACH {
        text += &format!("let a{r} = f32(ta[d * {pad}u + l.y * {EACH}u + {r}u]);\n");
    }
    for c in 0..EACH {
        text += &format!("let b{c} = f32(tb[d * {TILE}u + l.x * {EACH}u + {c}u]);\n");
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
