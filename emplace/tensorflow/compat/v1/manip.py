"""`tf.compat.v1.manip`."""

from ....ops.array.moving import reverse, roll
from ....ops.array.repeating import tile
from ....ops.array.scattering import scatter_nd
from ....ops.array.space import space_to_batch as space_to_batch_nd
