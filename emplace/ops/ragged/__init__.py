"""Ragged tensors: `tf.ragged`."""
