import torch
from torch import nn
import torch.nn.functional as F

x = torch.ones(1, 3, 5, 5)
calls = [
    lambda: nn.Conv2d(3, 4, 3)(x.double()),
    lambda: nn.Conv2d(3, 4, 3)(torch.ones(1, 2, 5, 5)),
    lambda: nn.ConvTranspose2d(3, 4, 3, output_padding=2)(x),
    lambda: nn.MaxPool2d(6)(x),
    lambda: nn.AvgPool2d(2)(torch.ones(2, 2)),
    lambda: nn.MaxPool2d(2)(torch.ones(2, 3)),
    lambda: nn.AdaptiveAvgPool2d(2)(torch.ones(2, 2)),
    lambda: nn.MaxPool2d(2, padding=2)(x),
    lambda: nn.Unfold(9)(x),
    lambda: nn.Fold((4, 4), 2)(torch.ones(1, 3, 9)),
    lambda: F.pad(x, (1, 2, 3)),
    lambda: F.pad(x, (9, 9, 1, 1), mode="reflect"),
    lambda: F.pad(torch.ones(3), (1, 1), mode="circular"),
    lambda: nn.LayerNorm(5)(x.double()),
    lambda: nn.GroupNorm(3, 6)(x),
    lambda: nn.RMSNorm(4)(x),
    lambda: nn.EmbeddingBag(5, 3)(torch.tensor([1, 2]), torch.tensor([0, 5])),
    lambda: F.multilabel_margin_loss(torch.ones(3, 4), torch.tensor([0, 2, 3])),
    lambda: F.multi_margin_loss(torch.ones(3, 4), torch.tensor([0, 1])),
    lambda: F.binary_cross_entropy(torch.rand(3), torch.ones(3, dtype=torch.long)),
    lambda: F.cross_entropy(torch.ones(2, 3), torch.ones(2, 3), ignore_index=1),
    lambda: F.mse_loss(torch.tensor([1]), torch.tensor([2])),
    lambda: F.batch_norm(x, None, None),
    lambda: F.scaled_dot_product_attention(torch.ones(3), torch.ones(3), torch.ones(3)),
]
for call in calls:
    try:
        print(call())
    except (RuntimeError, ValueError, IndexError, NotImplementedError) as e:
        print(type(e).__name__, e)
