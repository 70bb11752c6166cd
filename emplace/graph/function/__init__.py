"""`tf.function`: traced, kept by its arguments, called."""
