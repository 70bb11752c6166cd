"""What a graph is: operations, their tensors, names and device scopes."""
