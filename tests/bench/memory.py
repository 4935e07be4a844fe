"""A thousand training steps must leave no more live bytes than ten did. Prints both."""
import rushlight
import torch
from torch import nn

model = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
optimizer = torch.optim.Adam(model.parameters())
x, y = torch.rand(64, 784), torch.arange(64) % 10
for step in range(1, 1001):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    if step in (10, 1000):
        print(f"{step}\t{rushlight.memory_allocated()}")
