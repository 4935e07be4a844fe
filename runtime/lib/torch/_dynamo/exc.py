"""Errors of the compiler."""


class TorchDynamoException(RuntimeError):
    """Base of them."""


class InvalidBackend(TorchDynamoException):
    """A back end of an unknown name."""


class Unsupported(TorchDynamoException):
    """Code that cannot be compiled."""
