"""What tensorly asks of tensors that behave like NumPy's arrays."""

from __future__ import annotations

import numpy as np
import pytest

import emplace.tensorflow as tf

KEYS = {
    "two tuples": ((0, 1, 1), (0, 1, 2)),
    "tuples around a slice": ((0, 1, 1), slice(None), (0, 1, 2)),
    "a slice and a tuple": (slice(None), (0, 2)),
    "a tuple and a list": ((0, 1), [1, 1]),
    "a tuple and a number": ((0, 1), 2),
}


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_tuples_in_a_key_pick_places(key: object) -> None:
    values = np.arange(24).reshape(2, 3, 4)
    x = tf.constant(values)
    tf.experimental.numpy.experimental_enable_numpy_behavior()
    np.testing.assert_array_equal(x[key], values[key])
    np.testing.assert_array_equal(tf.function(lambda: x[key])(), values[key])


def test_a_tuple_that_is_the_key_is_a_place_per_axis() -> None:
    x = tf.reshape(tf.range(24), [2, 3, 4])
    tf.experimental.numpy.experimental_enable_numpy_behavior()
    np.testing.assert_array_equal(x[(0, 1)], [4, 5, 6, 7])


def test_a_number_takes_its_axis_away_before_tuples_pick_places() -> None:
    x = tf.reshape(tf.range(24), [2, 3, 4])
    tf.experimental.numpy.experimental_enable_numpy_behavior()
    found = x[1, ..., (3, 0)]  # TF: so, where NumPy returns it transposed
    np.testing.assert_array_equal(found, [[15, 12], [19, 16], [23, 20]])


def test_variables_pick_places() -> None:
    x = tf.reshape(tf.range(24), [2, 3, 4])
    places = tf.Variable([1, 0, 1], dtype=tf.int64)
    tf.experimental.numpy.experimental_enable_numpy_behavior()
    np.testing.assert_array_equal(x[places, 0], x.numpy()[[1, 0, 1], 0])
