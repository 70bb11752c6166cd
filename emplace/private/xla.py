"""`tensorflow.compiler.tf2xla.python.xla`."""

from ..ops.array.updating import dynamic_update_slice as dynamic_update_slice
