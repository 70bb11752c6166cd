"""Images: `tf.image`."""
