"""`tf.contrib.slim`: its layers, `arg_scope` and `prefetch_queue`."""

from typing import NoReturn

from ....classic.contrib.arg_scope import (
    add_arg_scope as add_arg_scope,
    arg_scope as arg_scope,
)
from ....classic.contrib.layers import (
    avg_pool2d as avg_pool2d,
    batch_norm as batch_norm,
    conv2d as _convolution2d,
    conv2d as conv2d,
    dropout as dropout,
    flatten as flatten,
    fully_connected as fully_connected,
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
from ....classic.pipelines import (
    batching as _prefetch_queue,
)

# Names that differ from ours, as type checkers want them said.
convolution2d = _convolution2d
prefetch_queue = _prefetch_queue


def __getattr__(name: str) -> NoReturn:
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(
        f"tf.contrib.slim.{name} does not exist here: of tf.contrib.slim, which TensorFlow 2 has "
        "left behind, only its layers, arg_scope and prefetch_queue are offered. Use tf.layers "
        "and tf.losses."
    )
