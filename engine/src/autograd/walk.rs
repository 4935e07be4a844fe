//! The walk back through the graph: newest node first, each node once, when all its gradients are there.

use std::cell::Cell;
use std::collections::BinaryHeap;
use std::hash::{BuildHasherDefault, Hasher};
use std::rc::Rc;
use std::slice::from_ref;

use super::node::{Body, Edge, GradCtx, Node, OutputMeta};
use super::{grad_mode, gradient_edge};
use crate::backend::backend;
use crate::device::{self, Device};
use crate::error::{Error, Result, list};
use crate::ops;
use crate::tensor::Tensor;

/// `torch.autograd.backward`: add the gradients of `roots` to the leaves' `.grad`; only to those of `inputs` when given.
///
/// # Errors
/// A root without history, a gradient of another shape, a freed graph, whatever a hook raises.
pub fn backward(
    roots: &[(Tensor, Option<Tensor>)],
    retain_graph: bool,
    create_graph: bool,
    inputs: Option<&[Tensor]>,
) -> Result<()> {
    let wanted = inputs
        .map(|ts| ts.iter().map(|t| gradient_edge(t).ok_or_else(no_grad_fn)).collect::<Result<Vec<Edge>>>())
        .transpose()?;
    let mut walk = Walk::new(retain_graph, create_graph);
    walk.seed(roots)?;
    if let (Some(edges), Some(tensors)) = (&wanted, inputs) {
        walk.restrict(edges);
        // Inputs that are not leaves get their `.grad` from what is captured at their edge.
        for (t, e) in tensors.iter().zip(edges) {
            if !e.node.is_accumulate() {
                walk.capture.insert(key(e), None);
                walk.capture_into.push((key(e), t.clone()));
            }
        }
    }
    walk.run()?;
    let into = std::mem::take(&mut walk.capture_into);
    for (k, t) in into {
        if let Some(Some(g)) = walk.capture.get(&k).cloned() {
            accumulate(&t, g, create_graph)?;
        }
    }
    Ok(())
}

/// `torch.autograd.grad`: the gradients of `inputs`, `None` for those not reached.
///
/// # Errors
/// As [`backward`]; an input without history; one not reached unless `allow_unused`.
pub fn grad(
    roots: &[(Tensor, Option<Tensor>)],
    inputs: &[Tensor],
    retain_graph: bool,
    create_graph: bool,
    allow_unused: bool,
) -> Result<Vec<Option<Tensor>>> {
    let edges: Vec<Edge> = inputs
        .iter()
        .map(|t| {
            gradient_edge(t).ok_or_else(|| Error::runtime("One of the differentiated Tensors does not require grad"))
        })
        .collect::<Result<_>>()?;
    let mut walk = Walk::new(retain_graph, create_graph);
    walk.seed(roots)?;
    walk.restrict(&edges);
    for e in &edges {
        walk.capture.insert(key(e), None);
    }
    walk.run()?;
    edges
        .iter()
        .enumerate()
        .map(|(i, e)| match walk.capture.get(&key(e)).cloned().flatten() {
            None if !allow_unused => Err(Error::runtime(format!(
                "The differentiated Tensor at index {i} appears to not have been used in the graph. Set \
                 allow_unused=True if this is the desired behavior."
            ))),
            g => Ok(g),
        })
        .collect()
}

fn no_grad_fn() -> Error {
    Error::runtime("One of the differentiated Tensors does not require grad")
}

thread_local! {
    static WALKS: Cell<i64> = const { Cell::new(0) };
    static CURRENT: Cell<(i64, bool)> = const { Cell::new((-1, true)) };
}

/// The number of the walk that is under way (`torch._C._current_graph_task_id()`), -1 outside.
pub fn current_walk() -> i64 {
    CURRENT.get().0
}
/// Whether the walk under way reaches every leaf: not one for chosen inputs only.
pub fn current_walk_is_whole() -> bool {
    CURRENT.get().1
}

/// Nodes are found by their address, which needs no hashing against malice.
#[derive(Default)]
struct AddressHasher(u64);
impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&b| self.write_usize(b as usize));
    }
    fn write_usize(&mut self, n: usize) {
        // Fibonacci hashing; the table looks at the highest bits and at the lowest.
        let mixed = (self.0 ^ n as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }
}
type HashMap<K, V> = std::collections::HashMap<K, V, BuildHasherDefault<AddressHasher>>;
type HashSet<K> = std::collections::HashSet<K, BuildHasherDefault<AddressHasher>>;

type Key = (*const Node, usize);

fn key(edge: &Edge) -> Key {
    (Rc::as_ptr(&edge.node), edge.nr)
}

