//! Padding, cropping, and resampling (`interpolate`, adaptive means): along one dimension after the other, each a fixed
//! linear map.

use std::rc::Rc;

use crate::autograd::{differentiable, named};
use crate::backend::backend;
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result, list};
use crate::layout::Layout;
use crate::ops::{add, cast, clamp, floor, matmul, number, reshape, rounded_once, transpose};
use crate::registry::{Args, Op, op, places};
use crate::tensor::Tensor;

fn dims(shape: &[usize]) -> Vec<i64> {
    shape.iter().map(|&s| s as i64).collect()
}

/// A block of a dense value of `shape`: `size` elements of each dimension from `start` on.
fn block(shape: &[usize], start: &[usize], size: &[usize]) -> Layout {
    let mut layout = Layout::contiguous(shape);
    for d in 0..shape.len() {
        layout = layout.slice(d, start[d], start[d] + size[d], 1);
    }
    layout
}

fn too_many_pads(pads: &[i64], ndim: usize) -> Error {
    Error::runtime(format!(
        "Padding length should be less than or equal to two times the input dimension but got padding length {} and \
         input of dimension {ndim}",
        pads.len()
    ))
}

/// `F.pad(x, pads, mode="constant", value)`: `pads` from the last dimension on, before and after each; negative ones crop.
///
/// # Errors
/// An odd number of pads, more than the dimensions have, or a result of negative size.
pub fn constant_pad(x: &Tensor, pads: &[i64], value: Scalar) -> Result<Tensor> {
    if pads.len() / 2 > x.ndim() {
        return Err(too_many_pads(pads, x.ndim()));
    }
    let shape = x.shape();
    let n = shape.len();
    let pad = |d: usize| {
        let i = 2 * (n - 1 - d);
        if i + 1 < pads.len() { (pads[i], pads[i + 1]) } else { (0, 0) }
    };
    let (mut out_shape, mut from, mut to, mut size) = (vec![], vec![], vec![], vec![]);
    for (d, &s) in shape.iter().enumerate() {
        let (lo, hi) = pad(d);
        let overflow = || Error::runtime(format!("Storage size calculation overflowed with sizes={}", list(pads)));
        let new = (s as i64).checked_add(lo).and_then(|n| n.checked_add(hi)).ok_or_else(overflow)?;
        // Each side crops by itself, before anything is added.
        let kept = (s as i64).saturating_add(lo.min(0));
        if new < 0 || kept < 0 || kept.saturating_add(hi.min(0)) < 0 {
            return Err(Error::runtime("narrow(): length must be non-negative."));
        }
        out_shape.push(new as usize);
        from.push(lo.saturating_neg().max(0) as usize);
        to.push(lo.max(0) as usize);
        size.push(
            (s as i64).saturating_sub(lo.saturating_neg().max(0)).saturating_sub(hi.saturating_neg().max(0)).max(0)
                as usize,
        );
    }
    let b = backend(x.device());
    let out = b.full(&out_shape, value, x.dtype())?;
    if size.iter().all(|&s| s > 0) {
        let raw = x.raw();
        let mut source = raw.layout.clone();
        for d in 0..n {
            source = source.slice(d, from[d], from[d] + size[d], 1);
        }
        b.write(&out.with_layout(block(&out_shape, &to, &size)), &raw.with_layout(source))?;
    }
    let back: Vec<i64> = pads.iter().map(|p| p.saturating_neg()).collect();
    Ok(differentiable("ConstantPadNdBackward0", &[x], out, &[], move |ctx| {
        Ok(vec![Some(constant_pad(&ctx.grad()?, &back, Scalar::Int(0))?)])
    }))
}

/// The first `size` elements of each of the last dimensions.
pub(crate) fn crop(x: &Tensor, size: &[usize]) -> Result<Tensor> {
    let mut pads = vec![];
    for (have, want) in x.shape().iter().rev().zip(size.iter().rev()) {
        pads.extend([0, *want as i64 - *have as i64]);
    }
    if pads.iter().all(|&p| p == 0) { Ok(x.clone()) } else { constant_pad(x, &pads, Scalar::Int(0)) }
}

