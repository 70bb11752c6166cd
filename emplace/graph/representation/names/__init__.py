"""The names of operations: unique in their graph, and those that TensorFlow gives."""