/// Nodes that wait to run, newest first.
struct Ready(Rc<Node>);
impl PartialEq for Ready {
    fn eq(&self, other: &Self) -> bool {
        self.0.seq() == other.0.seq()
    }
}
impl Eq for Ready {}
impl PartialOrd for Ready {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Ready {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.seq().cmp(&other.0.seq())
    }
}

struct Walk {
    retain_graph: bool,
    create_graph: bool,
    roots: Vec<Edge>,
    grads: HashMap<*const Node, Vec<Option<Tensor>>>,
    /// Edges whose gradient is to be returned.
    capture: HashMap<Key, Option<Tensor>>,
    capture_into: Vec<(Key, Tensor)>,
    /// Only these nodes run; all when `None`.
    only: Option<HashSet<*const Node>>,
    seen_inputs: HashSet<*const Node>,
}

impl Walk {
    fn new(retain_graph: bool, create_graph: bool) -> Self {
        Walk {
            retain_graph,
            create_graph,
            roots: vec![],
            grads: HashMap::default(),
            capture: HashMap::default(),
            capture_into: vec![],
            only: None,
            seen_inputs: HashSet::default(),
        }
    }

    fn seed(&mut self, roots: &[(Tensor, Option<Tensor>)]) -> Result<()> {
        for (i, (t, g)) in roots.iter().enumerate() {
            let g = match g {
                Some(g) => {
                    if g.shape() != t.shape() {
                        return Err(Error::runtime(format!(
                            "Mismatch in shape: grad_output[{i}] has a shape of torch.Size({}) and output[{i}] has a \
                             shape of torch.Size({}).",
                            list(&g.shape()),
                            list(&t.shape())
                        )));
                    }
                    g.clone()
                }
                None if t.requires_grad() && t.numel() != 1 => {
                    return Err(Error::runtime("grad can be implicitly created only for scalar outputs"));
                }
                None if t.requires_grad() && t.dtype().is_complex() => {
                    return Err(Error::runtime(format!(
                        "grad can be implicitly created only for real scalar outputs but got torch.{}",
                        t.dtype().name()
                    )));
                }
                None => device::within(t.device(), || Tensor::full(&t.shape(), crate::Scalar::Int(1), t.dtype()))?,
            };
            let Some(edge) = gradient_edge(t) else {
                return Err(Error::runtime(format!(
                    "element {i} of tensors does not require grad and does not have a grad_fn"
                )));
            };
            self.add(&edge, g)?;
            self.roots.push(edge);
        }
        Ok(())
    }

    /// Run only what leads to `targets`.
    fn restrict(&mut self, targets: &[Edge]) {
        let targets: HashSet<*const Node> = targets.iter().map(|e| Rc::as_ptr(&e.node)).collect();
        // Post-order without recursion: a node is needed when it is a target or one of its next nodes is needed.
        let mut needed: HashMap<*const Node, bool> = HashMap::default();
        let mut stack: Vec<(Rc<Node>, bool)> = self.roots.iter().map(|e| (e.node.clone(), false)).collect();
        while let Some((node, done)) = stack.pop() {
            let p = Rc::as_ptr(&node);
            if done {
                let below = node.next().iter().flatten().any(|e| needed.get(&Rc::as_ptr(&e.node)) == Some(&true));
                needed.insert(p, below || targets.contains(&p));
            } else if let std::collections::hash_map::Entry::Vacant(v) = needed.entry(p) {
                v.insert(false);
                let next = node.next();
                stack.push((node, true));
                stack.extend(next.into_iter().flatten().map(|e| (e.node, false)));
            }
        }
        self.seen_inputs = targets;
        self.only = Some(needed.into_iter().filter_map(|(p, n)| n.then_some(p)).collect());
    }

    fn wants(&self, node: &Rc<Node>) -> bool {
        self.only.as_ref().is_none_or(|o| o.contains(&Rc::as_ptr(node)))
    }

    fn add(&mut self, edge: &Edge, g: Tensor) -> Result<()> {
        let n = edge.node.num_outputs().max(edge.nr + 1);
        let slots = self.grads.entry(Rc::as_ptr(&edge.node)).or_insert_with(|| vec![None; n]);
        let slot = &mut slots[edge.nr];
        *slot = Some(match slot.take() {
            None => g,
            Some(old) => grad_mode::with_mode(self.create_graph, || ops::add(&old, &g))?,
        });
        Ok(())
    }

    fn run(&mut self) -> Result<()> {
        struct Restore((i64, bool));
        impl Drop for Restore {
            fn drop(&mut self) {
                CURRENT.set(self.0);
            }
        }
        let number = WALKS.replace(WALKS.get() + 1);
        let _restore = Restore(CURRENT.replace((number, self.only.is_none())));
        self.run_nodes()
    }

