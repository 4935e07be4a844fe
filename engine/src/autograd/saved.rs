//! Tensors kept from forward to backward. They don't keep the graph in a circle, and they notice in-place writes.

use std::cell::Cell;
use std::rc::Rc;

use super::node::{Edge, Node};
use super::{Meta, gradient_edge};
use crate::error::{Error, Result};
use crate::tensor::{Raw, Tensor, WeakTensor};

/// What a rule wants to see again.
pub enum Save<'a> {
    Input(&'a Tensor),
    /// The result with this number.
    Output(usize),
    /// Nothing: keeps the numbering. The rule must not look at it.
    Nothing,
}

impl<'a> Save<'a> {
    /// Save `t` only where a gradient needs it: what is not saved may be written to freely.
    pub fn when(needed: bool, t: &'a Tensor) -> Self {
        if needed { Save::Input(t) } else { Save::Nothing }
    }
}

enum History {
    /// A leaf, or a tensor without history: the tensor itself.
    Whole(Tensor),
    /// A tensor computed by a node.
    Edge(Edge),
    /// A result of the node that saves it: an edge to it would be a circle.
    Own(usize),
}

pub(super) struct SavedTensor {
    raw: Raw,
    version: Rc<Cell<u64>>,
    expected: u64,
    history: History,
    /// The tensor itself, where it still lives: messages name the op that made it what it is now.
    tensor: WeakTensor,
}

impl SavedTensor {
    pub fn input(t: &Tensor) -> Self {
        let history = match super::current_grad_fn(t) {
            Some(edge) => History::Edge(edge),
            None => History::Whole(t.clone()),
        };
        SavedTensor {
            raw: t.raw(),
            version: t.version_counter(),
            expected: t.version(),
            history,
            tensor: t.downgrade(),
        }
    }
    pub fn output(t: &Tensor, nr: usize) -> Self {
        SavedTensor {
            raw: t.raw(),
            version: t.version_counter(),
            expected: t.version(),
            history: History::Own(nr),
            tensor: t.downgrade(),
        }
    }

    /// After an in-place op: the result now lives in the tensor that was written to.
    pub fn moved_to(&mut self, nr: usize, t: &Tensor) {
        if matches!(self.history, History::Own(n) if n == nr) {
            self.raw = t.raw();
            self.version = t.version_counter();
            self.expected = t.version();
            self.tensor = t.downgrade();
        }
    }

    pub fn unpack(&self, owner: &Rc<Node>) -> Result<Tensor> {
        if self.version.get() != self.expected {
            let made = match &self.history {
                History::Whole(_) => None,
                History::Edge(e) => {
                    let now = self.tensor.upgrade().and_then(|t| super::current_grad_fn(&t));
                    let edge = now.unwrap_or_else(|| e.clone());
                    Some((edge.nr, edge.node.name().to_owned()))
                }
                History::Own(nr) => Some((*nr, owner.name().to_owned())),
            };
            // `Exp` for `ExpBackward0`.
            let output_of = made.map(|(nr, name)| (nr, name.split("Backward").next().unwrap_or_default().to_owned()));
            return Err(Error::Modified {
                dtype: self.raw.dtype,
                shape: self.raw.layout.shape.clone(),
                output_of,
                version: self.version.get(),
                expected: self.expected,
            });
        }
        let edge = match &self.history {
            History::Whole(t) => {
                return Ok(if t.requires_grad() || gradient_edge(t).is_none() { t.clone() } else { t.detach() });
            }
            History::Edge(edge) => edge.clone(),
            History::Own(nr) => Edge { node: owner.clone(), nr: *nr },
        };
        let t = Tensor::with_version(self.raw.clone(), self.version.clone());
        *t.0.meta.borrow_mut() = Meta { grad_fn: Some(edge), ..Meta::default() };
        Ok(t)
    }
}
