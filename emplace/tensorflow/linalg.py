"""`tf.linalg`."""

from ..ops.linalg import matmul
