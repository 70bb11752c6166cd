"""`tf.contrib.slim`: its layers, `arg_scope` and `prefetch_queue`."""

from typing import NoReturn

from ....classic.contrib.arg_scope import add_arg_scope, arg_scope
from ....classic.contrib.layers import (
    avg_pool2d,
    batch_norm,
    conv2d,
    dropout,
    flatten,
    fully_connected,
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
from ....classic.pipelines import batching as prefetch_queue


def __getattr__(name: str) -> NoReturn:
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(
        f"tf.contrib.slim.{name} does not exist here: of tf.contrib.slim, which TensorFlow 2 has "
        "left behind, only its layers, arg_scope and prefetch_queue are offered. Use tf.layers "
        "and tf.losses."
    )
