"""`tf.experimental`."""

from .. import dtensor
from . import dlpack, numpy
