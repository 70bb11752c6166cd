"""Matrices: products, decompositions, systems of equations: `tf.linalg`."""
