//! Tensors kept from forward to backward. They don't keep the graph in a circle, and they notice in-place writes.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::node::{Edge, Node};
use super::{Meta, gradient_edge};
use crate::error::{Error, Result};
use crate::storage::Storage;
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

/// `torch.autograd.graph.saved_tensors_hooks`: what is kept in a saved tensor's place, and how it comes back.
pub trait SavedHooks {
    /// # Errors
    /// Whatever the hook raises.
    fn pack(&self, t: &Tensor) -> Result<Box<dyn Any>>;
    /// # Errors
    /// Whatever the hook raises.
    fn unpack(&self, packed: &dyn Any) -> Result<Tensor>;
}

thread_local! {
    static HOOKS: RefCell<Vec<Rc<dyn SavedHooks>>> = const { RefCell::new(vec![]) };
    static RAISED: RefCell<Option<Error>> = const { RefCell::new(None) };
    static WRITTEN: RefCell<Option<Storage>> = const { RefCell::new(None) };
}

/// While this lives, what is saved of `target`'s memory is copied: the op that runs will write over it.
pub(super) struct WillBeWritten(Option<Storage>);

impl WillBeWritten {
    pub fn new(target: &Tensor) -> Self {
        WillBeWritten(WRITTEN.replace(Some(target.raw().storage)))
    }
}

impl Drop for WillBeWritten {
    fn drop(&mut self) {
        let last = WRITTEN.replace(self.0.take());
        drop(last);
    }
}

/// A copy of `t`, where its memory is about to be written over.
fn copied(t: &Tensor) -> Option<Tensor> {
    let raw = t.raw();
    if !WRITTEN.with_borrow(|w| w.as_ref().is_some_and(|storage| storage.same(&raw.storage))) {
        return None;
    }
    match crate::backend::backend(raw.device()).copy(&raw, raw.dtype) {
        Ok(raw) => Some(Tensor::from_raw(raw)),
        Err(e) => {
            raise(e);
            None
        }
    }
}

/// Keeps the first error of recording, see [`packed`].
fn raise(e: Error) {
    RAISED.with_borrow_mut(|raised| {
        raised.get_or_insert(e);
    });
}

/// From now on, and until [`pop_saved_hooks`], saved tensors go through `hooks` (and through no earlier ones).
pub fn push_saved_hooks(hooks: Rc<dyn SavedHooks>) {
    HOOKS.with_borrow_mut(|all| all.push(hooks));
}
pub fn pop_saved_hooks() {
    let last = HOOKS.with_borrow_mut(Vec::pop);
    drop(last);
}

/// No hooks, and nothing that one raised.
pub fn clear_saved_hooks() {
    let all = HOOKS.with_borrow_mut(std::mem::take);
    drop((all, RAISED.take()));
}

/// What a pack hook raised while an op was recorded. Recording itself cannot fail, so whoever calls ops asks here after
/// each.
///
/// # Errors
/// The hook's error.
pub fn packed() -> Result<()> {
    match RAISED.take() {
        Some(e) => Err(e),
        None => Ok(()),
    }
}

enum History {
    /// A leaf, or a tensor without history: the tensor itself.
    Whole(Tensor),
    /// A tensor computed by a node.
    Edge(Edge),
    /// A result of the node that saves it: an edge to it would be a circle.
    Own(usize),
    /// A leaf whose elements a hook keeps: where its gradient goes.
    Leaf(Edge),
    /// A tensor without history whose elements a hook keeps.
    None,
}

enum Kept {
    Elements {
        raw: Raw,
        version: Rc<Cell<u64>>,
        expected: u64,
        /// The tensor itself, where it still lives: messages name the op that made it what it is now.
        tensor: WeakTensor,
    },
    Packed(Rc<dyn SavedHooks>, Box<dyn Any>),
}

impl Kept {
    fn elements(t: &Tensor) -> Self {
        Kept::Elements { raw: t.raw(), version: t.version_counter(), expected: t.version(), tensor: t.downgrade() }
    }
}

pub(super) struct SavedTensor {
    kept: Kept,
    history: History,
}

impl SavedTensor {
    pub fn input(t: &Tensor) -> Self {
        let history = match super::current_grad_fn(t) {
            Some(edge) => History::Edge(edge),
            None => History::Whole(t.clone()),
        };
        match copied(t) {
            Some(copy) => Self::new(&copy, if t.requires_grad() { history } else { History::None }),
            None => Self::new(t, history),
        }
    }
    pub fn output(t: &Tensor, nr: usize) -> Self {
        Self::new(t, History::Own(nr))
    }
    /// Keeps the place of something not saved; hooks don't see it.
    pub fn nothing(empty: &Tensor) -> Self {
        SavedTensor { kept: Kept::elements(empty), history: History::None }
    }

