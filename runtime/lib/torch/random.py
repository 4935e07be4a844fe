"""The random generator: seeds and its state."""

from torch._C import default_generator


def manual_seed(seed):
    """Starts the default generator anew, so that what follows draws the same numbers each time. Returns it."""
    return default_generator.manual_seed(int(seed))


def seed():
    """Seeds the default generator with a number nobody chose, and returns that number."""
    return default_generator.seed()


def initial_seed():
    """The seed the default generator was last started with."""
    return default_generator.initial_seed()


def get_rng_state():
    """The default generator's state, as a tensor of bytes."""
    return default_generator.get_state()


def set_rng_state(new_state):
    """Puts back a state that `get_rng_state` gave."""
    default_generator.set_state(new_state)


class fork_rng:
    """`with fork_rng():` what is drawn inside does not change what is drawn after."""

    def __init__(self, devices=None, enabled=True, _caller="fork_rng", _devices_kw="devices", device_type="cuda"):
        self.enabled = enabled

    def __enter__(self):
        if self.enabled:
            self.state = get_rng_state()

    def __exit__(self, *exc):
        if self.enabled:
            set_rng_state(self.state)
