"""Sparse tensors: `tf.sparse` and `tf.sets`."""
