"""`skip_init`: modules without the drawing of their first weights."""

import inspect

from torch import _C


def skip_init(module_cls, *args, **kwargs):
    """A module whose parameters hold any values: to be loaded or set afterwards. Draws no random numbers."""
    from torch.nn.modules.module import Module

    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    kwargs.pop("device", None)
    state = _C.default_generator.get_state()
    module = module_cls(*args, **kwargs)
    _C.default_generator.set_state(state)
    return module
