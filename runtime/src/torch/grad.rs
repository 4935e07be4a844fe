//! Backward passes, hooks and functions written in Python.

use super::args::items;
use super::errors::ToPy;
use super::node::{PyNode, to_tuple, with_vm, wrap_node};
use super::tensor::{PyTensor, expect, wrap, wrap_option};
use rushlight_engine::Tensor;
use rushlight_engine::autograd::{self, Node, Save};
use rustpython_vm::builtins::PyTuple;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, Py, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};
use std::rc::{Rc, Weak};

/// Tensors or `None`.
pub(crate) fn optional_tensors(items: &[PyObjectRef], vm: &VirtualMachine) -> PyResult<Vec<Option<Tensor>>> {
    let one = |item: &PyObjectRef| {
        if vm.is_none(item) {
            return Ok(None);
        }
        match item.downcast_ref::<PyTensor>() {
            Some(t) => Ok(Some(t.tensor().clone())),
            None => Err(vm.new_type_error(format!("expected Variable, but hook returned '{}'", item.class().name()))),
        }
    };
    items.iter().map(one).collect()
}

fn tensors(object: &PyObjectRef, vm: &VirtualMachine) -> PyResult<Vec<Tensor>> {
    super::args::tensor_list(&items(object).unwrap_or_default(), vm)
}

/// `_run_backward(tensors, grad_tensors, retain_graph, create_graph, inputs, accumulate, allow_unused)`
pub(crate) fn run_backward(args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    crate::stop::check_interrupt(vm)?;
    let [roots, grads, retain_graph, create_graph, inputs, accumulate, allow_unused] = args.args.as_slice() else {
        return Err(vm.new_type_error(format!("_run_backward() takes 7 arguments ({} given)", args.args.len())));
    };
    let flag = |object: &PyObjectRef| object.clone().is_true(vm);
    let (retain_graph, create_graph) = (flag(retain_graph)?, flag(create_graph)?);
    let roots = tensors(roots, vm)?;
    let grads = optional_tensors(&items(grads).unwrap_or_default(), vm)?;
    let roots: Vec<_> = roots.into_iter().zip(grads.into_iter().chain(std::iter::repeat(None))).collect();
    let given = items(inputs).filter(|items| !items.is_empty()).map(|_| tensors(inputs, vm)).transpose()?;
    if flag(accumulate)? {
        if create_graph {
            warn_of_cycle(vm)?;
        }
        autograd::backward(&roots, retain_graph, create_graph, given.as_deref()).py(vm)?;
        return Ok(vm.ctx.new_tuple(vec![]).into());
    }
    let inputs = given.unwrap_or_default();
    let grads = autograd::grad(&roots, &inputs, retain_graph, create_graph, flag(allow_unused)?).py(vm)?;
    to_tuple(&grads, vm)
}

/// Once a session: gradients with a graph hold their parameter, and it them.
fn warn_of_cycle(vm: &VirtualMachine) -> PyResult<()> {
    thread_local!(static SAID: std::cell::Cell<bool> = const { std::cell::Cell::new(false) });
    if SAID.replace(true) {
        return Ok(());
    }
    super::data::warn(
        "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient \
         which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you \
         have to use this function, make sure to reset the .grad fields of your parameters to None after use to break \
         the cycle and avoid the leak.",
        vm,
    )
}

/// What `register_hook` gives: `.remove()`, and a context manager.
#[pyclass(name = "RemovableHandle", module = "torch.utils.hooks")]
#[derive(PyPayload)]
pub(crate) struct Handle {
    node: Weak<Node>,
    id: u64,
}

impl std::fmt::Debug for Handle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "hook {}", self.id)
    }
}

pub(crate) fn handle(node: &Rc<Node>, id: u64, vm: &VirtualMachine) -> PyResult {
    Ok(Handle { node: Rc::downgrade(node), id }.into_pyobject(vm))
}

#[pyclass(flags(HAS_WEAKREF))]
impl Handle {
    #[pymethod]
    fn remove(zelf: &Py<Self>) {
        if let Some(node) = zelf.node.upgrade() {
            node.remove_hook(zelf.id);
        }
    }
    #[pygetset]
    fn id(zelf: &Py<Self>) -> u64 {
        zelf.id
    }
    #[pymethod]
    fn __enter__(zelf: rustpython_vm::PyRef<Self>) -> rustpython_vm::PyRef<Self> {
        zelf
    }
    #[pymethod]
    fn __exit__(zelf: &Py<Self>, _args: FuncArgs) {
        Self::remove(zelf);
    }
}