/// `reflect`, `replicate` and `circular` padding: each output element copies one input element.
fn pad_by_copy(x: &Tensor, pads: &[i64], mode: &str) -> Result<Tensor> {
    let n = pads.len() / 2;
    let shape = x.shape();
    if n > shape.len() {
        return Err(too_many_pads(pads, shape.len()));
    }
    if n == 0 || n > 3 || shape.len() < n + 1 || shape.len() > n + 2 {
        return Err(Error::not_implemented(format!(
            "Padding size {} is not supported for {}D input tensor.\nSupported combinations for non-constant padding:\n  \
             - 2D or 3D input: padding size = 2 (pads last dimension)\n  - 3D or 4D input: padding size = 4 (pads last 2 \
             dimensions)\n  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)",
            pads.len(),
            shape.len()
        )));
    }
    let from = shape.len() - n - 1;
    if mode != "circular" && (shape[from..].contains(&0)) {
        return Err(Error::runtime(format!(
            "Expected {}D or {}D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, \
             but got: {}",
            n + 1,
            n + 2,
            list(&shape)
        )));
    }
    let mut out_shape = shape.clone();
    let mut maps: Vec<Vec<usize>> = shape.iter().map(|&s| (0..s).collect()).collect();
    for i in 0..n {
        let d = shape.len() - 1 - i;
        let (lo, hi, size) = (pads[2 * i], pads[2 * i + 1], shape[d] as i64);
        if mode == "reflect" && (lo >= size || hi >= size) {
            return Err(Error::runtime(format!(
                "Argument #4: Padding size should be less than the corresponding input dimension, but got: padding ({lo}, \
                 {hi}) at dimension {d} of input {}",
                list(&shape)
            )));
        }
        // Negative padding crops; what is left then goes round.
        let (start, width) = (lo.min(0).abs(), size + lo.min(0) + hi.min(0));
        if mode == "circular" && (lo > size || hi > size) {
            return Err(Error::runtime("Padding value causes wrapping around more than once."));
        }
        let total = size + lo + hi;
        if total < 0 || size == 0 || (mode == "circular" && width <= 0) {
            return Err(Error::runtime(match mode {
                "circular" => "Negative padding value is resulting in an empty dimension".to_owned(),
                _ => {
                    let axis = ["W", "H", "D"][i];
                    format!("input ({axis}: {size}) is too small. Calculated output {axis}: {total}")
                }
            }));
        }
        maps[d] = (0..total)
            .map(|o| {
                let p = o - lo;
                (match mode {
                    "reflect" if p < 0 => -p,
                    "reflect" if p >= size => 2 * (size - 1) - p,
                    "circular" => start + (o - lo.max(0)).rem_euclid(width),
                    _ => p.clamp(0, size - 1),
                }) as usize
            })
            .collect();
        out_shape[d] = total as usize;
    }
    let strides = crate::layout::contiguous_strides(&shape);
    let mut at = vec![0i64];
    for (map, stride) in maps.iter().zip(&strides) {
        at = at.iter().flat_map(|a| map.iter().map(move |&p| a + (p * stride) as i64)).collect();
    }
    crate::ops::take_places(x, &Tensor::from_slice(&at, &out_shape)?)
}

/// `F.pad`.
///
/// # Errors
/// An unknown mode, and those of the modes.
pub fn pad(x: &Tensor, pads: &[i64], mode: &str, value: Option<f64>) -> Result<Tensor> {
    if !pads.len().is_multiple_of(2) {
        return Err(Error::runtime("Padding length must be divisible by 2"));
    }
    match mode {
        "constant" => constant_pad(x, pads, Scalar::Float(value.unwrap_or(0.0))),
        "reflect" | "replicate" | "circular" => {
            if value.is_some_and(|v| v != 0.0) {
                return Err(Error::runtime(format!("Padding mode \"{mode}\" doesn't take in value argument")));
            }
            let out = pad_by_copy(x, pads, mode)?;
            Ok(match (mode, pads.len() / 2) {
                ("reflect", 1) => named(out, "ReflectionPad1DBackward0"),
                ("reflect", 2) => named(out, "ReflectionPad2DBackward0"),
                ("reflect", 3) => named(out, "ReflectionPad3DBackward0"),
                ("replicate", 1) => named(out, "ReplicationPad1DBackward0"),
                ("replicate", 2) => named(out, "ReplicationPad2DBackward0"),
                ("replicate", 3) => named(out, "ReplicationPad3DBackward0"),
                _ => out,
            })
        }
        _ => Err(Error::not_implemented(format!("Unrecognised padding mode {mode}"))),
    }
}

