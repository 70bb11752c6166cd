"""Branches and loops of a session's graph run what their results need, as the graph itself; those
of functions run all. The numbers are TensorFlow's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1


def _unneeded(v: Any, w: Any, p: Any) -> Any:
    def yes() -> Any:
        v.assign_add(1.0)
        return tf.constant(1.0)

    return tf.cond(p, yes, lambda: tf.constant(2.0))


def _waited_for(v: Any, w: Any, p: Any) -> Any:
    def yes() -> Any:
        with tf.control_dependencies([v.assign_add(1.0)]):
            return tf.constant(1.0)

    return tf.cond(p, yes, lambda: tf.constant(2.0))


def _returned(v: Any, w: Any, p: Any) -> Any:
    return tf.cond(p, lambda: v.assign_add(1.0), lambda: w.assign_add(5.0))


def _operations(v: Any, w: Any, p: Any) -> Any:
    return v1.cond(p, lambda: tf.group(v.assign_add(1.0)), lambda: tf.group(w.assign_add(5.0)))


def _a_call(v: Any, w: Any, p: Any) -> Any:
    @tf.function
    def f(x: Any) -> Any:
        v.assign_add(1.0)
        return x * 2.0

    def no() -> Any:
        f(tf.constant(3.0))
        return tf.constant(2.0)

    return tf.cond(p, lambda: f(tf.constant(1.0)), no)


def _a_loop(v: Any, w: Any, p: Any) -> Any:
    def body(i: Any) -> Any:
        v.assign_add(1.0)
        with tf.control_dependencies([w.assign_add(1.0)]):
            return i + 1

    return tf.while_loop(lambda i: i < 3, body, [0])


def _nested(v: Any, w: Any, p: Any) -> Any:
    def body(i: Any) -> Any:
        def yes() -> Any:
            v.assign_add(1.0)
            return i + 1

        def no() -> Any:
            with tf.control_dependencies([w.assign_add(1.0)]):
                return i + 1

        return tf.cond(p, yes, no)

    return tf.while_loop(lambda i: i < 3, body, [0])


def _a_check(v: Any, w: Any, p: Any) -> Any:
    def yes() -> Any:
        v1.assert_equal(v, 1.0)
        return v + 0.0

    return tf.cond(p, yes, lambda: tf.constant(2.0))


def _differentiated(v: Any, w: Any, p: Any) -> Any:
    y = tf.cond(p, lambda: v.assign_add(1.0) * w, lambda: w * 1.0)
    return v1.gradients(y, [w])


CASES: list[tuple[Callable[..., Any], list[float], list[float]]] = [
    (_unneeded, [0, 0], [0, 0]),
    (_waited_for, [1, 0], [0, 0]),
    (_returned, [1, 0], [0, 5]),
    (_operations, [1, 0], [0, 5]),
    (_a_call, [1, 0], [0, 0]),
    (_a_loop, [0, 3], [0, 3]),
    (_nested, [0, 0], [0, 3]),
    (_a_check, [0, 0], [0, 0]),
    (_differentiated, [1, 0], [0, 0]),
]


@pytest.mark.parametrize(("program", "if_true", "if_false"), CASES)
def test_a_body_in_a_session_runs_what_its_results_need(
    program: Any, if_true: list[float], if_false: list[float]
) -> None:
    for choice, expected in ((True, if_true), (False, if_false)):
        with tf.Graph().as_default(), v1.Session() as session:
            v, w = v1.Variable(0.0), v1.Variable(0.0)
            p = v1.placeholder(tf.bool, [])
            results = program(v, w, p)
            session.run(v1.global_variables_initializer())
            session.run(results, {p: choice})
            assert session.run([v, w]) == expected


def test_a_body_in_a_function_runs_all_also_where_a_session_calls_the_function() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        v, p = v1.Variable(0.0), v1.placeholder(tf.bool, [])
        result = tf.function(lambda p: _unneeded(v, v, p))(p)
        session.run(v1.global_variables_initializer())
        assert session.run(result, {p: True}) == 1.0
        assert session.run(v) == 1.0
