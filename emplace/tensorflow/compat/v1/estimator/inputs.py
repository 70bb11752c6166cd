"""`tf.estimator.inputs`."""

from .....classic.estimator.inputs import (
    numpy_input_fn as numpy_input_fn,
)
