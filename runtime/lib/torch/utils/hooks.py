"""The handle that registering a hook gives: `handle.remove()` takes the hook away."""


class RemovableHandle:
    """Removes its hook from the dict it was put into; also usable as `with` block."""

    next_id = 0

    def __init__(self, hooks_dict, *, extra_dict=None):
        self.hooks = hooks_dict
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1
        self.extra = extra_dict if isinstance(extra_dict, (list, tuple)) else [] if extra_dict is None else [extra_dict]

    def remove(self):
        """Takes the hook away. Doing it twice is fine."""
        self.hooks.pop(self.id, None)
        for other in self.extra:
            other.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        self.remove()
