"""`tf.compat.v1.manip`."""

from ....ops.array.moving import (
    reverse as reverse,
    roll as roll,
)
from ....ops.array.repeating import (
    tile as tile,
)
from ....ops.array.scattering import (
    scatter_nd as scatter_nd,
)
from ....ops.array.space import (
    space_to_batch as _space_to_batch_nd,
)

# Names that differ from ours, as type checkers want them said.
space_to_batch_nd = _space_to_batch_nd
