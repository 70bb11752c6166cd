"""NumPy's names and rules for types: `tf.experimental.numpy`."""
