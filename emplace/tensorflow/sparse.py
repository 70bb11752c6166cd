"""`tf.sparse`."""

from ..ops.sparse.basic import (
    expand_dims as expand_dims,
    eye as eye,
    from_dense as from_dense,
    map_values as map_values,
    reorder as reorder,
    reset_shape as reset_shape,
    reshape as reshape,
    retain as retain,
    to_dense as to_dense,
    to_indicator as to_indicator,
    transpose as transpose,
)
from ..ops.sparse.counts import (
    bincount as bincount,
)
from ..ops.sparse.cross import (
    cross as cross,
    cross_hashed as cross_hashed,
)
from ..ops.sparse.math import (
    add as add,
    maximum as maximum,
    minimum as minimum,
    softmax as softmax,
)
from ..ops.sparse.matmul import (
    sparse_dense_matmul as sparse_dense_matmul,
)
from ..ops.sparse.parts import (
    concat as concat,
    slice_ as _slice,
    split as split,
)
from ..ops.sparse.picked_segments import (
    sparse_segment_mean as _segment_mean,
    sparse_segment_sqrt_n as _segment_sqrt_n,
    sparse_segment_sum as _segment_sum,
)
from ..ops.sparse.reduction import (
    reduce_max as reduce_max,
    reduce_sum as reduce_sum,
)
from ..ops.sparse.rows import (
    fill_empty_rows as fill_empty_rows,
)
from ..ops.sparse.tensor import (
    SparseTensor as SparseTensor,
)

# Names that differ from ours, as type checkers want them said.
slice = _slice
segment_mean = _segment_mean
segment_sqrt_n = _segment_sqrt_n
segment_sum = _segment_sum
