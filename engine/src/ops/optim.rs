//! Steps of optimisers in one pass over a parameter, for the Python classes: where these give `false` (another dtype, memory
//! that is shared or not contiguous) the class does the same in ops.

use crate::autograd::grad_mode;
use crate::backend::backend;
use crate::dtype::DType;
use crate::error::Result;
use crate::registry::{Op, Value, op, places};
use crate::tensor::{Raw, Tensor};

pub use rushlight_kernels::optim::Adam;

/// Whether `written` may be written to without a thought: float32, contiguous, each apart from all others, of the shape of
/// `read`, and nothing of it recorded.
fn apart(written: &[&Tensor], read: &Tensor) -> bool {
    let shape = read.shape();
    let plain = |t: &Tensor| t.dtype() == DType::F32 && t.shape() == shape;
    let storages: Vec<_> = written.iter().map(|t| t.storage()).collect();
    let alone = |i: usize| {
        storages[i + 1..].iter().all(|other| !other.same(&storages[i])) && !read.storage().same(&storages[i])
    };
    !grad_mode::is_enabled()
        && plain(read)
        && written.iter().all(|t| plain(t) && t.is_contiguous() && !t.is_inference())
        && (0..written.len()).all(alone)
}

/// `x += alpha * g` for all pairs for which that can be done in place in one pass; says for which it was.
pub fn add_scaled(xs: &[Tensor], gs: &[Tensor], alpha: f64) -> Result<Vec<bool>> {
    let fit: Vec<bool> = xs.iter().zip(gs).map(|(x, g)| apart(&[x], g)).collect();
    let chosen = || fit.iter().zip(xs.iter().zip(gs)).filter(|(fit, _)| **fit).map(|(_, pair)| pair);
    let pairs: Vec<(Raw, Raw)> = chosen().map(|(x, g)| (x.raw(), g.raw())).collect();
    if let Some((first, _)) = pairs.first() {
        backend(first.device()).add_scaled(&pairs, alpha as f32)?;
    }
    chosen().for_each(|(x, _)| x.bump_version());
    Ok(fit)
}

/// Steps of Adam on parameters, means and mean squares (in this order) from the gradients, for all for which that can be
/// done in one pass; says for which it was. A step's numbers are those of its place.
pub fn adam_step(places: [&[Tensor]; 3], gs: &[Tensor], numbers: &[Adam]) -> Result<Vec<bool>> {
    let [ps, means, squares] = places;
    let all = ps.iter().zip(means).zip(squares).zip(gs.iter().zip(numbers));
    let mut steps: Vec<([Raw; 3], Raw, Adam)> = vec![];
    let mut fit = vec![];
    for (((p, mean), square), (g, numbers)) in all.clone() {
        let fits = apart(&[p, mean, square], g);
        fit.push(fits);
        if fits {
            steps.push(([p.raw(), mean.raw(), square.raw()], g.raw(), *numbers));
        }
    }
    if let Some(([first, ..], ..)) = steps.first() {
        backend(first.device()).adam(&steps)?;
    }
    for ((((p, mean), square), _), _) in all.zip(&fit).filter(|(_, fit)| **fit) {
        [p, mean, square].iter().for_each(|t| t.bump_version());
    }
    Ok(fit)
}

fn said(done: Vec<bool>) -> Value {
    Value::Ints(done.into_iter().map(i64::from).collect())
}

pub(crate) const TABLE: &[Op] = &[
    op("_add_scaled(Tensor[] self, Tensor[] grads, float alpha) -> int[]", places::NN, |a| {
        Ok(said(add_scaled(&a.tensors(0)?, &a.tensors(1)?, a.float(2)?)?))
    }),
    op(
        "_adam_step(Tensor[] self, Tensor[] grads, Tensor[] exp_avgs, Tensor[] exp_avg_sqs, float to_mean, float beta2, \
         float[] roots, float eps, float[] steps) -> int[]",
        places::NN,
        |a| {
            let (roots, steps) = (a.floats(6)?, a.floats(8)?);
            let (to_mean, beta2, eps) = (a.float(4)?, a.float(5)?, a.float(7)? as f32);
            let (keep, come) = (beta2 as f32, (1.0 - beta2) as f32);
            let of =
                |(root, step): (&f64, &f64)| Adam { to_mean, keep, come, root: *root as f32, eps, step: *step as f32 };
            let numbers: Vec<Adam> = roots.iter().zip(&steps).map(of).collect();
            Ok(said(adam_step([&a.tensors(0)?, &a.tensors(2)?, &a.tensors(3)?], &a.tensors(1)?, &numbers)?))
        },
    ),
];
