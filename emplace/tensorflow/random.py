"""`tf.random`."""

from ..ops.random import normal, set_seed, shuffle, uniform
