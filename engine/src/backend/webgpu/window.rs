//! Sliding windows: what convolution and pooling are made of.

use super::gpu::gpu;
use super::index::table;
use super::lazy::{Op, fresh, input, narrowed, noted, widened};
use super::shader::Shader;
use crate::backend::{Regions, Window};
use crate::device::Device;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::tensor::Raw;

/// The windows of `[b, c, spatial…]` as columns, put off: a product reads them as if they lay in memory.
pub(super) fn im2col(x: &Raw, window: &Window) -> Result<Raw> {
    let [b, c, spatial @ ..] = x.shape() else {
        return Err(Error::runtime("a window kernel takes [batch, channels, spatial…]"));
    };
    let output = window.output(spatial).ok_or_else(|| Error::runtime("a window is larger than its padded input"))?;
    let mut shape = vec![*b, c * window.kernel.iter().product::<usize>()];
    shape.extend(&output);
    if gpu()?.facts.software {
        return columns(x, window, &output, &shape);
    }
    let op = Op::Unfold { window: window.clone(), output };
    noted(op, &[x], &shape, x.dtype)
}

/// The same in memory, for a processor that pretends to be a GPU: to find the place of each element anew would cost it more
/// than to compute with it, so an invocation finds it for a row of windows.
fn columns(x: &Raw, window: &Window, output: &[usize], shape: &[usize]) -> Result<Raw> {
    let gpu = gpu()?;
    let wide = super::lazy::settle(&gpu, &widened(x)?)?;
    let (out, memory) = fresh(&gpu, x.device(), shape, wide.dtype)?;
    let (Some((&across, outer)), Some(last)) = (output.split_last(), output.len().checked_sub(1)) else {
        return Err(Error::runtime("a window kernel takes [batch, channels, spatial…]"));
    };
    let mut s = Shader::default();
    let (layout, _held) = input(&mut s, &gpu, "x", &wide)?;
    let b = s.writes(&memory);
    let mut body = String::new();
    // The first window of the row; the others are steps away along the last dimension.
    let firsts = [outer, &[1]].concat();
    let (batch, channel, places, inside) =
        unfold_places(&mut s, &mut body, window, &layout.shape[2..], &firsts, layout.shape[1], "i");
    let strides: Vec<String> = layout.strides.iter().map(|&stride| s.param(stride)).collect();
    body += &format!("let row = {} + {batch} * {} + {channel} * {}", s.param(layout.offset), strides[0], strides[1]);
    for (place, stride) in places[..last].iter().zip(&strides[2..]) {
        body += &format!(" + {place} * {stride}");
    }
    let inside = [&["true".to_owned()], &inside[..last]].concat().join(" && ");
    let (stride, size, many) = (s.param(window.stride[last]), s.param(layout.shape[2 + last]), s.param(across));
    let zero = s.scalar(crate::dtype::Scalar::Int(0), wide.dtype);
    let store = s.store(&b, wide.dtype, "(first + o)", "v");
    body += &format!(
        ";\nlet inside = {inside};\nvar p = {};\nlet first = i * {many};\nfor (var o = 0u; o < {many}; o++) {{\nlet ok = inside && p < \
         {size};\nlet v = select({zero}, x(select(0u, row + p * {}, ok)), ok);\n{store}\np += {stride};\n}}\n",
        places[last],
        strides[2 + last]
    );
    s.run_each(&gpu, out.numel() / across.max(1), &body)?;
    narrowed(out, x.dtype)
}

