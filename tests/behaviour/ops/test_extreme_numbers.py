"""What is computed of numbers at the ends of their types."""

from __future__ import annotations

import numpy as np
import pytest

import emplace.tensorflow as tf


@pytest.mark.parametrize("dtype", [tf.int8, tf.int16, tf.int32, tf.int64])
def test_the_lowest_integer_by_minus_one_is_itself(dtype: tf.DType) -> None:
    x = tf.constant([dtype.min, 7, dtype.max], dtype)
    for call in (tf.truncatediv, tf.math.floordiv):
        for run in (call, tf.function(call)):
            assert run(x, tf.constant(-1, dtype)).numpy().tolist() == [dtype.min, -7, -dtype.max]
            halves = [dtype.min // 2, 3, dtype.max // 2]
            assert run(x, tf.constant(2, dtype)).numpy().tolist() == halves


@pytest.mark.parametrize("keep", [False, True])
def test_shares_in_a_logarithm_of_a_sum_of_large_numbers_add_up_to_one(keep: bool) -> None:
    x = tf.constant([[1e8, 1e8, 1.0], [1e5, 1e5 + 0.25, -3e5]])

    def shares(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(x)
            made = tf.reduce_logsumexp(x, 1, keepdims=keep)
        return tape.gradient(made, x)

    second = 1 / (1 + np.exp(-0.25))
    wanted = [[0.5, 0.5, 0.0], [1 - second, second, 0.0]]
    for run in (shares, tf.function(shares)):
        assert run(x).numpy() == pytest.approx(np.array(wanted), rel=1e-5)
    infinite = tf.constant([[np.inf, 1.0, -np.inf]])
    assert np.isnan(shares(infinite).numpy()).tolist() == [[True, False, False]]
