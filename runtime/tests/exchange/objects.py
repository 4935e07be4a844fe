"""What is exchanged with PyTorch by file, and how it is shown. Runs under PyTorch and here."""

from collections import OrderedDict

import numpy as np
import torch
from torch import nn


def module():
    model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.ReLU(), nn.Dropout(0.25), nn.Linear(3, 1, bias=False))
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(torch.arange(p.numel()).reshape(p.shape) / 4 - 0.5)
    return model


def training():
    """A checkpoint as tutorials save it: model, optimizer, epoch, loss."""
    model = module()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.5)
    for p in model.parameters():
        p.grad = torch.full_like(p, 0.25)
    optimizer.step()
    return {"epoch": 3, "model": model.state_dict(), "optimizer": optimizer.state_dict(), "loss": 0.125}


def kinds():
    """Every dtype, views that share memory, shapes of all sorts, and Python's values."""
    base = torch.arange(12.0)
    names = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128".split()
    return OrderedDict(
        dtypes={name: torch.tensor([0, 1, 3]).to(getattr(torch, name)) for name in names},
        views=[base[2:8], base.view(3, 4).t(), base[::5]],
        scalar=torch.tensor(2.5),
        empty=torch.zeros(0, 3),
        leaf=torch.ones(2, requires_grad=True),
        parameter=nn.Parameter(torch.tensor([1.5])),
        plain=(1, 2.5, True, None, "text", b"bytes", {1, 2}, 3 + 4j, torch.Size([2, 3]), torch.float16),
    )


def arrays():
    return {"a": np.arange(6.0).reshape(2, 3), "s": np.float32(2.5), "words": np.array(["ab", "c"]),
            "u": np.arange(3, dtype=np.uint16)}


def tensors():
    return {"weight": torch.arange(6.0).reshape(2, 3), "bias": torch.ones(2, dtype=torch.bfloat16),
            "count": torch.tensor(7), "mask": torch.tensor([True, False])}


PICKLED = {"training.pt": training, "kinds.pt": kinds, "module.pt": module, "arrays.pt": arrays}


def write(folder):
    for name, make in PICKLED.items():
        torch.save(make(), f"{folder}/{name}")
    from safetensors.torch import save_file

    save_file(tensors(), f"{folder}/tensors.safetensors", metadata={"format": "pt"})


def show(folder):
    for name in PICKLED:
        # What runs no code on loading needs no trust.
        loaded = torch.load(f"{folder}/{name}", weights_only=name in ("training.pt", "kinds.pt"))
        print(name)
        print(loaded)
        if name == "module.pt":
            print(loaded.eval()(torch.tensor([[1.0, -2.0], [3.0, 0.5]])), loaded.state_dict())
        if name == "kinds.pt":
            loaded["views"][0][0] = 77
            print(loaded["views"][1])
    from safetensors import safe_open

    with safe_open(f"{folder}/tensors.safetensors", framework="pt") as f:
        print(f.metadata(), {key: f.get_tensor(key) for key in f.keys()})
