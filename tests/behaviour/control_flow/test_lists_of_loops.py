"""A loop that fills a `TensorArray` writes into its list where nobody else can see it."""

from __future__ import annotations

import numpy as np
import pytest

import emplace
import emplace.tensorflow as tf


def _filled(array):
    """The array with 0, 10, 20 and so on, written by a loop."""
    loop = tf.while_loop(
        lambda i, _: i < 5,
        lambda i, a: (i + 1, a.write(i, tf.cast(i, tf.float32) * 10)),
        [0, array],
    )
    return loop[1]


def _ones():
    return tf.TensorArray(tf.float32, 5, element_shape=[]).unstack(tf.ones([5]))


@pytest.mark.not_strict("plans on strict GPUs keep their instrumented form")
def test_what_a_loop_was_given_stays_as_it_was():
    @tf.function
    def both():
        array = _ones()
        return _filled(array).stack(), array.stack()

    after, before = both()
    assert after.numpy().tolist() == [0, 10, 20, 30, 40]
    assert before.numpy().tolist() == [1] * 5
    assert "is_last=True" in emplace.explain(both).source


def test_an_array_that_is_still_read_is_not_written_into():
    @tf.function
    def read_after_write():
        def body(i, array, seen):
            changed = array.write(i, 7.0)
            return i + 1, changed, seen + array.read(i)

        return tf.while_loop(lambda i, *_: i < 5, body, [0, _ones(), 0.0])[2]

    assert read_after_write().numpy() == 5.0


def test_an_array_that_leaves_the_round_as_it_came_is_not_written_into():
    @tf.function
    def kept():
        def body(i, one, other):
            return i + 1, other.write(i, 7.0), one

        loop = tf.while_loop(lambda i, *_: i < 3, body, [0, _ones(), _ones()])
        return loop[1].stack(), loop[2].stack()

    one, other = kept()
    assert sorted([one.numpy().tolist(), other.numpy().tolist()]) == [
        [1, 7, 1, 1, 1],
        [7, 1, 7, 1, 1],
    ]


@pytest.mark.parametrize("power", [1, 2])
def test_gradients_of_filled_arrays_are_right(power):
    @tf.function
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            array = tf.TensorArray(tf.float32, 4, element_shape=[])
            loop = tf.while_loop(
                lambda i, *_: i < 4,
                lambda i, a, s: (i + 1, a.write(i, s * x), s * x),
                [0, array, tf.constant(1.0)],
            )
            loss = tf.reduce_sum(loop[1].stack() ** power)
        return tape.gradient(loss, x)

    x = 1.5
    expected = sum(power * n * x ** (power * n - 1) for n in range(1, 5))
    np.testing.assert_allclose(gradient(tf.constant(x)), expected, rtol=1e-6)


def test_an_array_may_be_filled_twice_by_the_same_function():
    function = tf.function(lambda: _filled(_ones()).stack())
    first = function()
    assert function().numpy().tolist() == first.numpy().tolist() == [0, 10, 20, 30, 40]
