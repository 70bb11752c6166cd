"""Flat lists of Python numbers take a short way into tensors and come out as by the long one."""

from __future__ import annotations

import math

import numpy as np
import pytest

import emplace.tensorflow as tf


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        ([1.0, 2.0], tf.float32),
        ((1, 2), tf.int32),
        ([1, 2.0], tf.float32),
        ([2**31, 1], tf.int64),
        ([-(2**31)], tf.int32),
        ([True, False], tf.bool),
        ([], tf.float32),
        ([np.float64(1.0)], tf.float64),
    ],
    ids=str,
)
def test_a_list_has_the_dtype_of_its_numbers(value: list, dtype: tf.DType) -> None:
    tensor = tf.constant(value)
    assert tensor.dtype is dtype
    assert tensor.numpy().tolist() == list(value)


def test_a_float_too_large_for_float32_is_infinite() -> None:
    assert tf.constant([1e300, -1e300]).numpy().tolist() == [math.inf, -math.inf]


def test_a_float_is_rounded_as_numpy_rounds_it() -> None:
    values = [0.1, 16777217.0, 1e-46, 3.4028235677973366e38]
    with np.errstate(over="ignore"):
        expected = np.array(values).astype(np.float32)
    np.testing.assert_array_equal(tf.constant(values).numpy(), expected)


def test_another_dtype_than_the_natural_one_can_be_asked_for() -> None:
    assert tf.constant([1, 2], tf.float64).dtype is tf.float64
    assert tf.add(tf.constant([1.0], tf.float64), [1]).dtype is tf.float64


def test_changing_the_list_later_does_not_change_the_tensor() -> None:
    values = [1.0, 2.0]
    tensor = tf.constant(values)
    values[0] = 5.0
    assert tensor.numpy().tolist() == [1.0, 2.0]
