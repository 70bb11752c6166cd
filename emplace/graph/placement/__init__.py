"""Which device runs each operation, and what is said of it."""