/// For each output index: the input indices it is made of, with weights.
pub(crate) type Weights = [Vec<(usize, f64)>];

/// The weights as a matrix `[output, input]`.
pub(crate) fn linear_map(input: usize, weights: &Weights) -> Result<Tensor> {
    let mut matrix = vec![0f64; weights.len() * input];
    for (o, row) in weights.iter().enumerate() {
        for &(i, w) in row {
            matrix[o * input + i] += w;
        }
    }
    Tensor::from_slice(&matrix, &[weights.len(), input])
}

/// Linear maps along some dimensions, or the adjoint of them all: one node of the graph, rounded once.
pub(crate) fn resample(name: &'static str, x: &Tensor, maps: Rc<[(usize, Tensor)]>, adjoint: bool) -> Result<Tensor> {
    if x.dtype() == DType::U8 {
        // Pictures: the last dimension first, whole numbers after each.
        let mut y = x.detach();
        for (dim, matrix) in maps.iter().rev() {
            let wide = resample_dim(&cast(&y, DType::F64)?, *dim, &in_16_bits(matrix)?)?;
            let whole = clamp(&floor(&add(&wide, &number(0.5)?)?)?, Some(&number(0)?), Some(&number(255)?))?;
            y = cast(&whole, DType::U8)?;
        }
        return Ok(y);
    }
    let out = rounded_once([x], |[x]| {
        let mut y = x.clone();
        for (dim, matrix) in maps.iter() {
            let matrix = cast(matrix, y.dtype())?;
            y = resample_dim(&y, *dim, &if adjoint { transpose(&matrix, 0, 1)? } else { matrix })?;
        }
        Ok(y)
    })?;
    Ok(differentiable(name, &[x], out.raw(), &[], move |ctx| {
        Ok(vec![Some(resample(name, &ctx.grad()?, maps.clone(), !adjoint)?)])
    }))
}

/// Weights as multiples of the smallest power of two with which all of them are whole numbers of 16 bits, as PyTorch
/// keeps them for bytes.
fn in_16_bits(matrix: &Tensor) -> Result<Tensor> {
    let mut weights = matrix.to_vec::<f64>()?;
    let most = weights.iter().copied().fold(0.0, f64::max);
    let fits = |bits: &i32| (0.5 + most * 2f64.powi(bits + 1)).floor() < 32768.0;
    let scale = 2f64.powi((0..22).take_while(fits).count() as i32);
    weights.iter_mut().for_each(|w| *w = (*w * scale).round() / scale);
    Tensor::from_slice(&weights, &matrix.shape())
}

/// One linear map `[output, input]` along one dimension.
fn resample_dim(x: &Tensor, dim: usize, matrix: &Tensor) -> Result<Tensor> {
    let (output, input) = (matrix.size(0), matrix.size(1));
    // [..., input, inner] -> [lines, input, inner]
    let shape = x.shape();
    let inner: usize = crate::layout::numel(&shape[dim + 1..]);
    let lines: usize = crate::layout::numel(&shape[..dim]);
    let mut out_shape = shape.clone();
    out_shape[dim] = output;
    let y = if inner == 1 {
        matmul(&reshape(x, &[lines as i64, input as i64])?, &transpose(matrix, 0, 1)?)?
    } else {
        matmul(matrix, &reshape(x, &[lines as i64, input as i64, inner as i64])?)?
    };
    reshape(&y, &dims(&out_shape))
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Nearest,
    NearestExact,
    Linear,
    Cubic,
}

