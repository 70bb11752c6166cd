"""`tf.estimator`, as TF 1 has it: training, evaluation and prediction around a model function."""
