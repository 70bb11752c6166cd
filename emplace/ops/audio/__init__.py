"""Sound: `tf.audio`."""
