//! Pooling: maxima and means over windows, fixed or adaptive.

use crate::autograd::{Save, differentiable, differentiable_many, grad_mode, named, non_differentiable};
use crate::backend::{Regions, Window, backend};
use crate::error::{Error, Result, list};
use crate::layout::wrap_dim;
use crate::ops::nn::conv::{im2col, per_dim};
use crate::ops::{add, div, number, put_places, reshape, sum, unsqueeze};
use crate::registry::{Args, Op, Value, op, places};
use crate::tensor::Tensor;

fn dims(shape: &[usize]) -> Vec<i64> {
    shape.iter().map(|&s| s as i64).collect()
}

/// No dimension but the batch's may be empty.
fn check_filled(x: &Tensor, added: bool, n: usize, name: &str) -> Result<()> {
    let shape = x.shape();
    if !name.contains("adaptive") {
        if n == 3 {
            let what = if name == "max_pool3d" { "max_pool3d_with_indices_out_cpu_template" } else { name };
            let (shape, from) = if added { (&shape[1..], 0) } else { (&shape[..], 1) };
            return refuse_zero(shape, from, what);
        }
        let shape = match (n, name) {
            (1, "max_pool1d") | (2.., _) => shape,
            _ => vec![shape[0], shape[1], 1, shape[2]],
        };
        let (n, what) = match name {
            "max_pool1d" => (1, "max_pool1d: "),
            _ => (2, ""),
        };
        return if shape[1] == 0 || shape[2..].contains(&0) {
            Err(Error::runtime(format!(
                "{what}Expected {}D or {}D (batch mode) tensor with optional 0 dim batch size for input, but got:{}",
                n + 1,
                n + 2,
                list(&shape)
            )))
        } else {
            Ok(())
        };
    }
    match name {
        // Means of no channels are no means; the mean in one dimension is taken in two.
        "adaptive_avg_pool1d" => refuse_zero(&[shape[0], shape[1], 1, shape[2]], 2, "adaptive_avg_pool2d"),
        "adaptive_avg_pool2d" => refuse_zero(&shape, 2, name),
        _ => refuse_zero(&shape, 1, name),
    }
}

/// No dimension may be empty from `from` on.
fn refuse_zero(shape: &[usize], from: usize, what: &str) -> Result<()> {
    match (from..shape.len()).find(|&d| shape[d] == 0) {
        Some(d) => Err(Error::runtime(format!(
            "{what}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes {} with \
             dimension {d} being empty",
            list(shape)
        ))),
        None => Ok(()),
    }
}

/// `x` with a batch dimension, and whether one was added.
///
/// # Errors
/// Neither `n + 1` nor `n + 2` dimensions.
fn batched(x: &Tensor, n: usize, name: &str) -> Result<(Tensor, bool)> {
    match x.ndim() {
        d if d == n + 2 => Ok((x.clone(), false)),
        d if d == n + 1 => Ok((unsqueeze(x, 0)?, true)),
        d => Err(match (n, name.contains("adaptive"), name.contains("unpool")) {
            (_, _, true) => Error::runtime(format!(
                "Input to max_unpooling{n}d should be a {}d or {}d Tensor, but got a tensor with {d} dimensions.",
                n + 1,
                n + 2
            )),
            (1, false, _) if name == "max_pool1d" => Error::runtime(format!(
                "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:{}",
                list(&x.shape())
            )),
            (1, ..) => Error::runtime(format!(
                "Expected 2 to 3 dimensions, but got {d}-dimensional tensor for argument #1 'self' (while checking \
                 arguments for {})",
                name.trim_end_matches("_with_indices")
            )),
            (_, true, _) => Error::runtime(format!(
                "{name}(): Expected {}D or {}D tensor, but got{} {}",
                n + 1,
                n + 2,
                if name.contains("max") { ":" } else { "" },
                list(&x.shape())
            )),
            (2, ..) if name == "avg_pool2d" && d == 0 => {
                Error::index("Dimension specified as -3 but tensor has no dimensions")
            }
            (2, ..) if name == "avg_pool2d" && d < 3 => Error::DimRange { dim: -3, ndim: d },
            (2, ..) if name == "avg_pool2d" => Error::runtime(format!(
                "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:{}",
                list(&x.shape())
            )),
            _ => Error::runtime(format!("non-empty {}D or {}D (batch mode) tensor expected for input", n + 1, n + 2)),
        }),
    }
}

