"""Tables from keys to values, named like TensorFlow's `tf.lookup`."""
