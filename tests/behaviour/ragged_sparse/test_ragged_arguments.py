"""Ragged tensors as arguments of functions: which calls one trace serves."""

from __future__ import annotations

from typing import Any

import pytest

import emplace.tensorflow as tf


def counted(function: Any, **how: Any) -> tuple[Any, list[Any]]:
    """A `tf.function`, and a list that grows with each of its traces."""
    traces: list[Any] = []

    def run(x: Any) -> Any:
        traces.append(x.shape.as_list())
        return function(x)

    return tf.function(run, **how), traces


@pytest.mark.parametrize(
    ("reduce_retracing", "expected"),
    [(False, [[2, None], [3, None], [4, None]]), (True, [[2, None], [None, None]])],
)
def test_no_trace_is_made_for_how_many_values_there_are(
    reduce_retracing: bool, expected: list[Any]
) -> None:
    total, traces = counted(tf.reduce_sum, reduce_retracing=reduce_retracing)
    for rows in ([[1], [2, 3]], [[1, 2], [3]], [[1, 2], [3, 4, 5, 6]], [[], []]):
        assert int(total(tf.ragged.constant(rows, tf.int32))) == sum(map(sum, rows))
    assert int(total(tf.ragged.constant([[1], [2], [3]]))) == 6
    assert int(total(tf.ragged.constant([[1], [2], [3], [4]]))) == 10
    assert traces == expected


def test_deeper_rows_may_be_as_many_as_they_like() -> None:
    lengths, traces = counted(lambda x: x.bounding_shape())
    for rows in ([[[1], [2, 3]], [[4]]], [[[1]], [[4, 5, 6]]], [[[], [1]], [[2], [3], [4]]]):
        lengths(tf.ragged.constant(rows, ragged_rank=2))
    assert traces == [[2, None, None]]


def test_rows_of_one_length_are_another_type() -> None:
    padded, traces = counted(lambda x: x.to_tensor())
    even = tf.RaggedTensor.from_uniform_row_length(tf.range(6), 3)
    uneven = tf.ragged.constant([[1, 2], [3, 4, 5, 6]], tf.int32)
    for _ in range(2):
        assert padded(even).numpy().tolist() == [[0, 1, 2], [3, 4, 5]]
        assert padded(uneven).numpy().tolist() == [[1, 2, 0, 0], [3, 4, 5, 6]]
    assert traces == [[2, 3], [2, None]]


def test_a_spec_tells_of_rows_of_one_length() -> None:
    spec = tf.RaggedTensorSpec([None, 3, None], tf.int32, ragged_rank=2)
    shapes, traces = counted(tf.reduce_sum)
    shapes.get_concrete_function(spec)
    assert traces == [[None, 3, None]]
    rows = tf.RaggedTensor.from_uniform_row_length(tf.ragged.constant([[1], [2, 3], [4]]), 3)
    assert int(shapes(rows)) == 10


def test_gradients_reach_values_whose_number_no_trace_knows() -> None:
    squares = tf.function(lambda x: tf.reduce_sum(x * x))
    for values in ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0, 4.0]):
        flat = tf.Variable(values)
        with tf.GradientTape() as tape:
            loss = squares(tf.RaggedTensor.from_row_lengths(flat, [1, len(values) - 1]))
        assert tape.gradient(loss, flat).numpy().tolist() == [2 * x for x in values]
