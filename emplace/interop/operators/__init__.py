"""Matrices known by what they do: `tf.linalg.LinearOperator` and its family."""
