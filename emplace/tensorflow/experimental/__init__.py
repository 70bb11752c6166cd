"""`tf.experimental`."""

from ...data.optional import Optional
from ...ops.ragged.shape import DynamicRaggedShape
from .. import dtensor
from . import dlpack, numpy