/// `x.register_hook(hook)`
pub(crate) fn register_hook(t: &Tensor, hook: PyObjectRef, vm: &VirtualMachine) -> PyResult {
    let call = Rc::new(move |g: &Tensor| {
        with_vm(|vm| {
            let result = hook.call((wrap(g, vm)?,), vm)?;
            if vm.is_none(&result) {
                return Ok(None);
            }
            match result.downcast_ref::<PyTensor>() {
                Some(new) => {
                    let new = new.tensor();
                    let changed = if new.dtype() != g.dtype() {
                        let name = |t: &Tensor| format!("torch.{}Tensor", t.dtype().scalar_type_name());
                        format!("type of value (was {} got {})", name(g), name(new))
                    } else if new.shape() != g.shape() {
                        "size of value".to_owned()
                    } else {
                        return Ok(Some(new.clone()));
                    };
                    let name = hook.get_attr("__name__", vm).or_else(|_| hook.repr(vm).map(Into::into))?;
                    let name = name.str(vm)?;
                    Err(vm.new_runtime_error(format!("hook '{}' has changed the {changed}", name.to_string_lossy())))
                }
                None => {
                    let class = result.class().name().to_string();
                    Err(vm.new_type_error(format!("expected Variable, but hook returned '{class}'")))
                }
            }
        })
    });
    let (node, id) = t.register_hook(call).py(vm)?;
    handle(&node, id, vm)
}

/// `x.register_post_accumulate_grad_hook(hook)`
pub(crate) fn register_post_accumulate_hook(t: &Tensor, hook: PyObjectRef, vm: &VirtualMachine) -> PyResult {
    let call = Rc::new(move |leaf: &Tensor| with_vm(|vm| hook.call((wrap(leaf, vm)?,), vm).map(drop)));
    let (node, id) = t.register_post_accumulate_grad_hook(call).py(vm)?;
    handle(&node, id, vm)
}

/// `_attach_function(ctx, inputs, outputs, saved, dirty, non_differentiable)`
pub(crate) fn attach_function(args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let [ctx, inputs, outputs, saved, dirty, non_differentiable] = args.args.as_slice() else {
        return Err(vm.new_type_error(format!("_attach_function() takes 6 arguments ({} given)", args.args.len())));
    };
    let Some(context) = ctx.downcast_ref::<PyNode>() else {
        return Err(vm.new_type_error("_attach_function(): ctx must be a FunctionNode".to_owned()));
    };
    let inputs = tensors(inputs, vm)?;
    let given = tensors(outputs, vm)?;
    let (dirty, non_differentiable) = (tensors(dirty, vm)?, tensors(non_differentiable, vm)?);
    let among = |t: &Tensor, list: &[Tensor]| list.iter().any(|other| other.same(t));
    let saved = optional_tensors(&items(saved).unwrap_or_default(), vm)?;
    for t in &dirty {
        let leaf = t.is_leaf() && t.requires_grad();
        if leaf {
            let text = "a leaf Variable that requires grad has been used in an in-place operation.";
            return Err(vm.new_runtime_error(text.to_owned()));
        }
        if t.base().is_some() {
            let text = "mark_dirty() of a view is not available here; write to a clone in forward()";
            return Err(vm.new_not_implemented_error(text.to_owned()));
        }
    }
    // An input that comes back unchanged is another tensor on the same memory.
    let outs: Vec<Tensor> =
        given.iter().map(|t| if among(t, &inputs) && !among(t, &dirty) { t.detach() } else { t.clone() }).collect();
    let marked: Vec<(Tensor, bool)> =
        outs.iter().map(|t| (t.clone(), t.dtype().is_float() && !among(t, &non_differentiable))).collect();
    let keep: Vec<Save> = saved
        .iter()
        .flatten()
        .map(|t| match given.iter().position(|o| o.same(t)).filter(|&nr| !among(t, &inputs) && marked[nr].1) {
            Some(nr) => Save::Output(nr),
            None => Save::Input(t),
        })
        .collect();
    let call = ctx.clone();
    let wanted = inputs.len();
    let rule = Box::new(move |grads: &autograd::GradCtx| {
        with_vm(|vm| {
            let args: Vec<PyObjectRef> =
                (0..grads.num_outputs()).map(|nr| wrap_option(grads.opt_grad_of(nr), vm)).collect::<PyResult<_>>()?;
            let result = vm.call_method(&call, "_run_backward_hook", args)?;
            let result = items(&result).unwrap_or_else(|| vec![result]);
            let mut result = optional_tensors(&result, vm)?;
            result.resize(wanted, None);
            Ok(result)
        })
    });
    let name = ctx.class().name().to_string();
    let references: Vec<&Tensor> = inputs.iter().collect();
    if let Some(node) = autograd::custom(name, &references, &marked, &keep, rule) {
        context.attach(&node, saved.iter().map(Option::is_some).collect());
        let strong: Rc<dyn std::any::Any> = Rc::new(ctx.clone());
        *node.foreign.borrow_mut() = Some(strong);
        autograd::packed().py(vm)?;
    }
    let outs = outs.iter().map(|t| wrap(t, vm)).collect::<PyResult<Vec<_>>>()?;
    Ok(PyTuple::new_ref(outs, &vm.ctx).into())
}

