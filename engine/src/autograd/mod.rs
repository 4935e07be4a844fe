//! Reverse-mode differentiation: recording ops ([`differentiable`]), views and in-place writes ([`inplace`]), and the
//! walk back ([`backward`], [`grad`]).

pub mod grad_mode;
mod inplace;
mod node;
mod saved;
mod walk;

use std::borrow::Cow;
use std::rc::Rc;

pub(crate) use inplace::refuse_overlap;
pub use inplace::{inplace, relayout};
pub use node::{
    AccumulateHook, Anomaly, Edge, GradCtx, Node, OutputMeta, PostHook, PreHook, Rule, TensorHook, set_anomaly_hooks,
};
pub use saved::{Save, SavedHooks, clear_saved_hooks, packed, pop_saved_hooks, push_saved_hooks};
pub use walk::{backward, current_walk, current_walk_is_whole, grad};

use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::storage::Storage;
use crate::tensor::{Raw, Tensor};
use node::Body;
use saved::SavedTensor;

/// What autograd knows of a tensor.
#[derive(Default)]
pub(crate) struct Meta {
    requires_grad: bool,
    grad: Option<Tensor>,
    grad_fn: Option<Edge>,
    accumulator: Option<Rc<Node>>,
    view: Option<View>,
    retains_grad: bool,
}

/// A view remembers the tensor whose memory it shows (never itself a view).
#[derive(Clone)]
pub(crate) struct View {
    pub base: Tensor,
    /// The version at which `grad_fn` was right.
    pub seen: u64,
    pub origin: Origin,
}

/// How a view came to be: some may not be written to in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    Plain,
    NoGrad,
    /// One of several views of one op (`unbind`, `split`, `chunk`).
    Multi,
}

/// Where a tensor's gradient goes: the node that computed it, or the accumulator of a leaf.
pub fn gradient_edge(t: &Tensor) -> Option<Edge> {
    if let Some(edge) = current_grad_fn(t) {
        return Some(edge);
    }
    let mut meta = t.0.meta.borrow_mut();
    if !meta.requires_grad {
        return None;
    }
    let node = meta.accumulator.get_or_insert_with(|| {
        let out = OutputMeta { shape: t.shape(), dtype: t.dtype() };
        Node::new("torch::autograd::AccumulateGrad", vec![], vec![out], Body::Accumulate(t.downgrade()))
    });
    Some(Edge { node: node.clone(), nr: 0 })
}

/// `grad_fn` with its output number. A view whose base was written to since gets a new one.
pub fn current_grad_fn(t: &Tensor) -> Option<Edge> {
    let stale = {
        let meta = t.0.meta.borrow();
        match &meta.view {
            Some(v) if v.seen != t.version() && v.base.requires_grad() => Some(v.base.clone()),
            _ => return meta.grad_fn.clone(),
        }
    };
    let base = stale?;
    let edge = inplace::view_edge(t, &base);
    let mut meta = t.0.meta.borrow_mut();
    let version = t.version();
    if let Some(v) = &mut meta.view {
        v.seen = version;
    }
    meta.grad_fn = Some(edge.clone());
    Some(edge)
}

fn record<'a>(
    name: impl Into<Cow<'static, str>>,
    inputs: &[&Tensor],
    outs: &[(Tensor, bool)],
    saved: &[Save<'a>],
    rule: Rule,
) -> Rc<Node> {
    let nothing = || Tensor::from_raw(Raw::whole(Storage::empty(), &[0], DType::F32));
    let next = inputs.iter().map(|t| gradient_edge(t)).collect();
    let outputs = outs.iter().map(|(t, _)| OutputMeta { shape: t.shape(), dtype: t.dtype() }).collect();
    let node = Node::new(name, next, outputs, Body::Rule { rule, saved: vec![] });
    for (nr, (t, differentiable)) in outs.iter().enumerate() {
        if *differentiable {
            t.0.meta.borrow_mut().grad_fn = Some(Edge { node: node.clone(), nr });
        }
    }
    // Results have their history by now, which hooks see. Of the factors of a product PyTorch saves the last first.
    let mut kept: Vec<SavedTensor> = saved
        .iter()
        .rev()
        .map(|s| match s {
            Save::Input(t) => SavedTensor::input(t),
            Save::Output(nr) => SavedTensor::output(&outs[*nr].0, *nr),
            Save::Nothing => SavedTensor::nothing(&nothing()),
        })
        .collect();
    kept.reverse();
    node.keep(kept);
    node
}

