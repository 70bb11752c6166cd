"""Axes and counts that are tensors of unknown shape; one number is fed. TensorFlow's answers."""

from __future__ import annotations

import numpy as np
import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1
VALUE = np.arange(4, dtype=np.float32).reshape(2, 2)
CASES = {
    "concat": (lambda x, a: tf.concat([x, x * 2.0], a), [[0, 1, 0, 2], [2, 3, 4, 6]]),
    "cumsum": (tf.cumsum, [[0, 1], [2, 5]]),
    "expand_dims": (tf.expand_dims, [[[0, 1]], [[2, 3]]]),
    "gather": (lambda x, a: tf.gather(x, [0, 0], axis=a), [[0, 0], [2, 2]]),
    "one_hot": (lambda x, a: tf.one_hot([0, 1], a + 2), [[1, 0, 0], [0, 1, 0]]),
    "reduce_logsumexp": (tf.reduce_logsumexp, [1.3132616, 3.3132617]),
    "reduce_sum": (tf.reduce_sum, [1, 5]),
    "reverse": (lambda x, a: tf.reverse(x, [a]), [[1, 0], [3, 2]]),
    "roll": (lambda x, a: tf.roll(x, 1, a), [[1, 0], [3, 2]]),
    "split": (lambda x, a: tf.split(x, 2, a)[0], [[0], [2]]),
    "tile": (lambda x, a: tf.tile(x, [1, a + 1]), [[0, 1, 0, 1], [2, 3, 2, 3]]),
}


@pytest.mark.parametrize("axis_shape", [[], None], ids=["scalar", "unknown axis"])
@pytest.mark.parametrize("shape", [[2, 2], None], ids=["known", "unknown"])
@pytest.mark.parametrize("name", CASES)
def test_a_number_of_unknown_shape_is_one_number(name, shape, axis_shape):
    function, expected = CASES[name]
    with tf.Graph().as_default():
        axis, x = v1.placeholder(tf.int32, axis_shape), v1.placeholder(tf.float32, shape)
        y = function(x, axis)
        with v1.Session() as session:
            np.testing.assert_allclose(session.run(y, {axis: 1, x: VALUE}), expected, rtol=1e-6)


def test_several_axes_of_unknown_number_are_all_of_them():
    with tf.Graph().as_default():
        axes = v1.placeholder(tf.int32, None)
        y = tf.reduce_sum(tf.constant(VALUE), axes)
        with v1.Session() as session:
            assert session.run(y, {axes: [0, 1]}).tolist() == 6.0
            assert session.run(y, {axes: [0]}).tolist() == [2.0, 4.0]
            assert session.run(y, {axes: 0}).tolist() == [2.0, 4.0]


def test_a_default_of_unknown_shape_is_an_axis_until_it_is_fed():
    with tf.Graph().as_default():
        axis = v1.placeholder_with_default(1, None)
        y = tf.concat([tf.constant(VALUE)] * 2, axis)
        with v1.Session() as session:
            assert session.run(y).shape == (2, 4)
            assert session.run(y, {axis: 0}).shape == (4, 2)
