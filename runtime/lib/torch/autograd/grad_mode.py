"""Whether operations are recorded for backward: `no_grad` and its relatives, as `with` blocks and decorators."""

from torch._C import (
    _set_grad_enabled, _set_inference_mode, is_grad_enabled, is_inference_mode_enabled,
)

_GENERATOR = 0x20  # the code flag of a function with `yield`


class _Mode:
    """A context manager that also decorates functions: each call runs inside a fresh copy of it."""

    def clone(self):
        return type(self)()

    def __call__(self, func):
        return _decorate(self.clone, func)


def _decorate(make, func):
    from functools import wraps

    if isinstance(func, type):
        func.__init__ = _decorate(make, func.__init__)
        return func
    code = getattr(func, "__code__", None)
    if code is not None and code.co_flags & _GENERATOR:

        @wraps(func)
        def generator(*args, **kwargs):
            # The mode holds while the generator runs, not while its caller does.
            gen = func(*args, **kwargs)
            resume, value = gen.send, None
            try:
                while True:
                    with make():
                        item = resume(value)
                    try:
                        resume, value = gen.send, (yield item)
                    except GeneratorExit:
                        with make():
                            gen.close()
                        raise
                    except BaseException as err:
                        resume, value = gen.throw, err
            except StopIteration as stop:
                return stop.value

        return generator

    @wraps(func)
    def inside(*args, **kwargs):
        with make():
            return func(*args, **kwargs)

    return inside


class _BareMode(_Mode):
    """One that may be written without parentheses: `@torch.no_grad`."""

    def __new__(cls, orig_func=None):
        self = object.__new__(cls)
        return self if orig_func is None else _decorate(cls, orig_func)


class no_grad(_BareMode):
    """Results of operations inside do not require grad, whatever their inputs."""

    def __enter__(self):
        self.prev = is_grad_enabled()
        _set_grad_enabled(False)

    def __exit__(self, exc_type, exc_value, traceback):
        _set_grad_enabled(self.prev)


class enable_grad(_BareMode):
    """Recording is on inside, also within `no_grad`."""

    def __enter__(self):
        self.prev = is_grad_enabled()
        _set_grad_enabled(True)

    def __exit__(self, exc_type, exc_value, traceback):
        _set_grad_enabled(self.prev)


class set_grad_enabled(_Mode):
    """Turns recording on or off: at once when called as a function, for a block after `with`."""

    def __init__(self, mode):
        self.prev = is_grad_enabled()
        self.mode = mode
        _set_grad_enabled(mode)

    def __call__(self, func):
        _set_grad_enabled(self.prev)
        return super().__call__(func)

    def __enter__(self):
        _set_grad_enabled(self.mode)

    def __exit__(self, exc_type, exc_value, traceback):
        _set_grad_enabled(self.prev)

    def clone(self):
        return type(self)(self.mode)

    def __str__(self):
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"

    __repr__ = __str__


class inference_mode(_Mode):
    """Like `no_grad`, and the tensors made inside can never take part in a recorded computation."""

    def __new__(cls, mode=True):
        self = object.__new__(cls)
        if isinstance(mode, bool):
            return self
        self.mode = True
        return self(mode)

    def __init__(self, mode=True):
        self.mode = mode

    def __enter__(self):
        self.prev = is_inference_mode_enabled()
        self.prev_grad = is_grad_enabled()
        _set_inference_mode(self.mode)
        _set_grad_enabled(not self.mode)

    def __exit__(self, exc_type, exc_value, traceback):
        _set_inference_mode(self.prev)
        _set_grad_enabled(self.prev_grad)

    def clone(self):
        return type(self)(self.mode)
