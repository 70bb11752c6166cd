"""`tf.linalg`."""

from ..ops.clipping import global_norm
from ..ops.linalg import matmul
