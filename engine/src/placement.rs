//! Which device an op runs on: that of its tensors, which must lie together. Python numbers and 0-d tensors of the host
//! may stand beside tensors of the GPU, and indices may lie on the host.

use crate::autograd::differentiable;
use crate::backend::webgpu;
use crate::device::{self, Device};
use crate::error::{Error, Result};
use crate::registry::{Args, Op, Value};
use crate::tensor::{Raw, Tensor};

/// A value that was computed in host memory, where an op is to make it.
pub(crate) fn placed(raw: Raw) -> Result<Raw> {
    let here = device::current();
    if here.is_gpu() && raw.device() == Device::Cpu { webgpu::place(here, &raw) } else { Ok(raw) }
}

/// The same elements in host memory.
pub fn to_host(raw: &Raw) -> Result<Raw> {
    webgpu::to_host(raw)
}

/// `x.to(device)`: the tensor itself where it is there already. The gradient comes back to where `x` is.
///
/// # Errors
/// There is no such device; no memory on it.
pub fn to_device(x: &Tensor, device: Device) -> Result<Tensor> {
    let from = x.device();
    if from == device {
        return Ok(x.clone());
    }
    let raw = x.raw();
    // What lies in memory without gaps keeps its order of dimensions, as `to` does.
    let whole = raw.layout.is_dense() && raw.storage.nbytes() == raw.numel() * raw.dtype.size();
    let raw = if whole { raw } else { crate::backend::backend(from).copy(&raw, raw.dtype)? };
    let moved = match (from.is_gpu(), device.is_gpu()) {
        (true, true) => webgpu::renamed(device, &raw)?,
        (false, true) => webgpu::place(device, &raw)?,
        _ => webgpu::brought(&raw)?,
    };
    Ok(differentiable("ToCopyBackward0", &[x], moved, &[], move |ctx| Ok(vec![Some(to_device(&ctx.grad()?, from)?)])))
}

/// All tensors of the arguments.
fn tensors(args: &Args) -> impl Iterator<Item = &Tensor> {
    // Every call of an op passes here: nothing is allocated.
    args.0.iter().flat_map(|v| {
        let (all, some): (&[Tensor], &[Option<Tensor>]) = match v {
            Value::Tensor(t) => (std::slice::from_ref(t), &[]),
            Value::Tensors(ts) => (ts, &[]),
            Value::OptTensors(ts) => (&[], ts),
            _ => (&[], &[]),
        };
        all.iter().chain(some.iter().flatten())
    })
}

/// Ops that take tensors of several devices: indices may lie on the host, and copies go from one to the other.
fn mixes(name: &str) -> bool {
    matches!(name, "index" | "index_put" | "_index_put_impl" | "copy_")
}

/// Where an op runs, and its arguments brought there where some are to be brought.
pub(crate) fn arrange(op: &Op, args: &Args) -> Result<(Device, Option<Args>)> {
    let (mut gpu, mut host, mut any) = (None, false, false);
    for t in tensors(args) {
        any = true;
        match t.device() {
            Device::Cpu => host |= !t.is_wrapped_number(),
            device => gpu = gpu.or(Some(device)),
        }
    }
    let Some(device) = gpu else {
        let wanted = args.0.iter().find_map(|v| if let Value::Device(d) = v { Some(*d) } else { None });
        let here = if any && host { Device::Cpu } else { device::current() };
        return Ok((wanted.unwrap_or(here), None));
    };
    if !host {
        return Ok((device, None));
    }
    let name = op.name();
    let first = tensors(args).next().map_or(device, Tensor::device);
    if mixes(name) && first == Device::Cpu {
        // What is written to or indexed says where.
        return Ok((Device::Cpu, Some(moved(args, Device::Cpu)?)));
    }
    let stranger = tensors(args).any(|t| t.device() == Device::Cpu && t.ndim() > 0);
    if stranger && !mixes(name) {
        return Err(apart(op, args, first));
    }
    Ok((device, Some(moved(args, device)?)))
}

