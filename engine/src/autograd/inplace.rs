//! Writing in place: what is allowed, and how history follows.
//!
//! An in-place op is computed like the op it is named after; its result is written to the target's memory and its
//! history becomes the target's. When the target is a view, its base was computed anew too: from its old value outside
//! the view, and from the result inside it. That is the node `CopySlices`, and every other view of the base finds its
//! new history from there (`view_edge`).

use super::node::{Body, Edge, Node, OutputMeta};
use super::saved::WillBeWritten;
use super::{GradCtx, Origin, current_grad_fn, grad_mode, gradient_edge};
use crate::backend::backend;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::tensor::{Raw, Tensor};

const NO_GRAD_VIEW: &str = "A view was created in no_grad mode and is being modified inplace with grad mode enabled.";
const AMBIGUOUS: &str = " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your \
     code by moving both the view and the inplace either both inside the no_grad block (if you don't want the inplace \
     to be tracked) or both outside (if you want the inplace to be tracked).";

/// A tensor that repeats its elements cannot be written to.
pub(crate) fn refuse_overlap(target: &Tensor) -> Result<()> {
    if target.layout().has_internal_overlap() {
        return Err(Error::runtime(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. \
             Please clone() the tensor before performing the operation.",
        ));
    }
    Ok(())
}

/// May `target` be written to now?
fn check(target: &Tensor) -> Result<()> {
    if target.is_inference() && !grad_mode::is_inference() {
        return Err(Error::runtime(
            "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a \
             normal tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details.",
        ));
    }
    refuse_overlap(target)?;
    if !grad_mode::is_enabled() {
        return Ok(());
    }
    let view = target.0.meta.borrow().view.clone();
    if let Some(v) = &view
        && v.base.dtype() != target.dtype()
        && v.base.requires_grad()
    {
        return Err(Error::not_implemented(
            "writing in place to the real view of a complex tensor (or the other way round) that requires grad is not \
             available here",
        ));
    }
    match view {
        Some(v) if v.origin == Origin::NoGrad && v.base.requires_grad() && v.base.is_leaf() => {
            Err(Error::runtime(NO_GRAD_VIEW.to_owned() + AMBIGUOUS))
        }
        None if target.requires_grad() && target.is_leaf() => {
            Err(Error::runtime("a leaf Variable that requires grad is being used in an in-place operation."))
        }
        Some(v) if v.base.requires_grad() && v.base.is_leaf() => {
            Err(Error::runtime("a view of a leaf Variable that requires grad is being used in an in-place operation."))
        }
        Some(v) if v.origin != Origin::Plain && (target.requires_grad() || v.base.requires_grad()) => {
            let name = target.grad_fn().map_or(String::new(), |n| n.name().to_owned());
            let lead = if v.origin == Origin::NoGrad && name.is_empty() {
                NO_GRAD_VIEW.to_owned()
            } else {
                let made = name.split("Backward").next().unwrap_or_default();
                format!("Output {} of {made} is a view and is being modified inplace.", target.output_nr())
            };
            let why = if v.origin == Origin::Multi {
                " This view is the output of a function that returns multiple views. Such functions do not allow the \
                 output views to be modified inplace. You should replace the inplace operation by an out-of-place one."
            } else {
                AMBIGUOUS
            };
            Err(Error::runtime(lead + why))
        }
        _ => Ok(()),
    }
}

/// Put the result of `compute` into `target`'s memory, history included. Gives `target`.
///
/// # Errors
/// PyTorch's: a leaf that requires grad, a result of another shape or of a dtype that the target can't hold, …
pub fn inplace(target: &Tensor, compute: impl FnOnce() -> Result<Tensor>) -> Result<Tensor> {
    check(target)?;
    let out = {
        let _written = WillBeWritten::new(target);
        compute()?
    };
    if out.shape() != target.shape() {
        return Err(Error::runtime(format!(
            "output with shape {} doesn't match the broadcast shape {}",
            crate::error::list(&target.shape()),
            crate::error::list(&out.shape())
        )));
    }
    if !out.dtype().can_cast(target.dtype()) {
        return Err(Error::ResultCast { from: out.dtype(), to: target.dtype() });
    }
    let leaf = target.is_leaf() && target.requires_grad();
    let tracked = grad_mode::records() && !leaf && (out.requires_grad() || target.requires_grad());
    let out = if tracked && out.dtype() != target.dtype() { crate::ops::cast(&out, target.dtype())? } else { out };
    write(target, &out)?;
    target.bump_version();
    if tracked && target.dtype().is_inexact() {
        adopt(target, &out);
    }
    Ok(target.clone())
}

/// Let `target` be the view of itself that `compute` gives (`t_()`, `squeeze_()`), history included. Gives `target`.
///
/// # Errors
/// What an in-place op may not be done to.
pub fn relayout(target: &Tensor, compute: impl FnOnce() -> Result<Tensor>) -> Result<Tensor> {
    check(target)?;
    let out = compute()?;
    let edge = out.0.meta.borrow().grad_fn.clone();
    target.set_raw(out.raw());
    target.bump_version();
    let version = target.version();
    let mut meta = target.0.meta.borrow_mut();
    if let Some(view) = &mut meta.view {
        view.seen = version;
    }
    if edge.is_some() {
        meta.requires_grad = false;
        let old = (std::mem::replace(&mut meta.grad_fn, edge), meta.accumulator.take());
        drop(meta);
        drop(old);
    }
    Ok(target.clone())
}

