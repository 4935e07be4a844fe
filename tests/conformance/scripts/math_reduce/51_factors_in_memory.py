import torch

# Factorizations come column after column, which strides and view() show.
torch.manual_seed(0)
A = torch.randn(3, 3)
S = A @ A.T + torch.eye(3)
for name, t in {
    "inv": torch.linalg.inv(A), "cholesky": torch.linalg.cholesky(S), "q": torch.linalg.qr(A).Q, "u": torch.linalg.svd(A).U,
    "vh": torch.linalg.svd(A).Vh, "v": torch.svd(A).V, "eigh": torch.linalg.eigh(S).eigenvectors,
    "solve": torch.linalg.solve(A, S), "lu": torch.linalg.lu_factor(A).LU, "pinv": torch.linalg.pinv(A),
    "batch": torch.linalg.inv(torch.stack([A, S])), "lstsq": torch.linalg.lstsq(A, S[:, :2]).solution,
}.items():
    print(name, t.shape, t.stride(), t.is_contiguous())
try:
    torch.linalg.inv(A).view(-1)
except RuntimeError as e:
    print(e)
try:
    torch.qr(A)
except RuntimeError as e:
    print(e)
print(torch.linalg.pinv(S, hermitian=True) - torch.linalg.inv(S) < 1e-4)
print(torch.linalg.matrix_rank(S, hermitian=True), torch.linalg.matrix_rank(torch.ones(3, 3), tol=0.1))
print(torch.signal.windows.hann(5), torch.signal.windows.gaussian(4, std=1.5), torch.signal.windows.kaiser(5, sym=False))
print(torch.histogram(torch.tensor([1.0, 2.0, 2.0, 5.0]), torch.tensor([0.0, 2.0, 3.0, 5.0])))
