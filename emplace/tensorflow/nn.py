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
