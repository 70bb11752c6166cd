"""`tf.sets`."""

from ..ops.sets import difference, intersection, size, union
