"""`tf.ragged`."""

from ..ops.ragged.array import (
    boolean_mask as boolean_mask,
    map_flat_values as map_flat_values,
    ragged_stack as _stack,
)
from ..ops.ragged.constant import (
    constant as constant,
)
from ..ops.ragged.cross import (
    cross as cross,
    cross_hashed as cross_hashed,
)
from ..ops.ragged.making import (
    range_ as _range,
)
from ..ops.ragged.rows import (
    row_splits_to_segment_ids as row_splits_to_segment_ids,
    segment_ids_to_row_splits as segment_ids_to_row_splits,
)
from ..ops.ragged.segments import (
    stack_dynamic_partitions as stack_dynamic_partitions,
)

# Names that differ from ours, as type checkers want them said.
stack = _stack
range = _range