fn unbatched(y: Tensor, added: bool) -> Result<Tensor> {
    if added { reshape(&y, &dims(&y.shape()[1..])) } else { Ok(y) }
}

/// A pooling window; an empty stride means the kernel's.
fn pool_window(
    name: &str,
    n: usize,
    kernel: &[i64],
    stride: &[i64],
    padding: &[i64],
    dilation: &[i64],
) -> Result<Window> {
    let count = ["an int", "two ints", "three ints"][n - 1];
    for (values, what, omitted) in [
        (kernel, "kernel_size", ""),
        (stride, "stride", "be omitted, "),
        (padding, "padding", ""),
        (dilation, "dilation", ""),
    ] {
        if values.len() > 1 && values.len() != n {
            return Err(Error::runtime(if n == 1 {
                format!(
                    "{name}() {what} must be an int, list of ints or tuple of ints of size 1 but got size {}",
                    values.len()
                )
            } else {
                let either = if omitted.is_empty() { "either " } else { "either be omitted, " };
                let be = if omitted.is_empty() { "be a single int" } else { "a single int" };
                format!("{name}: {what} must {either}{be}, or a tuple of {count}")
            }));
        }
    }
    let stride = if stride.is_empty() { kernel } else { stride };
    if name == "max_pool1d" {
        for (values, what) in [(kernel, "kernel_size"), (stride, "stride")] {
            if let Some(first) = values.first()
                && *first <= 0
            {
                return Err(Error::runtime(format!("{name}() {what} must be greater than zero, but got {first}")));
            }
        }
    }
    if stride.contains(&0) {
        return Err(Error::runtime("stride should not be zero"));
    }
    let axes = |what: &str, v: &[i64]| {
        let at = |d: usize| if v.len() == 1 { v[0] } else { v[d] };
        let letters = &["T", "H", "W"][3 - n.clamp(2, 3)..];
        letters.iter().enumerate().map(|(d, l)| format!("{what}{l}: {}", at(d))).collect::<Vec<_>>().join(" ")
    };
    if kernel.iter().any(|&k| k <= 0) {
        return Err(Error::runtime(format!("kernel size should be greater than zero, but got {}", axes("k", kernel))));
    }
    if dilation.iter().any(|&k| k <= 0) {
        return Err(Error::runtime(format!(
            "dilation should be greater than zero, but got {}",
            axes("dilation", dilation)
        )));
    }
    if let Some(p) = padding.iter().find(|&&p| p < 0) {
        return Err(Error::runtime(format!("pad must be non-negative, but got pad: {p}")));
    }
    let kernel = per_dim(kernel, n, "kernel_size")?;
    let stride = per_dim(stride, n, "stride")?;
    let padding = per_dim(padding, n, "padding")?;
    let dilation = per_dim(dilation, n, "dilation")?;
    for (p, k) in padding.iter().zip(&kernel) {
        if 2 * p > *k && name == "max_pool1d" {
            return Err(Error::runtime(format!(
                "max_pool1d() padding should be at most half of kernel size, but got padding={p} and kernel_size={k}"
            )));
        }
        if 2 * p > *k {
            return Err(Error::runtime(format!(
                "pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k} and dilation={}",
                dilation[0]
            )));
        }
    }
    Ok(Window { kernel, stride, padding, dilation })
}

