"""`tf.strings`."""

from ..ops.strings import join, length, lower, upper