    fn run_nodes(&mut self) -> Result<()> {
        let mut waiting: HashMap<*const Node, usize> = HashMap::default();
        let mut seen: HashSet<*const Node> = HashSet::default();
        let mut stack: Vec<Rc<Node>> = self.roots.iter().map(|e| e.node.clone()).collect();
        while let Some(node) = stack.pop() {
            if !seen.insert(Rc::as_ptr(&node)) || !self.wants(&node) {
                continue;
            }
            for e in node.next().into_iter().flatten() {
                *waiting.entry(Rc::as_ptr(&e.node)).or_default() += 1;
                stack.push(e.node);
            }
        }
        let mut ready = BinaryHeap::new();
        let mut queued: HashSet<*const Node> = HashSet::default();
        for e in std::mem::take(&mut self.roots) {
            let p = Rc::as_ptr(&e.node);
            if waiting.get(&p).copied().unwrap_or(0) == 0 && queued.insert(p) {
                ready.push(Ready(e.node));
            }
        }
        while let Some(Ready(node)) = ready.pop() {
            if !self.wants(&node) {
                continue;
            }
            let grads = self.grads.remove(&Rc::as_ptr(&node)).unwrap_or_default();
            let next = node.next();
            let results = self.run_node(&node, grads)?;
            for (i, e) in next.into_iter().enumerate() {
                let Some(e) = e else { continue };
                if let Some(g) = results.as_ref().and_then(|r| r.get(i).cloned().flatten()) {
                    self.add(&e, g)?;
                }
                let p = Rc::as_ptr(&e.node);
                if let Some(n) = waiting.get_mut(&p) {
                    *n -= 1;
                    if *n == 0 && queued.insert(p) {
                        ready.push(Ready(e.node));
                    }
                }
            }
        }
        Ok(())
    }

    fn run_node(&mut self, node: &Rc<Node>, mut grads: Vec<Option<Tensor>>) -> Result<Option<Vec<Option<Tensor>>>> {
        if grads.iter().all(Option::is_none) {
            return Ok(None);
        }
        run_tensor_hooks(node, &mut grads)?;
        let p = Rc::as_ptr(node);
        for (nr, g) in grads.iter().enumerate() {
            if let Some(slot) = self.capture.get_mut(&(p, nr)) {
                *slot = g.clone();
            }
        }
        let outputs = node.outputs.borrow().clone();
        if let Some(leaf) = node.variable() {
            let captured = self.capture.contains_key(&(p, 0));
            if !captured && let Some(Some(g)) = grads.into_iter().next() {
                accumulate(&leaf, g, self.create_graph)?;
                let hooks: Vec<_> = node.hooks.borrow().post_accumulate.iter().map(|h| h.1.clone()).collect();
                hooks.iter().try_for_each(|h| h(&leaf))?;
            }
            return Ok(None);
        }
        if node.is_accumulate() {
            return Ok(None);
        }
        // The gradient of an input that was asked for is known; go on only for what lies behind it.
        let next = node.next();
        if self.only.is_some() && !next.iter().flatten().any(|e| self.wants(&e.node)) {
            return Ok(None);
        }
        let pre: Vec<_> = node.hooks.borrow().pre.iter().map(|h| h.1.clone()).collect();
        for hook in pre {
            if let Some(new) = hook(&grads)? {
                grads = new;
            }
        }
        let needs: Vec<bool> = next.iter().map(|e| e.as_ref().is_some_and(|e| self.wants(&e.node))).collect();
        let computed = self.compute(node, &grads, &needs, &outputs).and_then(|mut results| {
            self.validate(node, &next, &mut results)?;
            Ok(results)
        });
        let mut results = match computed {
            Ok(results) => results,
            Err(error) => {
                node.report_failure()?;
                return Err(error);
            }
        };
        let post: Vec<_> = node.hooks.borrow().post.iter().map(|h| h.1.clone()).collect();
        for hook in post {
            if let Some(new) = hook(&results, &grads)? {
                results = new;
            }
        }
        if !self.retain_graph {
            node.free();
        }
        Ok(Some(results))
    }

    fn compute(
        &self,
        node: &Rc<Node>,
        grads: &[Option<Tensor>],
        needs: &[bool],
        outputs: &[OutputMeta],
    ) -> Result<Vec<Option<Tensor>>> {
        let saved = node.saved_tensors()?;
        let run = || {
            grad_mode::with_mode(self.create_graph, || {
                let ctx = GradCtx { grads, saved: &saved, needs, outputs };
                // The body is borrowed while the rule runs; a rule that walks again (checkpoint) only reads it.
                match &*node.body.borrow() {
                    Body::Rule { rule, .. } => rule(&ctx),
                    _ => Err(Error::BackwardTwice),
                }
            })
        };
        let place = grads.iter().flatten().next().map_or(Device::Cpu, Tensor::device);
        match node.op_name() {
            Some(name) if place.is_gpu() => device::running(name, place, run),
            _ => run(),
        }
    }

