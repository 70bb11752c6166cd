"""`tf.sparse`."""

from ..ops.sparse.basic import (
    expand_dims,
    eye,
    from_dense,
    map_values,
    reorder,
    reset_shape,
    reshape,
    retain,
    to_dense,
    to_indicator,
    transpose,
)
from ..ops.sparse.cross import (
    cross,
    cross_hashed,
)
from ..ops.sparse.math import add, maximum, minimum, softmax
from ..ops.sparse.matmul import (
    sparse_dense_matmul,
)
from ..ops.sparse.parts import (
    concat,
    split,
)
from ..ops.sparse.parts import (
    slice_ as slice,
)
from ..ops.sparse.picked_segments import (
    sparse_segment_mean as segment_mean,
)
from ..ops.sparse.picked_segments import (
    sparse_segment_sqrt_n as segment_sqrt_n,
)
from ..ops.sparse.picked_segments import (
    sparse_segment_sum as segment_sum,
)
from ..ops.sparse.reduction import reduce_max, reduce_sum
from ..ops.sparse.rows import (
    bincount,
    fill_empty_rows,
)
from ..ops.sparse.tensor import (
    SparseTensor,
)
