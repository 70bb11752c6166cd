"""`tf.feature_column`: how the features of an example become numbers that a model takes."""
