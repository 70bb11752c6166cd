"""Checks of values, shapes and types: `tf.debugging`."""