/// The statements that find the input place of column element `index` (row-major over `[b, c, kernel…, output…]`): gives
/// the numbers of sample and channel, and for each dimension the place and whether it is inside.
pub(super) fn unfold_places(
    s: &mut Shader,
    lines: &mut String,
    window: &Window,
    spatial: &[usize],
    output: &[usize],
    channels: usize,
    index: &str,
) -> (String, String, Vec<String>, Vec<String>) {
    let mut rest = index.to_owned();
    let mut next = |s: &mut Shader, lines: &mut String, size: usize| {
        let (at, size) = (s.name(), s.param(size));
        lines.push_str(&format!("let {at} = {rest} % {size};\n"));
        let after = s.name();
        lines.push_str(&format!("let {after} = {rest} / {size};\n"));
        rest = after;
        at
    };
    let dims = spatial.len();
    let outs: Vec<String> = (0..dims).rev().map(|d| next(s, lines, output[d])).collect();
    let kernels: Vec<String> = (0..dims).rev().map(|d| next(s, lines, window.kernel[d])).collect();
    let channel = next(s, lines, channels);
    let batch = rest;
    let (mut places, mut inside) = (vec![], vec![]);
    for d in 0..dims {
        let (o, k) = (&outs[dims - 1 - d], &kernels[dims - 1 - d]);
        let (stride, dilation, padding) =
            (s.param(window.stride[d]), s.param(window.dilation[d]), s.param(window.padding[d]));
        let place = s.name();
        // Below zero becomes very large.
        lines.push_str(&format!("let {place} = {o} * {stride} + {k} * {dilation} - {padding};\n"));
        inside.push(format!("{place} < {}", s.param(spatial[d])));
        places.push(place);
    }
    (batch, channel, places, inside)
}

/// See [`crate::backend::Backend::col2im`]. Each element of the input gathers what windows have of it.
pub(super) fn col2im(device: Device, columns: &Raw, window: &Window, input_shape: &[usize]) -> Result<Raw> {
    let gpu = gpu()?;
    let (to, wide) = (columns.dtype, super::lazy::settle(&gpu, &widened(columns)?)?);
    let dims = input_shape.len();
    let output =
        window.output(input_shape).ok_or_else(|| Error::runtime("a window is larger than its padded input"))?;
    let kernel: usize = window.kernel.iter().product();
    let (batch, rows) = match wide.shape() {
        [b, rows, ..] => (*b, *rows),
        _ => return Err(Error::runtime("columns have two dimensions and more")),
    };
    let mut shape = vec![batch, rows / kernel.max(1)];
    shape.extend(input_shape);
    let (out, memory) = fresh(&gpu, device, &shape, wide.dtype)?;
    if out.numel() == 0 {
        return narrowed(out, to);
    }
    let mut s = Shader::default();
    let (layout, _held) = input(&mut s, &gpu, "x", &wide)?;
    let b = s.writes(&memory);
    let mut body = String::new();
    let mut rest = "i".to_owned();
    for d in (0..dims).rev() {
        let size = s.param(input_shape[d]);
        body += &format!("let p{d} = {rest} % {size};\nlet r{d} = {rest} / {size};\n");
        rest = format!("r{d}");
    }
    let channels = s.param(shape[1]);
    let (offset, by_batch, by_row) = (s.param(layout.offset), s.param(layout.strides[0]), s.param(layout.strides[1]));
    let taps = s.param(kernel);
    body += &format!(
        "let base = {offset} + ({rest} / {channels}) * {by_batch} + ({rest} % {channels}) * {taps} * {by_row};\nvar total = {};\n",
        match wide.dtype {
            DType::F32 => "0.0",
            DType::I64 => "vec2<u32>(0u, 0u)",
            _ => "0",
        }
    );
    let mut indices = vec![];
    let mut closing = String::new();
    for (d, across) in output.iter().enumerate().take(dims) {
        let (size, dilation, padding, many) =
            (s.param(window.kernel[d]), s.param(window.dilation[d]), s.param(window.padding[d]), s.param(*across));
        // Below zero becomes very large. To divide is dear, and most windows step by one.
        let step = if window.stride[d] == 1 {
            format!("let o{d} = n{d};\nif (o{d} >= {many}) {{ continue; }}\n")
        } else {
            let stride = s.param(window.stride[d]);
            format!(
                "let o{d} = n{d} / {stride};\nif (p{d} + {padding} < k{d} * {dilation} || o{d} >= {many} || n{d} % {stride} != 0u) {{ \
                 continue; }}\n"
            )
        };
        body += &format!(
            "for (var k{d} = 0u; k{d} < {size}; k{d}++) {{\nlet n{d} = p{d} + {padding} - k{d} * {dilation};\n{step}"
        );
        closing += "}\n";
        indices.push(size);
    }
    // The row of a column is the kernel element's number.
    let row = (0..dims).fold(String::new(), |row, d| {
        if d == 0 { "k0".to_owned() } else { format!("({row} * {} + k{d})", indices[d]) }
    });
    let mut at = format!("base + {row} * {by_row}");
    for d in 0..dims {
        at += &format!(" + o{d} * {}", s.param(layout.strides[2 + d]));
    }
    let sum = super::reduce::combine(&mut s, crate::backend::ReduceOp::Sum, wide.dtype, "total", "v");
    let store = s.store(&b, wide.dtype, "i", "total");
    body += &format!("let v = x({at});\ntotal = {sum};\n{closing}{store}");
    s.run_each(&gpu, out.numel(), &body)?;
    narrowed(out, to)
}

