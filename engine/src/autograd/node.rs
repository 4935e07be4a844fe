//! Nodes of the backward graph: what `tensor.grad_fn` is.

use std::any::Any;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::saved::{SavedHooks, SavedTensor};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::tensor::{Tensor, WeakTensor};

/// Output `nr` of a node.
#[derive(Clone)]
pub struct Edge {
    pub node: Rc<Node>,
    pub nr: usize,
}

/// Shape and dtype of a forward result: what its gradient must have.
#[derive(Clone)]
pub struct OutputMeta {
    pub shape: Vec<usize>,
    pub dtype: DType,
}

/// What a gradient rule sees.
pub struct GradCtx<'a> {
    pub(super) grads: &'a [Option<Tensor>],
    pub(super) saved: &'a [Tensor],
    pub(super) needs: &'a [bool],
    pub(super) outputs: &'a [OutputMeta],
}

impl GradCtx<'_> {
    /// Gradient of the only (or first) output; zeros when that output did not take part.
    pub fn grad(&self) -> Result<Tensor> {
        self.grad_of(0)
    }
    pub fn grad_of(&self, nr: usize) -> Result<Tensor> {
        match self.grads.get(nr) {
            Some(Some(g)) => Ok(g.clone()),
            _ => match self.outputs.get(nr) {
                Some(m) => Tensor::zeros(&m.shape, m.dtype),
                None => Err(Error::runtime("a gradient rule asked for an output its op does not have")),
            },
        }
    }
    pub fn num_outputs(&self) -> usize {
        self.outputs.len()
    }
    pub fn opt_grad_of(&self, nr: usize) -> Option<Tensor> {
        self.grads.get(nr).cloned().flatten()
    }
    /// The saved tensors, in the order they were saved.
    pub fn saved(&self, i: usize) -> &Tensor {
        &self.saved[i]
    }
    pub fn saved_all(&self) -> &[Tensor] {
        self.saved
    }
    /// Does input `i` want a gradient? A rule may skip the others.
    pub fn needs(&self, i: usize) -> bool {
        self.needs.get(i).copied().unwrap_or(false)
    }
}

/// Gradients of the inputs, in order; `None` is zero. They may still be broadcast: the walk sums them to size.
pub type Rule = Box<dyn Fn(&GradCtx) -> Result<Vec<Option<Tensor>>>>;
/// `Tensor.register_hook`: may replace the gradient.
pub type TensorHook = Rc<dyn Fn(&Tensor) -> Result<Option<Tensor>>>;
/// `Node.register_prehook(grad_outputs)`: may replace them.
pub type PreHook = Rc<dyn Fn(&[Option<Tensor>]) -> Result<Option<Vec<Option<Tensor>>>>>;
/// `Node.register_hook(grad_inputs, grad_outputs)`: may replace the first.
pub type PostHook = Rc<dyn Fn(&[Option<Tensor>], &[Option<Tensor>]) -> Result<Option<Vec<Option<Tensor>>>>>;

/// `Tensor.register_post_accumulate_grad_hook`
pub type AccumulateHook = Rc<dyn Fn(&Tensor) -> Result<()>>;

pub(super) enum Body {
    Rule {
        rule: Rule,
        saved: Vec<SavedTensor>,
    },
    /// The saved tensors are gone.
    Freed,
    /// Adds to the `.grad` of a leaf.
    Accumulate(WeakTensor),
}

#[derive(Default)]
pub(super) struct Hooks {
    pub tensor: Vec<(u64, usize, TensorHook)>,
    pub retain: Vec<(usize, WeakTensor)>,
    pub pre: Vec<(u64, PreHook)>,
    pub post: Vec<(u64, PostHook)>,
    /// `register_post_accumulate_grad_hook`
    pub post_accumulate: Vec<(u64, AccumulateHook)>,
}

/// One recorded op.
pub struct Node {
    name: Cow<'static, str>,
    /// Counts up; the walk takes the newest node first.
    seq: u64,
    next: RefCell<Vec<Option<Edge>>>,
    pub(super) outputs: RefCell<Vec<OutputMeta>>,
    pub(super) body: RefCell<Body>,
    pub(super) hooks: RefCell<Hooks>,
    /// What the bindings keep here: a Function's context, the forward traceback of anomaly mode.
    pub foreign: RefCell<Option<Rc<dyn Any>>>,
    pub forward_trace: RefCell<Option<String>>,
}

