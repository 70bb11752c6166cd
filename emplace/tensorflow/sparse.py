"""`tf.sparse`."""

from ..ops.picked_segments import sparse_segment_mean as segment_mean
from ..ops.picked_segments import sparse_segment_sqrt_n as segment_sqrt_n
from ..ops.picked_segments import sparse_segment_sum as segment_sum
from ..ops.sparse_tensor import SparseTensor
