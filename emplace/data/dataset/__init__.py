"""`tf.data.Dataset` and its methods, by subject."""
