"""`tf.contrib.layers`: what programs used most of it."""

from ....classic.contrib.layers import (
    avg_pool2d,
    batch_norm,
    conv2d,
    dropout,
    flatten,
    fully_connected,
    linear,
    max_pool2d,
    one_hot_encoding,
    variance_scaling_initializer,
    xavier_initializer,
)
from ....classic.contrib.layers import conv2d as convolution2d
from ....classic.contrib.regularizers import (
    apply_regularization,
    l1_l2_regularizer,
    l1_regularizer,
    l2_regularizer,
    sum_regularizer,
)
