"""`tf.experimental.dlpack`."""

from ...ops.array.dlpack import from_dlpack, to_dlpack
