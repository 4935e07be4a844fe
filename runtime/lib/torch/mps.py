"""Apple's GPUs: there are none here."""


def is_available():
    return False


def device_count():
    return 0


def manual_seed(seed):
    """Nothing to seed; accepted, as PyTorch does."""


def _without(native):
    def fail(*args, **kwargs):
        raise RuntimeError(f"Cannot execute {native}() without MPS backend.")

    return fail


synchronize = _without("deviceSynchronize")
empty_cache = _without("emptyCache")
current_allocated_memory = _without("getCurrentAllocatedMemory")
driver_allocated_memory = _without("getDriverAllocatedMemory")
recommended_max_memory = _without("getRecommendedMaxMemory")
set_per_process_memory_fraction = _without("setMemoryFraction")
get_rng_state = set_rng_state = seed = _without("getDefaultGenerator")
