"""`tf.contrib.layers`: what programs used most of it."""

from ....classic.contrib.layers import (
    avg_pool2d as avg_pool2d,
    batch_norm as batch_norm,
    conv2d as _convolution2d,
    conv2d as conv2d,
    dropout as dropout,
    flatten as flatten,
    fully_connected as fully_connected,
    linear as linear,
    max_pool2d as max_pool2d,
    one_hot_encoding as one_hot_encoding,
    variance_scaling_initializer as variance_scaling_initializer,
    xavier_initializer as xavier_initializer,
)
from ....classic.contrib.regularizers import (
    apply_regularization as apply_regularization,
    l1_l2_regularizer as l1_l2_regularizer,
    l1_regularizer as l1_regularizer,
    l2_regularizer as l2_regularizer,
    sum_regularizer as sum_regularizer,
)

# Names that differ from ours, as type checkers want them said.
convolution2d = _convolution2d
