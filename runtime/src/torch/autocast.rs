//! Autocast: inside `with torch.autocast(...)` some ops compute in a lower precision and some in float32, as PyTorch's
//! lists for the CPU have them. Arguments are cast where a call from Python enters an op, so that gradients come back in
//! the dtype of what was cast.

use rushlight_engine::registry::{Args, Value};
use rushlight_engine::{DType, Result, Tensor, ops};
use std::cell::Cell;

thread_local! {
    static LOWER: Cell<Option<(DType, bool)>> = const { Cell::new(None) };
}

/// The dtype in force, and whether it is so for the GPU's tensors (else for the CPU's); `None` outside.
pub(crate) fn now() -> Option<(DType, bool)> {
    LOWER.get()
}
pub(crate) fn set(now: Option<(DType, bool)>) {
    LOWER.set(now);
}

const LOWER_PRECISION: &[&str] = &[
    "mm",
    "matmul",
    "linalg_matmul",
    "addmm",
    "linear",
    "bmm",
    "baddbmm",
    "addbmm",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "einsum",
    "chain_matmul",
    "linalg_multi_dot",
    "scaled_dot_product_attention",
    "inner",
    "prelu",
    "lstm",
    "rnn_tanh",
    "rnn_relu",
    "tensordot",
];
const FLOAT32: &[&str] = &[
    "mse_loss",
    "huber_loss",
    "smooth_l1_loss",
    "l1_loss",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "nll_loss",
    "nll_loss_nd",
    "cross_entropy_loss",
    "cross_entropy",
    "kl_div",
    "prod",
    "quantile",
    "nanquantile",
    "trace",
    "ctc_loss",
    "poisson_nll_loss",
    "cosine_embedding_loss",
    "hinge_embedding_loss",
    "margin_ranking_loss",
    "triplet_margin_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "soft_margin_loss",
    "grid_sampler",
    "cdist",
    "view_as_complex",
    "cholesky",
    "logdet",
    "inverse",
    "pinverse",
];

/// The arguments as the op called `name` computes with them now.
pub(crate) fn arguments(name: &str, args: Args) -> Result<Args> {
    let Some((lower, gpu)) = now() else { return Ok(args) };
    let to = if LOWER_PRECISION.contains(&name) {
        lower
    } else if FLOAT32.contains(&name) || name.starts_with("linalg_") && name != "linalg_vector_norm" {
        DType::F32
    } else {
        return Ok(args);
    };
    // Float64 and integers stay what they are.
    let one = |t: Tensor| match t.dtype() {
        DType::F32 | DType::F16 | DType::BF16 if !t.is_wrapped_number() && t.device().is_gpu() == gpu => {
            ops::cast(&t, to)
        }
        _ => Ok(t),
    };
    let value = |v: Value| {
        Ok(match v {
            Value::Tensor(t) => Value::Tensor(one(t)?),
            Value::Tensors(ts) => Value::Tensors(ts.into_iter().map(one).collect::<Result<_>>()?),
            other => other,
        })
    };
    Ok(Args(args.0.into_iter().map(value).collect::<Result<_>>()?))
}
