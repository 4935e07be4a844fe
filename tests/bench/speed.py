"""The work that the comparison with other libraries measures, in plain PyTorch: run by Rushlight in the browser and
natively, and by PyTorch itself. Prints a name and milliseconds a line. `ONLY`, where it is set, names what to run."""
import time

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
if hasattr(torch, "set_num_threads"):
    torch.set_num_threads(1)
ONLY = globals().get("ONLY", "")
WORK = {}


def work(name):
    def note(make):
        WORK[name] = make
        return make

    return note


def measure(step, least=0.02, rounds=25):
    """Milliseconds a call: the best of many rounds, in which nothing else disturbs, each long enough for a coarse clock."""
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
    return min(took)


def matmul(n):
    a, b = torch.rand(n, n) - 0.5, torch.rand(n, n) - 0.5
    return lambda: a @ b


work("matmul 256")(lambda: matmul(256))
work("matmul 512")(lambda: matmul(512))
work("matmul 1024")(lambda: matmul(1024))


@work("matmul 512, both transposed")
def _():
    a, b = torch.rand(512, 512) - 0.5, torch.rand(512, 512) - 0.5
    return lambda: a.T @ b.T


@work("matmul 16 of 128")
def _():
    a, b = torch.rand(16, 128, 128) - 0.5, torch.rand(16, 128, 128) - 0.5
    return lambda: a @ b


@work("tanh(2x+1)*x, a million")
def _():
    x = torch.rand(1 << 20) - 0.5
    return lambda: torch.tanh(2 * x + 1) * x


@work("sum of a million")
def _():
    x = torch.rand(1024, 1024) - 0.5
    return lambda: x.sum()


@work("row sums of a million")
def _():
    x = torch.rand(1024, 1024) - 0.5
    return lambda: x.sum(1)


@work("column maxima of a million")
def _():
    x = torch.rand(1024, 1024) - 0.5
    return lambda: x.amax(0)


@work("softmax 256x1000")
def _():
    x = torch.rand(256, 1000) - 0.5
    return lambda: F.softmax(x, 1)


@work("layer norm 256x768")
def _():
    x, w, b = torch.rand(256, 768) - 0.5, torch.rand(768), torch.rand(768)
    return lambda: F.layer_norm(x, (768,), w, b)


@work("layer norm 256x768, with gradient")
def _():
    x, norm = (torch.rand(256, 768) - 0.5).requires_grad_(), nn.LayerNorm(768)

    def step():
        x.grad = None
        norm.zero_grad()
        norm(x).sum().backward()

    return step


@work("cross entropy 256x1000, with gradient")
def _():
    x, y = (torch.rand(256, 1000) - 0.5).requires_grad_(), torch.arange(256) % 1000

    def step():
        x.grad = None
        F.cross_entropy(x, y).backward()

    return step


def training(model, x, optimizer):
    y, loss_fn = torch.arange(len(x)) % 10, nn.CrossEntropyLoss()

    def step():
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def mlp():
    return nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10)), torch.rand(64, 784) - 0.5


@work("MLP step, SGD")
def _():
    model, x = mlp()
    return training(model, x, torch.optim.SGD(model.parameters(), lr=0.1))


@work("MLP step, Adam")
def _():
    model, x = mlp()
    return training(model, x, torch.optim.Adam(model.parameters(), lr=1e-3))


@work("CNN step, SGD")
def _():
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(32 * 7 * 7, 10),
    )
    return training(model, torch.rand(32, 1, 28, 28) - 0.5, torch.optim.SGD(model.parameters(), lr=0.1))


class Rows(nn.Module):
    """Reads a digit row by row."""

    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(28, 64, batch_first=True)
        self.head = nn.Linear(64, 10)

    def forward(self, x):
        states, _ = self.gru(x)
        return self.head(states[:, -1])


@work("GRU step, SGD")
def _():
    model = Rows()
    return training(model, torch.rand(32, 28, 28) - 0.5, torch.optim.SGD(model.parameters(), lr=0.1))


def adding(a, b):
    def step():
        for _ in range(100):
            a + b

    return step


work("100 times a + b, one element")(lambda: adding(torch.ones(1), torch.ones(1)))
work("100 times a + b, one element, with gradient")(lambda: adding(torch.ones(1, requires_grad=True), torch.ones(1)))
work("100 times w + b, one element, parameters")(
    lambda: adding(nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(1)))
)

for name, make in WORK.items():
    if ONLY in name:
        print(f"{name}\t{measure(make()):.6f}")
