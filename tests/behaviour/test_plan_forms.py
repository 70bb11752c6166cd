"""A function does the same by a plain plan and by an instrumented one, which tells observers and
asks
budgets: results, gradients of any order, directions, devices, and which object is which.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import emplace
import emplace.tensorflow as tf
from emplace import runtime


@tf.custom_gradient
def tripled(x):
    return x, lambda dy: dy * 3.0


def halved_until_small(x):
    def body(i, y):
        return i + 1, y * 0.5 * x

    return tf.while_loop(lambda i, y: (i < 3) & (tf.reduce_sum(y) > 0.1), body, (0, x))[1]


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "argument": lambda x: x,
    "argument twice": lambda x: (x, x),
    "cast to the same": lambda x: tf.cast(x, tf.float32),
    "argument and value": lambda x: {"x": x, "y": tf.sin(x)},
    "value twice": lambda x: [tf.sin(x)] * 2,
    "constants": lambda x: (tf.constant(2.0), tf.constant(2.0), x * 2.0),
    "views": lambda x: (tf.reshape(x, [2, 1]), x[:], tf.transpose(x), x),
    "stopped": lambda x: (tf.stop_gradient(x), x),
    "integers": lambda x: (tf.cast(x, tf.int32), tf.shape(x), x),
    "branch that returns its input": lambda x: tf.cond(x[0] > 0, lambda: x, lambda: x * 2.0),
    "other branch": lambda x: tf.cond(x[0] < 0, lambda: x, lambda: tf.sin(x)),
    "loop": halved_until_small,
    "loop of no rounds": lambda x: tf.while_loop(lambda y: False, lambda y: [y * x], [x])[0],
    "loop in a branch": lambda x: tf.cond(x[0] > 0, lambda: halved_until_small(x), lambda: x),
    "map": lambda x: tf.map_fn(lambda each: tf.sin(each) * each, x),
    "functions in functions": lambda x: tf.function(lambda y: tf.function(lambda z: z)(y) * x)(x),
    "its own gradient": lambda x: tripled(x),
    "sine": tf.sin,
}


def told(x: Any) -> Any:
    if isinstance(x, (list, tuple)):
        return [told(each) for each in x]
    return None if x is None else np.asarray(x).astype(np.float64).tolist()


def _gradient(f: Any, x: Any, order: int, **options: Any) -> Any:
    if not order:
        return f(x)
    with tf.GradientTape(**options) as tape:
        tape.watch(x)
        y = _gradient(f, x, order - 1, **options)
    return tape.gradient(y, x, unconnected_gradients="zero")


def _directions(f: Any, x: Any) -> list[Any]:
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        results = tf.nest.flatten(f(x))
        weighed = [tf.reduce_sum(tf.cast(y, tf.float32)) * tf.reduce_sum(x) for y in results]
    return [accumulator.jvp(y, "zero") for y in weighed]


def facts(function: Callable[[Any], Any]) -> dict[str, Any]:
    """All that is compared."""
    f, x = tf.function(function), tf.constant([0.75, 1.5])

    def weighed(x):
        results = [tf.reduce_sum(tf.cast(y, tf.float32)) for y in tf.nest.flatten(f(x))]
        return tf.add_n([y * (i + 1.0) for i, y in enumerate(results)]) * tf.reduce_sum(x)

    results = tf.nest.flatten(f(x))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        floats = [y for y in tf.nest.flatten(f(x)) if y.dtype is tf.float32]
    found = {
        "results": results,
        "gradients": [_gradient(weighed, x, order) for order in (1, 2, 3)],
        "persistent": [_gradient(weighed, x, order, persistent=True) for order in (1, 2)],
        "in a function": _gradient(tf.function(weighed), x, 2),
        "directions": _directions(f, x),
        "jacobians": [tape.jacobian(y, x, "zero") for y in floats],
    }
    numbers = {name: told(each) for name, each in found.items()}
    same = [[a is b for b in [x, *results]] for a in [x, *results]]
    return numbers | {"same": same, "dtypes": [y.dtype for y in results]}


def assert_equal(found: dict[str, Any], expected: dict[str, Any]) -> None:
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        if name in ("same", "dtypes"):
            assert found[name] == value, name
        else:
            for a, b in zip(tf.nest.flatten(found[name]), tf.nest.flatten(value), strict=True):
                assert a == pytest.approx(b, rel=1e-5, abs=1e-5), name


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_does_the_same_on_a_bounded_device_and_while_somebody_watches(name, monkeypatch):
    expected = facts(FUNCTIONS[name])
    with emplace.watch():
        assert_equal(facts(FUNCTIONS[name]), expected)
    monkeypatch.setenv("EMPLACE_GPUS", "2x64MB")
    runtime.reset(virtual=True)
    assert_equal(facts(FUNCTIONS[name]), expected)


@pytest.mark.gpus(2, memory="64MB")
@pytest.mark.parametrize(
    ("function", "expected"),  # TensorFlow's answers
    [
        (lambda x: x, 1.0),
        (lambda x: (x, x), 2.0),
        (lambda x: tf.cast(x, tf.float32), 1.0),
        (lambda x: tf.cond(x > 0, lambda: x, lambda: x * 2.0), 1.0),
        (lambda x: tf.function(lambda y: y)(x) * x, 6.0),
    ],
)
def test_what_a_function_returns_of_its_arguments_counts_once(function, expected):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(function)(x)
    assert float(tape.gradient(y, x)) == expected


@pytest.mark.gpus(2, memory="64MB")
def test_a_captured_tensor_that_a_function_returns_counts_once():
    c, x = tf.constant(4.0), tf.constant(3.0)
    function = tf.function(lambda y: (c, y * c, c))
    with tf.GradientTape() as tape:
        tape.watch([c, x])
        results = function(x)
    assert told(tape.gradient(results, [c, x])) == [5.0, 4.0]


@pytest.mark.gpus(2, memory="64MB")
def test_parts_of_ragged_and_sparse_tensors_that_a_function_returns_count_once():
    function = tf.function(lambda each: each)
    for given in (tf.ragged.constant([[1.0, 2.0], [3.0]]), tf.sparse.from_dense([[1.0, 2.0, 3.0]])):
        with tf.GradientTape() as tape:
            tape.watch(given.values)
            y = tf.reduce_sum(function(given).values * given.values)
        assert told(tape.gradient(y, given.values)) == [2.0, 4.0, 6.0]
