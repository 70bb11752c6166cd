"""Functions that catch an error under a name are converted as others are."""

from __future__ import annotations

from typing import Any

import emplace.tensorflow as tf


def test_branches_in_what_is_tried() -> None:
    @tf.function
    def absolute(x: Any) -> Any:
        try:
            if x > 0:
                y = x
            else:
                y = -x
        except ValueError as error:
            raise AssertionError("never") from error
        return y

    assert [float(absolute(tf.constant(x))) for x in (-1.0, 2.0)] == [1.0, 2.0]


def test_branches_and_names_in_handlers() -> None:
    seen = []

    @tf.function
    def f(x: Any) -> Any:
        y = x
        try:
            while y < 10.0:
                y *= 2.0
            raise KeyError("a")
        except (KeyError, ValueError) as error:
            if y > 11.0:
                y = -y
            seen.append(str(error))
        finally:
            y += 1.0
        return y

    assert (float(f(tf.constant(3.0))), seen) == (-11.0, ["'a'"])


def test_handlers_in_loops() -> None:
    @tf.function
    def f(n: Any) -> Any:
        total = tf.constant(0)
        for i in tf.range(n):
            try:
                raise ValueError("four")
            except ValueError as error:
                if i > 1:
                    total += len(str(error))
        return total

    assert int(f(tf.constant(4))) == 8


def test_handlers_return() -> None:
    @tf.function
    def f(x: Any) -> Any:
        try:
            raise ValueError("b")
        except ValueError as error:
            if x > 0:
                return x, len(error.args)
            return -x, len(error.args)

    assert [int(part) for part in f(tf.constant(-4))] == [4, 1]
