"""Copies as written for TensorFlow; Emplace runs this file."""

import tensorflow as tf

from .inputs import ARRAYS, SIZES

with tf.device("/GPU:0"):
    there = {size: tf.constant(array) for size, array in ARRAYS.items()}


def to_gpu(size):
    with tf.device("/GPU:0"):
        return tf.constant(ARRAYS[size])


def to_host(size):
    return there[size].numpy()


def between(size):
    with tf.device("/GPU:1"):
        return tf.identity(there[size])


_WAYS = {"to the GPU": "to_gpu", "to the host": "to_host", "between GPUs": "between"}
ROWS = {f"{way} {size}": f"{name}({size!r})" for way, name in _WAYS.items() for size in SIZES}
