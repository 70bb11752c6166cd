"""`tf.zeros_initializer` and the like. Values and texts are TensorFlow 2.21's."""

from __future__ import annotations

import numpy as np
import pytest

import emplace.tensorflow as tf


def test_zeros_and_ones_have_any_number_or_bool():
    assert tf.zeros_initializer()((2,)).numpy().tolist() == [0.0, 0.0]
    assert tf.zeros_initializer()((2,), tf.int32).dtype == tf.int32
    assert tf.ones_initializer()([2], tf.bool).numpy().tolist() == [True, True]
    assert tf.zeros_initializer()([2, 3], partition_shape=[1, 3]).shape == [1, 3]
    assert tf.zeros_initializer().get_config() == {}
    with pytest.raises(ValueError, match=r"numeric or boolean. Received <dtype: 'string'>"):
        tf.ones_initializer()([2], tf.string)
    with pytest.raises(TypeError, match=r"should be one of .*Received: foo"):
        tf.zeros_initializer()([2], foo=1)


def test_constants_take_the_shape():
    assert tf.constant_initializer(3)([2, 2]).numpy().tolist() == [[3, 3], [3, 3]]
    made = tf.constant_initializer([1, 2, 3, 4])([2, 2], dtype=tf.int64)
    assert made.dtype == tf.int64
    assert made.numpy().tolist() == [[1, 2], [3, 4]]
    assert tf.constant_initializer([1, 2.5]).get_config() == {"value": [1, 2.5]}
    with pytest.raises(TypeError, match="has 3 elements, but got `shape`"):
        tf.constant_initializer([1, 2, 3])([2, 2])
    with pytest.raises(TypeError, match="Invalid type for initial value: dict"):
        tf.constant_initializer({1: 2})


def test_parts_of_constants_are_asked_for_before():
    for value in (3, [1, 2, 3, 4]):
        with pytest.raises(ValueError, match=r"doesn't support partition-related arguments\. Make"):
            tf.constant_initializer(value)([4, 2], partition_shape=[2, 2])
    parted = tf.constant_initializer(3, support_partition=True)
    assert parted([4, 2], partition_shape=[1, 2]).numpy().tolist() == [[3, 3]]


def test_random_numbers_are_tensorflows():
    tf.random.set_seed(None)
    drawn = tf.random_uniform_initializer(0, 1, seed=1)([2, 2])
    wanted = [[0.8784882, 0.45998025], [0.60029125, 0.39259768]]
    np.testing.assert_allclose(drawn.numpy(), wanted, rtol=1e-6)
    ints = tf.random_uniform_initializer(0, 10, seed=1)([2, 2], tf.int32)
    assert ints.numpy().tolist() == [[9, 4], [0, 6]]
    normal = tf.random_normal_initializer(seed=1)([2, 2])
    wanted = [[0.00633252, -0.02465083], [0.03155954, -0.03944233]]
    np.testing.assert_allclose(normal.numpy(), wanted, rtol=1e-5)
    with pytest.raises(
        ValueError, match=r"expected to be floating point. Received: <dtype: 'int32'>"
    ):
        tf.random_normal_initializer()([2], tf.int32)


def test_configurations_come_back():
    config = tf.random_normal_initializer().get_config()
    assert config == {"mean": 0.0, "stddev": 0.05, "seed": None}
    again = tf.random_normal_initializer.from_config({**config, "mean": 1.0, "stddev": 0.0})
    assert again([2]).numpy().tolist() == [1.0, 1.0]
