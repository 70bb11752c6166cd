"""What type checkers and editors see of the facade. mypy reads this file, as it reads the package:
a name that is not exported, or a result that is `Any`, is an error of `make check`.
"""

from __future__ import annotations

from typing import assert_type

import emplace.tensorflow as tf


def test_functions_return_tensors_to_type_checkers() -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert_type(x, tf.Tensor)
    assert_type(tf.matmul(x, x, transpose_b=True), tf.Tensor)
    assert_type(tf.add(x, 1.0), tf.Tensor)
    assert_type(tf.subtract(x, [1.0, 2.0]), tf.Tensor)
    assert_type(tf.divide(x, 2), tf.Tensor)
    assert_type(tf.abs(x), tf.Tensor)
    assert_type(tf.exp(x), tf.Tensor)
    assert_type(tf.sqrt(x), tf.Tensor)
    assert_type(tf.square(x), tf.Tensor)
    assert_type(tf.maximum(x, 0.0), tf.Tensor)
    assert_type(tf.cast(x, tf.int32), tf.Tensor)
    assert_type(tf.reshape(x, [-1]), tf.Tensor)
    assert_type(tf.transpose(x), tf.Tensor)
    assert_type(tf.concat([x, x], axis=0), tf.Tensor)
    assert_type(tf.stack([x, x]), tf.Tensor)
    assert_type(tf.expand_dims(x, 0), tf.Tensor)
    assert_type(tf.squeeze(x), tf.Tensor)
    assert_type(tf.gather(x, [0]), tf.Tensor)
    assert_type(tf.zeros([2, 2]), tf.Tensor)
    assert_type(tf.ones((2, 2), dtype=tf.float64), tf.Tensor)
    assert_type(tf.zeros_like(x), tf.Tensor)
    assert_type(tf.fill([2], 1.0), tf.Tensor)
    assert_type(tf.range(3), tf.Tensor)
    assert_type(tf.one_hot([0, 1], 2), tf.Tensor)
    assert_type(tf.reduce_sum(x, axis=1, keepdims=True), tf.Tensor)
    assert_type(tf.reduce_mean(x), tf.Tensor)
    assert_type(tf.argmax(x, axis=-1), tf.Tensor)
    assert_type(tf.equal(x, x), tf.Tensor)
    assert_type(tf.where(x > 2.0, x, 0.0), tf.Tensor)
    assert_type(tf.nn.relu(x), tf.Tensor)
    assert_type(tf.nn.softmax(x), tf.Tensor)
    assert_type(tf.math.log(x), tf.Tensor)
    assert_type(tf.linalg.inv(x), tf.Tensor)
    assert_type(tf.random.uniform([2]), tf.Tensor)
    assert_type(tf.convert_to_tensor([1, 2]), tf.Tensor)


def test_operators_of_tensors_return_tensors_to_type_checkers() -> None:
    x = tf.constant([1.0, 2.0])
    assert_type(x + 1, tf.Tensor)
    assert_type(2.0 * x - x / 2, tf.Tensor)
    assert_type(-x, tf.Tensor)
    assert_type(x[0], tf.Tensor)
    assert_type(x > 1.0, tf.Tensor)


def test_variables_are_taken_for_tensors_by_type_checkers() -> None:
    v = tf.Variable([1.0, 2.0])
    assert_type(tf.reduce_sum(v), tf.Tensor)
    assert_type(tf.multiply(v, [1.0, 2.0]), tf.Tensor)
