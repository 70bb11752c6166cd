"""`tf.experimental`."""

from ...data.elements.optional import Optional
from ...ops.extension.types import ExtensionType, ExtensionTypeSpec
from ...ops.ragged.partition import RowPartition
from ...ops.ragged.shape import DynamicRaggedShape
from .. import dtensor
from . import dlpack, numpy
