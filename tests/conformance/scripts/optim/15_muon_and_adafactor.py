import torch

torch.manual_seed(0)
x = torch.randn(5, 3)


def train(make, steps=4):
    torch.manual_seed(1)
    w = torch.randn(3, 2, requires_grad=True)
    optimizer = make([w])
    for _ in range(steps):
        optimizer.zero_grad()
        loss = ((x @ w - 1) ** 2).mean()
        loss.backward()
        optimizer.step()
    print(round(loss.item(), 2), [round(v, 2) for v in w.flatten().tolist()], sorted(optimizer.state[w]))
    return optimizer


print(train(lambda p: torch.optim.Muon(p, lr=0.1)))
train(lambda p: torch.optim.Muon(p, lr=0.1, nesterov=False, adjust_lr_fn="match_rms_adamw"))
print(train(lambda p: torch.optim.Adafactor(p, lr=0.1)))
train(lambda p: torch.optim.Adafactor(p, lr=0.1, weight_decay=0.1, d=2.0))
for make in (
    lambda: torch.optim.Muon([torch.zeros(2, requires_grad=True)]),
    lambda: torch.optim.Adafactor([torch.zeros(2, requires_grad=True)], d=0.5),
    lambda: torch.optim.Adam([torch.zeros(2, requires_grad=True)], foreach=True, fused=True),
    lambda: torch.optim.SGD([torch.zeros(2, requires_grad=True)], differentiable=True, fused=True),
):
    try:
        make()
    except (ValueError, RuntimeError) as e:
        print(type(e).__name__, e)
