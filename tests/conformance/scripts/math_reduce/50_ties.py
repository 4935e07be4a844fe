import torch

# Which of several equal elements is taken: not the first, where PyTorch's sort is not stable.
torch.manual_seed(0)
for n in (4, 8, 16, 17, 40, 200):
    x = torch.randint(0, 4, (n,))
    print(n, "topk", torch.topk(x, 3).indices.tolist(), torch.topk(x, 2, largest=False).indices.tolist())
    print(n, "unsorted", torch.topk(x, 3, sorted=False).indices.tolist())
    print(n, "kth", torch.kthvalue(x, n // 2), "mode", torch.mode(x))
    print(n, "sort", torch.sort(x).indices.tolist()[:10], torch.sort(x, stable=True).indices.tolist()[:10])
    print(n, "argsort", torch.argsort(x, descending=True).tolist()[-10:])
y = torch.randint(0, 3, (20, 20)).float()
print(y.sort(0).indices.sum(1), y.argsort(1)[3], y.t().topk(2, 0).indices[:, :5], sep="\n")
print(y.median(0).indices, y.mode(1).indices, y.max(0).indices, y.argmax(), sep="\n")
