"""Random numbers, bit for bit those of TensorFlow's CPU kernels: `tf.random`."""
