"""Names that several files of the package need of each other; each is put here by the file that makes it.

`array`, `asarray`, `ndarray`, `binary` (a ufunc on two operands by its name), `unary`.
"""
