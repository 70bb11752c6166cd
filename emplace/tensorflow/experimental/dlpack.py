"""`tf.experimental.dlpack`."""

from ...ops.dlpack import from_dlpack, to_dlpack
