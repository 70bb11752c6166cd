"""`tf.experimental`."""

from . import dlpack