    fn new(t: &Tensor, history: History) -> Self {
        let mut saved = SavedTensor { kept: Kept::elements(t), history };
        if t.is_inference() {
            let e = Error::runtime(
                "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode \
                 in computation tracked by autograd. To work around this, you can make a clone to get a normal tensor \
                 and use it in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`.",
            );
            raise(e);
        } else if !t.is_wrapped_number()
            && let Some(hooks) = HOOKS.with_borrow(|all| all.last().cloned())
            && let Err(e) = saved.pack(t, hooks)
        {
            raise(e);
        }
        saved
    }

    /// Give what is saved to `hooks`.
    ///
    /// # Errors
    /// Hooks are there already; the hook raises, or writes to its tensor.
    pub fn register_hooks(&mut self, owner: &Rc<Node>, hooks: Rc<dyn SavedHooks>) -> Result<()> {
        if matches!(self.kept, Kept::Packed(..)) {
            return Err(Error::runtime("Calling register_hooks on a saved tensor with value None is forbidden"));
        }
        let t = self.unpack(owner)?.detach();
        self.pack(&t, hooks)
    }

    fn pack(&mut self, t: &Tensor, hooks: Rc<dyn SavedHooks>) -> Result<()> {
        let before = t.version();
        let object = super::grad_mode::no_grad(|| hooks.pack(t))?;
        if t.version() != before {
            return Err(Error::runtime(
                "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook \
                 cannot be modified by in-place operations as this can lead to unexpected side-effects. Please open an \
                 issue if you need to perform in-place operations on the input to a pack hook.",
            ));
        }
        if let History::Whole(leaf) = &self.history {
            self.history = gradient_edge(leaf).map_or(History::None, History::Leaf);
        }
        self.kept = Kept::Packed(hooks, object);
        Ok(())
    }

    /// After an in-place op: the result now lives in the tensor that was written to.
    pub fn moved_to(&mut self, nr: usize, t: &Tensor) {
        if matches!(self.history, History::Own(n) if n == nr) && matches!(self.kept, Kept::Elements { .. }) {
            self.kept = Kept::elements(t);
        }
    }

    pub fn unpack(&self, owner: &Rc<Node>) -> Result<Tensor> {
        let (raw, version, expected, tensor) = match &self.kept {
            Kept::Elements { raw, version, expected, tensor } => (raw, version, *expected, tensor),
            Kept::Packed(hooks, object) => {
                let t = hooks.unpack(&**object)?;
                return Ok(match &self.history {
                    History::Edge(edge) => with_history(&t, edge.clone()),
                    History::Own(nr) => with_history(&t, Edge { node: owner.clone(), nr: *nr }),
                    History::Leaf(edge) => leaf(&t, edge),
                    History::Whole(_) | History::None => t,
                });
            }
        };
        if version.get() != expected {
            let made = match &self.history {
                History::Edge(e) => {
                    let now = tensor.upgrade().and_then(|t| super::current_grad_fn(&t));
                    let edge = now.unwrap_or_else(|| e.clone());
                    Some((edge.nr, edge.node.name().to_owned()))
                }
                History::Own(nr) => Some((*nr, owner.name().to_owned())),
                _ => None,
            };
            // `Exp` for `ExpBackward0`.
            let output_of = made.map(|(nr, name)| (nr, name.split("Backward").next().unwrap_or_default().to_owned()));
            return Err(Error::Modified {
                dtype: raw.dtype,
                shape: raw.layout.shape.clone(),
                output_of,
                version: version.get(),
                expected,
            });
        }
        let edge = match &self.history {
            History::Whole(t) => {
                return Ok(if t.requires_grad() || gradient_edge(t).is_none() { t.clone() } else { t.detach() });
            }
            History::Edge(edge) | History::Leaf(edge) => edge.clone(),
            History::Own(nr) => Edge { node: owner.clone(), nr: *nr },
            History::None => return Ok(Tensor::with_version(raw.clone(), version.clone())),
        };
        Ok(with_history(&Tensor::with_version(raw.clone(), version.clone()), edge))
    }
}

/// The elements of `t` as output of a node.
fn with_history(t: &Tensor, edge: Edge) -> Tensor {
    let t = t.detach();
    *t.0.meta.borrow_mut() = Meta { grad_fn: Some(edge), ..Meta::default() };
    t
}

/// The elements of `t` as a leaf whose gradient goes to `edge`.
fn leaf(t: &Tensor, edge: &Edge) -> Tensor {
    let t = t.detach();
    *t.0.meta.borrow_mut() = Meta { requires_grad: true, accumulator: Some(edge.node.clone()), ..Meta::default() };
    t
}
