"""How ops become operations: the target that records, calls that wait for shapes, variables, gradients."""
