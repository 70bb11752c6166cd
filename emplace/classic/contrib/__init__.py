"""What programs used most of `tf.contrib`."""
