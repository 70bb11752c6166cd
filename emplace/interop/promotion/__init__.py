"""Type promotion with weak types: which type two values have in common, and who asks."""
