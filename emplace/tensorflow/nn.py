"""`tf.nn`."""

from ..ops.elementwise import sigmoid, tanh
from ..ops.moving import space_to_batch
from ..ops.nn import (
    bias_add,
    log_softmax,
    relu,
    softmax,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
)
from ..ops.statistics import zero_fraction
from ..ops.top_k import (
    approx_max_k,
    approx_min_k,
    in_top_k,
    top_k,
)
