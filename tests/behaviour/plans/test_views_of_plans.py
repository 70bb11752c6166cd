"""Views that return to the shape they began with: graph/passes/views.py."""

from __future__ import annotations

import numpy as np
import pytest

import emplace
import emplace.tensorflow as tf

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def _views(function, *args) -> list[str]:
    names = [step.op for step in emplace.explain(function, *args).steps]
    return [name for name in names if name in ("Reshape", "Squeeze", "ExpandDims")]


def test_a_row_that_is_a_row_again_is_taken_itself():
    bias = tf.Variable([1.0, 2.0, 3.0, 4.0])

    @tf.function
    def add(x):
        row = tf.squeeze(tf.reshape(bias, [1, 1, 4]))
        return tf.nn.relu(x - 5.0) + tf.reshape(tf.expand_dims(row, 0), [4])

    np.testing.assert_array_equal(add(X), np.maximum(X - 5, 0) + bias.numpy())
    assert _views(add, X) == []


def test_views_that_somebody_takes_stay():
    @tf.function
    def both(x):
        flat = tf.reshape(x, [6, 4])
        return flat + 1.0, tf.reshape(flat, [2, 3, 4]) * 2.0, tf.reshape(flat, [24])

    flat, same, line = both(X)
    np.testing.assert_array_equal(flat, X.reshape(6, 4) + 1)
    np.testing.assert_array_equal(same, X * 2)
    np.testing.assert_array_equal(line, X.ravel())
    assert _views(both, X) == ["Reshape", "Reshape"]


def test_results_and_what_is_fetched_are_views_of_their_own():
    @tf.function
    def back(x):
        return tf.reshape(tf.reshape(x, [24]), [2, 3, 4]), x

    made, given = back(X)
    np.testing.assert_array_equal(made, X)
    np.testing.assert_array_equal(given, X)
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [2, 3, 4])
        middle = tf.reshape(x, [24])
        end = tf.reshape(middle, [2, 3, 4])
        with tf.compat.v1.Session() as session:
            middle_value, end_value = session.run([middle, end], {x: X})
            np.testing.assert_array_equal(middle_value, X.ravel())
            np.testing.assert_array_equal(end_value, X)
            np.testing.assert_array_equal(session.run(end, {middle: X.ravel() + 1}), X + 1)


def test_a_variable_that_changes_between_views_is_read_as_it_was():
    v = tf.Variable(X)

    @tf.function
    def step():
        before = tf.reshape(v.read_value(), [24])
        v.assign_add(tf.ones_like(v))
        return tf.reshape(before, [2, 3, 4]) + 0.0

    np.testing.assert_array_equal(step(), X)
    np.testing.assert_array_equal(step(), X + 1)


def test_a_view_of_a_sum_does_not_end_the_pass_that_makes_it():
    x, y = (
        tf.constant(np.random.default_rng(i).normal(size=(64, 256)), tf.float32) for i in (1, 2)
    )

    @tf.function
    def sums(x, y):
        masked = tf.nn.relu(x)
        first = tf.reshape(tf.reduce_sum(masked, 0), [1, 256])
        second = tf.reduce_sum(masked * y, 0)
        return masked * 2.0, first - second

    doubled, apart = sums(x, y)
    names = [step.op for step in emplace.explain(sums, x, y).steps]
    assert names.count("_FusedMap") == 1
    assert "Sum" not in names
    np.testing.assert_allclose(doubled, np.maximum(x, 0) * 2)
    both = np.maximum(x, 0).sum(0) - (np.maximum(x, 0) * y.numpy()).sum(0)
    np.testing.assert_allclose(apart[0], both, rtol=1e-4, atol=1e-4)


def test_what_waits_for_a_view_runs_after_it():
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [4])
        view = tf.reshape(x, [2, 2])
        with tf.control_dependencies([view]):
            end = tf.identity(x) + 1.0
        with tf.compat.v1.Session() as session:
            np.testing.assert_array_equal(session.run(end, {x: [1, 2, 3, 4]}), [2, 3, 4, 5])


def test_a_view_that_fails_fails_in_its_turn():
    """What would come after it does not happen, whoever takes the view."""
    v = tf.Variable(0.0)

    @tf.function
    def step(x, size):
        view = tf.reshape(x, [size])
        v.assign_add(1.0)
        return tf.reshape(view, tf.shape(x)) * 2.0

    step(tf.constant(X), tf.constant(24))
    with pytest.raises(tf.errors.InvalidArgumentError):
        step(tf.constant(X), tf.constant(7))
    assert v.numpy() == 1.0


def test_gradients_go_through_views_that_return():
    @tf.function
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.square(tf.reshape(tf.reshape(x, [4, 6]), [2, 3, 4])))
        return tape.gradient(y, x)

    np.testing.assert_array_equal(gradient(tf.constant(X)), 2 * X)