/// How many windows, where `ceil_mode` lets one start in the input and end behind it.
fn pooled(name: &str, w: &Window, channels: usize, input: &[usize], ceil_mode: bool) -> Result<Vec<usize>> {
    let floor = w.output(input).filter(|o| !o.contains(&0));
    let ceil = || {
        (0..input.len())
            .map(|d| {
                let room = w.padded(d, input[d]).saturating_add(w.stride[d] - 1).checked_sub(w.span(d))?;
                let n = room / w.stride[d] + 1;
                Some(if (n - 1) * w.stride[d] >= input[d] + w.padding[d] { n - 1 } else { n })
            })
            .collect::<Option<Vec<usize>>>()
            .filter(|o| !o.contains(&0))
    };
    (if ceil_mode { ceil() } else { floor }).ok_or_else(|| {
        let by = |v: &[String]| v.join("x");
        let sizes = (0..input.len()).map(|d| {
            let room = w.padded(d, input[d]) as i128 - w.span(d) as i128;
            (room.div_euclid(w.stride[d] as i128) + 1).to_string()
        });
        let sizes: Vec<String> = sizes.collect();
        let given: Vec<String> = input.iter().map(|i| i.to_string()).collect();
        Error::runtime(match name {
            "max_pool1d" => format!("max_pool1d() Invalid computed output size: {}", by(&sizes)),
            "avg_pool3d" => format!(
                "input image (T: {} H: {} W: {}) smaller than kernel size (kT: {} kH: {} kW: {})",
                input[0], input[1], input[2], w.kernel[0], w.kernel[1], w.kernel[2]
            ),
            "avg_pool1d" => format!(
                "Given input size: ({channels}x1x{}). Calculated output size: ({channels}x1x{}). Output size is too small",
                by(&given),
                by(&sizes)
            ),
            _ => format!(
                "Given input size: ({channels}x{}). Calculated output size: ({}x{}). Output size is too small",
                by(&given),
                if name == "max_pool3d" { 1 } else { channels },
                by(&sizes)
            ),
        })
    })
}

fn regions(w: &Window, input: &[usize], output: &[usize]) -> Regions {
    (0..input.len())
        .map(|d| {
            (0..output[d]).map(|o| (0..w.kernel[d]).filter_map(|k| w.place(d, o, k, input[d])).collect()).collect()
        })
        .collect()
}

fn adaptive_regions(input: &[usize], output: &[usize]) -> Result<Regions> {
    let places = input.iter().zip(output).map(|(i, n)| i.saturating_add(*n));
    crate::storage::room(places.fold(0usize, usize::saturating_add), 64)?;
    Ok((0..input.len())
        .map(|d| {
            let (i, n) = (input[d], output[d]);
            (0..n).map(|o| (o * i / n..((o + 1) * i).div_ceil(n)).collect()).collect()
        })
        .collect())
}

fn max_over(name: &'static str, x: &Tensor, regions: &Regions) -> Result<(Tensor, Tensor)> {
    let (values, at) = backend(x.device()).max_regions(&x.raw(), regions)?;
    let shape = x.shape();
    // Places within each plane; the gradient wants them within the whole tensor.
    let plane: usize = crate::layout::numel(&shape[2..]);
    let starts: Vec<i64> = (0..shape[0] * shape[1]).map(|i| (i * plane) as i64).collect();
    let mut lead = shape[..2].to_vec();
    lead.resize(shape.len(), 1);
    let starts = Tensor::from_slice(&starts, &lead)?;
    let whole = grad_mode::no_grad(|| add(&non_differentiable(at.clone()), &starts))?;
    let mut outs = differentiable_many(name, &[x], vec![values, at], &[Save::Input(&whole)], move |ctx| {
        let g = ctx.grad()?;
        let zeros = Tensor::zeros(&shape, g.dtype())?;
        Ok(vec![Some(put_places(&zeros, ctx.saved(0), &g, true)?)])
    });
    let indices = outs.pop().ok_or_else(|| Error::runtime("max pooling gave no indices"))?;
    let values = outs.pop().ok_or_else(|| Error::runtime("max pooling gave no values"))?;
    Ok((values, indices))
}

fn max_pool(
    a: &Args,
    n: usize,
    name: &'static str,
    asked: &'static str,
    node: &'static str,
) -> Result<(Tensor, Tensor)> {
    // With indices, one dimension is checked as two are.
    let checks = if n == 1 { asked } else { name };
    let (x, added) = batched(a.tensor(0)?, n, checks)?;
    let w = pool_window(name, n, &a.ints(1)?, &a.ints(2)?, &a.ints(3)?, &a.ints(4)?)?;
    check_filled(&x, added, n, checks)?;
    let input = x.shape()[2..].to_vec();
    let output = pooled(name, &w, x.size(1), &input, a.bool(5)?)?;
    let (values, indices) = max_over(node, &x, &regions(&w, &input, &output))?;
    Ok((unbatched(values, added)?, unbatched(indices, added)?))
}

