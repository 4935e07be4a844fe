"""Helpers for tests: `assert_close` compares, `make_tensor` draws."""

from torch.testing._comparison import assert_allclose, assert_close
from torch.testing._creation import make_tensor

__all__ = ["assert_allclose", "assert_close", "make_tensor"]
