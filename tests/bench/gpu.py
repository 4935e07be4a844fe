"""The work that the comparison with other libraries measures on the GPU, in plain PyTorch. Prints a name and milliseconds a
line; for a training step also how many kernels it launches. `ONLY`, where it is set, names what to run."""
import time

import torch
from torch import nn

ONLY = globals().get("ONLY", "")
DEVICE = "webgpu"
WORK = {}


def work(name):
    def note(make):
        WORK[name] = make
        return make

    return note


def measure(step, least=0.02, rounds=7):
    """Milliseconds a call: the median of some rounds, each long enough for a coarse clock."""
    for _ in range(3):
        step()
    start, calls = time.perf_counter(), 0
    while calls < 2 or time.perf_counter() - start < least:
        step()
        calls += 1
    took = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(calls):
            step()
        took.append((time.perf_counter() - start) / calls * 1000)
    return sorted(took)[len(took) // 2]


def matmul(n):
    a, b = torch.rand(n, n, device=DEVICE) - 0.5, torch.rand(n, n, device=DEVICE) - 0.5
    return lambda: (a @ b).cpu()


work("matmul 256")(lambda: matmul(256))
work("matmul 512")(lambda: matmul(512))
work("matmul 1024")(lambda: matmul(1024))


@work("tanh(2x+1)*x, a million")
def _():
    x = torch.rand(1 << 20, device=DEVICE) - 0.5
    return lambda: (torch.tanh(2 * x + 1) * x).cpu()


def training(model, x):
    model, x = model.to(DEVICE), x.to(DEVICE)
    y, loss_fn = (torch.arange(len(x)) % 10).to(DEVICE), nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step():
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


@work("MLP step, SGD")
def _():
    return training(nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10)), torch.rand(64, 784) - 0.5)


@work("CNN step, SGD")
def _():
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(32 * 7 * 7, 10),
    )
    return training(model, torch.rand(32, 1, 28, 28) - 0.5)


for name, make in WORK.items():
    if ONLY in name:
        step = make()
        print(f"{name}\t{measure(step):.6f}")
        before = torch.webgpu.counts()["launches"]
        step()
        print(f"launches of {name}\t{torch.webgpu.counts()['launches'] - before}")
