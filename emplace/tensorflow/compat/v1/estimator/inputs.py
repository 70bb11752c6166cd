"""`tf.estimator.inputs`."""

from .....estimator.inputs import numpy_input_fn
