"""Functions that PyTorch once had. Calling one says what to write instead."""

_GONE = "This function was deprecated since version 1.9 and is now removed."


def eig(self, eigenvectors=False, *, e=None, v=None):
    """Gone: use `torch.linalg.eig`."""
    raise RuntimeError(
        _GONE + " `torch.linalg.eig` returns complex tensors of dtype `cfloat` or `cdouble` rather than real tensors "
        "mimicking complex tensors.\n\nL, _ = torch.eig(A) should be replaced with:\nL_complex = "
        "torch.linalg.eigvals(A)\n\nand\n\nL, V = torch.eig(A, eigenvectors=True) should be replaced with:\n"
        "L_complex, V_complex = torch.linalg.eig(A)"
    )


def qr(self, some=True, *, out=None):
    """Gone: use `torch.linalg.qr`."""
    mode = "reduced" if some else "complete"
    raise RuntimeError(
        _GONE + " `torch.qr` is deprecated in favor of `torch.linalg.qr` and the boolean parameter `some` has been "
        "replaced with a string parameter `mode`.\n\nQ, R = torch.qr(A) should be replaced with:\nQ, R = "
        "torch.linalg.qr(A, mode='reduced')\n\nand\n\nQ, R = torch.qr(A, some=False) should be replaced with:\nQ, R = "
        f"torch.linalg.qr(A, mode='complete')\n\nSince `some` was set to {some}, use mode='{mode}'."
    )


def cholesky(self, upper=False, *, out=None):
    """Gone: use `torch.linalg.cholesky`."""
    raise RuntimeError(
        _GONE + " `torch.cholesky` is deprecated in favor of `torch.linalg.cholesky`.\nL = torch.cholesky(A) should be "
        "replaced with:\nL = torch.linalg.cholesky(A)\nU = torch.cholesky(A, upper=True) should be replaced with:\nU = "
        "torch.linalg.cholesky(A).mH"
    )


def symeig(input, eigenvectors=False, upper=True, *, out=None):
    """Gone: use `torch.linalg.eigh`."""
    raise RuntimeError(
        _GONE + " The default behavior has changed from using the upper triangular portion of the matrix by default to "
        "using the lower triangular portion.\n\nL, _ = torch.symeig(A, upper=upper) should be replaced with:\nL = "
        "torch.linalg.eigvalsh(A, UPLO='U' if upper else 'L')\n\nand\n\nL, V = torch.symeig(A, eigenvectors=True) "
        "should be replaced with:\nL, V = torch.linalg.eigh(A, UPLO='U' if upper else 'L')"
    )


def solve(input, A, *, out=None):
    """Gone: use `torch.linalg.solve`."""
    raise RuntimeError(
        _GONE + " `torch.solve` is deprecated in favor of `torch.linalg.solve`. `torch.linalg.solve` has its arguments "
        "reversed and does not return the LU factorization.\n\nTo get the LU factorization see `torch.lu`, which can "
        "be used with `torch.lu_solve` or `torch.lu_unpack`.\nX = torch.solve(B, A).solution should be replaced with:\n"
        "X = torch.linalg.solve(A, B)"
    )


def lstsq(input, A, *, out=None):
    """Gone: use `torch.linalg.lstsq`."""
    raise RuntimeError(
        _GONE + " `torch.lstsq` is deprecated in favor of `torch.linalg.lstsq`.\n`torch.linalg.lstsq` has reversed "
        "arguments and does not return the QR decomposition in the returned tuple (although it returns other "
        "information about the problem).\n\nTo get the QR decomposition consider using `torch.linalg.qr`.\n\nThe "
        "returned solution in `torch.lstsq` stored the residuals of the solution in the last m - n columns of the "
        "returned value whenever m > n. In torch.linalg.lstsq, the residuals are in the field 'residuals' of the "
        "returned named tuple.\n\nThe unpacking of the solution, as in\nX, _ = torch.lstsq(B, A).solution[:A.size(1)]\n"
        "should be replaced with:\nX = torch.linalg.lstsq(A, B).solution"
    )


def matrix_rank(input, tol=None, symmetric=False, *, out=None):
    """Gone: use `torch.linalg.matrix_rank`."""
    raise RuntimeError(
        _GONE + "\nPlease use the `torch.linalg.matrix_rank` function instead. The parameter 'symmetric' was renamed in "
        "`torch.linalg.matrix_rank()` to 'hermitian'."
    )
