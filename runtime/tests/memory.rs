//! Memory: counters, a budget that refuses, and what training leaves behind.

mod common;

use common::lab;

/// 1 MiB of floats is 262,144 of them.
#[test]
fn counters_follow_tensors() {
    lab(|lab| {
        let shown = lab.out(
            r#"
import torch, rushlight
start = rushlight.memory_allocated()
x = torch.zeros(262144)
y = x.view(512, 512).t()
print(rushlight.memory_allocated() - start)
z = y.clone()
print(rushlight.memory_allocated() - start)
rushlight.reset_peak_memory_stats()
del z
print(rushlight.memory_allocated() - start, rushlight.max_memory_allocated() - start)
del x, y
print(rushlight.memory_allocated() - start)
"#,
        );
        assert_eq!(shown, "1048576\n2097152\n1048576 2097152\n0\n");
    });
}

#[test]
fn a_spent_budget_raises_and_leaves_everything_in_order() {
    lab(|lab| {
        let shown = lab.out(
            r#"
import torch, rushlight
x = torch.ones(262144)
rushlight.set_memory_budget(rushlight.memory_allocated() + 3 * 2**19)
try:
    y = x.repeat(2)
except torch.OutOfMemoryError as e:
    print(type(e), isinstance(e, RuntimeError))
    print(str(e).split(" The memory budget")[0])
y = x + 1
print(y[0].item())
try:
    y = y * 2
    print(y.sum().item())
    z = torch.cat([y, y])
except RuntimeError as e:
    print(type(e).__name__)
rushlight.set_memory_budget(None)
print(torch.cat([y, y]).shape, rushlight.memory_budget())
for wrong in (-1, 1.5, "1", True):
    try:
        rushlight.set_memory_budget(wrong)
    except ValueError as e:
        print(e)
"#,
        );
        assert_eq!(
            shown,
            "<class 'torch.OutOfMemoryError'> True\nCPU out of memory. Tried to allocate 2.00 MiB.\n2.0\n\
             OutOfMemoryError\ntorch.Size([524288]) None\n\
             a memory budget is a number of bytes or None, got -1\n\
             a memory budget is a number of bytes or None, got 1.5\n\
             a memory budget is a number of bytes or None, got '1'\n\
             a memory budget is a number of bytes or None, got True\n"
        );
    });
}

/// Without a budget an absurd size is refused in the words of PyTorch's CPU allocator.
#[test]
fn absurd_sizes_are_refused() {
    lab(|lab| {
        let error = lab.error("import torch\ntorch.empty(10 ** 15)");
        assert_eq!(error.class, "RuntimeError");
        assert!(
            error
                .message
                .contains("DefaultCPUAllocator: can't allocate memory: you tried to allocate 4000000000000000 bytes")
        );
    });
}

#[test]
fn training_and_checkpoints_leave_nothing_behind() {
    lab(|lab| {
        let shown = lab.out(
            r#"
import torch, rushlight
from torch import nn
from torch.utils.checkpoint import checkpoint
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(model.parameters())
x, y = torch.randn(32, 64), torch.randn(32, 1)
def step(run):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(run(x), y)
    loss.backward()
    optimizer.step()
for run in (model, lambda x: checkpoint(model, x, use_reentrant=False)):
    for _ in range(5):
        step(run)
    before = rushlight.memory_allocated()
    for _ in range(50):
        step(run)
    print(rushlight.memory_allocated() - before)
# What a checkpoint is for: less is held between forward and backward.
deep = nn.Sequential(*[nn.Sequential(nn.Linear(64, 64), nn.Tanh(), nn.Tanh(), nn.Tanh()) for _ in range(8)])
x = torch.randn(512, 64)
def held(run):
    start = rushlight.memory_allocated()
    out = run(x)
    return rushlight.memory_allocated() - start
plain = held(deep)
saved = held(lambda x: torch.utils.checkpoint.checkpoint_sequential(deep, 8, x, use_reentrant=False))
print(saved < plain * 0.55)
"#,
        );
        assert_eq!(shown, "0\n0\nTrue\n");
    });
}