/// See [`crate::backend::Backend::max_regions`].
pub(super) fn max_regions(device: Device, x: &Raw, regions: &Regions) -> Result<(Raw, Raw)> {
    let gpu = gpu()?;
    let wide = super::lazy::settle(&gpu, &widened(x)?)?;
    let dims = regions.len();
    let mut shape = x.shape()[..2].to_vec();
    shape.extend(regions.iter().map(Vec::len));
    let ((values, value_memory), (places, place_memory)) =
        (fresh(&gpu, device, &shape, wide.dtype)?, fresh(&gpu, device, &shape, DType::I64)?);
    if values.numel() == 0 {
        return Ok((narrowed(values, x.dtype)?, places));
    }
    // For each dimension and output index: where its indices begin in the table, and how many there are.
    let (mut heads, mut list) = (vec![], vec![]);
    let count: usize = regions.iter().map(Vec::len).sum();
    for region in regions.iter().flatten() {
        heads.push((2 * count + list.len()) as u32);
        heads.push(region.len() as u32);
        list.extend(region.iter().map(|&i| i as u32));
    }
    heads.extend(list);
    let words = table(&gpu, &heads)?;
    let mut s = Shader::default();
    let (layout, _held) = input(&mut s, &gpu, "x", &wide)?;
    let t = s.reads(&words);
    let (v, p) = (s.writes(&value_memory), s.writes(&place_memory));
    let mut body = String::new();
    let mut rest = "i".to_owned();
    let mut first = count;
    for d in (0..dims).rev() {
        first -= regions[d].len();
        let (size, first) = (s.param(regions[d].len()), s.param(first));
        body += &format!(
            "let h{d} = 2u * ({rest} % {size} + {first});\nlet f{d} = {t}[h{d}];\nlet n{d} = {t}[h{d} + 1u];\nlet r{d} = {rest} / \
             {size};\n"
        );
        rest = format!("r{d}");
    }
    let channels = s.param(shape[1]);
    let (offset, by_batch, by_channel) =
        (s.param(layout.offset), s.param(layout.strides[0]), s.param(layout.strides[1]));
    body +=
        &format!("let base = {offset} + ({rest} / {channels}) * {by_batch} + ({rest} % {channels}) * {by_channel};\n");
    let (mut place, mut number, mut begin) = (String::from("base"), String::new(), String::from("base"));
    for d in 0..dims {
        let (stride, size) = (s.param(layout.strides[2 + d]), s.param(x.shape()[2 + d]));
        place += &format!(" + {t}[f{d} + k{d}] * {stride}");
        begin += &format!(" + {t}[f{d}] * {stride}");
        number = if d == 0 { format!("{t}[f0 + k0]") } else { format!("({number} * {size} + {t}[f{d} + k{d}])") };
    }
    let start = number.replace(" + k0]", "]").replace(" + k1]", "]").replace(" + k2]", "]");
    let better = match wide.dtype {
        DType::F32 => {
            s.helper("is_nan");
            "(v > best || (is_nan(v) && !is_nan(best)))".to_owned()
        }
        DType::I64 => s.call("i64_lt", &["best", "v"]),
        _ => "(v > best)".to_owned(),
    };
    body += &format!("var best = x({begin});\nvar found = {start};\n");
    for d in 0..dims {
        body += &format!("for (var k{d} = 0u; k{d} < n{d}; k{d}++) {{\n");
    }
    body += &format!("let v = x({place});\nif ({better}) {{ best = v; found = {number}; }}\n{}", "}\n".repeat(dims));
    body += &s.store(&v, wide.dtype, "i", "best");
    body += &s.store(&p, DType::I64, "i", "vec2<u32>(found, 0u)");
    s.run_each(&gpu, values.numel(), &body)?;
    Ok((narrowed(values, x.dtype)?, places))
}
