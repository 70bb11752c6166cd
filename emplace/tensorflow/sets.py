"""`tf.sets`."""

from ..ops.sparse.sets import difference, intersection, size, union
