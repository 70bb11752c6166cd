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


def even() -> Any:
    return tf.RaggedTensor.from_uniform_row_length(tf.range(6), 3)


def uneven() -> Any:
    return tf.ragged.constant([[1, 2], [3, 4, 5, 6]], tf.int32)


@pytest.mark.parametrize("made", [(even, uneven), (uneven, even)])
@pytest.mark.parametrize("choice", [True, False])
def test_branches_know_of_rows_what_holds_in_both(made: Any, choice: bool) -> None:
    shapes = []

    @tf.function
    def chosen(which: Any) -> Any:
        rows = tf.cond(which, *made)
        shapes.append(rows.shape.as_list())
        return rows

    rows = chosen(tf.constant(choice))
    assert rows.to_list() == made[not choice]().to_list()
    assert shapes == [[2, None]]


def test_branches_with_rows_of_one_length_know_it() -> None:
    chosen = tf.function(lambda which: tf.cond(which, even, lambda: even() + 1))
    assert chosen(tf.constant(False)).shape == [2, 3]


def doubled(count: Any) -> Any:
    rows = tf.ragged.constant([[1], [2, 3]])
    for _ in tf.range(count):
        rows = tf.concat([rows, rows], 1)
    return rows


def doubled_by_a_loop(count: Any) -> Any:
    def step(i: Any, rows: Any) -> Any:
        return i + 1, tf.concat([rows, rows], 1)

    start = [0, tf.ragged.constant([[1], [2, 3]])]
    return tf.while_loop(lambda i, rows: i < count, step, start)[1]


@pytest.mark.parametrize("function", [doubled, doubled_by_a_loop])
def test_rows_may_grow_in_loops(function: Any) -> None:
    assert tf.function(function)(tf.constant(1)).to_list() == [[1, 1], [2, 3, 2, 3]]
    assert tf.function(function)(tf.constant(2)).to_list() == [[1] * 4, [2, 3] * 4]


def test_rows_of_one_length_stay_so_in_a_loop() -> None:
    @tf.function
    def turned(count: Any) -> Any:
        rows = even()
        for _ in tf.range(count):
            rows = uneven()
        return rows

    text = r"'rows' has shape \(2, 3\) before the loop, but shape \(2, None\) after one iteration"
    with pytest.raises(ValueError, match=text):
        turned(tf.constant(1))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [(even, uneven, [2, None]), (uneven, lambda: uneven()[:1], [None, None]), (even, even, [2, 3])],
)
def test_datasets_in_a_row_know_of_rows_what_holds_in_both(
    first: Any, second: Any, expected: list[Any]
) -> None:
    one, other = map(tf.data.Dataset.from_tensors, (first(), second()))
    for data in (
        one.concatenate(other),
        tf.data.Dataset.choose_from_datasets([one, other], tf.data.Dataset.range(2)),
    ):
        assert data.element_spec.shape.as_list() == expected
        assert [x.to_list() for x in data] == [first().to_list(), second().to_list()]


def test_sparse_datasets_in_a_row_know_what_holds_in_both() -> None:
    parts = [tf.sparse.from_dense([[1, 0]]), tf.sparse.from_dense([[1, 0], [0, 2]])]
    one, other = map(tf.data.Dataset.from_tensors, parts)
    data = one.concatenate(other)
    assert data.element_spec == tf.SparseTensorSpec([None, 2], tf.int32)
    assert [x.dense_shape.numpy().tolist() for x in data] == [[1, 2], [2, 2]]


def test_what_is_gathered_tells_of_no_rows_of_one_length() -> None:
    rows = even()
    found = [
        tf.gather(rows, [0, 1]),
        tf.gather_nd(rows, [[0], [1]]),
        tf.function(lambda x: tf.gather(x, [0, 1]))(rows),
    ]
    for each in found:
        assert each.shape.as_list() == [2, None]
        assert each.to_list() == rows.to_list()
    assert tf.gather(rows, [[0], [1]]).shape.as_list() == [2, None, None]