    /// Sum broadcast gradients to size, cast them, and look for NaN where asked to.
    fn validate(&self, node: &Rc<Node>, next: &[Option<Edge>], results: &mut [Option<Tensor>]) -> Result<()> {
        for (i, slot) in results.iter_mut().enumerate() {
            let (Some(g), Some(Some(edge))) = (slot.as_ref(), next.get(i)) else {
                *slot = None;
                continue;
            };
            let meta = edge.node.outputs.borrow().get(edge.nr).cloned();
            let Some(OutputMeta { shape, dtype }) = meta else { continue };
            let mut g = g.clone();
            grad_mode::with_mode(self.create_graph, || -> Result<()> {
                if g.shape() != shape {
                    let fits = crate::layout::broadcast_shapes(&shape, &g.shape()).is_ok_and(|s| s == g.shape());
                    if !fits {
                        return Err(Error::runtime(format!(
                            "Function {} returned an invalid gradient at index {i} - got {} but expected shape \
                             compatible with {}",
                            node.name(),
                            list(&g.shape()),
                            list(&shape)
                        )));
                    }
                    g = ops::sum_to(&g, &shape)?;
                }
                if g.dtype().is_complex() && !dtype.is_complex() {
                    g = ops::real(&g)?;
                }
                if g.dtype() != dtype {
                    g = ops::cast(&g, dtype)?;
                }
                Ok(())
            })?;
            if grad_mode::anomaly() == (true, true) && ops::has_nan(&g)? {
                return Err(Error::runtime(format!(
                    "Function '{}' returned nan values in its {i}th output.",
                    node.name()
                )));
            }
            *slot = Some(g);
        }
        Ok(())
    }
}

fn run_tensor_hooks(node: &Rc<Node>, grads: &mut [Option<Tensor>]) -> Result<()> {
    let (hooks, retain) = {
        let h = node.hooks.borrow();
        if h.tensor.is_empty() && h.retain.is_empty() {
            return Ok(());
        }
        (h.tensor.clone(), h.retain.clone())
    };
    for (_, nr, hook) in hooks {
        let Some(Some(g)) = grads.get(nr).cloned() else { continue };
        if let Some(new) = hook(&g)? {
            grads[nr] = Some(new);
        }
    }
    for (nr, t) in retain {
        if let (Some(t), Some(Some(g))) = (t.upgrade(), grads.get(nr)) {
            t.set_grad(Some(match t.grad() {
                Some(old) => ops::add(&old, g)?,
                None => g.clone(),
            }));
        }
    }
    Ok(())
}

/// Add `g` to a leaf's `.grad`: in place, so that whoever holds the gradient sees it, unless the gradient itself is
/// recorded.
fn accumulate(leaf: &Tensor, g: Tensor, create_graph: bool) -> Result<()> {
    match leaf.grad() {
        None => {
            let keep = if create_graph && g.requires_grad() {
                let copy = backend(g.device()).copy(&g.raw(), leaf.dtype())?;
                super::differentiable("torch::autograd::CopyBackwards", &[&g], copy, &[], |ctx| {
                    Ok(vec![Some(ctx.grad()?)])
                })
            } else {
                let raw = g.raw();
                // `raw`, `g`, and what `g` alone is a view of: more holders than these means that somebody else sees the
                // memory.
                let base = g.0.meta.borrow().view.as_ref().is_some_and(|view| Rc::strong_count(&view.base.0) == 1);
                let holders = raw.storage.holders() - usize::from(base);
                let alone = Rc::strong_count(&g.0) == 1 && holders <= 2;
                let own = alone && raw.layout.is_dense() && raw.dtype == leaf.dtype();
                if own {
                    Tensor::from_raw(raw)
                } else {
                    Tensor::from_raw(backend(raw.device()).copy(&raw, leaf.dtype())?)
                }
            };
            leaf.set_grad(Some(keep));
        }
        Some(old) if create_graph => leaf.set_grad(Some(ops::add(&old, &g)?)),
        // In one pass where it can be, which is usual.
        Some(old) if grad_mode::no_grad(|| ops::optim::add_scaled(from_ref(&old), from_ref(&g), 1.0))? == [true] => {}
        Some(old) => {
            grad_mode::no_grad(|| super::inplace(&old, || ops::add(&old, &g)))?;
        }
    }
    Ok(())
}
