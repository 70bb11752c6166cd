"""`tf.experimental`."""

from ...data.optional import Optional
from . import dlpack, numpy
