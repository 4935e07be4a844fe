//! Matrix products.

use crate::autograd::{Save, differentiable};
use crate::backend::backend;
use crate::error::{Error, Result};
use crate::ops::transpose;
use crate::registry::{Op, op, places};
use crate::tensor::{Raw, Tensor};

/// A 2-d value as a batch of one.
fn batch_of_one(raw: Raw) -> Raw {
    let layout = raw.layout.unsqueeze(0);
    raw.with_layout(layout)
}

pub(crate) fn check_same_dtype(a: &Tensor, b: &Tensor) -> Result<()> {
    if a.dtype() != b.dtype() {
        return Err(Error::DTypes {
            want: a.dtype(),
            got: b.dtype(),
            what: format!(
                "expected m1 and m2 to have the same dtype, but got: {} != {}",
                a.dtype().c_name(),
                b.dtype().c_name()
            ),
        });
    }
    Ok(())
}

/// `torch.mm`: two matrices.
pub fn mm(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    if a.ndim() != 2 {
        return Err(Error::runtime("self must be a matrix"));
    }
    if b.ndim() != 2 {
        return Err(Error::runtime("mat2 must be a matrix"));
    }
    if a.size(1) != b.size(0) {
        return Err(Error::runtime(format!(
            "mm: mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})",
            a.size(0),
            a.size(1),
            b.size(0),
            b.size(1)
        )));
    }
    check_same_dtype(a, b)?;
    let out = backend(a.device()).matmul(&batch_of_one(a.raw()), &batch_of_one(b.raw()))?;
    let out = out.with_layout(out.layout.select(0, 0));
    let saved = [Save::when(b.requires_grad(), a), Save::when(a.requires_grad(), b)];
    Ok(differentiable("MmBackward0", &[a, b], out, &saved, |ctx| {
        let (g, a, b) = (ctx.grad()?, ctx.saved(0), ctx.saved(1));
        let to_a = ctx.needs(0).then(|| mm(&g, &transpose(b, 0, 1)?)).transpose()?;
        let to_b = ctx.needs(1).then(|| mm(&transpose(a, 0, 1)?, &g)).transpose()?;
        Ok(vec![to_a, to_b])
    }))
}

pub(crate) const TABLE: &[Op] = &[op("mm(Tensor self, Tensor mat2) -> Tensor", places::BOTH | places::OUT, |a| {
    Ok(mm(a.tensor(0)?, a.tensor(1)?)?.into())
})];