/// The output size of adaptive pooling.
fn adaptive_size(x: &Tensor, sizes: &[i64], n: usize, name: &str) -> Result<Vec<usize>> {
    if n == 1 && sizes.len() != 1 {
        return Err(Error::runtime(format!(
            "{name}() argument 'output_size' should contain one int (got {})",
            sizes.len()
        )));
    }
    if sizes.len() != 1 && sizes.len() != n {
        return Err(Error::runtime(if name.contains("max") {
            format!("{name}(): internal error: output_size.size() must be {n}")
        } else {
            format!("{name}: output_size must be {n}")
        }));
    }
    if sizes.iter().any(|&s| s < 0) {
        let full = if sizes.len() == 1 { vec![sizes[0]; n] } else { sizes.to_vec() };
        if name.contains("max") {
            let lead: Vec<i64> = x.shape().iter().take(2).map(|&s| s as i64).collect();
            let first = full.iter().find(|s| **s < 0).copied().unwrap_or(-1);
            return Err(Error::runtime(format!(
                "Trying to create tensor with negative dimension {first}: {}",
                list(&[lead, full].concat())
            )));
        }
        let full: Vec<String> = full.iter().map(|s| s.to_string()).collect();
        return Err(Error::runtime(format!(
            "{name}: elements of output_size must be greater than or equal to 0 but received {{{}}}",
            full.join(", ")
        )));
    }
    per_dim(sizes, n, "output_size")
}

fn adaptive_max_pool(a: &Args, n: usize, name: &'static str, node: &'static str) -> Result<Value> {
    let (x, added) = batched(a.tensor(0)?, n, name)?;
    check_filled(&x, added, n, name)?;
    let output = adaptive_size(&x, &a.ints(1)?, n, name)?;
    let (values, indices) = max_over(node, &x, &adaptive_regions(&x.shape()[2..], &output)?)?;
    Ok((unbatched(values, added)?, unbatched(indices, added)?).into())
}

/// Mean over windows: the windows' sums over how many elements count.
fn avg_pool(a: &Args, n: usize, name: &'static str) -> Result<Tensor> {
    let (x, added) = batched(a.tensor(0)?, n, name)?;
    let w = pool_window(name, n, &a.ints(1)?, &a.ints(2)?, &a.ints(3)?, &[1])?;
    check_filled(&x, added, n, name)?;
    let (ceil_mode, count_include_pad) = (a.bool(4)?, a.bool(5)?);
    let divisor = a.opt_int(6)?;
    let shape = x.shape();
    let (b, c, input) = (shape[0], shape[1], &shape[2..]);
    let output = pooled(name, &w, c, input, ceil_mode)?;
    // In ceil mode the last window may reach behind the padding: zeros there, which don't count.
    let mut wide = vec![];
    for d in (0..n).rev() {
        let reach = (output[d] - 1) * w.stride[d] + w.kernel[d];
        wide.extend([0, reach.saturating_sub(input[d] + 2 * w.padding[d]) as i64]);
    }
    let padded = if wide.iter().all(|&p| p == 0) { x.clone() } else { super::constant_pad(&x, &wide, 0.0.into())? };
    let columns = im2col(&padded, &w)?;
    let k: usize = w.kernel.iter().product();
    let mut by_window = vec![b as i64, c as i64, k as i64];
    by_window.extend(dims(&columns.shape()[2..]));
    let total = sum(&reshape(&columns, &by_window)?, &[2], false, None)?;
    let total = super::crop(&total, &output)?;
    let mut counts = vec![1f64];
    for d in 0..n {
        let per: Vec<f64> = (0..output[d])
            .map(|o| {
                let start = o * w.stride[d];
                let end = (start + w.kernel[d]).min(input[d] + 2 * w.padding[d]);
                let inside = (0..w.kernel[d]).filter(|&k| w.place(d, o, k, input[d]).is_some()).count();
                if count_include_pad { end.saturating_sub(start) as f64 } else { inside as f64 }
            })
            .collect();
        counts = counts.iter().flat_map(|c| per.iter().map(move |p| c * p)).collect();
    }
    // Means of integers are integers, cut off.
    let div = |total: &Tensor, by: &Tensor| {
        if x.dtype().is_float() { div(total, by) } else { crate::ops::cast(&div(total, by)?, x.dtype()) }
    };
    let mean = match divisor {
        Some(0) => return Err(Error::runtime("divisor must be not zero")),
        Some(d) => div(&total, &number(d as f64)?)?,
        None if counts.windows(2).all(|w| w[0] == w[1]) => {
            div(&total, &number(counts.first().copied().unwrap_or(1.0))?)?
        }
        None => {
            let counts = crate::ops::cast(&Tensor::from_slice(&counts, &output)?, x.dtype())?;
            div(&total, &counts)?
        }
    };
    let mean = unbatched(mean, added)?;
    Ok(named(mean, ["SqueezeBackward1", "AvgPool2DBackward0", "AvgPool3DBackward0"][n.clamp(1, 3) - 1]))
}

