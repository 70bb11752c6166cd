"""`tf.math`."""

from ..ops.array.sorting import (
    invert_permutation as invert_permutation,
)
from ..ops.array.top_k import (
    approx_max_k as approx_max_k,
    approx_min_k as approx_min_k,
    in_top_k as in_top_k,
    top_k as top_k,
)
from ..ops.debugging.checks import (
    is_non_decreasing as is_non_decreasing,
    is_strictly_increasing as is_strictly_increasing,
)
from ..ops.math.combine import (
    accumulate_n as accumulate_n,
    polyval as polyval,
    scalar_mul as scalar_mul,
)
from ..ops.math.complex import (
    angle as angle,
    imag as imag,
    real as real,
)
from ..ops.math.counting import (
    confusion_matrix as confusion_matrix,
)
from ..ops.math.cumulative import (
    cumprod as cumprod,
    cumsum as cumsum,
    cumulative_logsumexp as cumulative_logsumexp,
)
from ..ops.math.elementwise import (
    abs as abs,
    add as add,
    ceil as ceil,
    conj as conj,
    divide as divide,
    equal as equal,
    exp as exp,
    expm1 as expm1,
    floor as floor,
    floordiv as floordiv,
    floormod as floormod,
    greater as greater,
    greater_equal as greater_equal,
    is_finite as is_finite,
    is_inf as is_inf,
    is_nan as is_nan,
    less as less,
    less_equal as less_equal,
    log as log,
    log1p as log1p,
    logical_and as logical_and,
    logical_not as logical_not,
    logical_or as logical_or,
    logical_xor as logical_xor,
    maximum as maximum,
    minimum as minimum,
    multiply as multiply,
    negative as negative,
    nextafter as nextafter,
    not_equal as not_equal,
    pow as pow,
    reciprocal as reciprocal,
    rint as rint,
    round as round,
    rsqrt as rsqrt,
    sigmoid as sigmoid,
    sign as sign,
    sqrt as sqrt,
    square as square,
    squared_difference as squared_difference,
    subtract as subtract,
    tanh as tanh,
    truediv as truediv,
)
from ..ops.math.guarded import (
    divide_no_nan as divide_no_nan,
    multiply_no_nan as multiply_no_nan,
    reciprocal_no_nan as reciprocal_no_nan,
    xdivy as xdivy,
    xlog1py as xlog1py,
    xlogy as xlogy,
)
from ..ops.math.reduction import (
    add_n as add_n,
    argmax as argmax,
    argmin as argmin,
    reduce_all as reduce_all,
    reduce_any as reduce_any,
    reduce_max as reduce_max,
    reduce_mean as reduce_mean,
    reduce_min as reduce_min,
    reduce_prod as reduce_prod,
    reduce_sum as reduce_sum,
)
from ..ops.math.segment import (
    segment_max as segment_max,
    segment_mean as segment_mean,
    segment_min as segment_min,
    segment_prod as segment_prod,
    segment_sum as segment_sum,
    unsorted_segment_max as unsorted_segment_max,
    unsorted_segment_mean as unsorted_segment_mean,
    unsorted_segment_min as unsorted_segment_min,
    unsorted_segment_prod as unsorted_segment_prod,
    unsorted_segment_sqrt_n as unsorted_segment_sqrt_n,
    unsorted_segment_sum as unsorted_segment_sum,
)
from ..ops.math.special import (
    bessel_i0 as bessel_i0,
    bessel_i0e as bessel_i0e,
    bessel_i1 as bessel_i1,
    bessel_i1e as bessel_i1e,
    betainc as betainc,
    digamma as digamma,
    erf as erf,
    erfc as erfc,
    erfcinv as erfcinv,
    erfinv as erfinv,
    igamma as igamma,
    igammac as igammac,
    lbeta as lbeta,
    lgamma as lgamma,
    ndtri as ndtri,
    polygamma as polygamma,
    zeta as zeta,
)
from ..ops.math.statistics import (
    count_nonzero as count_nonzero,
    reduce_euclidean_norm as reduce_euclidean_norm,
    reduce_logsumexp as reduce_logsumexp,
    reduce_std as reduce_std,
    reduce_variance as reduce_variance,
    zero_fraction as zero_fraction,
)
from ..ops.math.trigonometry import (
    acos as acos,
    acosh as acosh,
    asin as asin,
    asinh as asinh,
    atan as atan,
    atan2 as atan2,
    atanh as atanh,
    cos as cos,
    cosh as cosh,
    sin as sin,
    sinh as sinh,
    tan as tan,
)
from ..ops.nn.activation import (
    log_sigmoid as log_sigmoid,
    log_softmax as log_softmax,
    softmax as softmax,
    softplus as softplus,
    softsign as softsign,
)
from ..ops.nn.moments import (
    l2_normalize as l2_normalize,
)
from ..ops.random.sobol import (
    sobol_sample as sobol_sample,
)
from ..ops.sparse.dense_counts import (
    bincount as bincount,
)
from . import (
    math_special as _special,
)

# Names that differ from ours, as type checkers want them said.
special = _special

mod = floormod
