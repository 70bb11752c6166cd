"""`tf.math`."""

from ..ops.activation import (
    log_sigmoid,
    log_softmax,
    softmax,
    softplus,
    softsign,
)
from ..ops.counting import (
    bincount,
    confusion_matrix,
)
from ..ops.cumulative import (
    cumprod,
    cumsum,
    cumulative_logsumexp,
)
from ..ops.elementwise import (
    abs,
    add,
    conj,
    divide,
    equal,
    exp,
    floordiv,
    floormod,
    greater,
    greater_equal,
    less,
    less_equal,
    log,
    logical_and,
    logical_not,
    logical_or,
    maximum,
    minimum,
    multiply,
    negative,
    not_equal,
    pow,
    sigmoid,
    sign,
    sqrt,
    square,
    subtract,
    tanh,
    truediv,
)
from ..ops.moments import (
    l2_normalize,
)
from ..ops.reduction import (
    add_n,
    argmax,
    argmin,
    reduce_all,
    reduce_any,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
)
from ..ops.segment import (
    segment_max,
    segment_mean,
    segment_min,
    segment_prod,
    segment_sum,
    unsorted_segment_max,
    unsorted_segment_mean,
    unsorted_segment_min,
    unsorted_segment_prod,
    unsorted_segment_sqrt_n,
    unsorted_segment_sum,
)
from ..ops.sorting import (
    approx_max_k,
    approx_min_k,
    in_top_k,
    invert_permutation,
    top_k,
)
from ..ops.statistics import (
    count_nonzero,
    reduce_euclidean_norm,
    reduce_logsumexp,
    reduce_std,
    reduce_variance,
    zero_fraction,
)

mod = floormod
