"""`tf.compat.v1`, as far as it does not need graphs."""

from ...base.shapes import (
    Dimension,
)
from ...devices.name import (
    DeviceSpecV1 as DeviceSpec,
)
from ...ops.array.unique import (
    setdiff1d,
)
from ...ops.math.clipping import (
    clip_by_average_norm,
)
from ...ops.sparse.tensor import (
    SparseTensorValue,
)
from . import (
    v1_nn as nn,
)
