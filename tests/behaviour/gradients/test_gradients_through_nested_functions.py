"""Gradients through functions that are made, called and gone while another one is traced."""

import gc
from typing import Any

import emplace.tensorflow as tf


def _chain(z: Any) -> Any:
    for _ in range(20):
        values, places = tf.math.top_k(z, 3)
        z = tf.sin(z) * tf.cos(z) + tf.cast(places, tf.float32) * 0.01 + values
    return z


def _nested(x: Any) -> Any:
    """The chain in a function in a function; the innermost one ends before its operations are
    copied the second time, and its memory is used again.
    """

    @tf.function
    def middle(y: Any) -> Any:
        @tf.function
        def inner(z: Any) -> Any:
            return _chain(z)

        return inner(y)

    middle.get_concrete_function(x)
    gc.collect()
    return middle(x)


def _gradient(f: Any, x: Any) -> list[float]:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    found: list[float] = tape.gradient(y, x).numpy().tolist()
    return found


def test_a_gradient_takes_no_tensor_for_one_of_a_function_that_is_gone() -> None:
    x = tf.constant([0.1, 0.2, 0.3])
    expected = _gradient(_chain, x)
    for _ in range(3):
        assert _gradient(tf.function(_nested), x) == expected


def test_tf_gradients_take_no_tensor_for_one_of_a_function_that_is_gone() -> None:
    x = tf.constant([0.1, 0.2, 0.3])
    expected = _gradient(_chain, x)

    @tf.function
    def inside(x: Any) -> Any:
        return tf.gradients(_nested(x), x)[0]

    for _ in range(3):
        assert inside(x).numpy().tolist() == expected
