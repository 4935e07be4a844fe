//! Optimisers' steps, in place.

use rushlight_kernels::optim as kernel;

use super::rows;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::tensor::Raw;

/// The elements of a contiguous value that is written to.
fn place<'a>(slice: &'a mut [f32], layout: &Layout) -> Result<&'a mut [f32]> {
    let end = layout.offset + layout.numel();
    match slice.get_mut(layout.offset..end) {
        Some(place) if layout.is_contiguous() => Ok(place),
        _ => Err(Error::runtime("an optimiser's kernel writes to contiguous values only")),
    }
}

/// See [`crate::backend::Backend::add_scaled`].
pub fn add_scaled(x: &Raw, g: &Raw, alpha: f32) -> Result<()> {
    let gs = g.storage.slice::<f32>();
    let mut xs = x.storage.slice_mut::<f32>();
    kernel::add_scaled(place(&mut xs, &x.layout)?, &rows(&gs, &g.layout), alpha);
    Ok(())
}

/// See [`crate::backend::Backend::adam`].
pub fn adam([p, mean, square]: &[Raw; 3], g: &Raw, numbers: &kernel::Adam) -> Result<()> {
    let gs = g.storage.slice::<f32>();
    let (mut ps, mut ms) = (p.storage.slice_mut::<f32>(), mean.storage.slice_mut::<f32>());
    let mut vs = square.storage.slice_mut::<f32>();
    let (ps, ms) = (place(&mut ps, &p.layout)?, place(&mut ms, &mean.layout)?);
    kernel::adam(ps, &rows(&gs, &g.layout), ms, place(&mut vs, &square.layout)?, numbers);
    Ok(())
}
