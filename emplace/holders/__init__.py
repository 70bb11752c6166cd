"""Who holds the memory of devices: every charge with its kind, name, op, shape, bytes and line."""
