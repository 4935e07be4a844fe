//! Convolution and its transpose, in 1, 2 and 3 dimensions, as matrix products over windows (`im2col`), with groups.
//! Gradients are convolutions again, made of the same two adjoint ops, so they can be differentiated too.

use crate::autograd::{Save, differentiable};
use crate::backend::{Window, backend};
use crate::dtype::DType;
use crate::error::{Error, Result, list};
use crate::ops::nn::fused;
use crate::ops::{add, matmul, reshape, rounded_once, sum, transpose};
use crate::registry::{Args, Op, op, places};
use crate::tensor::Tensor;

pub(super) fn dims(shape: &[usize]) -> Vec<i64> {
    shape.iter().map(|&s| s as i64).collect()
}

/// `[b, c, spatial…]` to `[b, c * kernel…, windows…]`.
pub(crate) fn im2col(x: &Tensor, window: &Window) -> Result<Tensor> {
    let out = backend(x.device()).im2col(&x.raw(), window)?;
    let (window, input) = (window.clone(), x.shape()[2..].to_vec());
    Ok(differentiable("Im2ColBackward0", &[x], out, &[], move |ctx| {
        Ok(vec![Some(col2im(&ctx.grad()?, &window, &input)?)])
    }))
}

/// The adjoint of [`im2col`].
pub(crate) fn col2im(columns: &Tensor, window: &Window, input: &[usize]) -> Result<Tensor> {
    let out = backend(columns.device()).col2im(&columns.raw(), window, input)?;
    let window = window.clone();
    Ok(differentiable("Col2ImBackward0", &[columns], out, &[], move |ctx| {
        Ok(vec![Some(im2col(&ctx.grad()?, &window)?)])
    }))
}

/// One number for all dimensions, or one for each.
///
/// # Errors
/// Another count of numbers.
pub(crate) fn per_dim(values: &[i64], n: usize, what: &str) -> Result<Vec<usize>> {
    let full = match values {
        [one] => vec![*one; n],
        many if many.len() == n => many.to_vec(),
        many => {
            return Err(Error::runtime(format!(
                "expected {what} to be a single integer value or a list of {n} values to match the convolution \
                 dimensions, but got {what}={}",
                list(many)
            )));
        }
    };
    full.iter().map(|&v| usize::try_from(v).map_err(|_| Error::runtime(not_positive(what)))).collect()
}

fn positive(values: &[usize], what: &str) -> Result<()> {
    if values.contains(&0) {
        return Err(Error::runtime(not_positive(what)));
    }
    Ok(())
}

fn not_positive(what: &str) -> String {
    match what {
        "stride" => "non-positive stride is not supported".to_owned(),
        "dilation" => "dilation should be greater than zero".to_owned(),
        _ => format!("negative {what} is not supported"),
    }
}

/// Everything about a convolution but its tensors.
#[derive(Clone)]
struct Conv {
    window: Window,
    groups: usize,
}

impl Conv {
    /// `y[b, o, windows…]` of `x[b, c, spatial…]` and `w[o, c / groups, kernel…]`.
    fn apply(&self, x: &Tensor, w: &Tensor) -> Result<Tensor> {
        let (xs, ws) = (x.shape(), w.shape());
        let output = self.window.output(&xs[2..]).unwrap_or_default();
        let (g, per) = (self.groups as i64, (ws[0] / self.groups) as i64);
        let columns = reshape(&im2col(x, &self.window)?, &[xs[0] as i64, g, taps(&ws) as i64, numel(&output)])?;
        let w = reshape(w, &[1, g, per, taps(&ws) as i64])?;
        let mut shape = vec![xs[0] as i64, ws[0] as i64];
        shape.extend(dims(&output));
        reshape(&matmul(&w, &columns)?, &shape)
    }

    /// The gradient of `apply` with respect to `x`, whose spatial sizes are `input`.
    fn adjoint(&self, y: &Tensor, w: &Tensor, input: &[usize]) -> Result<Tensor> {
        let (ys, ws) = (y.shape(), w.shape());
        let (g, per) = (self.groups as i64, (ws[0] / self.groups) as i64);
        let windows = self.window.output(input).unwrap_or_default();
        let y = reshape(y, &[ys[0] as i64, g, per, numel(&windows)])?;
        let w = reshape(w, &[1, g, per, taps(&ws) as i64])?;
        let columns = matmul(&transpose(&w, -2, -1)?, &y)?;
        let mut shape = vec![ys[0] as i64, g * taps(&ws) as i64];
        shape.extend(dims(&windows));
        col2im(&reshape(&columns, &shape)?, &self.window, input)
    }

