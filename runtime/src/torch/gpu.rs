//! What `torch.cuda`, `torch.webgpu` and `torch.accelerator` ask the GPU backend: `torch._C._gpu`.

use super::errors::ToPy;
use super::native::function;
use rushlight_engine::backend::webgpu;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine};

type Fun = fn(FuncArgs, &VirtualMachine) -> PyResult;

fn int(n: impl Into<i128>, vm: &VirtualMachine) -> PyObjectRef {
    vm.ctx.new_int(n.into()).into()
}

const FUNCTIONS: &[(&str, Fun)] = &[
    // Why there is none, or None.
    ("absence", |_, vm| Ok(webgpu::absence().map_or_else(|| vm.ctx.none(), |why| vm.ctx.new_str(why).into()))),
    // Name, API, whether a processor does the work, the largest buffer in bytes.
    ("facts", |_, vm| {
        let Some(facts) = webgpu::facts() else { return Ok(vm.ctx.none()) };
        let largest = int(facts.max_buffer, vm);
        let items = vec![
            vm.ctx.new_str(facts.name).into(),
            vm.ctx.new_str(facts.api).into(),
            vm.ctx.new_bool(facts.software).into(),
            largest,
        ];
        Ok(vm.ctx.new_tuple(items).into())
    }),
    // Kernels launched, submissions, reads, bytes read, bytes uploaded, kernels compiled: since the start.
    ("counts", |_, vm| {
        let c = webgpu::counts();
        let items = [c.launches, c.submits, c.reads, c.bytes_read, c.bytes_uploaded, c.pipelines];
        Ok(vm.ctx.new_tuple(items.map(|n| int(n, vm)).into()).into())
    }),
    // Bytes of all values, the most there were, bytes of all buffers; buffers in use.
    ("memory", |_, vm| {
        let items = [webgpu::live_bytes(), webgpu::peak_bytes(), webgpu::reserved_bytes(), webgpu::live_buffers()];
        Ok(vm.ctx.new_tuple(items.map(|n| int(n as u64, vm)).into()).into())
    }),
    ("reset_peak", |_, vm| {
        webgpu::reset_peak();
        Ok(vm.ctx.none())
    }),
    ("set_budget", |args, vm| {
        webgpu::set_budget(args.bind::<(Option<usize>,)>(vm)?.0);
        Ok(vm.ctx.none())
    }),
    ("synchronize", |_, vm| {
        webgpu::synchronize().py(vm)?;
        Ok(vm.ctx.none())
    }),
    ("empty_cache", |_, vm| {
        webgpu::empty_cache();
        Ok(vm.ctx.none())
    }),
    ("fallbacks", |_, vm| {
        let counted = vm.ctx.new_dict();
        for (name, n) in webgpu::fallbacks() {
            counted.set_item(name.as_str(), int(n, vm), vm)?;
        }
        Ok(counted.into())
    }),
    ("forget_fallbacks", |_, vm| {
        webgpu::forget_fallbacks();
        Ok(vm.ctx.none())
    }),
    ("destroy", |_, vm| {
        webgpu::destroy();
        Ok(vm.ctx.none())
    }),
];

/// The namespace `torch._C._gpu`.
pub(crate) fn namespace(vm: &VirtualMachine) -> PyResult {
    let module = vm.new_module("torch._C._gpu", vm.ctx.new_dict(), None);
    for (name, f) in FUNCTIONS {
        module.set_attr(*name, function(name, *f, vm), vm)?;
    }
    Ok(module.into())
}
