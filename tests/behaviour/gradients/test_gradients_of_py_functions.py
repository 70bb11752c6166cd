"""Gradients flow through what a Python function is given, in eager mode as in functions, and not
through what else it reads. All that is expected here TensorFlow 2.21 has answered.
"""

from __future__ import annotations

from typing import Any

import pytest

import emplace.tensorflow as tf

IN_FUNCTION = pytest.mark.parametrize("in_function", [False, True])
C, K = tf.constant(2.0), tf.constant(7.0)


@pytest.fixture
def v() -> Any:
    """A variable."""
    return tf.Variable(3.0)


@IN_FUNCTION
def test_what_a_function_reads_besides_has_no_gradient(in_function: bool, v: Any) -> None:
    told = []

    def run() -> Any:
        with tf.GradientTape() as tape:
            tape.watch([C, K])
            y = tf.py_function(lambda x: x * x * v * K, [C], tf.float32)
        of_c, *others = tape.gradient(y, [C, v, K])
        told.extend(others)
        return of_c

    assert float((tf.function(run) if in_function else run)()) == 84.0
    assert told == [None, None]


@IN_FUNCTION
def test_nor_does_it_count_twice(in_function: bool, v: Any) -> None:
    def run() -> Any:
        with tf.GradientTape() as tape:
            y = tf.py_function(lambda x: x * v, [v], tf.float32)
        assert list(tape.watched_variables()) == [v]
        return tape.gradient(y, v)

    assert float((tf.function(run) if in_function else run)()) == 3.0


def test_eager_mode_calls_the_function_once() -> None:
    calls = []

    def square(x: Any) -> Any:
        calls.append(x)
        return x * x

    with tf.GradientTape() as tape:
        tape.watch(C)
        y = tf.py_function(square, [C], tf.float32)
    assert float(tape.gradient(y, C)) == 4.0
    assert len(calls) == 1


def test_there_are_zeros_where_a_result_does_not_depend_on_an_input(v: Any) -> None:
    for function in (tf.stop_gradient, lambda x: 5.0):
        with tf.GradientTape() as tape:
            tape.watch(C)
            y = tf.py_function(function, [C], tf.float32)
        assert float(tape.gradient(y, C)) == 0.0


def test_an_input_that_is_handed_back_is_another_tensor() -> None:
    with tf.GradientTape() as tape:
        tape.watch(C)
        y = tf.py_function(lambda x: x, [C], tf.float32)
    assert y is not C
    assert float(tape.gradient(y, C)) == 1.0


@IN_FUNCTION
def test_second_derivatives(in_function: bool, v: Any) -> None:
    """TensorFlow tells None."""

    def run() -> Any:
        with tf.GradientTape() as outer:
            outer.watch(C)
            with tf.GradientTape() as inner:
                inner.watch(C)
                y = tf.py_function(lambda x: x * x * x * v, [C], tf.float32)
            slope = inner.gradient(y, C)
        return outer.gradient(slope, C)

    assert float((tf.function(run) if in_function else run)()) == 36.0


def test_forward_derivatives() -> None:
    with tf.autodiff.ForwardAccumulator(C, tf.constant(1.0)) as accumulator:
        y = tf.py_function(lambda x: x * x, [C], tf.float32)
        assert float(accumulator.jvp(y)) == 4.0