fn write(target: &Tensor, out: &Tensor) -> Result<()> {
    let (dst, src) = (target.raw(), out.raw());
    // A fresh result of the same extent can take the place of the old memory without a copy.
    let whole =
        |r: &Raw| r.layout.offset == 0 && r.layout.is_contiguous() && r.storage.nbytes() == r.numel() * r.dtype.size();
    // `out` and `src` hold the fresh storage; a saved result would be a third holder.
    if dst.dtype == src.dtype && whole(&dst) && whole(&src) && src.storage.holders() <= 2 {
        dst.storage.replace(src.storage);
        return Ok(());
    }
    backend(dst.device()).write(&dst, &src)
}

/// `target` has the history of `out` from now on.
fn adopt(target: &Tensor, out: &Tensor) {
    let edge = current_grad_fn(out).or_else(|| gradient_edge(out));
    // What the op saved of its result lives in the target now, and is spoilt when the target is written to again.
    if let Some(edge) = &edge
        && let Body::Rule { saved, .. } = &mut *edge.node.body.borrow_mut()
    {
        saved.iter_mut().for_each(|s| s.moved_to(edge.nr, target));
    }
    let base = target.0.meta.borrow().view.as_ref().map(|v| v.base.clone());
    let Some(base) = base else {
        let old = {
            let mut meta = target.0.meta.borrow_mut();
            meta.requires_grad = false;
            meta.retains_grad = false;
            (std::mem::replace(&mut meta.grad_fn, edge), meta.accumulator.take())
        };
        drop(old);
        return;
    };
    let old_base = base.0.meta.borrow().grad_fn.clone();
    let layout = target.layout();
    let base_layout = base.layout();
    let outputs = vec![OutputMeta { shape: base.shape(), dtype: base.dtype() }];
    let rule = move |ctx: &GradCtx| {
        let g = ctx.grad()?;
        let inside = place_in(&g, &base_layout, &layout)?;
        let outside = if ctx.needs(0) { Some(without(&g, &base_layout, &layout)?) } else { None };
        Ok(vec![outside, Some(inside)])
    };
    let node = Node::new(
        "torch::autograd::CopySlices",
        vec![old_base, edge],
        outputs,
        Body::Rule { rule: Box::new(rule), saved: vec![] },
    );
    base.0.meta.borrow_mut().grad_fn = Some(Edge { node, nr: 0 });
    // Looking makes the target's new grad_fn from the base's.
    current_grad_fn(target);
}

/// The node of a view of `base` that shows the base's new history.
pub(super) fn view_edge(t: &Tensor, base: &Tensor) -> Edge {
    let (layout, base_layout) = (t.layout(), base.layout());
    let outputs = vec![OutputMeta { shape: t.shape(), dtype: t.dtype() }];
    let mixed = t.dtype() != base.dtype();
    let rule = move |ctx: &GradCtx| {
        if mixed {
            return Err(Error::not_implemented(
                "the gradient of a real view of a complex tensor that was written to since is not available here",
            ));
        }
        Ok(vec![Some(scatter_view(&ctx.grad()?, &base_layout, &layout)?)])
    };
    let node = Node::new(
        "AsStridedBackward0",
        vec![gradient_edge(base)],
        outputs,
        Body::Rule { rule: Box::new(rule), saved: vec![] },
    );
    Edge { node, nr: 0 }
}

/// The layout that shows, over a contiguous copy of the base, what `view` shows over the base's memory: as int64
/// places, because strides may not exist for a base that is itself strided.
pub(crate) fn places_in(base: &Layout, view: &Layout) -> Result<Tensor> {
    let places: Vec<i64> = if base.is_contiguous() {
        view.places().map(|p| (p - base.offset.min(p)) as i64).collect()
    } else {
        let by_place: std::collections::HashMap<usize, i64> =
            base.places().enumerate().map(|(i, p)| (p, i as i64)).collect();
        let find = |p| by_place.get(&p).copied().ok_or_else(|| Error::runtime("a view reaches outside of its base"));
        view.places().map(find).collect::<Result<_>>()?
    };
    Tensor::from_slice(&places, &view.shape)
}

fn place_in(g: &Tensor, base: &Layout, view: &Layout) -> Result<Tensor> {
    crate::ops::take_places(g, &places_in(base, view)?)
}

fn without(g: &Tensor, base: &Layout, view: &Layout) -> Result<Tensor> {
    let places = places_in(base, view)?;
    let zeros = Tensor::zeros(&view.shape, g.dtype())?;
    crate::ops::put_places(g, &places, &zeros, false)
}

fn scatter_view(g: &Tensor, base: &Layout, view: &Layout) -> Result<Tensor> {
    let places = places_in(base, view)?;
    let zeros = Tensor::zeros(&base.shape, g.dtype())?;
    crate::ops::put_places(&zeros, &places, g, true)
}
