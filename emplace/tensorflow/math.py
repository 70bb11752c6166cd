"""`tf.math`."""

from ..ops.array.sorting import (
    invert_permutation,
)
from ..ops.array.top_k import (
    approx_max_k,
    approx_min_k,
    in_top_k,
    top_k,
)
from ..ops.debugging.checks import (
    is_non_decreasing,
    is_strictly_increasing,
)
from ..ops.math.combine import (
    accumulate_n,
    polyval,
    scalar_mul,
)
from ..ops.math.complex import (
    angle,
    imag,
    real,
)
from ..ops.math.counting import (
    bincount,
    confusion_matrix,
)
from ..ops.math.cumulative import (
    cumprod,
    cumsum,
    cumulative_logsumexp,
)
from ..ops.math.elementwise import (
    abs,
    add,
    ceil,
    conj,
    divide,
    equal,
    exp,
    expm1,
    floor,
    floordiv,
    floormod,
    greater,
    greater_equal,
    is_finite,
    is_inf,
    is_nan,
    less,
    less_equal,
    log,
    log1p,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    multiply,
    negative,
    nextafter,
    not_equal,
    pow,
    reciprocal,
    rint,
    round,
    rsqrt,
    sigmoid,
    sign,
    sqrt,
    square,
    squared_difference,
    subtract,
    tanh,
    truediv,
)
from ..ops.math.guarded import (
    divide_no_nan,
    multiply_no_nan,
    reciprocal_no_nan,
    xdivy,
    xlog1py,
    xlogy,
)
from ..ops.math.reduction import (
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
from ..ops.math.segment import (
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
from ..ops.math.special import (
    bessel_i0,
    bessel_i0e,
    bessel_i1,
    bessel_i1e,
    betainc,
    digamma,
    erf,
    erfc,
    erfcinv,
    erfinv,
    igamma,
    igammac,
    lbeta,
    lgamma,
    ndtri,
    polygamma,
    zeta,
)
from ..ops.math.statistics import (
    count_nonzero,
    reduce_euclidean_norm,
    reduce_logsumexp,
    reduce_std,
    reduce_variance,
    zero_fraction,
)
from ..ops.math.trigonometry import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cos,
    cosh,
    sin,
    sinh,
    tan,
)
from ..ops.nn.activation import (
    log_sigmoid,
    log_softmax,
    softmax,
    softplus,
    softsign,
)
from ..ops.nn.moments import (
    l2_normalize,
)
from . import (
    math_special as special,
)

mod = floormod
