"""`numpy.lib`: what lives there and not at the top."""

from numpy.lib import stride_tricks  # noqa: E402,F401