/// `_one_node(name, inputs, outputs, backward)`: an op made of other ops in Python as one node of the graph.
/// `backward(inputs, grads)` gives a gradient or None for each input.
pub(crate) fn one_node(args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let [name, inputs, outputs, backward] = args.args.as_slice() else {
        return Err(vm.new_type_error(format!("_one_node() takes 4 arguments ({} given)", args.args.len())));
    };
    let name = name.str(vm)?.to_string_lossy().into_owned();
    let (inputs, given) = (tensors(inputs, vm)?, tensors(outputs, vm)?);
    let outs: Vec<(Tensor, bool)> = given.iter().map(|t| (t.detach(), t.dtype().is_inexact())).collect();
    let keep: Vec<Save> = inputs.iter().map(Save::Input).collect();
    let (backward, wanted) = (backward.clone(), inputs.len());
    let rule = Box::new(move |grads: &autograd::GradCtx| {
        with_vm(|vm| {
            let saved = grads.saved_all().iter().map(|t| wrap(t, vm)).collect::<PyResult<Vec<_>>>()?;
            let grads: Vec<PyObjectRef> =
                (0..grads.num_outputs()).map(|nr| wrap_option(grads.opt_grad_of(nr), vm)).collect::<PyResult<_>>()?;
            let args = (vm.ctx.new_tuple(saved), vm.ctx.new_tuple(grads));
            let result = backward.call(args, vm)?;
            let mut result = optional_tensors(&items(&result).unwrap_or_default(), vm)?;
            result.resize(wanted, None);
            Ok(result)
        })
    });
    let references: Vec<&Tensor> = inputs.iter().collect();
    autograd::custom(name, &references, &outs, &keep, rule);
    let outs = outs.iter().map(|(t, _)| wrap(t, vm)).collect::<PyResult<Vec<_>>>()?;
    Ok(PyTuple::new_ref(outs, &vm.ctx).into())
}

/// `y.grad_fn`
pub(crate) fn grad_fn(t: &Tensor, vm: &VirtualMachine) -> PyResult {
    match t.grad_fn() {
        Some(node) => wrap_node(&node, vm),
        None => Ok(vm.ctx.none()),
    }
}

/// `x.backward(gradient=None, retain_graph=None, create_graph=False, inputs=None)`
pub(crate) fn backward(t: &Tensor, args: FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    crate::stop::check_interrupt(vm)?;
    let given = |at: usize, name: &str| {
        let object = args.args.get(at).cloned().or_else(|| args.get_optional_kwarg(name));
        object.filter(|o| !vm.is_none(o))
    };
    const KNOWN: &[&str] = &["gradient", "retain_graph", "create_graph", "inputs"];
    if let Some(key) = args.kwargs.keys().map(|k| k.to_string_lossy()).find(|k| !KNOWN.contains(&&**k)) {
        return Err(vm.new_type_error(format!("Tensor.backward() got an unexpected keyword argument '{key}'")));
    }
    let gradient = match given(0, "gradient") {
        Some(object) => Some(
            expect(&object, "gradients can be either Tensors or None, but got a value that", vm)
                .map_err(|_| {
                    vm.new_type_error(format!(
                        "gradients can be either Tensors or None, but got {}",
                        object.class().name()
                    ))
                })?
                .clone(),
        ),
        None => None,
    };
    let create_graph = given(2, "create_graph").map(|o| o.is_true(vm)).transpose()?.unwrap_or(false);
    let retain_graph = given(1, "retain_graph").map(|o| o.is_true(vm)).transpose()?.unwrap_or(create_graph);
    let inputs = match given(3, "inputs") {
        Some(object) if object.downcast_ref::<PyTensor>().is_some() => {
            Some(vec![expect(&object, "inputs", vm)?.clone()])
        }
        Some(object) => Some(tensors(&object, vm)?),
        None => None,
    };
    if inputs.as_ref().is_some_and(Vec::is_empty) {
        return Err(vm.new_runtime_error("`inputs` argument to `backward()` cannot be empty.".to_owned()));
    }
    if create_graph {
        warn_of_cycle(vm)?;
    }
    autograd::backward(&[(t.clone(), gradient)], retain_graph, create_graph, inputs.as_deref()).py(vm)
}

/// Anomaly mode: the lines of the running Python program, and a warning with them.
struct Anomaly;

impl autograd::Anomaly for Anomaly {
    fn trace(&self) -> String {
        let text = with_vm(|vm| {
            let traceback = vm.import("traceback", 0)?;
            let lines = vm.call_method(&traceback, "format_stack", ())?;
            let mut lines = items(&lines).unwrap_or_default();
            // The learner's call of a Function, not how it is made here.
            let ours = |line: &PyObjectRef| {
                line.str(vm).is_ok_and(|l| l.to_string_lossy().contains("lib/torch/autograd/function.py"))
            };
            while lines.last().is_some_and(ours) {
                lines.pop();
            }
            let mut text = String::new();
            for line in lines {
                text.push_str(&line.str(vm)?.to_string_lossy());
            }
            Ok(text)
        });
        text.unwrap_or_default()
    }
    fn report(&self, text: &str) -> rushlight_engine::Result<()> {
        with_vm(|vm| super::data::warn(text, vm))
    }
}

pub(crate) fn install_anomaly() {
    autograd::set_anomaly_hooks(Some(Rc::new(Anomaly)));
}