fn wants_record(inputs: &[&Tensor]) -> bool {
    grad_mode::records() && inputs.iter().any(|t| t.requires_grad())
}

/// The result of an op, with its gradient rule.
///
/// `name` is PyTorch's (`MulBackward0`). `rule` gives a gradient for each of `inputs`, in tensor ops, so that gradients
/// have gradients; it must not capture tensors (what it needs again goes through `saved`, in order), and it need not
/// undo broadcasting or casts: the walk does.
pub fn differentiable(
    name: &'static str,
    inputs: &[&Tensor],
    out: Raw,
    saved: &[Save],
    rule: impl Fn(&GradCtx) -> Result<Vec<Option<Tensor>>> + 'static,
) -> Tensor {
    result(name, inputs, out, saved, |t| holomorphic(inputs, &[t], Box::new(rule)))
}

/// The result of an op; its rule is only made where it is recorded.
fn result(
    name: &'static str,
    inputs: &[&Tensor],
    out: Raw,
    saved: &[Save],
    rule: impl FnOnce(&Tensor) -> Rule,
) -> Tensor {
    let t = Tensor::from_raw(out);
    if wants_record(inputs) && t.dtype().is_inexact() {
        let rule = rule(&t);
        record(name, inputs, &[(t.clone(), true)], saved, rule);
    }
    t
}

/// An op with several results; those of integer or bool dtype are not differentiable.
pub fn differentiable_many(
    name: &'static str,
    inputs: &[&Tensor],
    outs: Vec<Raw>,
    saved: &[Save],
    rule: impl Fn(&GradCtx) -> Result<Vec<Option<Tensor>>> + 'static,
) -> Vec<Tensor> {
    let outs: Vec<(Tensor, bool)> = outs
        .into_iter()
        .map(|raw| {
            let float = raw.dtype.is_inexact();
            (Tensor::from_raw(raw), float)
        })
        .collect();
    if wants_record(inputs) {
        let rule = holomorphic(inputs, &[], Box::new(rule));
        record(name, inputs, &outs, saved, rule);
    }
    outs.into_iter().map(|(t, _)| t).collect()
}

/// A fresh result made of several ops, whose last node bears the name under which PyTorch shows the whole.
pub(crate) fn named(t: Tensor, name: &'static str) -> Tensor {
    if let Some(edge) = &mut t.0.meta.borrow_mut().grad_fn
        && let Some(node) = Rc::get_mut(&mut edge.node)
    {
        node.rename(name);
    }
    t
}

/// The result of an op that has no gradient, or whose gradient is zero everywhere and never asked for (comparisons,
/// integer ops, random draws).
pub fn non_differentiable(out: Raw) -> Tensor {
    Tensor::from_raw(out)
}

/// A view: the same elements under another layout, related to its base for in-place writes.
pub fn view(
    name: &'static str,
    input: &Tensor,
    layout: Layout,
    rule: impl Fn(&GradCtx) -> Result<Vec<Option<Tensor>>> + 'static,
) -> Tensor {
    let t = alias(input, input.raw().with_layout(layout), Origin::Plain);
    if wants_record(&[input]) && t.dtype().is_inexact() {
        record(name, &[input], &[(t.clone(), true)], &[], holomorphic(&[input], &[], Box::new(rule)));
    }
    t
}

/// [`differentiable`] for a function that is not holomorphic, with its own rule: the gradient of a complex input is
/// `dL/dRe + i dL/dIm`.
pub fn wirtinger(
    name: &'static str,
    inputs: &[&Tensor],
    out: Raw,
    saved: &[Save],
    rule: impl Fn(&GradCtx) -> Result<Vec<Option<Tensor>>> + 'static,
) -> Tensor {
    result(name, inputs, out, saved, |_| Box::new(rule))
}

