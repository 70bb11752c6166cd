"""`assign_moving_average`, which Keras 2's layers call; the numbers are TensorFlow 2.21's."""

import numpy as np
import pytest

import emplace.tensorflow as tf

assign_moving_average = tf.__internal__.train.assign_moving_average


def test_an_average_that_began_at_zero_is_divided_by_what_is_in_it():
    average = tf.Variable([0.0, 0.0])
    for _ in range(3):
        made = assign_moving_average(average, tf.constant([1.0, 2.0]), 0.9)
        np.testing.assert_allclose(made, [1.0, 2.0], rtol=1e-6)
        np.testing.assert_allclose(average, [1.0, 2.0], rtol=1e-6)


def test_without_that_it_moves_by_the_share_that_is_left():
    average = tf.Variable(5.0)
    for expected in (4.6, 4.24, 3.916):
        made = assign_moving_average(average, 1.0, 0.9, zero_debias=False)
        np.testing.assert_allclose(float(made), expected, rtol=1e-6)


def test_in_a_function_what_was_there_before_does_not_count():
    average = tf.Variable(5.0)
    move = tf.function(lambda x: assign_moving_average(average, x, 0.9))
    np.testing.assert_allclose([move(1.0), move(1.0)], [1.0, 1.0], rtol=1e-6)
    np.testing.assert_allclose(move(4.0), (0.09 + 0.081 + 0.4) / 0.271, rtol=1e-5)


def test_graphs_of_sessions_refuse_it_by_name():
    with tf.Graph().as_default():
        average = tf.compat.v1.Variable(5.0)
        with pytest.raises(NotImplementedError, match="Pass zero_debias=False"):
            assign_moving_average(average, tf.constant(1.0), 0.9)
