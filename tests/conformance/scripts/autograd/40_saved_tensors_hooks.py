import os
import tempfile

import torch
from torch.autograd.graph import disable_saved_tensors_hooks, save_on_cpu, saved_tensors_hooks


def pack(x):
    print("packing", x)
    return x.detach()


def unpack(x):
    print("unpacking", x)
    return x


a = torch.ones(3, requires_grad=True)
b = torch.full((3,), 2.0, requires_grad=True) * 2
with saved_tensors_hooks(pack, unpack):
    y = a * b
    z = y.exp()
print("backward")
z.sum().backward()
print(a.grad)

# Saved tensors kept on disk.
folder = tempfile.mkdtemp()
count = 0


def to_disk(x):
    global count
    count += 1
    path = os.path.join(folder, f"{count}.pt")
    torch.save(x, path)
    return path


a.grad = None
with saved_tensors_hooks(to_disk, torch.load):
    out = (a.sin() * a.cos()).sum()
print(sorted(os.listdir(folder)))
out.backward()
print(a.grad)

# Packed with less precision.
w = torch.tensor([1.0001, 2.0002], requires_grad=True)
with saved_tensors_hooks(lambda t: t.to(torch.bfloat16), lambda t: t.to(torch.float32)):
    v = (w * w).sum()
v.backward()
print(w.grad)

with save_on_cpu():
    u = (a * a).sum()
a.grad = None
u.backward()
print(a.grad)

# Only the innermost hooks are called.
with saved_tensors_hooks(pack, unpack):
    with saved_tensors_hooks(lambda t: t.detach() * 10, lambda t: t):
        s = a.exp().sum()
s.backward()
print(a.grad)


def attempt(text, act):
    try:
        act()
        print(text, "worked")
    except Exception as e:
        print(text, type(e).__name__, e)


def fails(x):
    raise ValueError("no room")


def with_hooks(p, q):
    with saved_tensors_hooks(p, q):
        r = a.sin()
    r.sum().backward()


attempt("pack raises", lambda: with_hooks(fails, unpack))
attempt("unpack raises", lambda: with_hooks(lambda t: t, fails))
attempt("unpack gives a number", lambda: with_hooks(lambda t: 4, lambda t: t))
attempt("pack writes", lambda: with_hooks(lambda t: t.add_(1), lambda t: t))


def disabled():
    with disable_saved_tensors_hooks("hooks are off here"):
        with saved_tensors_hooks(pack, unpack):
            pass


attempt("disabled", disabled)
r = a.sin()
r.grad_fn._raw_saved_self.register_hooks(lambda t: t * 0 + 3, lambda t: t)
print(torch.autograd.grad(r.sum(), a), torch.cos(torch.tensor(3.0)))
