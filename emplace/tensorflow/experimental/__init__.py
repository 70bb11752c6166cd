"""`tf.experimental`."""

from . import dlpack, numpy
