"""`tf.experimental.dlpack`."""

from ...ops.array.dlpack import (
    from_dlpack as from_dlpack,
    to_dlpack as to_dlpack,
)
