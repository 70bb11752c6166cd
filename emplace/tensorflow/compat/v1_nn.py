"""`tf.compat.v1.nn`, as far as it does not need graphs."""

from ...ops.nn.normalization import fused_batch_norm