/// What the bindings do for anomaly mode.
pub trait Anomaly {
    /// Where the running program is, kept by nodes made in anomaly mode.
    fn trace(&self) -> String;
    /// A node failed in a walk: warn of it, with the forward trace it keeps.
    ///
    /// # Errors
    /// Warnings may have been turned into errors.
    fn report(&self, text: &str) -> Result<()>;
}
thread_local! {
    static SEQ: Cell<u64> = const { Cell::new(0) };
    static HOOK_ID: Cell<u64> = const { Cell::new(1) };
    static ANOMALY: RefCell<Option<Rc<dyn Anomaly>>> = const { RefCell::new(None) };
    static DROPPING: RefCell<Option<Vec<Option<Edge>>>> = const { RefCell::new(None) };
}

pub fn set_anomaly_hooks(hooks: Option<Rc<dyn Anomaly>>) {
    ANOMALY.set(hooks);
}

pub(super) fn next_hook_id() -> u64 {
    HOOK_ID.replace(HOOK_ID.get() + 1)
}

impl Node {
    pub(super) fn new(
        name: impl Into<Cow<'static, str>>,
        next: Vec<Option<Edge>>,
        outputs: Vec<OutputMeta>,
        body: Body,
    ) -> Rc<Node> {
        let seq = if matches!(body, Body::Accumulate(_)) { u64::MAX } else { SEQ.replace(SEQ.get() + 1) };
        let forward_trace =
            if super::grad_mode::anomaly().0 { ANOMALY.with_borrow(Clone::clone).map(|a| a.trace()) } else { None };
        Rc::new(Node {
            name: name.into(),
            seq,
            next: RefCell::new(next),
            outputs: RefCell::new(outputs),
            body: RefCell::new(body),
            hooks: RefCell::default(),
            foreign: RefCell::new(None),
            forward_trace: RefCell::new(forward_trace),
        })
    }

