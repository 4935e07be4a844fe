# Random draws go through memory, so the strides of the input decide which element gets which draw.
import torch
import torch.nn.functional as F

torch.manual_seed(0)
x = torch.ones(3, 4)
print("rows", F.dropout(x, 0.5))
torch.manual_seed(0)
print("transposed", F.dropout(x.t(), 0.5))
torch.manual_seed(0)
print("permuted", F.dropout(torch.ones(2, 3, 4).permute(1, 2, 0), 0.3)[0])
torch.manual_seed(0)
print("alpha", F.alpha_dropout(torch.ones(2, 3).t(), 0.4, training=True))
torch.manual_seed(0)
print("gumbel", F.gumbel_softmax(torch.zeros(3, 2).t(), dim=-1))
torch.manual_seed(0)
print("multinomial", torch.multinomial(torch.ones(6, 2).t(), 3))

# Attention with the batch first gives a tensor whose first two dimensions are swapped in memory.
torch.manual_seed(1)
layer = torch.nn.TransformerEncoderLayer(4, 2, 8, dropout=0.4, batch_first=True)
print(layer(torch.ones(2, 3, 4))[..., 0])

# Normalisation gives rows again.
y = torch.arange(24.0).reshape(2, 3, 4).permute(2, 0, 1)
print(y.stride(), F.layer_norm(y, (3,)).stride(), torch.relu(y).stride(), torch.where(y > 3, y, 0.0).stride())
print(F.batch_norm(y, torch.zeros(2), torch.ones(2)).stride(), F.group_norm(y, 1).stride(), F.rms_norm(y, (3,)).stride())
images = torch.rand(2, 3, 4, 5).to(memory_format=torch.channels_last)
print(images.stride(), images.to(memory_format=torch.contiguous_format).stride())

# The bits of uniform numbers: scaled and moved in one rounding.
torch.manual_seed(11)
print(torch.empty(4).uniform_(-0.1, 0.1).tolist())
print(torch.empty(3, dtype=torch.float64).uniform_(-0.3, 0.1).tolist())
print(torch.nn.Linear(3, 2).weight.flatten().tolist())