    /// The gradient of `apply` with respect to `w`.
    fn weight(&self, x: &Tensor, y: &Tensor, shape: &[usize]) -> Result<Tensor> {
        let (b, g) = (x.size(0) as i64, self.groups as i64);
        let per = (shape[0] / self.groups) as i64;
        let windows = numel(&self.window.output(&x.shape()[2..]).unwrap_or_default());
        let columns = reshape(&im2col(x, &self.window)?, &[b, g, taps(shape) as i64, windows])?;
        let y = reshape(y, &[b, g, per, windows])?;
        let product = matmul(&y, &transpose(&columns, -2, -1)?)?;
        reshape(&sum(&product, &[0], false, None)?, &dims(shape))
    }
}

/// Elements of one output channel's weights: `c / groups * kernel…`.
fn taps(weight: &[usize]) -> usize {
    crate::layout::numel(&weight[1..])
}

pub(super) fn numel(shape: &[usize]) -> i64 {
    crate::layout::numel(shape) as i64
}

fn bias_gradient(g: &Tensor) -> Result<Tensor> {
    let rest: Vec<i64> = (0..g.ndim() as i64).filter(|&d| d != 1).collect();
    sum(g, &rest, false, None)
}

fn add_bias(y: &Tensor, bias: Option<&Tensor>) -> Result<Tensor> {
    let Some(bias) = bias else { return Ok(y.clone()) };
    let mut shape = vec![1i64; y.ndim()];
    shape[1] = bias.size(0) as i64;
    add(y, &reshape(bias, &shape)?)
}

/// Input, weight and bias of one dtype.
fn same_dtypes(x: &Tensor, w: &Tensor, bias: Option<&Tensor>) -> Result<()> {
    let (have, want) = (x.dtype(), w.dtype());
    if let Some(bias) = bias
        && bias.dtype() != have
    {
        let name = |d: DType| if d == DType::I64 { "long int" } else { d.c_name() };
        return Err(Error::runtime(format!(
            "Input type ({}) and bias type ({}) should be the same",
            name(have),
            name(bias.dtype())
        )));
    }
    if have == want {
        return Ok(());
    }
    Err(Error::runtime(match have {
        DType::F16 | DType::BF16 => format!(
            "Input type ({}) and weight type (torch.{}) should be the same or input should be a MKLDNN tensor and weight \
             is a dense tensor",
            if have == DType::F16 { "torch.HalfTensor" } else { "CPUBFloat16Type" },
            want.tensor_type_name()
        ),
        _ => format!("expected scalar type {} but found {}", have.scalar_type_name(), want.scalar_type_name()),
    }))
}

/// What both kinds of convolution ask of their arguments, in PyTorch's order. Gives stride, padding, dilation, groups.
fn checked(
    name: &str,
    [x, w]: [&Tensor; 2],
    bias: Option<&Tensor>,
    n: usize,
    [stride, padding, dilation]: [&[i64]; 3],
    groups: i64,
) -> Result<([Vec<usize>; 3], usize)> {
    if x.ndim() != n + 2 {
        return Err(Error::runtime(format!(
            "Expected {}D (unbatched) or {}D (batched) input to {name}{n}d, but got input of size: {}",
            n + 1,
            n + 2,
            list(&x.shape())
        )));
    }
    same_dtypes(x, w, if name == "conv" { bias } else { None })?;
    if w.ndim() < 3 {
        return Err(Error::runtime("weight should have at least three dimensions"));
    }
    let stride = per_dim(stride, n, "stride")?;
    positive(&stride, "stride")?;
    let padding = per_dim(padding, n, "padding")?;
    let dilation = per_dim(dilation, n, "dilation")?;
    positive(&dilation, "dilation")?;
    match usize::try_from(groups) {
        Ok(groups) if groups > 0 => Ok(([stride, padding, dilation], groups)),
        _ => Err(Error::runtime("non-positive groups is not supported")),
    }
}

/// # Errors
/// Another rank than the input's, or output channels that do not come in groups.
fn check_weight(xs: &[usize], ws: &[usize], groups: usize) -> Result<()> {
    if ws.len() != xs.len() {
        return Err(Error::runtime(format!(
            "Expected {0}-dimensional input for {0}-dimensional weight {1}, but got {2}-dimensional input of size {3} \
             instead",
            ws.len(),
            list(ws),
            xs.len(),
            list(xs)
        )));
    }
    if ws[0] < groups {
        return Err(Error::runtime(format!(
            "Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of size {} \
             instead",
            list(ws)
        )));
    }
    if !ws[0].is_multiple_of(groups) {
        return Err(Error::runtime(format!(
            "Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of size \
             [{}] instead",
            list(ws)
        )));
    }
    Ok(())
}