/// The weights of one dimension, by PyTorch's rules for sampling positions.
fn sampling(kind: Kind, input: usize, output: usize, align: bool, scale: Option<f64>) -> Vec<Vec<(usize, f64)>> {
    let step = match kind {
        Kind::Linear | Kind::Cubic if align => {
            if output > 1 {
                (input - 1) as f64 / (output - 1) as f64
            } else {
                0.0
            }
        }
        _ => scale.filter(|s| *s > 0.0).map_or(input as f64 / output as f64, |s| 1.0 / s),
    };
    let last = input.saturating_sub(1);
    (0..output)
        .map(|o| {
            if matches!(kind, Kind::Nearest | Kind::NearestExact) {
                let at = if kind == Kind::Nearest { o as f64 } else { o as f64 + 0.5 };
                return vec![(((at * step).floor() as usize).min(last), 1.0)];
            }
            let at = if align { step * o as f64 } else { step * (o as f64 + 0.5) - 0.5 };
            if kind == Kind::Linear {
                let at = at.max(0.0);
                let low = (at.floor() as usize).min(last);
                let t = if low == last { 0.0 } else { at - low as f64 };
                return vec![(low, 1.0 - t), ((low + 1).min(last), t)];
            }
            let low = at.floor();
            let t = at - low;
            // Keys' kernel with a = -0.75.
            let a = -0.75;
            let near = |x: f64| ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0;
            let far = |x: f64| ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a;
            [far(t + 1.0), near(t), near(1.0 - t), far(2.0 - t)]
                .into_iter()
                .enumerate()
                .map(|(k, w)| (((low as i64 + k as i64 - 1).clamp(0, last as i64)) as usize, w))
                .collect()
        })
        .collect()
}

fn upsample(x: &Tensor, n: usize, size: &[i64], kind: Kind, align: bool, scales: &[Option<f64>]) -> Result<Tensor> {
    if x.ndim() != n + 2 || size.len() != n {
        return Err(Error::runtime(format!(
            "It is expected input_size equals to {}, but got size {}",
            n + 2,
            x.ndim()
        )));
    }
    if size.iter().any(|&s| s <= 0) || x.shape()[2..].contains(&0) {
        let named = |sizes: &[i64]| {
            let each = ["D", "H", "W"][3 - n.min(3)..].iter().zip(sizes);
            each.map(|(axis, s)| format!("{axis}: {s}")).collect::<Vec<_>>().join(", ")
        };
        return Err(Error::runtime(format!(
            "Input and output sizes should be greater than 0, but got input ({}){} output ({})",
            named(&dims(&x.shape()[2..])),
            if n == 1 { " and" } else { "" },
            named(size)
        )));
    }
    if x.size(1) == 0 {
        return Err(Error::runtime(format!(
            "Non-empty {}D data tensor expected but got a tensor with sizes {}",
            n + 2,
            list(&x.shape())
        )));
    }
    let smooth = matches!(kind, Kind::Linear | Kind::Cubic);
    if !x.dtype().is_float() && (x.dtype() != DType::U8 || (smooth && n != 2)) {
        return Err(Error::no_kernel(
            match (kind, n) {
                (Kind::Nearest, 2) => "upsample_nearest2d_channels_last",
                (Kind::Linear, 2) => "upsample_bilinear2d_channels_last",
                (Kind::Nearest | Kind::NearestExact, _) => "compute_indices_weights_nearest",
                (Kind::Linear, _) => "compute_indices_weights_linear",
                (Kind::Cubic, _) => "compute_indices_weights_cubic",
            },
            x.dtype(),
        ));
    }
    let mut maps = vec![];
    for (d, &output) in size.iter().enumerate() {
        let input = x.size(d + 2);
        let scale = scales.get(d).copied().flatten();
        crate::storage::room(output as usize, input.saturating_mul(8).saturating_add(256))?;
        maps.push((d + 2, linear_map(input, &sampling(kind, input, output as usize, align, scale))?));
    }
    let name = match (kind, n) {
        (Kind::Nearest, 1) => "UpsampleNearest1DBackward0",
        (Kind::Nearest, 2) => "UpsampleNearest2DBackward0",
        (Kind::Nearest, _) => "UpsampleNearest3DBackward0",
        (Kind::NearestExact, 1) => "UpsampleNearestExact1DBackward0",
        (Kind::NearestExact, 2) => "UpsampleNearestExact2DBackward0",
        (Kind::NearestExact, _) => "UpsampleNearestExact3DBackward0",
        (Kind::Linear, 1) => "UpsampleLinear1DBackward0",
        (Kind::Linear, 2) => "UpsampleBilinear2DBackward0",
        (Kind::Linear, _) => "UpsampleTrilinear3DBackward0",
        (Kind::Cubic, _) => "UpsampleBicubic2DBackward0",
    };
    resample(name, x, maps.into(), false)
}

