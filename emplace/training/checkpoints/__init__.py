"""tf.train.Checkpoint: objects and their children saved, and restored when they appear."""