fn check_bias(bias: Option<&Tensor>, ws: &[usize], channels: usize, kind: &str) -> Result<()> {
    match bias {
        Some(b) if b.shape() != [channels] => Err(Error::runtime(format!(
            "Given {kind}weight of size {}, expected bias to be 1-dimensional with {channels} elements, but got bias of \
             size {} instead",
            list(ws),
            list(&b.shape())
        ))),
        _ => Ok(()),
    }
}

/// Only the batch and the channels may be empty.
fn check_filled(xs: &[usize], ws: &[usize], dilation: &[usize]) -> Result<()> {
    // One dimension is handled as two.
    let flat = |s: &[usize]| if s.len() == 1 { vec![1, s[0]] } else { s.to_vec() };
    if xs[0] != 0 && xs[1] != 0 && xs[2..].contains(&0) {
        let shape = [&xs[..2], &flat(&xs[2..])].concat();
        return Err(Error::runtime(format!(
            "Only zero batch or zero channel inputs are supported, but got input shape: {}",
            list(&shape)
        )));
    }
    let kernel = flat(&ws[2..]);
    if xs[0] != 0 && xs[1] != 0 && kernel.contains(&0) {
        let axes = &["depth", "height", "width"][3 - kernel.len().min(3)..];
        let named: Vec<String> = axes.iter().zip(&kernel).map(|(a, k)| format!("kernel_{a}: {k}")).collect();
        return Err(Error::runtime(format!(
            "kernel size should be greater than zero, but got {}",
            if dilation.iter().all(|&d| d == 1) { named.join(" ") } else { list(&kernel) }
        )));
    }
    Ok(())
}

/// Convolution of `x[b, c, spatial…]` (or without `b`) with `w[o, c / groups, kernel…]`.
///
/// # Errors
/// PyTorch's on channel counts, kernel sizes, dtypes.
pub fn convolution(
    x: &Tensor,
    w: &Tensor,
    bias: Option<&Tensor>,
    n: usize,
    [stride, padding, dilation]: [&[i64]; 3],
    groups: i64,
) -> Result<Tensor> {
    if x.ndim() == n + 1 {
        let y = convolution(&crate::ops::unsqueeze(x, 0)?, w, bias, n, [stride, padding, dilation], groups)?;
        return reshape(&y, &dims(&y.shape()[1..]));
    }
    let ([stride, padding, dilation], groups) = checked("conv", [x, w], bias, n, [stride, padding, dilation], groups)?;
    let (xs, ws) = (x.shape(), w.shape());
    check_weight(&xs, &ws, groups)?;
    if xs[1] != ws[1] * groups {
        return Err(Error::runtime(format!(
            "Given groups={groups}, weight of size {}, expected input{} to have {} channels, but got {} channels instead",
            list(&ws),
            list(&xs),
            ws.get(1).copied().unwrap_or(0) * groups,
            xs[1]
        )));
    }
    check_bias(bias, &ws, ws[0], "")?;
    let conv = Conv { window: Window { kernel: ws[2..].to_vec(), stride, padding, dilation }, groups };
    if conv.window.output(&xs[2..]).is_none() {
        let by = |v: Vec<usize>| v.iter().map(|s| s.to_string()).collect::<Vec<_>>().join(" x ");
        let padded = (0..n).map(|d| xs[d + 2] + 2 * conv.window.padding[d]).collect();
        let kernel = (0..n).map(|d| conv.window.dilation[d] * (ws[d + 2].saturating_sub(1)) + 1).collect();
        return Err(Error::runtime(format!(
            "Calculated padded input size per channel: ({}). Kernel size: ({}). Kernel size can't be greater than actual \
             input size",
            by(padded),
            by(kernel)
        )));
    }
    check_filled(&xs, &ws, &conv.window.dilation)?;
    let mut inputs = vec![x, w];
    inputs.extend(bias);
    let saved = [Save::when(w.requires_grad(), x), Save::when(x.requires_grad(), w)];
    let (input, weight, rule_conv) = (xs[2..].to_vec(), ws, conv.clone());
    fused(
        "ConvolutionBackward0",
        &inputs,
        &saved,
        || rounded_once([x, w, bias.unwrap_or(x)], |[x, w, b]| add_bias(&conv.apply(x, w)?, bias.map(|_| b))),
        move |ctx| {
            let g = ctx.grad()?;
            let to_x = ctx.needs(0).then(|| rule_conv.adjoint(&g, ctx.saved(1), &input)).transpose()?;
            let to_w = ctx.needs(1).then(|| rule_conv.weight(ctx.saved(0), &g, &weight)).transpose()?;
            let to_b = ctx.needs(2).then(|| bias_gradient(&g)).transpose()?;
            Ok(vec![to_x, to_w, to_b])
        },
    )
}

