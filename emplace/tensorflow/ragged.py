"""`tf.ragged`."""

from ..ops.ragged.array import boolean_mask, cross, map_flat_values, stack_dynamic_partitions
from ..ops.ragged.array import ragged_stack as stack
from ..ops.ragged.constant import constant
from ..ops.ragged.making import range_ as range
from ..ops.ragged.rows import row_splits_to_segment_ids, segment_ids_to_row_splits
