# What made a tensor, as printing it shows.
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
for kind in (nn.RNN, nn.GRU, nn.LSTM):
    for settings in ({}, {"batch_first": True}, {"bidirectional": True}):
        out, state = kind(3, 2, **settings)(torch.ones(2, 1, 3))
        print(kind.__name__, settings, out.grad_fn.name(), out.detach().flatten()[:2])
print(nn.GRUCell(3, 2)(torch.ones(1, 3)), nn.LSTMCell(3, 2)(torch.ones(1, 3))[0])

x = torch.tensor([[0.5, -1.0, 2.0, 0.1]], requires_grad=True)
y = torch.ones(1, 4)
line = x[None]
image = x.reshape(1, 1, 2, 2)
print(F.avg_pool1d(line, 2), F.max_pool1d(line, 2), F.avg_pool2d(image, 2), F.adaptive_avg_pool2d(image, 1))
print(F.glu(x), F.celu(x), F.elu(x), F.selu(x), F.hardtanh(x))
print(F.pairwise_distance(x, y), F.cosine_similarity(x, y), torch.cdist(x, y))
print(F.soft_margin_loss(x, y), F.multi_margin_loss(x, torch.tensor([2])), F.huber_loss(x, y), F.kl_div(x, y.softmax(1), reduction="sum"))
print(F.unfold(image, 2).grad_fn.name(), F.pad(image, (1, 1, 1, 1), "reflect").grad_fn.name())
print(F.pad(line, (1, 1), "replicate").grad_fn.name(), F.pad(image, (1, 1)).grad_fn.name())
print(F.scaled_dot_product_attention(image, image, image))

# A NaN goes back through activations that clip.
z = torch.tensor([float("nan"), 1.0, -1.0], requires_grad=True)
(F.relu(z) + F.hardtanh(z)).sum().backward()
print(z.grad)
