"""What programs wish XLA to compile (`tf.xla.experimental`)."""

from __future__ import annotations

from typing import Any

import pytest

import emplace.tensorflow as tf

X = tf.constant([1.0, 2.0])


def test_results_are_those_of_the_function() -> None:
    of = tf.xla.experimental.compile
    assert of(lambda: X * 2).numpy().tolist() == [2, 4]
    assert of(lambda a: {"a": a}, [X])["a"].numpy().tolist() == [1, 2]


def test_in_graphs_flat_results_are_lists() -> None:
    seen: list[Any] = []

    @tf.function
    def f() -> Any:
        results: tuple[Any, ...] = (X * 2, (X, 3), {"a": X}, (X, [X]), None)
        seen.extend(tf.xla.experimental.compile(lambda each=each: each) for each in results)
        with pytest.raises(ValueError, match="NoneType"):
            tf.xla.experimental.compile(lambda: (X, None))
        with tf.xla.experimental.jit_scope():
            return seen[0], seen[1][1] * 2

    (doubled,), six = f()
    assert (doubled.numpy().tolist(), int(six)) == ([2, 4], 6)
    assert [type(each).__name__ for each in seen] == ["list", "list", "dict", "tuple", "Operation"]


def test_scopes_are_of_graphs() -> None:
    scope = tf.xla.experimental.jit_scope()
    with pytest.raises(RuntimeError, match="not supported when eager execution is enabled"), scope:
        pass
