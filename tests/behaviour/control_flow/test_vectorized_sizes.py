"""`tf.vectorized_map` in graphs that do not know how many slices there are: what has one slice
is there for all slices of the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf

ONE, THREE = [3.0], [-2.0, 6.0, 9.0]


def unknown(value: Any) -> Any:
    """A tensor whose shape is known when the graph runs."""
    return tf.compat.v1.placeholder_with_default(np.array(value, np.float32), shape=None)


def in_session(build: Callable[[], Any]) -> Any:
    """What a graph answers in a session."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        return session.run(build())


def in_function(build: Callable[[], Any]) -> Any:
    """What it answers as a function."""
    return tf.nest.map_structure(lambda x: x.numpy(), tf.function(build)())


WAYS = [in_session, in_function]


@pytest.mark.parametrize("run", WAYS)
@pytest.mark.parametrize("known", [tf.constant, unknown])
def test_one_slice_is_there_for_all_of_the_others(run: Any, known: Any) -> None:
    add = lambda rows: rows[0] + rows[1]  # noqa: E731  # a function of the program
    expected = [1.0, 9.0, 12.0]
    assert run(lambda: tf.vectorized_map(add, (known(ONE), unknown(THREE)))).tolist() == expected
    assert run(lambda: tf.vectorized_map(add, (unknown(THREE), known(ONE)))).tolist() == expected
    assert run(lambda: tf.vectorized_map(add, (known(ONE), unknown(ONE)))).tolist() == [6.0]


@pytest.mark.parametrize("run", WAYS)
def test_other_sizes_are_told(run: Any) -> None:
    add = lambda rows: rows[0] + rows[1]  # noqa: E731  # a function of the program
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices.* = 2 is not in \[0, 2\)"):
        run(lambda: tf.vectorized_map(add, (unknown([1.0, 2.0]), unknown(THREE))))


@pytest.mark.parametrize("run", WAYS)
def test_a_shared_slice_gets_the_sum_of_gradients(run: Any) -> None:
    def gradients() -> Any:
        a, b = unknown(ONE), unknown(THREE)
        product = tf.vectorized_map(lambda rows: rows[0] * rows[1], (a, b))
        return tf.gradients(product, [a, b])

    of_a, of_b = run(gradients)
    assert of_a.tolist() == [13.0]
    assert of_b.tolist() == [3.0, 3.0, 3.0]


@pytest.mark.parametrize("run", WAYS)
def test_no_slices_give_none(run: Any) -> None:
    made = run(
        lambda: tf.vectorized_map(lambda x: tf.add(tf.reduce_sum(x), [1.0, 2.0]), tf.zeros([0, 3]))
    )
    assert made.shape == (0, 2)


@pytest.mark.parametrize("run", WAYS)
def test_shifts_and_counts_are_lists_with_tensors_in_them(run: Any) -> None:
    x = np.arange(6).reshape(2, 3)

    def number(value: int) -> Any:
        return tf.compat.v1.placeholder_with_default(value, shape=[])

    moved = run(lambda: tf.roll(x, [number(1), -1], axis=[0, 1]))
    assert moved.tolist() == [[4, 5, 3], [1, 2, 0]]
    moved = run(lambda: tf.roll(x, [number(1)], axis=[number(1)]))
    assert moved.tolist() == [[2, 0, 1], [5, 3, 4]]
    assert run(lambda: tf.repeat([7, 8], [number(1), 2])).tolist() == [7, 8, 8]
    assert run(lambda: tf.repeat([7, 8], [number(2)])).tolist() == [7, 7, 8, 8]
