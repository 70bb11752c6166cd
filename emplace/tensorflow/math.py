"""`tf.math`."""

from ..ops.activation import (
    log_sigmoid,
    log_softmax,
    softmax,
    softplus,
    softsign,
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
    zero_fraction,
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

mod = floormod
