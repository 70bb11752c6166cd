"""Names, collections and variables by name."""
