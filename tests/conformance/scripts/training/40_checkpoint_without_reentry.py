import torch
from torch import nn
from torch.utils.checkpoint import CheckpointError, checkpoint, checkpoint_sequential, set_checkpoint_early_stop

torch.manual_seed(0)
calls = 0


def block(x, scale=1.0):
    global calls
    calls += 1
    return torch.tanh(torch.sin(x) * scale).exp()


x = torch.linspace(-1, 1, 4, requires_grad=True)
y = checkpoint(block, x, use_reentrant=False, scale=2.0)
print(y, calls)
y.sum().backward()
print(x.grad, calls)
plain = torch.autograd.grad(block(x, 2.0).sum(), x)[0]
print(torch.equal(plain, x.grad), calls)

# A gradient of a gradient goes through it too.
(first,) = torch.autograd.grad(checkpoint(lambda t: t**3, x, use_reentrant=False).sum(), x, create_graph=True)
print(first, torch.autograd.grad(first.sum(), x))

# Dropout draws the same mask when it runs again.
model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.ReLU(), nn.Linear(8, 2))
torch.manual_seed(1)
out = model(x)
out.sum().backward()
want = model[0].weight.grad.clone()
model.zero_grad()
torch.manual_seed(1)
out = checkpoint(model, x, use_reentrant=False)
out.sum().backward()
print(torch.equal(want, model[0].weight.grad), out.grad_fn)
model.zero_grad()
torch.manual_seed(1)
checkpoint_sequential(model, 2, x, use_reentrant=False).sum().backward()
print(torch.allclose(want, model[0].weight.grad))

# Checkpoints in a checkpoint, and results that are not one tensor.
inner = lambda t: checkpoint(torch.cos, t.exp(), use_reentrant=False)
x.grad = None
checkpoint(lambda t: inner(t).tanh(), x, use_reentrant=False).sum().backward()
print(x.grad)
x.grad = None
pair = checkpoint(lambda t: {"a": t.sin(), "b": [t.exp()]}, x, use_reentrant=False)
(pair["a"] * pair["b"][0]).sum().backward()
print(x.grad)

# With reentry the function is one node.
y = checkpoint(block, x, use_reentrant=True)
print(y, y.grad_fn.name(), y.grad_fn.next_functions[0][0].name())


def attempt(make):
    state = {"run": 0}

    def changing(t):
        state["run"] += 1
        return make(t, state["run"])

    try:
        checkpoint(changing, x, use_reentrant=False).sum().backward()
        print("fine", state)
    except CheckpointError as e:
        print("CheckpointError", str(e).split("\n\nTip")[0])


attempt(lambda t, run: t.sin().exp() if run == 1 else t.sin())
attempt(lambda t, run: (t if run == 1 else t[:2]).sin().exp())
attempt(lambda t, run: t.sin().exp() if run == 1 else t.sin().exp().cos().tan())
with set_checkpoint_early_stop(False):
    attempt(lambda t, run: t.sin().exp() if run == 1 else t.sin().exp().cos().tan())
for arguments in ({"use_reentrant": True, "scale": 2.0}, {"use_reentrant": False, "size": 1}):
    try:
        checkpoint(block, x, **arguments)
    except Exception as e:
        print(type(e).__name__, e)
try:
    torch.autograd.grad(checkpoint(block, x, use_reentrant=True).sum(), x)
except RuntimeError as e:
    print(e)
