"""How ops become operations: the target, calls that wait for shapes, variables, gradients."""
