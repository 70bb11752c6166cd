"""A frame around a large tensor is written without a pass over what the tensor covers."""

from __future__ import annotations

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.ops.array import repeating


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int32", "bool", "complex64"])
@pytest.mark.parametrize(
    "frame", [((0, 0), (0, 1), (2, 0)), ((0, 0),) * 3, ((3, 1), (0, 0), (1, 1))]
)
def test_large_and_small_tensors_get_the_same_frame(dtype, frame, monkeypatch):
    x = tf.cast(np.arange(24).reshape(2, 3, 4) % 5, dtype)
    for given in (x, tf.transpose(x, [2, 0, 1]), tf.zeros([2, 0, 4], dtype)):
        for value in (0, 1):
            expected = tf.pad(given, frame, constant_values=tf.cast(value, dtype))
            with monkeypatch.context() as patch:
                patch.setattr(repeating, "LEAST_FOR_FRAMES", 0)
                made = tf.pad(given, frame, constant_values=tf.cast(value, dtype))
            assert made.dtype == expected.dtype
            np.testing.assert_array_equal(made, expected)


def test_its_gradient(monkeypatch):
    monkeypatch.setattr(repeating, "LEAST_FOR_FRAMES", 0)
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.pad(x, [[1, 0], [0, 2]], constant_values=7.0) ** 2)
    np.testing.assert_array_equal(y, 30 + 8 * 49)
    np.testing.assert_array_equal(tape.gradient(y, x), 2 * x)
