"""Bytes in strings, and files: `tf.io`."""
