"""`tf.compat.v1.metrics`: measures that grow from run to run; each is a value and an update."""
