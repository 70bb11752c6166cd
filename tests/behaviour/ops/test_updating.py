"""`dynamic_update_slice`, which Keras takes from TensorFlow's compiler."""

from __future__ import annotations

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.ops.array.updating import dynamic_update_slice


def test_a_block_is_replaced():
    result = dynamic_update_slice(tf.zeros([3, 3]), tf.ones([2, 1]), [1, 2])
    assert result.numpy().tolist() == [[0, 0, 0], [0, 0, 1], [0, 0, 1]]


def test_a_block_beyond_the_end_is_moved_back():
    assert dynamic_update_slice([1, 2, 3], [8, 9], [5]).numpy().tolist() == [1, 8, 9]


def test_a_block_may_not_be_larger():
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not fit into the input"):
        dynamic_update_slice(tf.zeros([2]), tf.ones([3]), [0])


def test_gradients_go_to_the_rest_and_to_the_block():
    x, block = tf.Variable([1.0, 2.0, 3.0]), tf.Variable([4.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(dynamic_update_slice(x, block, [1]) * [1.0, 10.0, 100.0])
    rest, inside = tape.gradient(y, [x, block])
    np.testing.assert_array_equal(rest, [1.0, 0.0, 100.0])
    np.testing.assert_array_equal(inside, [10.0])


def test_the_place_may_be_known_only_in_a_run():
    put = tf.function(lambda i: dynamic_update_slice(tf.zeros([3]), tf.ones([1]), [i]))
    assert put(tf.constant(2)).numpy().tolist() == [0, 0, 1]
