//! Powers of a matrix, and products of several in the cheapest order.

use crate::autograd::differentiable;
use crate::error::{Error, Result};
use crate::ops::products::without_dims;
use crate::ops::{clone, identity_like, matmul, mm, refuse_not_square, unsqueeze};
use crate::registry::{Op, op, places};
use crate::tensor::Tensor;

/// `x @ x @ … @ x`; negative powers are of the inverse.
pub fn matrix_power(x: &Tensor, n: i64) -> Result<Tensor> {
    refuse_not_square("linalg.matrix_power", x)?;
    match n {
        // A copy over the input: no gradient comes through, but the result belongs to the graph.
        0 => Ok(differentiable("CopyBackwards", &[x], identity_like(x)?.raw(), &[], |ctx| {
            Ok(vec![Some(ctx.grad()?.zeros_like()?)])
        })),
        1 => clone(x),
        2 => matmul(x, x),
        3 => matmul(&matmul(x, x)?, x),
        -1 => crate::ops::inv(x),
        n if n < 0 => matrix_power(&crate::ops::inv(x)?, n.checked_neg().unwrap_or(i64::MAX)),
        n => {
            let (mut power, mut total, mut rest) = (x.clone(), None::<Tensor>, n);
            while rest > 0 {
                if rest & 1 == 1 {
                    total = Some(match total {
                        Some(t) => matmul(&t, &power)?,
                        None => power.clone(),
                    });
                }
                rest >>= 1;
                if rest > 0 {
                    power = matmul(&power, &power)?;
                }
            }
            total.map_or_else(|| identity_like(x), Ok)
        }
    }
}

/// A product of several matrices in the cheapest order; the first and last may be vectors.
pub fn multi_dot(xs: &[Tensor]) -> Result<Tensor> {
    let [first, .., last] = xs else {
        return Err(Error::runtime(format!("multi_dot(): expected at least 2 tensors but got {}", xs.len())));
    };
    for (t, name) in [(first, "first"), (last, "last")] {
        if !(1..=2).contains(&t.ndim()) {
            return Err(Error::runtime(format!(
                "multi_dot(): the {name} tensor must be 1D or 2D but got {}D",
                t.ndim()
            )));
        }
    }
    if xs.len() == 2 {
        return matmul(first, last);
    }
    let (row, column) = (first.ndim() == 1, last.ndim() == 1);
    let mut chain: Vec<Tensor> = xs.to_vec();
    let n = chain.len();
    if row {
        chain[0] = unsqueeze(first, 0)?;
    }
    if column {
        chain[n - 1] = unsqueeze(last, 1)?;
    }
    if let Some(i) = chain.iter().position(|t| t.ndim() != 2) {
        return Err(Error::runtime(format!("multi_dot(): tensor {i} must be 2D but got {}D", chain[i].ndim())));
    }
    // sizes[i] x sizes[i + 1] is the i-th matrix; the usual table of costs.
    let sizes: Vec<u128> = chain.iter().map(|t| t.size(0)).chain([chain[n - 1].size(1)]).map(|s| s as u128).collect();
    let mut cost = vec![vec![0u128; n]; n];
    let mut split = vec![vec![0usize; n]; n];
    for span in 1..n {
        for i in 0..n - span {
            let j = i + span;
            cost[i][j] = u128::MAX;
            for k in i..j {
                let c = cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1];
                if c < cost[i][j] {
                    (cost[i][j], split[i][j]) = (c, k);
                }
            }
        }
    }
    fn product(chain: &[Tensor], split: &[Vec<usize>], i: usize, j: usize) -> Result<Tensor> {
        if i == j {
            return Ok(chain[i].clone());
        }
        let k = split[i][j];
        mm(&product(chain, split, i, k)?, &product(chain, split, k + 1, j)?)
    }
    let out = product(&chain, &split, 0, n - 1)?;
    let dims: Vec<usize> = [(row, 0), (column, 1)].into_iter().filter(|d| d.0).map(|d| d.1).collect();
    without_dims(&out, &dims)
}

/// `torch.chain_matmul`: matrices only.
pub fn chain_matmul(xs: &[Tensor]) -> Result<Tensor> {
    if let Some(t) = xs.iter().find(|t| t.ndim() != 2) {
        return Err(Error::runtime(format!("Tensor dimension is {}, expected 2 instead.", t.ndim())));
    }
    match xs {
        [one] => Ok(one.clone()),
        _ => multi_dot(xs),
    }
}

pub(crate) const TABLE: &[Op] = &[
    op("matrix_power(Tensor self, int n) -> Tensor", places::BOTH | places::OUT, |a| {
        Ok(matrix_power(a.tensor(0)?, a.int(1)?)?.into())
    }),
    op("linalg_matrix_power(Tensor self, int n) -> Tensor", places::LINALG | places::OUT, |a| {
        Ok(matrix_power(a.tensor(0)?, a.int(1)?)?.into())
    }),
    op("linalg_multi_dot(Tensor[] tensors) -> Tensor", places::LINALG | places::OUT, |a| {
        Ok(multi_dot(&a.tensors(0)?)?.into())
    }),
    op("chain_matmul(Tensor[] matrices) -> Tensor", places::FUNCTION | places::OUT, |a| {
        Ok(chain_matmul(&a.tensors(0)?)?.into())
    }),
];
