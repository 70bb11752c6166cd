"""`tf.compat.v1`, as far as it does not need graphs."""

from ...base.shapes import Dimension
from ...devices.name import DeviceSpecV1 as DeviceSpec
from ...ops.sparse_tensor import SparseTensorValue
