"""Anomaly detection: errors in backward that tell which forward operation they belong to."""

from torch._C import _set_anomaly_enabled, is_anomaly_check_nan_enabled, is_anomaly_enabled


class set_detect_anomaly:
    """Turns anomaly detection on or off: as a function, or for a block after `with`."""

    def __init__(self, mode, check_nan=True):
        self.prev = is_anomaly_enabled()
        self.prev_check_nan = is_anomaly_check_nan_enabled()
        _set_anomaly_enabled(mode, check_nan)

    def __enter__(self):
        pass

    def __exit__(self, *exc):
        _set_anomaly_enabled(self.prev, self.prev_check_nan)


class detect_anomaly:
    """`with detect_anomaly():` backward checks for nan and shows the forward operation at fault."""

    def __init__(self, check_nan=True):
        import warnings

        self.check_nan = check_nan
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled "
            "for debugging.",
            stacklevel=2,
        )

    def __enter__(self):
        self.prev = is_anomaly_enabled()
        self.prev_check_nan = is_anomaly_check_nan_enabled()
        _set_anomaly_enabled(True, self.check_nan)

    def __exit__(self, *exc):
        _set_anomaly_enabled(self.prev, self.prev_check_nan)
