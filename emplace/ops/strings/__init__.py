"""Strings, arrays of bytes on the host: `tf.strings`."""
