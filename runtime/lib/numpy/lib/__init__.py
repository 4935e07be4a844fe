"""`numpy.lib`: what lives there and not at the top."""
