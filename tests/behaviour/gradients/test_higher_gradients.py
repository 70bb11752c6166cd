"""Gradients of gradients where functions, branches, loops and rules of the program's own meet.
The numbers are TensorFlow's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import emplace.tensorflow as tf


@tf.custom_gradient
def crooked(x):
    tripled = x * 3.0
    return tf.sin(x), lambda dy: dy * tf.cos(x) * tripled


@tf.custom_gradient
def in_a_branch(x):
    doubled = x * 2.0

    @tf.custom_gradient
    def inner(y):
        return y * doubled, lambda dy: dy * doubled

    result = tf.cond(x > 0, lambda: inner(x), lambda: x)
    return result, lambda dy: dy * doubled


def branch(x):
    return tf.cond(x > 0, lambda: tf.sin(x) * tf.exp(tf.cos(x)), lambda: tf.tanh(x))


def loop(x):
    def body(i, y):
        return i + 1, tf.sin(y) * tf.exp(tf.cos(x))

    return tf.while_loop(lambda i, y: i < 3, body, (0, x))[1]


def loop_in_a_branch(x):
    def rounds():
        step = lambda i, y: (i + 1, tf.sin(y) * x)  # noqa: E731
        return tf.while_loop(lambda i, y: i < 3, step, (0, x))[1]

    return tf.cond(x > 0, rounds, lambda: x)


def twice(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    inner = tf.function(function)
    return lambda x: inner(x) * inner(x * 2.0)


def two_derivatives(f: Callable[[Any], Any], at: float, **options: Any) -> list[float]:
    x = tf.constant(at)
    with tf.GradientTape(**options) as outer:
        outer.watch(x)
        with tf.GradientTape(**options) as tape:
            tape.watch(x)
            y = f(x)
        first = tape.gradient(y, x)
    return [float(y), float(first), float(outer.gradient(first, x))]


CASES = {
    "a loop in a branch": (loop_in_a_branch, [2.8299427, -6.3516989, -178.26956]),
    "a branch twice": (twice(branch), [-0.03827255, 0.5155407, -2.9526901]),
    "a loop twice": (twice(loop), [-0.01862685, 0.10229681, 1.3773588]),
    "a rule of the program": (crooked, [0.14112, -8.909932, -4.2400575]),
    "such a rule in a function in a function": (
        twice(crooked),
        [-0.03943111, 7.3675451, -610.31403],
    ),
    "such a rule in a branch": (in_a_branch, [18.0, 6.0, 2.0]),
}


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_second_derivatives(name: str, persistent: bool) -> None:
    function, expected = CASES[name]
    found = two_derivatives(tf.function(function), 3.0, persistent=persistent)
    assert found == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("name", CASES)
def test_second_derivatives_in_eager_mode(name: str) -> None:
    function, expected = CASES[name]
    assert two_derivatives(function, 3.0) == pytest.approx(expected, rel=1e-4)


def test_the_rest_of_a_function_runs_where_only_one_of_two_calls_is_differentiated() -> None:
    inner = tf.function(branch)

    @tf.function
    def product(x):
        first = inner(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = inner(x * 2.0)
        return first * tape.gradient(y, x)

    x = tf.constant(3.0)
    alone = two_derivatives(branch, 6.0)[1] * 2.0
    assert float(product(x)) == pytest.approx(float(branch(x)) * alone, rel=1e-5)
    assert float(inner(x)) == pytest.approx(float(branch(x)), rel=1e-6)
