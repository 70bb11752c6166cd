"""`tf.ragged.segment_ids_to_row_splits` counts ids in any order, and in graphs of any length."""

from __future__ import annotations

import numpy as np
import pytest

import emplace.tensorflow as tf

splits_of = tf.ragged.segment_ids_to_row_splits
TRACED = tf.function(lambda ids: splits_of(ids), input_signature=[tf.TensorSpec([None], tf.int64)])


@pytest.mark.parametrize(
    ("ids", "splits"),
    [
        ([0, 0, 2], [0, 2, 2, 3]), ([2, 0, 1], [0, 1, 2, 3]), ([1, 1, 0, 0], [0, 2, 4]), ([], [0]),
    ],
)  # fmt: skip
def test_ids_are_counted_up_to_the_largest(ids: list[int], splits: list[int]) -> None:
    assert splits_of(ids).numpy().tolist() == splits
    assert TRACED(tf.constant(ids, tf.int64)).numpy().tolist() == splits
    known = tf.function(lambda: splits_of(np.array(ids, np.int64)))
    assert known().numpy().tolist() == splits


def test_a_graph_may_compute_how_many_rows_there_are() -> None:
    rows = tf.function(lambda ids, n: splits_of(ids, n))
    assert rows(tf.constant([1, 0]), tf.constant(4)).numpy().tolist() == [0, 1, 2, 2, 2]


def test_tensors_alone_keep_their_type() -> None:
    assert splits_of(np.array([0], np.int32)).dtype == tf.int64
    assert splits_of(tf.constant([0])).dtype == tf.int32
    assert splits_of([0], tf.constant(1)).dtype == tf.int32
    back = tf.ragged.row_splits_to_segment_ids
    assert [back(np.array([0, 1], np.int32)).dtype, back(tf.constant([0, 1])).dtype] == [
        tf.int64, tf.int32,
    ]  # fmt: skip


def test_ids_below_zero_and_other_ranks_are_refused() -> None:
    for call in (splits_of, TRACED):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Input arr must be non-negative!"):
            call([0, -1])
    with pytest.raises(ValueError, match=r"Shape \(1, 2\) must have rank 1"):
        splits_of([[0, 1]])
    with pytest.raises(ValueError, match=r"Shape \(1,\) must have rank 0"):
        splits_of([0], [1])
