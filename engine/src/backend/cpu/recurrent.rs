//! The gates of recurrent layers.

use rushlight_kernels::recurrent as kernel;

use super::{room_for, rows};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::tensor::Raw;

/// Batch and state size; operands of other sizes are refused.
fn sizes(h: &Raw, gates: &[&Raw]) -> Result<(usize, usize)> {
    match *h.shape() {
        [batch, size] if size > 0 && gates.iter().all(|g| *g.shape() == [batch, 3 * size]) => Ok((batch, size)),
        _ => Err(Error::runtime("the GRU kernel takes matrices of matching sizes")),
    }
}

/// See [`crate::backend::Backend::gru`].
pub fn gru(a: &Raw, b: &Raw, h: &Raw) -> Result<(Raw, Raw)> {
    let (batch, size) = sizes(h, &[a, b])?;
    let (out, gates) = (room_for(&[batch, size], DType::F32)?, room_for(&[batch, 3 * size], DType::F32)?);
    {
        let (xa, xb, xh) = (a.storage.slice::<f32>(), b.storage.slice::<f32>(), h.storage.slice::<f32>());
        let (xa, xb, xh) = (rows(&xa, &a.layout), rows(&xb, &b.layout), rows(&xh, &h.layout));
        let (mut os, mut gs) = (out.storage.slice_mut::<f32>(), gates.storage.slice_mut::<f32>());
        kernel::gru([&xa, &xb, &xh], &mut os, &mut gs, size);
    }
    Ok((out, gates))
}

/// See [`crate::backend::Backend::gru_grad`].
pub fn gru_grad(g: &Raw, gates: &Raw, b: &Raw, h: &Raw) -> Result<[Raw; 3]> {
    let (batch, size) = sizes(h, &[gates, b])?;
    if *g.shape() != [batch, size] {
        return Err(Error::runtime("the GRU kernel takes a gradient of the state's size"));
    }
    let [to_a, to_b] = [room_for(&[batch, 3 * size], DType::F32)?, room_for(&[batch, 3 * size], DType::F32)?];
    let to_h = room_for(&[batch, size], DType::F32)?;
    {
        let (xg, xs) = (g.storage.slice::<f32>(), gates.storage.slice::<f32>());
        let (xb, xh) = (b.storage.slice::<f32>(), h.storage.slice::<f32>());
        let (xg, xs) = (rows(&xg, &g.layout), rows(&xs, &gates.layout));
        let (xb, xh) = (rows(&xb, &b.layout), rows(&xh, &h.layout));
        let (mut oa, mut ob) = (to_a.storage.slice_mut::<f32>(), to_b.storage.slice_mut::<f32>());
        let mut oh = to_h.storage.slice_mut::<f32>();
        kernel::gru_gradient([&xg, &xs, &xb, &xh], [&mut oa, &mut ob, &mut oh], size);
    }
    Ok([to_a, to_b, to_h])
}