    /// `AddBackward0`, `torch::autograd::AccumulateGrad`, …
    pub(super) fn rename(&mut self, name: &'static str) {
        self.name = Cow::Borrowed(name);
    }
    pub fn name(&self) -> &str {
        &self.name
    }
    /// The name of a node that the engine made: of an op, not of a function written in Python.
    pub(super) fn op_name(&self) -> Option<&'static str> {
        match self.name {
            Cow::Borrowed(name) => Some(name),
            Cow::Owned(_) => None,
        }
    }
    pub fn seq(&self) -> u64 {
        self.seq
    }
    /// The nodes the gradients go to; `None` where an input needs none.
    pub fn next(&self) -> Vec<Option<Edge>> {
        self.next.borrow().clone()
    }
    /// The leaf an accumulating node belongs to.
    pub fn variable(&self) -> Option<Tensor> {
        match &*self.body.borrow() {
            Body::Accumulate(t) => t.upgrade(),
            _ => None,
        }
    }
    pub fn is_accumulate(&self) -> bool {
        matches!(*self.body.borrow(), Body::Accumulate(_))
    }
    pub fn num_outputs(&self) -> usize {
        self.outputs.borrow().len()
    }
    /// The tensors saved for backward, checked for later writes.
    pub fn saved_tensors(self: &Rc<Node>) -> Result<Vec<Tensor>> {
        match &*self.body.borrow() {
            // In the order in which they were saved: the last first.
            Body::Rule { saved, .. } => {
                let mut tensors = saved.iter().rev().map(|s| s.unpack(self)).collect::<Result<Vec<_>>>()?;
                tensors.reverse();
                Ok(tensors)
            }
            Body::Freed => Err(Error::BackwardTwice),
            Body::Accumulate(_) => Ok(vec![]),
        }
    }
    /// Saved tensor `i`, where there is one, checked for later writes.
    ///
    /// # Errors
    /// As [`Node::saved_tensors`].
    pub fn saved_tensor(self: &Rc<Node>, i: usize) -> Result<Option<Tensor>> {
        match &*self.body.borrow() {
            Body::Rule { saved, .. } => saved.get(i).map(|s| s.unpack(self)).transpose(),
            Body::Freed => Err(Error::BackwardTwice),
            Body::Accumulate(_) => Ok(None),
        }
    }
    pub fn num_saved(&self) -> usize {
        match &*self.body.borrow() {
            Body::Rule { saved, .. } => saved.len(),
            _ => 0,
        }
    }
    pub(super) fn keep(&self, tensors: Vec<SavedTensor>) {
        if let Body::Rule { saved, .. } = &mut *self.body.borrow_mut() {
            *saved = tensors;
        }
    }
    /// Give saved tensor `i` to hooks of its own (`_raw_saved_self.register_hooks`).
    ///
    /// # Errors
    /// It is freed, or has hooks; whatever the hook raises.
    pub fn register_saved_hooks(self: &Rc<Node>, i: usize, hooks: Rc<dyn SavedHooks>) -> Result<()> {
        let Ok(mut body) = self.body.try_borrow_mut() else {
            return Err(Error::runtime("register_hooks cannot be called while this node runs"));
        };
        match &mut *body {
            Body::Rule { saved, .. } if i < saved.len() => saved[i].register_hooks(self, hooks),
            _ => Err(Error::BackwardTwice),
        }
    }
    /// In anomaly mode: warn that this node failed, with where its op was called.
    ///
    /// # Errors
    /// The warning was turned into an error.
    pub(super) fn report_failure(&self) -> Result<()> {
        let hooks = ANOMALY.with_borrow(Clone::clone).filter(|_| super::grad_mode::anomaly().0);
        let Some(hooks) = hooks else { return Ok(()) };
        let name = self.name();
        hooks.report(&match &*self.forward_trace.borrow() {
            Some(trace) => {
                format!("Error detected in {name}. Traceback of forward call that caused the error:\n{trace}")
            }
            None => format!(
                "Error detected in {name}. No forward pass information available. Enable detect anomaly during forward \
                 pass for more information."
            ),
        })
    }
    /// Drop what was saved, as `backward()` does without `retain_graph`. Nodes that saved nothing can run again.
    pub(super) fn free(&self) {
        let old = {
            // A hook that walks the graph it is unpacked for finds the node in use.
            let Ok(mut body) = self.body.try_borrow_mut() else { return };
            match &*body {
                Body::Rule { saved, .. } if !saved.is_empty() => std::mem::replace(&mut *body, Body::Freed),
                _ => return,
            }
        };
        drop(old);
    }

    pub fn add_pre_hook(&self, hook: PreHook) -> u64 {
        let id = next_hook_id();
        self.hooks.borrow_mut().pre.push((id, hook));
        id
    }
    pub fn add_post_hook(&self, hook: PostHook) -> u64 {
        let id = next_hook_id();
        self.hooks.borrow_mut().post.push((id, hook));
        id
    }
    pub fn remove_hook(&self, id: u64) {
        let mut hooks = self.hooks.borrow_mut();
        hooks.tensor.retain(|h| h.0 != id);
        hooks.pre.retain(|h| h.0 != id);
        hooks.post.retain(|h| h.0 != id);
        hooks.post_accumulate.retain(|h| h.0 != id);
    }
}

impl Drop for Node {
    /// A chain of ten thousand ops must not be dropped by recursion: edges are put on a list and dropped in a loop.
    fn drop(&mut self) {
        let edges = std::mem::take(self.next.get_mut());
        let body = std::mem::replace(self.body.get_mut(), Body::Freed);
        let nested = DROPPING.try_with(|d| match d.try_borrow_mut() {
            Ok(mut d) => match d.as_mut() {
                Some(list) => {
                    list.extend(edges);
                    None
                }
                None => {
                    *d = Some(vec![]);
                    Some(edges)
                }
            },
            Err(_) => Some(edges),
        });
        match nested {
            // Somebody further up drains the list; what was saved may hold edges, which come to the list too.
            Ok(None) => drop(body),
            Ok(Some(edges)) => {
                drop(body);
                drop(edges);
                while let Ok(Some(edge)) = DROPPING.try_with(|d| d.borrow_mut().as_mut().and_then(Vec::pop)) {
                    drop(edge);
                }
                let _ = DROPPING.try_with(|d| d.borrow_mut().take());
            }
            Err(_) => {}
        }
    }
}
