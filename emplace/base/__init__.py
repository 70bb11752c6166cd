"""Plain values: errors, flags, dtypes, shapes, nested structures. Imports nothing of ours."""
