"""Gradients of loops over datasets in functions: what comes out of them is constant, as in
TensorFlow; loops over iterators and over distributed datasets pass gradients.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import emplace.tensorflow as tf


def numbers() -> Any:
    return tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0])


def plain(x: Any, t: Any) -> Any:
    for d in numbers():
        t = t * d + x
    return t


def ended_early(x: Any, t: Any) -> Any:
    for d in numbers():
        if d > 2.0:
            break
        t = t * d + x
    return t


def over_an_iterator(x: Any, t: Any) -> Any:
    for d in iter(numbers()):
        t = t * d + x
    return t


def besides(x: Any, t: Any) -> Any:
    y = x * 2.0
    for d in numbers():
        t = t * d + x
    return t + y


def changed_in_no_iteration(x: Any, t: Any) -> Any:
    y = x * x
    for d in numbers():
        if d > 5.0:
            y = y + 1.0
    return y


def in_an_array(x: Any, t: Any) -> Any:
    array = tf.TensorArray(tf.float32, 3)
    for i, d in numbers().enumerate():
        array = array.write(tf.cast(i, tf.int32), d * x)
    return tf.reduce_sum(array.stack()) + x


def in_another_loop(x: Any, t: Any) -> Any:
    for _ in tf.range(2):
        for d in numbers():
            t = t * d + x
        t = t * x
    return t


def with_a_tape_of_its_own(x: Any, t: Any) -> Any:
    for d in numbers():
        with tf.GradientTape() as tape:
            tape.watch(x)
            z = x * x * d
        t += tape.gradient(z, x)
    return t


def over_nothing(x: Any, t: Any) -> Any:
    for d in numbers().take(0):
        t = t + d * x
    return t


CASES: list[tuple[Callable[[Any, Any], Any], float, list[float | None]]] = [
    (plain, 36, [None, None]),
    (ended_early, 11, [None, None]),
    (over_an_iterator, 36, [10, 6]),
    (besides, 42, [2, None]),
    (changed_in_no_iteration, 9, [None, None]),
    (in_an_array, 21, [1, None]),
    (in_another_loop, 2034, [678, 0]),
    (with_a_tape_of_its_own, 37, [None, None]),
    (over_nothing, 1, [None, None]),
]


@pytest.mark.parametrize(("called", "value", "expected"), CASES)
@pytest.mark.parametrize("where", ["around", "inside", "tf.gradients"])
def test_what_comes_of_a_loop_over_a_dataset_is_constant(
    called: Callable[[Any, Any], Any], value: float, expected: list[float | None], where: str
) -> None:
    x, t = tf.constant(3.0), tf.constant(1.0)

    def taped(function: Any, x: Any, t: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, t])
            y = function(x, t)
        return y, tape.gradient(y, [x, t])

    if where == "around":
        y, found = taped(tf.function(called), x, t)
    elif where == "inside":
        y, found = tf.function(lambda x, t: taped(called, x, t))(x, t)
    else:

        @tf.function
        def both(x: Any, t: Any) -> Any:
            y = called(x, t)
            return y, tf.gradients(y, [x, t])

        y, found = both(x, t)
    assert float(y) == value
    assert [None if each is None else float(each) for each in found] == expected