/// Transposed convolution of `x[b, c, spatial…]` with `w[c, o / groups, kernel…]`: the adjoint of a convolution.
///
/// # Errors
/// As [`convolution`].
pub fn conv_transpose(
    x: &Tensor,
    w: &Tensor,
    bias: Option<&Tensor>,
    n: usize,
    [stride, padding, output_padding, dilation]: [&[i64]; 4],
    groups: i64,
) -> Result<Tensor> {
    if x.ndim() == n + 1 {
        let params = [stride, padding, output_padding, dilation];
        let y = conv_transpose(&crate::ops::unsqueeze(x, 0)?, w, bias, n, params, groups)?;
        return reshape(&y, &dims(&y.shape()[1..]));
    }
    let ([stride, padding, dilation], groups) =
        checked("conv_transpose", [x, w], bias, n, [stride, padding, dilation], groups)?;
    let extra = per_dim(output_padding, n, "output_padding")?;
    let (xs, ws) = (x.shape(), w.shape());
    check_weight(&xs, &ws, groups)?;
    if xs[1] != ws[0] {
        return Err(Error::runtime(format!(
            "Given transposed=1, weight of size {}, expected input{} to have {} channels, but got {} channels instead",
            list(&ws),
            list(&xs),
            ws.first().copied().unwrap_or(0),
            xs[1]
        )));
    }
    check_bias(bias, &ws, ws[1] * groups, "transposed=1, ")?;
    check_filled(&xs, &ws, &dilation)?;
    let mut output = Vec::with_capacity(n);
    for d in 0..n {
        if extra[d] >= stride[d].max(dilation[d]) {
            let by_name = |what: &str, v: &[usize]| {
                let axes = &["depth", "height", "width"][3 - n.clamp(2, 3)..];
                let v = if n == 1 { &[1, v[0]][..] } else { v };
                axes.iter().zip(v).map(|(axis, v)| format!("{what}_{axis}: {v}")).collect::<Vec<_>>().join(" ")
            };
            return Err(Error::runtime(format!(
                "output padding must be smaller than either stride or dilation, but got {} {} {}",
                by_name("output_padding", &extra),
                by_name("stride", &stride),
                by_name("dilation", &dilation)
            )));
        }
        let full = (xs[d + 2].max(1) - 1) * stride[d] + dilation[d] * (ws[d + 2].max(1) - 1) + 1 + extra[d];
        let size = full as i64 - 2 * padding[d] as i64;
        if size <= 0 {
            return Err(Error::runtime(format!(
                "Given input size per channel: {}. Calculated output size per channel: [{size}]. Output size is too small",
                list(&xs[2..])
            )));
        }
        output.push(size as usize);
    }
    let conv = Conv { window: Window { kernel: ws[2..].to_vec(), stride, padding, dilation }, groups };
    // Output padding beyond the stride makes room for windows that no input element belongs to.
    let windows = conv.window.output(&output).unwrap_or_default();
    let missing = |d: usize| windows.get(d).map_or(0, |w| w.saturating_sub(xs[d + 2])) as i64;
    let padded = match (0..n).any(|d| missing(d) > 0) {
        true => {
            let pads: Vec<i64> = (0..n).rev().flat_map(|d| [0, missing(d)]).collect();
            super::constant_pad(x, &pads, 0.into())?
        }
        false => x.clone(),
    };
    let x = &padded;
    let mut inputs = vec![x, w];
    inputs.extend(bias);
    let saved = [Save::when(w.requires_grad(), x), Save::when(x.requires_grad(), w)];
    let (rule_conv, weight) = (conv.clone(), ws);
    fused(
        "ConvolutionBackward0",
        &inputs,
        &saved,
        || {
            let terms = [x, w, bias.unwrap_or(x)];
            rounded_once(terms, |[x, w, b]| add_bias(&conv.adjoint(x, w, &output)?, bias.map(|_| b)))
        },
        move |ctx| {
            let g = ctx.grad()?;
            let to_x = ctx.needs(0).then(|| rule_conv.apply(&g, ctx.saved(1))).transpose()?;
            let to_w = ctx.needs(1).then(|| rule_conv.weight(&g, ctx.saved(0), &weight)).transpose()?;
            let to_b = ctx.needs(2).then(|| bias_gradient(&g)).transpose()?;
            Ok(vec![to_x, to_w, to_b])
        },
    )
}

