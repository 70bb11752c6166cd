"""`tf.sparse`."""

from ..ops.sparse_tensor import SparseTensor
