"""Factorizations and what is solved with them."""
import torch

torch.set_printoptions(sci_mode=False)
A = torch.tensor([[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 4.0]])
b = torch.tensor([[1.0], [2.0], [3.0]])
LU, pivots = torch.linalg.lu_factor(A)
print(LU, pivots)
print(torch.linalg.lu_solve(LU, pivots, b))
P, L, U = torch.lu_unpack(LU, pivots)
print(torch.allclose(P @ L @ U, A))
print(torch.linalg.lu(torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]])))
print(torch.linalg.lu(torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]])).U)
print(torch.linalg.cholesky_ex(A).info, torch.linalg.cholesky_ex(-A))
print(torch.linalg.inv_ex(A).info, torch.linalg.inv_ex(torch.zeros(2, 2)).info)
print(torch.linalg.solve_ex(A, b))
print(torch.linalg.ldl_factor(A))
LD, piv = torch.linalg.ldl_factor(A)
print(torch.allclose(A @ torch.linalg.ldl_solve(LD, piv, b), b, atol=1e-6))
a, tau = torch.geqrf(A[:, :2])
print(a, tau)
Q = torch.linalg.householder_product(a, tau)
print(torch.allclose(Q, torch.linalg.qr(A[:, :2]).Q, atol=1e-6), torch.allclose(torch.orgqr(a, tau), Q))
print(torch.linalg.eigvals(torch.tensor([[2.0, 1.0], [1.0, 3.0]])))
print(torch.linalg.eig(torch.tensor([[0.0, 1.0], [-1.0, 0.0]])))
w, v = torch.linalg.eig(torch.tensor([[0.9, 0.2, 0.1], [0.05, 0.7, 0.2], [0.05, 0.1, 0.7]]))
print(w, v.abs())
print(torch.linalg.eigvals(torch.tensor([[1.0, 0.0, 0.0], [2.0, 3.0, 0.0], [4.0, 5.0, 2.0]])))
print(torch.linalg.vander(torch.tensor([1.0, 2.0, 3.0])), torch.linalg.diagonal(A))
X = torch.linalg.tensorsolve(torch.eye(6).reshape(2, 3, 6) * 2, torch.ones(2, 3))
print(X, torch.linalg.tensorinv(torch.eye(4).reshape(2, 2, 4), ind=2).shape)
points = torch.tensor([[1.0, 1.0], [1.0, 2.0], [1.0, 3.0], [1.0, 4.0]])
values = torch.tensor([[2.0], [3.0], [5.0], [6.0]])
for driver in ("gelsy", "gels", "gelsd", "gelss"):
    print(driver, torch.linalg.lstsq(points, values, driver=driver))
for call in (lambda: torch.linalg.eig(torch.ones(2, 3)), lambda: torch.linalg.lu_factor(torch.zeros(2, 2)),
             lambda: torch.linalg.cholesky_ex(-A, check_errors=True), lambda: torch.linalg.cond(A, "x"),
             lambda: torch.linalg.lstsq(torch.ones(3, 2), values[:3], driver="gels")):
    try:
        call()
    except Exception as e:
        print(type(e).__name__, e)
torch.manual_seed(0)
data = torch.randn(20, 3) @ torch.randn(3, 8)
U, S, V = torch.pca_lowrank(data, q=3)
print(U.shape, S, V.shape, torch.allclose(U * S @ V.T, data - data.mean(0), atol=1e-4))
U, S, V = torch.svd_lowrank(data, q=2)
print(S)