fn conv_op(a: &Args, n: usize) -> Result<Tensor> {
    let bias = a.opt_tensor(2)?;
    convolution(a.tensor(0)?, a.tensor(1)?, bias.as_ref(), n, [&a.ints(3)?, &a.ints(4)?, &a.ints(5)?], a.int(6)?)
}

/// `padding='same'` or `'valid'`.
fn conv_by_name(a: &Args, n: usize) -> Result<Tensor> {
    let (x, w, bias) = (a.tensor(0)?, a.tensor(1)?, a.opt_tensor(2)?);
    let (stride, dilation, groups) = (a.ints(3)?, a.ints(5)?, a.int(6)?);
    match a.str(4)?.as_str() {
        "valid" => convolution(x, w, bias.as_ref(), n, [&stride, &[0], &dilation], groups),
        "same" => {
            if stride.iter().any(|&s| s != 1) {
                return Err(Error::runtime("padding='same' is not supported for strided convolutions"));
            }
            let each = per_dim(&dilation, n, "dilation")?;
            let kernel: Vec<usize> = w.shape().into_iter().skip(2).collect();
            let total: Vec<usize> = each.iter().zip(&kernel).map(|(d, k)| d * k.saturating_sub(1)).collect();
            let low: Vec<i64> = total.iter().map(|t| (t / 2) as i64).collect();
            if total.iter().all(|t| t.is_multiple_of(2)) {
                return convolution(x, w, bias.as_ref(), n, [&stride, &low, &dilation], groups);
            }
            if w.ndim() != n + 2 || (x.ndim() != n + 2 && x.ndim() != n + 1) {
                return convolution(x, w, bias.as_ref(), n, [&stride, &low, &dilation], groups);
            }
            // An odd total needs one more at the end: put there by hand.
            let pads: Vec<i64> = total.iter().rev().flat_map(|t| [0, (t % 2) as i64]).collect();
            let x = super::constant_pad(x, &pads, 0.0.into())?;
            convolution(&x, w, bias.as_ref(), n, [&stride, &low, &dilation], groups)
        }
        other => Err(Error::runtime(format!("Invalid padding string: '{other}'"))),
    }
}

fn transpose_op(a: &Args, n: usize) -> Result<Tensor> {
    let bias = a.opt_tensor(2)?;
    let params = [&*a.ints(3)?, &*a.ints(4)?, &*a.ints(5)?, &*a.ints(7)?];
    conv_transpose(a.tensor(0)?, a.tensor(1)?, bias.as_ref(), n, params, a.int(6)?)
}

macro_rules! conv_schemas {
    ($($n:literal, $name:literal, $same:literal, $transpose:literal);*) => {
        pub(crate) const TABLE: &[Op] = &[
            $(
                op(concat!($name, "(Tensor input, Tensor weight, Tensor? bias=None, int[", $n, "] stride=1, int[", $n,
                    "] padding=0, int[", $n, "] dilation=1, int groups=1) -> Tensor"),
                    places::FUNCTION, |a| Ok(conv_op(a, $n)?.into())),
                op(concat!($same, "(Tensor input, Tensor weight, Tensor? bias=None, int[", $n, "] stride=1, str padding=\"valid\", int[",
                    $n, "] dilation=1, int groups=1) -> Tensor"),
                    places::FUNCTION, |a| Ok(conv_by_name(a, $n)?.into())),
                op(concat!($transpose, "(Tensor input, Tensor weight, Tensor? bias=None, int[", $n, "] stride=1, int[", $n,
                    "] padding=0, int[", $n, "] output_padding=0, int groups=1, int[", $n, "] dilation=1) -> Tensor"),
                    places::FUNCTION, |a| Ok(transpose_op(a, $n)?.into())),
            )*
        ];
    };
}
conv_schemas!(
    1, "conv1d", "conv1d.padding", "conv_transpose1d";
    2, "conv2d", "conv2d.padding", "conv_transpose2d.input";
    3, "conv3d", "conv3d.padding", "conv_transpose3d.input"
);