/// A view of complex memory as real, or of real as complex; the rule is its own.
pub fn real_view(
    name: &'static str,
    input: &Tensor,
    raw: Raw,
    rule: impl Fn(&GradCtx) -> Result<Vec<Option<Tensor>>> + 'static,
) -> Tensor {
    let t = alias(input, raw, Origin::Plain);
    if wants_record(&[input]) {
        record(name, &[input], &[(t.clone(), true)], &[], Box::new(rule));
    }
    t
}

/// A rule for real numbers as one for complex numbers: for holomorphic functions (and products, sums and moves, which
/// are), the gradient is the conjugate of what the rule makes of the conjugate gradient.
fn holomorphic(inputs: &[&Tensor], outs: &[&Tensor], rule: Rule) -> Rule {
    if !inputs.iter().chain(outs).any(|t| t.dtype().is_complex()) {
        return rule;
    }
    Box::new(move |ctx| {
        let turn = |g: Option<Tensor>| g.map(|g| crate::ops::conj(&g)).transpose();
        let grads = ctx.grads.iter().cloned().map(turn).collect::<Result<Vec<_>>>()?;
        let results = rule(&GradCtx { grads: &grads, ..*ctx })?;
        results.into_iter().map(turn).collect()
    })
}

/// Several views made by one op, which therefore may not be written to in place while recording.
pub fn views(
    name: &'static str,
    input: &Tensor,
    layouts: Vec<Layout>,
    rule: impl Fn(&GradCtx) -> Result<Vec<Option<Tensor>>> + 'static,
) -> Vec<Tensor> {
    let outs: Vec<(Tensor, bool)> = layouts
        .into_iter()
        .map(|l| (alias(input, input.raw().with_layout(l), Origin::Multi), input.dtype().is_inexact()))
        .collect();
    if wants_record(&[input]) && input.dtype().is_inexact() {
        record(name, &[input], &outs, &[], holomorphic(&[input], &[], Box::new(rule)));
    }
    outs.into_iter().map(|(t, _)| t).collect()
}

/// A tensor on the same memory, with the view relation but no node.
fn alias(input: &Tensor, raw: Raw, origin: Origin) -> Tensor {
    let t = Tensor::with_version(raw, input.version_counter());
    let (base, inherited) = match &input.0.meta.borrow().view {
        Some(v) => (v.base.clone(), v.origin),
        None => (input.clone(), Origin::Plain),
    };
    let origin = match (origin, inherited) {
        (Origin::Plain, Origin::Plain) if !grad_mode::is_enabled() => Origin::NoGrad,
        (Origin::Plain, inherited) => inherited,
        (other, _) => other,
    };
    t.0.meta.borrow_mut().view = Some(View { base, seen: t.version(), origin });
    t
}

/// Record a node whose rule lives outside the engine (a Python `Function`). `outs` are fresh tensors without history,
/// each with whether it is differentiable.
pub fn custom(
    name: String,
    inputs: &[&Tensor],
    outs: &[(Tensor, bool)],
    saved: &[Save],
    rule: Rule,
) -> Option<Rc<Node>> {
    if !wants_record(inputs) {
        return None;
    }
    Some(record(name, inputs, outs, saved, rule))
}

impl Tensor {
    pub fn requires_grad(&self) -> bool {
        {
            let meta = self.0.meta.borrow();
            if meta.requires_grad || meta.grad_fn.is_some() {
                return true;
            }
            if meta.view.is_none() {
                return false;
            }
        }
        current_grad_fn(self).is_some()
    }

    pub fn is_leaf(&self) -> bool {
        current_grad_fn(self).is_none()
    }

    /// `tensor.requires_grad_(on)`.
    ///
    /// # Errors
    /// Not a float type; turning it off on a tensor that was computed; an inference tensor.
    pub fn set_requires_grad(&self, on: bool) -> Result<()> {
        if on && !self.dtype().is_inexact() {
            return Err(Error::runtime("only Tensors of floating point dtype can require gradients"));
        }
        if on && self.is_inference() && !grad_mode::is_inference() {
            return Err(Error::runtime(
                "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.",
            ));
        }
        if !self.is_leaf() {
            if !on {
                return Err(Error::runtime(
                    "you can only change requires_grad flags of leaf variables. If you want to use a computed variable \
                     in a subgraph that doesn't require differentiation use var_no_grad = var.detach().",
                ));
            }
            return Ok(());
        }
        self.0.meta.borrow_mut().requires_grad = on;
        Ok(())
    }

