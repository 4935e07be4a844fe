//! The ops behind `torch.nn`: activations, losses, normalisation, convolution, pooling, resampling, embedding,
//! attention, recurrent layers.

mod activation;
mod attention;
mod conv;
mod dropout;
mod embedding;
mod fold;
mod gru;
mod loss;
mod margin;
mod nll;
mod norm;
mod pool;
mod resample;
mod rnn;

pub use activation::*;
pub use conv::*;
pub use dropout::*;
pub use embedding::*;
pub use loss::*;
pub use margin::*;
pub use nll::*;
pub use norm::*;
pub use resample::*;

use crate::autograd::{GradCtx, Save, differentiable, grad_mode::no_grad};
use crate::error::Result;
use crate::registry::Op;
use crate::tensor::Tensor;

/// The schema tables of this family.
pub const TABLES: &[&[Op]] = &[
    activation::TABLE,
    attention::TABLE,
    conv::TABLE,
    dropout::TABLE,
    embedding::TABLE,
    fold::TABLE,
    loss::TABLE,
    margin::TABLE,
    nll::TABLE,
    norm::TABLE,
    pool::TABLE,
    resample::TABLE,
    rnn::TABLES[0],
    rnn::TABLES[1],
    rnn::TABLES[2],
    rnn::TABLES[3],
    rnn::TABLES[4],
];

/// An op whose forward is made of other ops but which is one node of the graph, as in PyTorch.
pub(crate) fn fused(
    name: &'static str,
    inputs: &[&Tensor],
    saved: &[Save],
    forward: impl FnOnce() -> Result<Tensor>,
    rule: impl Fn(&GradCtx) -> Result<Vec<Option<Tensor>>> + 'static,
) -> Result<Tensor> {
    let out = no_grad(forward)?;
    Ok(differentiable(name, inputs, out.raw(), saved, rule))
}

/// The reductions of losses, numbered as in ATen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduction {
    None,
    Mean,
    Sum,
}

impl Reduction {
    pub fn from_int(i: i64) -> Self {
        match i {
            0 => Reduction::None,
            1 => Reduction::Mean,
            _ => Reduction::Sum,
        }
    }
}