fn nearest(a: &Args, n: usize, kind: Kind) -> Result<Tensor> {
    let scales: Vec<Option<f64>> = (0..n).map(|d| a.opt_float(2 + d)).collect::<Result<_>>()?;
    upsample(a.tensor(0)?, n, &a.ints(1)?, kind, false, &scales)
}

fn smooth(a: &Args, n: usize, kind: Kind) -> Result<Tensor> {
    let scales: Vec<Option<f64>> = (0..n).map(|d| a.opt_float(3 + d)).collect::<Result<_>>()?;
    upsample(a.tensor(0)?, n, &a.ints(1)?, kind, a.bool(2)?, &scales)
}

pub(crate) const TABLE: &[Op] = &[
    op("pad(Tensor self, int[] pad, str mode=\"constant\", float? value=None) -> Tensor", places::NN, |a| {
        Ok(pad(a.tensor(0)?, &a.ints(1)?, &a.str(2)?, a.opt_float(3)?)?.into())
    }),
    op("constant_pad_nd(Tensor self, int[] pad, Scalar value=0) -> Tensor", places::FUNCTION, |a| {
        let (pads, ndim) = (a.ints(1)?, a.tensor(0)?.ndim());
        if !pads.len().is_multiple_of(2) {
            return Err(Error::runtime(format!("Length of pad must be even but instead it equals {}", pads.len())));
        }
        if pads.len() > 2 * ndim {
            return Err(Error::runtime(format!(
                "Length of pad should be no more than twice the number of dimensions of the input. Pad length is {}while \
                 the input has {ndim}dimensions.",
                pads.len()
            )));
        }
        Ok(constant_pad(a.tensor(0)?, &a.ints(1)?, a.scalar(2)?)?.into())
    }),
    op("upsample_nearest1d(Tensor self, int[1] output_size, float? scales=None) -> Tensor", places::NN, |a| {
        Ok(nearest(a, 1, Kind::Nearest)?.into())
    }),
    op(
        "upsample_nearest2d(Tensor self, int[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor",
        places::NN,
        |a| Ok(nearest(a, 2, Kind::Nearest)?.into()),
    ),
    op(
        "upsample_nearest3d(Tensor self, int[3] output_size, float? scales_d=None, float? scales_h=None, \
         float? scales_w=None) -> Tensor",
        places::NN,
        |a| Ok(nearest(a, 3, Kind::Nearest)?.into()),
    ),
    op("_upsample_nearest_exact1d(Tensor self, int[1] output_size, float? scales=None) -> Tensor", places::NN, |a| {
        Ok(nearest(a, 1, Kind::NearestExact)?.into())
    }),
    op(
        "_upsample_nearest_exact2d(Tensor self, int[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor",
        places::NN,
        |a| Ok(nearest(a, 2, Kind::NearestExact)?.into()),
    ),
    op(
        "_upsample_nearest_exact3d(Tensor self, int[3] output_size, float? scales_d=None, float? scales_h=None, \
         float? scales_w=None) -> Tensor",
        places::NN,
        |a| Ok(nearest(a, 3, Kind::NearestExact)?.into()),
    ),
    op(
        "upsample_linear1d(Tensor self, int[1] output_size, bool align_corners, float? scales=None) -> Tensor",
        places::NN,
        |a| Ok(smooth(a, 1, Kind::Linear)?.into()),
    ),
    op(
        "upsample_bilinear2d(Tensor self, int[2] output_size, bool align_corners, float? scales_h=None, \
         float? scales_w=None) -> Tensor",
        places::NN,
        |a| Ok(smooth(a, 2, Kind::Linear)?.into()),
    ),
    op(
        "upsample_trilinear3d(Tensor self, int[3] output_size, bool align_corners, float? scales_d=None, \
         float? scales_h=None, float? scales_w=None) -> Tensor",
        places::NN,
        |a| Ok(smooth(a, 3, Kind::Linear)?.into()),
    ),
    op(
        "upsample_bicubic2d(Tensor self, int[2] output_size, bool align_corners, float? scales_h=None, \
         float? scales_w=None) -> Tensor",
        places::NN,
        |a| Ok(smooth(a, 2, Kind::Cubic)?.into()),
    ),
];
