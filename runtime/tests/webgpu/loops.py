"""Training loops on the CPU and on the GPU, from the same seeds: the same losses, and nothing computed elsewhere."""

import torch
import torch.nn.functional as F
from torch import nn


class Words(nn.Module):
    """Embedding, a recurrent layer, and a prediction of each next word."""

    def __init__(self, kind):
        super().__init__()
        self.embedding = nn.Embedding(50, 16)
        self.recurrent = getattr(nn, kind)(16, 24, batch_first=True)
        self.out = nn.Linear(24, 50)

    def forward(self, x):
        return self.out(self.recurrent(self.embedding(x))[0]).transpose(1, 2)


def cases():
    torch.manual_seed(0)
    images, digits = torch.randn(8, 1, 28, 28), torch.randint(0, 10, (8,))
    words = torch.randint(0, 50, (4, 9))
    points = torch.randn(30, 3)
    values = points @ torch.tensor([[1.0], [2.0], [3.0]]) + 0.5
    adam = lambda p: torch.optim.Adam(p, lr=1e-3)
    yield ("mlp", nn.Sequential(nn.Flatten(), nn.Linear(784, 64), nn.ReLU(), nn.Linear(64, 10)), images, digits,
           nn.CrossEntropyLoss(), lambda p: torch.optim.SGD(p, lr=0.1))
    yield ("cnn", nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Conv2d(4, 8, 3), nn.ReLU(), nn.MaxPool2d(2),
                                nn.Flatten(), nn.Dropout(0.25), nn.Linear(8 * 12 * 12, 10)), images, digits,
           nn.CrossEntropyLoss(), adam)
    yield ("norms", nn.Sequential(nn.Conv2d(1, 4, 3, padding=1, stride=2), nn.BatchNorm2d(4), nn.GELU(),
                                  nn.AvgPool2d(2), nn.Flatten(), nn.LayerNorm(196), nn.Linear(196, 10)), images, digits,
           nn.CrossEntropyLoss(label_smoothing=0.1), adam)
    for kind in ("GRU", "LSTM", "RNN"):
        yield kind.lower(), Words(kind), words, words.roll(-1, 1), nn.CrossEntropyLoss(), adam
    yield ("transformer", nn.Sequential(nn.Embedding(50, 16), nn.TransformerEncoderLayer(16, 2, 32, batch_first=True),
                                        nn.Linear(16, 50)), words, words,
           lambda out, to: F.cross_entropy(out.reshape(-1, 50), to.reshape(-1)), torch.optim.AdamW)
    yield ("regression", nn.Linear(3, 1), points, values, nn.MSELoss(),
           lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9))
    yield ("logistic", nn.Linear(3, 1), points, (values > 0).float(), nn.BCEWithLogitsLoss(), torch.optim.RMSprop)


def losses(model, x, y, loss, optimizer, device):
    model, x, y = model.to(device), x.to(device), y.to(device)
    step = optimizer(model.parameters())
    found = []
    torch.manual_seed(1)
    for _ in range(4):
        step.zero_grad()
        value = loss(model(x), y)
        value.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        step.step()
        found.append(value.item())
    return found


import copy

for name, model, *rest in cases():
    here = losses(copy.deepcopy(model), *rest, "cpu")
    torch.webgpu.reset_fallbacks()
    before = torch.webgpu.counts()
    there = losses(model, *rest, "webgpu")
    after = torch.webgpu.counts()
    worst = max(abs(a - b) / abs(a) for a, b in zip(here, there))
    reads = after["reads"] - before["reads"]
    print(name, "same" if worst < 2e-4 else (here, there), torch.webgpu.fallbacks(), "reads", reads)
