"""Types of the program's own that are made of tensors."""
