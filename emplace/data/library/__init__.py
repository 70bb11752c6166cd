"""What stands beside the class: `tf.data.experimental`, TF 1's `tf.data`, tables."""
