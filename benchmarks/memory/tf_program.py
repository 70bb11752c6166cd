"""What memory costs, as written for TensorFlow; Emplace runs this file."""

import tensorflow as tf

from .inputs import SIZES

ones = {size: tf.ones([count]) for size, count in SIZES.items()}
GPU = "GPU:0" if tf.config.list_logical_devices("GPU") else "CPU:0"


def chain(size):
    x = one = ones[size]
    for _ in range(10):
        x = x + one
    return x


def hold():
    return [tf.zeros([1024]) for _ in range(1000)]


ROWS = {
    **{f"zeros {size}": f"tf.zeros([{count}])" for size, count in SIZES.items()},
    **{f"chain {size}": f"chain({size!r})" for size in SIZES},
    "hold 1000": "hold()",
    "memory info": "tf.config.experimental.get_memory_info(GPU)",
}
