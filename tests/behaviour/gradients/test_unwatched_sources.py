"""What a tape does not watch has no gradient, though what it has recorded may depend on it.

All that is expected here TensorFlow 2.21 has answered.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf

BINARY = {
    "mul": tf.multiply,
    "add": tf.add,
    "sub": tf.subtract,
    "div": tf.divide,
    "matmul": tf.matmul,
    "pow": lambda p, w: w**p,
    "concat": lambda p, w: tf.concat([p, w], 0),
    "where": lambda p, w: tf.where([[True, False], [False, True]], p, w),
    "maximum": tf.maximum,
    "add_n": lambda p, w: tf.add_n([p, w]),
    "einsum": lambda p, w: tf.einsum("ij,jk->ik", p, w),
    "function": lambda p, w: tf.function(lambda a, b: a * b)(p, tf.identity(w)),
}


@pytest.fixture
def p() -> Any:
    """A constant."""
    return tf.constant([[1.0, 2.0], [3.0, 4.0]])


@pytest.fixture
def w() -> Any:
    """A variable."""
    return tf.Variable([[3.0, 4.0], [5.0, 6.0]])


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("is_function", [False, True])
def test_a_constant_that_is_not_watched_has_no_gradient(
    name: str, is_function: bool, p: Any, w: Any
) -> None:
    has_gradient = []

    def run() -> Any:
        with tf.GradientTape() as tape:
            y = BINARY[name](p, w)
        gradients = tape.gradient(y, [p, w])
        has_gradient.extend(each is not None for each in gradients)
        return y

    (tf.function(run) if is_function else run)()
    assert has_gradient == [False, True]


def test_nor_has_a_value_that_was_computed_before(w: Any) -> None:
    before = w * 1.0
    with tf.GradientTape() as tape:
        y = before * w
    assert tape.gradient(y, before) is None


def test_nor_has_a_variable_that_is_not_trainable_unless_it_is_watched(w: Any) -> None:
    fixed = tf.Variable([[1.0, 1.0], [1.0, 1.0]], trainable=False)
    with tf.GradientTape(persistent=True) as tape:
        y = fixed * w
    assert tape.gradient(y, fixed) is None
    with tape:
        tape.watch(fixed)
        y = fixed * w
    assert np.array_equal(tape.gradient(y, fixed), w)


def test_nor_has_an_argument_of_a_function(w: Any) -> None:
    @tf.function
    def has_gradients(a: Any, b: Any) -> list[bool]:
        with tf.GradientTape() as tape:
            y = a * b * w
        return [each is not None for each in tape.gradient(y, [a, b, w])]

    assert [bool(x) for x in has_gradients(tf.constant(2.0), tf.constant(3.0))] == [
        False, False, True,
    ]  # fmt: skip
    assert [bool(x) for x in has_gradients(tf.Variable(2.0), tf.constant(3.0))] == [
        True, False, True,
    ]  # fmt: skip


def test_an_inner_tape_and_an_outer_one_know_what_they_have_seen(w: Any) -> None:
    before = w * 1.0
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            s = before * w
        y = s * before
    assert inner.gradient(s, before) is None
    of_before, of_s = outer.gradient(y, [before, s])
    assert of_before is None
    assert np.array_equal(of_s, before)


def test_what_was_recorded_counts_once_it_is_watched_too_late(p: Any, w: Any) -> None:
    with tf.GradientTape() as tape:
        y = p * w
        tape.watch(p)
    assert np.array_equal(tape.gradient(y, p), w)


def test_there_are_zeros_where_they_are_asked_for(p: Any, w: Any) -> None:
    with tf.GradientTape(persistent=True) as tape:
        y = p * w
    assert np.array_equal(tape.gradient(y, p, unconnected_gradients="zero"), np.zeros((2, 2)))
    assert tape.jacobian(y, p) is None
    assert np.array_equal(tape.batch_jacobian(y, p), np.zeros((2, 2, 2)))
    assert tape.gradient(y, p, output_gradients=p) is None


def test_a_value_is_a_gradient_for_itself_unless_something_was_computed_of_it(
    p: Any, w: Any
) -> None:
    with tf.GradientTape(persistent=True) as tape:
        y = w * 1.0
    assert np.array_equal(tape.gradient(p, p), np.ones((2, 2)))
    assert np.array_equal(tape.gradient([y, p], p), np.ones((2, 2)))
    assert np.array_equal(tape.gradient(p, p, output_gradients=w), w)
    with tape:
        y = p * w
    assert np.array_equal(tape.gradient(p, p), np.ones((2, 2)))
    assert tape.gradient([y, p], p) is None


UNCONNECTED = {
    "floor": tf.floor, "ceil": tf.math.ceil, "round": tf.round, "rint": tf.math.rint,
    "floordiv": lambda w: w // 2.0, "truncatediv": lambda w: tf.truncatediv(w, 2.0),
    "shuffle": tf.random.shuffle, "sign": tf.sign,
}  # fmt: skip


@pytest.mark.parametrize("name", UNCONNECTED)
@pytest.mark.parametrize("is_function", [False, True])
def test_what_an_op_without_a_gradient_makes_may_be_a_source(
    name: str, is_function: bool, w: Any
) -> None:
    def run() -> Any:
        with tf.GradientTape() as tape:
            s = UNCONNECTED[name](w)
            y = s * w
        return tape.gradient(y, s)

    assert np.array_equal((tf.function(run) if is_function else run)(), w)


def test_but_not_what_stops_gradients(w: Any) -> None:
    with tf.GradientTape() as tape:
        s = tf.stop_gradient(w)
        y = s * w
    assert tape.gradient(y, s) is None


def test_what_going_back_reads_first_is_no_source_yet(p: Any) -> None:
    factor = tf.Variable(3.0)

    @tf.custom_gradient
    def squared(x: Any) -> Any:
        return x * x, lambda dy: dy * factor

    with tf.GradientTape(persistent=True) as tape:
        tape.watch(p)
        y = squared(p)
        of_factor, of_p = tape.gradient(y, [factor, p])
    assert of_factor is None
    assert np.array_equal(of_p, 3.0 * np.ones((2, 2)))


def test_a_value_of_unknown_size_is_a_gradient_for_itself() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def run(x: Any) -> Any:
        with tf.GradientTape() as tape:
            pass
        return tape.gradient(x, x)

    assert run(tf.constant([2.0, 3.0])).numpy().tolist() == [1.0, 1.0]
