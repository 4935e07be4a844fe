"""Names for annotations."""

from typing import Any

from numpy._array import ndarray

NDArray = ndarray
ArrayLike = Any
DTypeLike = Any