/// The arguments with all tensors on `device`; numbers stay.
fn moved(args: &Args, device: Device) -> Result<Args> {
    let to = |t: &Tensor| if t.is_wrapped_number() { Ok(t.clone()) } else { to_device(t, device) };
    let each = args.0.iter().map(|v| {
        Ok(match v {
            Value::Tensor(t) => Value::Tensor(to(t)?),
            Value::Tensors(ts) => Value::Tensors(ts.iter().map(to).collect::<Result<_>>()?),
            Value::OptTensors(ts) => {
                Value::OptTensors(ts.iter().map(|t| t.as_ref().map(to).transpose()).collect::<Result<_>>()?)
            }
            other => other.clone(),
        })
    });
    Ok(Args(each.collect::<Result<_>>()?))
}

/// PyTorch's error for tensors that lie apart.
fn apart(op: &Op, args: &Args, first: Device) -> Error {
    let name = op.name();
    if name.starts_with("conv") {
        let kind = |i: usize| match args.0.get(i) {
            Some(Value::Tensor(t)) => {
                let name = t.dtype().tensor_type_name();
                if t.device().is_gpu() { format!("torch.cuda.{name}") } else { format!("torch.{name}") }
            }
            _ => String::new(),
        };
        return Error::runtime(format!("Input type ({}) and weight type ({}) should be the same", kind(0), kind(1)));
    }
    // The op that does the work, the names it gives to its operands, and which of ours they are.
    let known: Option<(&str, &[&str], &[usize])> = match name {
        "mm" => Some(("mm", &["self", "mat2"], &[0, 1])),
        "matmul" => Some(("mm", &["self", "mat2"], &[0, 1])),
        "bmm" => Some(("bmm", &["self", "mat2"], &[0, 1])),
        "linear" => Some(("addmm", &["self", "mat1", "mat2"], &[2, 0, 1])),
        "addmm" => Some(("addmm", &["self", "mat1", "mat2"], &[0, 1, 2])),
        "embedding" => Some(("_index_select", &["self", "index"], &[0, 1])),
        "index_select" => Some(("_index_select", &["self", "index"], &[0, 2])),
        "gather" => Some(("gather", &["self", "index"], &[0, 2])),
        "nll_loss_nd" | "cross_entropy_loss" => Some(("nll_loss_forward", &["self", "target"], &[0, 1])),
        _ => None,
    };
    let all: Vec<(Option<&str>, Device)> = match known {
        Some((_, names, places)) => names
            .iter()
            .zip(places)
            .filter_map(|(n, &p)| match args.0.get(p) {
                Some(Value::Tensor(t)) => Some((Some(*n), t.device())),
                _ => None,
            })
            .collect(),
        None => tensors(args).filter(|t| !t.is_wrapped_number()).map(|t| (None, t.device())).collect(),
    };
    let first = all.first().map_or(first, |a| a.1);
    let other = all.iter().find(|a| a.1.is_gpu() != first.is_gpu());
    match (known, other) {
        (Some((method, ..)), Some((Some(operand), at))) => Error::runtime(format!(
            "Expected all tensors to be on the same device, but got {operand} is on {at}, different from other tensors on \
             {first} (when checking argument in method wrapper_CUDA_{method})"
        )),
        (_, other) => Error::runtime(format!(
            "Expected all tensors to be on the same device, but found at least two devices, {} and {}!",
            if first.is_gpu() { first } else { other.map_or(first, |o| o.1) },
            Device::Cpu
        )),
    }
}

/// Run what is no op of the table, but is done to `x`, where `x` is.
pub(crate) fn on<T>(name: &'static str, x: &Tensor, f: impl FnOnce() -> T) -> T {
    let device = x.device();
    if device == Device::Cpu && device::current() == Device::Cpu { f() } else { device::running(name, device, f) }
}

/// Run an op where its tensors are.
pub(crate) fn run(op: &Op, args: &Args) -> Result<Value> {
    let (device, brought) = arrange(op, args)?;
    if device == Device::Cpu && device::current() == Device::Cpu {
        return (op.run)(brought.as_ref().unwrap_or(args));
    }
    device::running(op.name(), device, || (op.run)(brought.as_ref().unwrap_or(args)))
}
