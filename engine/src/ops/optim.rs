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

/// `x += alpha * g`, where that can be done in place in one pass; says whether it was.
pub fn add_scaled(x: &Tensor, g: &Tensor, alpha: f64) -> Result<bool> {
    if !apart(&[x], g) {
        return Ok(false);
    }
    backend(x.device()).add_scaled(&x.raw(), &g.raw(), alpha as f32)?;
    x.bump_version();
    Ok(true)
}

/// A step of Adam on parameter, mean and mean square, where that can be done in one pass; says whether it was.
pub fn adam_step([p, mean, square]: [&Tensor; 3], g: &Tensor, numbers: &Adam) -> Result<bool> {
    if !apart(&[p, mean, square], g) {
        return Ok(false);
    }
    let raws: [Raw; 3] = [p.raw(), mean.raw(), square.raw()];
    backend(p.device()).adam(&raws, &g.raw(), numbers)?;
    [p, mean, square].iter().for_each(|t| t.bump_version());
    Ok(true)
}

pub(crate) const TABLE: &[Op] = &[
    op("_add_scaled(Tensor self, Tensor grad, float alpha) -> bool", places::NN, |a| {
        Ok(Value::Bool(add_scaled(a.tensor(0)?, a.tensor(1)?, a.float(2)?)?))
    }),
    op(
        "_adam_step(Tensor self, Tensor grad, Tensor exp_avg, Tensor exp_avg_sq, float to_mean, float beta2, float root, \
         float eps, float step) -> bool",
        places::NN,
        |a| {
            let number = |i: usize| a.float(i).map(|v| v as f32);
            let numbers = Adam {
                to_mean: a.float(4)?,
                keep: number(5)?,
                come: (1.0 - a.float(5)?) as f32,
                root: number(6)?,
                eps: number(7)?,
                step: number(8)?,
            };
            Ok(Value::Bool(adam_step([a.tensor(0)?, a.tensor(2)?, a.tensor(3)?], a.tensor(1)?, &numbers)?))
        },
    ),
];
