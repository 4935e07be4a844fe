"""Which PyTorch this package agrees with."""

__version__ = "2.15.0"
debug = False
cuda = None
hip = None
git_version = "unknown"
