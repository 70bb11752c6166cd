"""Segments and partitions of ragged rows, in functions that know only the ragged rank, with
gradients.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf

ROWS = tf.ragged.constant([[1.0, 2.0], [], [3.0, 4.0, 5.0]])
SPEC = tf.RaggedTensorSpec([None, None], tf.float32)
IDS = tf.TensorSpec([None], tf.int32)


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (lambda x, ids: tf.math.unsorted_segment_sum(x, ids, 3), [[], [4.0, 6.0, 5.0], []]),
        (lambda x, ids: tf.math.unsorted_segment_mean(x, ids, 2), [[], [2.0, 3.0, 5.0]]),
        (lambda x, ids: tf.math.unsorted_segment_max(x, ids, 2), [[], [3.0, 4.0, 5.0]]),
        (
            lambda x, ids: tf.ragged.stack_dynamic_partitions(x, ids, 2),
            [[[]], [[1.0, 2.0], [3.0, 4.0, 5.0]]],
        ),
        (lambda x, ids: tf.dynamic_partition(x, ids, 2)[1], [[1.0, 2.0], [3.0, 4.0, 5.0]]),
        (lambda x, ids: tf.gather_nd(x, tf.zeros([1, 0], tf.int32)), [ROWS.to_list()]),
        (lambda x, ids: tf.concat([x, x], 1)[:1], [[1.0, 2.0, 1.0, 2.0]]),
        (lambda x, ids: tf.stack([x, x], 2)[:1], [[[1.0, 1.0], [2.0, 2.0]]]),
        (lambda x, ids: tf.clip_by_value(x, 2.0, 4.0), [[2.0, 2.0], [], [3.0, 4.0, 4.0]]),
    ],
)
def test_rows_are_numbered_where_only_the_ragged_rank_is_known(function: Any, wanted: Any) -> None:
    traced = tf.function(function, input_signature=[SPEC, IDS])
    assert traced(ROWS, [1, 0, 1]).to_list() == wanted
    assert function(ROWS, tf.constant([1, 0, 1])).to_list() == wanted


def test_segments_of_rows_have_gradients() -> None:
    def loss(values: Any) -> Any:
        rows = ROWS.with_flat_values(values)
        return tf.reduce_sum(tf.math.unsorted_segment_sum(rows, [1, 0, 1], 2) ** 2)

    for function in (loss, tf.function(loss)):
        values = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0])
        with tf.GradientTape() as tape:
            tape.watch(values)
            made = function(values)
        np.testing.assert_allclose(tape.gradient(made, values), [8.0, 12.0, 8.0, 12.0, 10.0])


def test_a_batch_counted_from_the_end_is_told_before_an_axis_is_chosen() -> None:
    rows = tf.ragged.constant([[1, 2, 3], [4, 5], [6]])
    assert tf.gather(rows, [0, 2], batch_dims=-1).to_list() == [[1, 2, 3], [6]]


def test_bounds_reach_the_values_of_all_ragged_ranks() -> None:
    deep = tf.ragged.constant([[[1.0, 9.0]], [], [[3.0], [7.0]]])
    assert tf.clip_by_value(deep, 2.0, 5.0).to_list() == [[[2.0, 5.0]], [], [[3.0], [5.0]]]
    bounds = deep.with_flat_values([2.0, 2.0, 4.0, 1.0])
    assert tf.clip_by_value(deep, bounds, 5.0).to_list() == [[[2.0, 5.0]], [], [[4.0], [5.0]]]


def test_texts_of_rows_with_inner_dimensions_are_joined_place_by_place() -> None:
    rows = tf.RaggedTensor.from_row_lengths([["a", "b"], ["c", "d"], ["e", "f"]], [2, 0, 1])
    joined = tf.strings.reduce_join(rows, axis=1, separator="-")
    assert joined.numpy().tolist() == [[b"a-c", b"b-d"], [b"", b""], [b"e", b"f"]]
    assert tf.strings.reduce_join(rows, axis=0).numpy().tolist() == [[b"ae", b"bf"], [b"c", b"d"]]


def test_rows_of_other_lengths_are_not_joined_below_them() -> None:
    other = ROWS[::-1]
    for function in (tf.stack, tf.concat):
        deep = [
            tf.expand_dims(each, 2) if function is tf.concat else each for each in (ROWS, other)
        ]
        with pytest.raises(tf.errors.InvalidArgumentError, match="identical ragged splits"):
            function(deep, axis=2)
