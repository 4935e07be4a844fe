"""The loss of a target without alignment: reductions, lengths, gradients."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
T, N, C = 12, 3, 5
logits = torch.randn(T, N, C, requires_grad=True)
log_probs = logits.log_softmax(2)
targets = torch.tensor([[1, 2, 2, 4], [3, 1, 0, 0], [2, 4, 1, 0]])
input_lengths, target_lengths = torch.tensor([12, 8, 10]), torch.tensor([4, 2, 3])
for reduction in ("none", "mean", "sum"):
    print(F.ctc_loss(log_probs, targets, input_lengths, target_lengths, reduction=reduction))
flat = torch.tensor([1, 2, 2, 4, 3, 1, 2, 4, 1])
loss = nn.CTCLoss()(log_probs, flat, (12, 8, 10), (4, 2, 3))
loss.backward()
print(loss.item(), logits.grad[:3, 0])
print(logits.grad[8:, 1].abs().sum())
short = torch.tensor([2, 8, 10])
print(F.ctc_loss(log_probs, targets, short, target_lengths, reduction="none"))
logits.grad = None
loss = nn.CTCLoss(zero_infinity=True, reduction="sum")(logits.log_softmax(2), targets, short, target_lengths)
loss.backward()
print(loss, logits.grad[0])
print(nn.CTCLoss(blank=4)(log_probs[:, 0], torch.tensor([1, 2]), torch.tensor(12), torch.tensor(2)))
print(nn.CTCLoss(), nn.CTCLoss(blank=1, reduction="sum", zero_infinity=True))
