"""Several devices: there is one here, so what wraps a model for many is not available."""


def __getattr__(name):
    raise AttributeError(f"torch.nn.parallel.{name} needs several devices, and there is one here")