fn adaptive_avg_pool(a: &Args, n: usize, name: &'static str) -> Result<Tensor> {
    if a.ints(1)?.iter().all(|&o| o == 1) {
        // The mean of all there is, whatever stands before.
        let dims: Vec<i64> = (-(n as i64)..0).collect();
        if n == 1 {
            batched(a.tensor(0)?, n, name)?;
        }
        for &d in dims.iter().rev() {
            wrap_dim(d, a.tensor(0)?.ndim())?;
        }
        return crate::ops::mean(a.tensor(0)?, &dims, true, None);
    }
    let (x, added) = batched(a.tensor(0)?, n, name)?;
    check_filled(&x, added, n, name)?;
    let output = adaptive_size(&x, &a.ints(1)?, n, name)?;
    if !x.dtype().is_float() {
        return Err(Error::no_kernel(
            if n == 3 { "adaptive_avg_pool3d_cpu" } else { "adaptive_avg_pool2d" },
            x.dtype(),
        ));
    }
    let input = x.shape()[2..].to_vec();
    let regions = adaptive_regions(&input, &output)?;
    let mut maps = vec![];
    for (d, windows) in regions.iter().enumerate() {
        let weights =
            windows.iter().map(|w| w.iter().map(|&p| (p, 1.0 / w.len() as f64)).collect()).collect::<Vec<_>>();
        maps.push((d + 2, super::linear_map(input[d], &weights)?));
    }
    let node = match n {
        1 => "SqueezeBackward1",
        2 => "AdaptiveAvgPool2DBackward0",
        _ => "AdaptiveAvgPool3DBackward0",
    };
    let out = super::resample(node, &x, maps.into(), false)?;
    if x.size(1) == 0 {
        let mut shape = out.shape();
        if n == 1 {
            shape.insert(2, 1);
        }
        return Ok(differentiable(node, &[&x], out.raw(), &[], move |_| {
            Err(Error::runtime(format!(
                "adaptive_avg_pool2d_backward(): Expected grad_output to have non-zero size for non-batch dimensions, but \
                 grad_output has sizes {} with dimension 1 being empty",
                list(&shape)
            )))
        }));
    }
    unbatched(out, added)
}

/// Put the values of a max pooling back where they came from, zeros elsewhere.
fn max_unpool(a: &Args, n: usize) -> Result<Tensor> {
    let (x, added) = batched(a.tensor(0)?, n, "max_unpool")?;
    if a.tensor(1)?.dtype() != crate::DType::I64 {
        return Err(Error::runtime(format!(
            "elements in indices should be type int64 but got: {}",
            a.tensor(1)?.dtype().scalar_type_name()
        )));
    }
    let (indices, _) = batched(a.tensor(1)?, n, "max_unpool")?;
    if x.shape() != indices.shape() {
        return Err(Error::runtime(format!(
            "Expected shape of indices to be same as that of the input tensor ({}) but got indices tensor with shape: {}",
            list(&x.shape()),
            list(&indices.shape())
        )));
    }
    let output = per_dim(&a.ints(2)?, n, "output_size")?;
    let plane: usize = crate::layout::numel(&output);
    let windows: usize = crate::layout::numel(&x.shape()[2..]);
    let mut at = indices.to_vec::<i64>()?;
    for (i, p) in at.iter_mut().enumerate() {
        if *p < 0 || *p as usize >= plane {
            return Err(Error::runtime(format!(
                "Found an invalid max index: {p} (output volumes are of size {})",
                output.iter().map(|s| s.to_string()).collect::<Vec<_>>().join("x")
            )));
        }
        *p += (i / windows.max(1) * plane) as i64;
    }
    let mut shape = x.shape()[..2].to_vec();
    shape.extend(&output);
    let zeros = Tensor::zeros(&shape, x.dtype())?;
    unbatched(put_places(&zeros, &Tensor::from_slice(&at, &x.shape())?, &x, false)?, added)
}

