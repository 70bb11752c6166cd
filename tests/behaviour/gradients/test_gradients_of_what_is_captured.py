"""`tf.gradients` inside of a function, of tensors of the graph around it."""

from __future__ import annotations

from typing import Any

import emplace.tensorflow as tf

v1 = tf.compat.v1


def _run(fetches: Any, feeds: Any = None) -> Any:
    with v1.Session() as session:
        return session.run(fetches, feeds)


def test_a_function_takes_gradients_of_a_tensor_that_it_reads_nowhere_else() -> None:
    with tf.Graph().as_default():
        x = tf.constant(3.0)
        y = x * x

        @tf.function
        def slope() -> Any:
            return tf.gradients(y, x)

        assert _run(slope()) == [6.0]


def test_a_function_takes_gradients_of_a_condition_around_it() -> None:
    with tf.Graph().as_default():
        x, y = tf.constant(1.0), tf.constant(2.0)
        outer, inner = v1.placeholder(tf.bool), v1.placeholder(tf.bool)

        def product() -> Any:
            return tf.cond(inner, lambda: x * y * 2.0, lambda: x * 5.0)

        chosen = tf.cond(outer, lambda: 2.0, product)

        @tf.function
        def slopes() -> Any:
            return tf.gradients(chosen, [x, y])

        found = slopes()
        assert _run(found, {outer: True, inner: True}) == [0.0, 0.0]
        assert _run(found, {outer: False, inner: True}) == [4.0, 2.0]
        assert _run(found, {outer: False, inner: False}) == [5.0, 0.0]


def test_a_tensor_that_is_both_target_and_source_counts_for_itself() -> None:
    with tf.Graph().as_default():
        a, b = tf.constant(1.0), tf.constant(2.0)
        c = a * b

        @tf.function
        def outer() -> Any:
            near = tf.identity(a)

            @tf.function
            def inner() -> Any:
                parts = [tf.identity(near), tf.identity(b), tf.identity(c), a]
                return tf.gradients(parts, [a, b])

            return inner()

        assert _run(outer()) == [4.0, 2.0]
