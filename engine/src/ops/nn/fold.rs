//! `F.unfold` and `F.fold`: windows of images as columns, and back.

use crate::autograd::named;
use crate::backend::Window;
use crate::error::{Error, Result, list};
use crate::ops::nn::conv::{col2im, dims, im2col, numel, per_dim};
use crate::ops::reshape;
use crate::registry::{Args, Op, op, places};
use crate::tensor::Tensor;

fn square(values: &[i64]) -> Vec<i64> {
    if let [one] = values { vec![*one; 2] } else { values.to_vec() }
}

fn window_of(kernel: &[i64], dilation: &[i64], padding: &[i64], stride: &[i64]) -> Result<Window> {
    let window = Window {
        kernel: per_dim(&square(kernel), 2, "kernel_size")?,
        dilation: per_dim(&square(dilation), 2, "dilation")?,
        padding: per_dim(&square(padding), 2, "padding")?,
        stride: per_dim(&square(stride), 2, "stride")?,
    };
    for (values, name, what) in [
        (&window.kernel, "kernel size", "kernel"),
        (&window.stride, "stride", "stride"),
        (&window.dilation, "dilation", "dilation"),
    ] {
        if values.contains(&0) {
            return Err(Error::runtime(format!(
                "{name} should be greater than zero, but got {what}_height: {} {what}_width: {}",
                values[0], values[1]
            )));
        }
    }
    Ok(window)
}

fn pair<T: std::fmt::Display>(values: &[T]) -> String {
    let inner: Vec<String> = values.iter().map(|v| v.to_string()).collect();
    format!("({})", inner.join(", "))
}

/// `F.unfold`: the windows of images as `[b, c * kernel, windows]`.
fn unfold_images(a: &Args) -> Result<Tensor> {
    let x = a.tensor(0)?;
    let window = window_of(&a.ints(1)?, &a.ints(2)?, &a.ints(3)?, &a.ints(4)?)?;
    if x.ndim() < 3 {
        let dim = if x.ndim() == 2 { 2 } else { 1 };
        // With a gradient the spatial sizes are asked for first.
        crate::ops::size_at(x, if x.requires_grad() { -1 } else { dim })?;
        return Err(Error::DimRange { dim, ndim: x.ndim() });
    }
    let empty = x.shape()[x.ndim() - 3..].contains(&0);
    let batched = match x.ndim() {
        4 if !empty => x.clone(),
        3 if !empty => crate::ops::unsqueeze(x, 0)?,
        _ => {
            return Err(Error::runtime(format!(
                "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for \
                 input, but got: {}",
                list(&x.shape())
            )));
        }
    };
    if window.output(&batched.shape()[2..]).is_none() {
        let blocks = (0..2).map(|d| {
            let span = window.span(d) as i64;
            let room = batched.size(d + 2) as i64 + 2 * window.padding[d] as i64 - span;
            room.div_euclid(window.stride[d] as i64) + 1
        });
        let blocks: Vec<i64> = blocks.collect();
        return Err(Error::runtime(format!(
            "Given input with spatial size {}, kernel_size={}, dilation={}, padding={}, calculated shape of the array of \
             sliding blocks as {}, but its components must be at least one.",
            pair(&batched.shape()[2..]),
            pair(&window.kernel),
            pair(&window.dilation),
            pair(&window.padding),
            pair(&blocks)
        )));
    }
    let columns = im2col(&batched, &window)?;
    let shape = columns.shape();
    let flat = reshape(&columns, &[shape[0] as i64, shape[1] as i64, numel(&shape[2..])])?;
    if x.ndim() == 3 { reshape(&flat, &dims(&flat.shape()[1..])) } else { Ok(flat) }
}

/// `F.fold`: columns added up into images.
fn fold_images(a: &Args) -> Result<Tensor> {
    let x = a.tensor(0)?;
    let size = per_dim(&square(&a.ints(1)?), 2, "output_size")?;
    let window = window_of(&a.ints(2)?, &a.ints(3)?, &a.ints(4)?, &a.ints(5)?)?;
    let batched = if x.ndim() == 2 { crate::ops::unsqueeze(x, 0)? } else { x.clone() };
    let k: usize = window.kernel.iter().product();
    let output = window.output(&size).unwrap_or_default();
    if batched.ndim() != 3 || batched.shape()[1..].contains(&0) {
        return Err(Error::runtime(format!(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for \
             input, but got: {}",
            list(&x.shape())
        )));
    }
    if !batched.size(1).is_multiple_of(k) {
        return Err(Error::runtime(format!(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got \
             input.size(1)={} and kernel_size={}.",
            batched.size(1),
            pair(&window.kernel)
        )));
    }
    if output.is_empty() || batched.size(2) as i64 != numel(&output) {
        return Err(Error::runtime(format!(
            "Given output_size={}, kernel_size={}, dilation={}, padding={}, stride={}, expected size of input's dimension \
             2 to match the calculated number of sliding blocks {} = {}, but got input.size(2)={}.",
            pair(&size),
            pair(&window.kernel),
            pair(&window.dilation),
            pair(&window.padding),
            pair(&window.stride),
            output.iter().map(|v| v.to_string()).collect::<Vec<_>>().join(" * "),
            if output.is_empty() { 0 } else { numel(&output) },
            batched.size(2)
        )));
    }
    let shape = [batched.size(0) as i64, batched.size(1) as i64, output[0] as i64, output[1] as i64];
    let image = col2im(&reshape(&batched, &shape)?, &window, &size)?;
    if x.ndim() == 2 { reshape(&image, &dims(&image.shape()[1..])) } else { Ok(image) }
}

pub(crate) const TABLE: &[Op] = &[
    op(
        "im2col(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor",
        places::NN,
        |a| Ok(named(unfold_images(a)?, "Im2ColBackward0").into()),
    ),
    op(
        "col2im(Tensor self, int[2] output_size, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) \
        -> Tensor",
        places::NN,
        |a| Ok(fold_images(a)?.into()),
    ),
];