macro_rules! pool_schemas {
    ($($n:literal: $max:literal $max_name:literal, $with:literal $with_place:expr, $max_node:literal,
        $adaptive:literal $adaptive_place:expr, $amax:literal $amax_place:expr, $amax_node:literal;)*) => {
        pub(crate) const TABLE: &[Op] = &[
            $(
                op(concat!($max, "(Tensor self, int[", $n, "] kernel_size, int[", $n, "] stride=[], int[", $n,
                    "] padding=0, int[", $n, "] dilation=1, bool ceil_mode=False) -> Tensor"),
                    places::FUNCTION | places::NN, |a| {
                        let out = max_pool(a, $n, $max_name, $max, $max_node)?.0;
                        Ok((if $n == 1 { named(out, "SqueezeBackward1") } else { out }).into())
                    }),
                op(concat!($with, "(Tensor self, int[", $n, "] kernel_size, int[", $n, "] stride=[], int[", $n,
                    "] padding=0, int[", $n, "] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)"),
                    $with_place, |a| Ok(max_pool(a, $n, $max_name, $with, $max_node)?.into())),
                op(concat!($adaptive, "(Tensor self, int[", $n, "] output_size) -> Tensor"),
                    $adaptive_place, |a| Ok(adaptive_avg_pool(a, $n, $adaptive)?.into())),
                op(concat!($amax, "(Tensor self, int[", $n, "] output_size) -> (Tensor, Tensor)"),
                    $amax_place, |a| adaptive_max_pool(a, $n, $amax, $amax_node)),
            )*
            op("avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, bool ceil_mode=False, \
                bool count_include_pad=True) -> Tensor", places::FUNCTION, |a| Ok(avg_pool(a, 1, "avg_pool1d")?.into())),
            op("avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, \
                bool count_include_pad=True, int? divisor_override=None) -> Tensor", places::NN,
                |a| Ok(avg_pool(a, 2, "avg_pool2d")?.into())),
            op("avg_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, bool ceil_mode=False, \
                bool count_include_pad=True, int? divisor_override=None) -> Tensor", places::NN,
                |a| Ok(avg_pool(a, 3, "avg_pool3d")?.into())),
            op("max_unpool2d(Tensor self, Tensor indices, int[2] output_size) -> Tensor", places::NN,
                |a| Ok(max_unpool(a, 2)?.into())),
            op("max_unpool3d(Tensor self, Tensor indices, int[3] output_size, int[3] stride, int[3] padding) -> Tensor",
                places::NN, |a| Ok(max_unpool(a, 3)?.into())),
        ];
    };
}
pool_schemas!(
    1: "max_pool1d" "max_pool1d", "max_pool1d_with_indices" places::FUNCTION, "MaxPool2DWithIndicesBackward0",
        "adaptive_avg_pool1d" places::FUNCTION, "adaptive_max_pool1d" places::FUNCTION,
        "AdaptiveMaxPool2DBackward0";
    2: "max_pool2d" "max_pool2d", "max_pool2d_with_indices" places::NN, "MaxPool2DWithIndicesBackward0",
        "adaptive_avg_pool2d" places::NN, "adaptive_max_pool2d" places::NN,
        "AdaptiveMaxPool2DBackward0";
    3: "max_pool3d" "max_pool3d", "max_pool3d_with_indices" places::NN, "MaxPool3DWithIndicesBackward0",
        "adaptive_avg_pool3d" places::NN, "adaptive_max_pool3d" places::NN,
        "AdaptiveMaxPool3DBackward0";
);
