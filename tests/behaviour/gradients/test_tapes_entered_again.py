"""A tape that was made outside records in functions, branches and loops that enter it again, and
knows what it has recorded before. All that is expected here TensorFlow 2.21 has answered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf

IN_FUNCTION = pytest.mark.parametrize("in_function", [False, True])


def values(function: Callable[[], Any], in_function: bool) -> Any:
    """What it returns, as lists."""
    found = (tf.function(function) if in_function else function)()
    return tf.nest.map_structure(lambda x: x.numpy().tolist(), found)


class Around:
    """A tape that has recorded a product of a variable and a constant."""

    def __init__(self) -> None:
        self.w, self.c = tf.Variable([1.0, 2.0]), tf.constant([3.0, 4.0])
        self.tape = tf.GradientTape(persistent=True)
        with self.tape:
            self.tape.watch(self.c)
            self.y = self.w * self.c


WHOLE = [[18.0, 64.0], [6.0, 32.0], [3.0, 8.0]]


@IN_FUNCTION
def test_in_a_function(in_function: bool) -> None:
    around = Around()
    w, c, y, tape = around.w, around.c, around.y, around.tape

    def run() -> Any:
        with tape:
            z = y * w * c
        return tape.gradient(z, [w, c, y])

    assert values(run, in_function) == WHOLE


@IN_FUNCTION
def test_in_a_function_that_has_used_all_of_it_before(in_function: bool) -> None:
    around = Around()
    w, c, y, tape = around.w, around.c, around.y, around.tape

    def run() -> Any:
        unused = w * c * y
        with tape:
            z = y * w * c
        return [*tape.gradient(z, [w, c, y]), unused][:3]

    assert values(run, in_function) == WHOLE


@IN_FUNCTION
def test_gradients_of_what_was_recorded_outside(in_function: bool) -> None:
    around = Around()
    w, c, y, tape = around.w, around.c, around.y, around.tape
    found = values(lambda: tape.gradient(y, [w, c]), in_function)
    assert found == [[3.0, 4.0], [1.0, 2.0]]


@IN_FUNCTION
def test_gradients_in_a_branch(in_function: bool) -> None:
    around = Around()
    w, c = around.w, around.c

    def run() -> Any:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(c)
            y = w * c * c
        others = [w * 1.0, c * 1.0]
        return tf.cond(c[0] > 0, lambda: tape.gradient(y, [w, c]), lambda: others)

    assert values(run, in_function) == [[9.0, 16.0], [6.0, 16.0]]


@IN_FUNCTION
def test_in_a_branch(in_function: bool) -> None:
    around = Around()
    w, c = around.w, around.c

    def run() -> Any:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(c)
            y = w * c * c

        def branch() -> Any:
            with tape:
                z = y * w
            return tape.gradient(z, [w, c, y])

        return tf.cond(c[0] > 0, branch, lambda: [w * 1.0, c * 1.0, y])

    assert values(run, in_function) == [[18.0, 64.0], [6.0, 32.0], [1.0, 2.0]]


@IN_FUNCTION
def test_in_a_loop(in_function: bool) -> None:
    around = Around()
    w, c = around.w, around.c

    def run() -> Any:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(c)
            y = w * c * c

        def body(i: Any, total: Any) -> Any:
            with tape:
                z = y * w * tf.cast(i, tf.float32)
            return i + 1, total + tf.add_n(tape.gradient(z, [w, c, y]))

        return tf.while_loop(lambda i, total: i < 3, body, [1, tf.zeros([2])])[1]

    assert values(run, in_function) == [75.0, 294.0]


@IN_FUNCTION
def test_in_a_function_that_is_mapped(in_function: bool) -> None:
    tape = tf.GradientTape(persistent=True)
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tape:
        tape.watch(x)

    def of_row(i: Any) -> Any:
        with tape:
            row = tf.gather(x, i)
            y = row * row
        return tape.gradient(y, row)

    for mapped in (tf.vectorized_map, tf.map_fn):
        options = {"fn_output_signature": tf.float32} if mapped is tf.map_fn else {}
        found = values(lambda mapped=mapped, options=options: mapped(
            of_row, tf.range(2), **options), in_function)  # fmt: skip
        assert found == [[2.0, 4.0], [6.0, 8.0]]


@IN_FUNCTION
def test_rows_of_a_variable(in_function: bool) -> None:
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    tape = tf.GradientTape(persistent=True)
    with tape:
        before = tf.gather(table, [0])

    def run() -> Any:
        with tape:
            z = tf.gather(table, [1]) * tf.reduce_sum(before)
        return tf.convert_to_tensor(tape.gradient(z, table))

    assert values(run, in_function) == [[7.0, 7.0], [3.0, 3.0]]


def test_a_tape_that_was_in_a_function_still_knows_what_was_outside() -> None:
    around = Around()
    w, c, y, tape = around.w, around.c, around.y, around.tape

    @tf.function
    def run() -> Any:
        with tape:
            return y * w

    z = run()
    assert tape.gradient(z, [w, c]) == [None, None]
    of_w, of_c = tape.gradient(y, [w, c])
    assert np.array_equal(of_w, c)
    assert np.array_equal(of_c, w)