    /// The accumulated gradient (`tensor.grad`).
    pub fn grad(&self) -> Option<Tensor> {
        self.0.meta.borrow().grad.clone()
    }
    pub fn set_grad(&self, grad: Option<Tensor>) {
        let old = std::mem::replace(&mut self.0.meta.borrow_mut().grad, grad);
        drop(old);
    }

    /// The same elements, without history (shares memory and version).
    pub fn detach(&self) -> Tensor {
        Tensor::with_version(self.raw(), self.version_counter())
    }

    /// `tensor.data`: the same memory without history, whose in-place writes autograd does not notice.
    pub fn data(&self) -> Tensor {
        Tensor::from_raw(self.raw())
    }

    /// Forget the history of this very tensor.
    ///
    /// # Errors
    /// A view cannot be detached in place.
    pub fn detach_inplace(&self) -> Result<()> {
        let mut meta = self.0.meta.borrow_mut();
        if meta.view.is_some() {
            return Err(Error::runtime(
                "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for \
                 training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence \
                 detach_() cannot be called on these gradients. To fix this error, please refer to the \
                 Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution.",
            ));
        }
        meta.requires_grad = false;
        let old = (meta.grad_fn.take(), meta.accumulator.take());
        drop(meta);
        drop(old);
        Ok(())
    }

    /// The tensor this is a view of.
    pub fn base(&self) -> Option<Tensor> {
        self.0.meta.borrow().view.as_ref().map(|v| v.base.clone())
    }

    /// `tensor.output_nr`
    pub fn output_nr(&self) -> usize {
        current_grad_fn(self).map_or(0, |e| e.nr)
    }

    /// Keep the gradient of a tensor that is not a leaf.
    ///
    /// # Errors
    /// The tensor does not require grad.
    pub fn retain_grad(&self) -> Result<()> {
        if !self.requires_grad() {
            return Err(Error::runtime("can't retain_grad on Tensor that has requires_grad=False"));
        }
        let Some(edge) = current_grad_fn(self) else {
            return Ok(());
        };
        let mut meta = self.0.meta.borrow_mut();
        if !meta.retains_grad {
            meta.retains_grad = true;
            edge.node.hooks.borrow_mut().retain.push((edge.nr, self.downgrade()));
        }
        Ok(())
    }
    pub fn retains_grad(&self) -> bool {
        self.0.meta.borrow().retains_grad
    }

    /// Call `hook` with this tensor's gradient in each backward pass. Gives the node the hook hangs on and its number,
    /// for removal by [`Node::remove_hook`].
    ///
    /// # Errors
    /// The tensor does not require grad.
    pub fn register_hook(&self, hook: TensorHook) -> Result<(Rc<Node>, u64)> {
        let Some(edge) = gradient_edge(self) else {
            return Err(Error::runtime("cannot register a hook on a tensor that doesn't require gradient"));
        };
        let id = node::next_hook_id();
        edge.node.hooks.borrow_mut().tensor.push((id, edge.nr, hook));
        Ok((edge.node, id))
    }

    /// Call `hook` after this leaf's gradient was added to.
    ///
    /// # Errors
    /// Not a leaf that requires grad.
    pub fn register_post_accumulate_grad_hook(&self, hook: AccumulateHook) -> Result<(Rc<Node>, u64)> {
        if !self.is_leaf() {
            return Err(Error::runtime("post accumulate grad hooks cannot be registered on non-leaf tensors"));
        }
        let Some(edge) = gradient_edge(self) else {
            return Err(Error::runtime("cannot register a hook on a tensor that doesn't require gradient"));
        };
        let id = node::next_hook_id();
        edge.node.hooks.borrow_mut().post_accumulate.push((id, hook));
        Ok((edge.node, id))
    }
}
