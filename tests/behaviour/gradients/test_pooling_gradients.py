"""Max pooling under a tape keeps the places of its maxima, so that its gradient need not find them
again; what it keeps is memory like any other.
"""

from __future__ import annotations

import numpy as np
import pytest

import emplace.tensorflow as tf


def gradients(pool, x):
    """The gradient of a pooling's weighted sum, and the gradient of that."""
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = pool(x)
            total = tf.reduce_sum(y * y)
        first = inner.gradient(total, x)
        second_total = tf.reduce_sum(first * first)
    return first, outer.gradient(second_total, x)


@pytest.mark.parametrize("padding", ["SAME", "VALID", [[0, 0], [1, 1], [2, 0], [0, 0]]])
@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
def test_kept_places_give_the_gradient_that_places_found_again_give(padding, layout):
    x = tf.constant(np.random.default_rng(0).standard_normal((2, 5, 6, 6)).astype(np.float32))
    if layout == "NCHW" and isinstance(padding, list):
        padding = [padding[0], padding[3], padding[1], padding[2]]

    def pool(x):
        return tf.nn.max_pool2d(x, 3, 2, padding, data_format=layout)

    first, second = gradients(pool, x)
    again = tf.raw_ops.MaxPoolGrad(
        orig_input=x, orig_output=pool(x), grad=2.0 * pool(x), ksize=[1, 3, 3, 1]
        if layout == "NHWC" else [1, 1, 3, 3], strides=[1, 2, 2, 1]
        if layout == "NHWC" else [1, 1, 2, 2],
        padding=padding if isinstance(padding, str) else "EXPLICIT",
        explicit_paddings=[] if isinstance(padding, str) else np.ravel(padding).tolist(),
        data_format=layout,
    )  # fmt: skip
    np.testing.assert_array_equal(first, again)
    assert np.isfinite(second).all()
    assert np.abs(second).sum() > 0


@pytest.mark.gpus(1, memory="64MB")
def test_what_is_kept_is_counted_and_given_back():
    x = tf.zeros([4, 64, 64, 8])

    def in_use():
        return tf.config.experimental.get_memory_info("GPU:0")["current"]

    gradients(lambda x: tf.nn.max_pool2d(x, 2, 2, "SAME"), x)  # constants that stay
    before = in_use()
    y = tf.nn.max_pool2d(x, 2, 2, "SAME")
    plain = in_use() - before
    del y
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.max_pool2d(x, 2, 2, "SAME")
    assert in_use() - before == 3 * plain  # values of 4 bytes, places of 8
    gradient = tape.gradient(y, x)
    del tape, y, gradient
    assert in_use() == before


def test_pooling_over_channels_and_of_nothing_has_gradients_too():
    x = tf.constant(np.arange(16.0, dtype=np.float32).reshape(1, 2, 2, 4))
    first, _ = gradients(lambda x: tf.nn.max_pool(x, [1, 1, 1, 2], [1, 1, 1, 2], "SAME"), x)
    assert (first.numpy() > 0).sum() == 8
    empty = tf.zeros([0, 4, 4, 1])
    first, _ = gradients(lambda x: tf.nn.max_pool2d(x, 2, 2, "SAME"), empty)
    assert first.shape == [0, 4, 4, 1]
