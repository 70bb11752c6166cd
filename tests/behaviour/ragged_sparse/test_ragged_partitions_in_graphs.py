"""Partitions that do not describe their values, known only when a graph runs.

TensorFlow 2.21 refuses each of them with the same sentence, behind "assertion failed".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1
R = tf.RaggedTensor

SPLITS = "Arguments to from_row_splits do not form a valid RaggedTensor"
VALUES = "Arguments to _from_row_partition do not form a valid RaggedTensor"
LENGTHS = "Arguments to from_row_lengths do not form a valid RowPartition"
IDS = "Arguments to from_value_rowids do not form a valid RowPartition"
STARTS = "Arguments to from_row_starts do not form a valid RaggedTensor"
LIMITS = "Arguments to from_row_limits do not form a valid RaggedTensor"

Make = Callable[..., Any]
CASES: dict[str, tuple[Make, Any, str]] = {
    "splits that fall": (R.from_row_splits, [0, 2, 1, 3], SPLITS),
    "splits that do not begin at 0": (R.from_row_splits, [1, 2, 3], SPLITS),
    "splits that end too early": (R.from_row_splits, [0, 2], VALUES),
    "splits that end too late": (R.from_row_splits, [0, 2, 5], VALUES),
    "a length below 0": (R.from_row_lengths, [4, -1], LENGTHS),
    "lengths of fewer values": (R.from_row_lengths, [1, 1], VALUES),
    "row numbers that fall": (R.from_value_rowids, [0, 2, 1], IDS),
    "a row number below 0": (R.from_value_rowids, [-1, 0, 1], IDS),
    "too few row numbers": (R.from_value_rowids, [0, 1], VALUES),
    "a row number that is no row": (
        lambda v, p, **k: R.from_value_rowids(v, p, nrows=1, **k), [0, 1, 1], IDS),
    "starts that do not begin at 0": (R.from_row_starts, [1, 2], STARTS),
    "starts that fall": (R.from_row_starts, [0, 2, 1], STARTS),
    "a start behind the values": (R.from_row_starts, [0, 5], STARTS),
    "limits that fall": (R.from_row_limits, [2, 1, 3], LIMITS),
    "limits of fewer values": (R.from_row_limits, [1, 2], VALUES),
    "inner splits that fall": (
        lambda v, p, **k: R.from_nested_row_splits(v, [[0, 3], p], **k), [0, 2, 1, 3], SPLITS),
    "outer splits that end too late": (
        lambda v, p, **k: R.from_nested_row_splits(v, [p, [0, 1, 3]], **k), [0, 3], VALUES),
    "outer lengths of more values": (
        lambda v, p, **k: R.from_nested_row_lengths(v, [p, [1, 2]], **k), [3], VALUES),
    "outer row numbers that fall": (
        lambda v, p, **k: R.from_nested_value_rowids(v, [p, [0, 0, 1]], **k), [1, 0], IDS),
    "a uniform length": (R.from_uniform_row_length, 2, "uniform_row_length 2 times nrows 1 must"),
    "a uniform length below 0": (
        R.from_uniform_row_length, -1, r"uniform_row_length must be >= 0"),
    "a uniform length and a number of rows": (
        lambda v, p, **k: R.from_uniform_row_length(v, p, nrows=2, **k), 1,
        "uniform_row_length 1 times nrows 2 must equal nvals 3"),
    "a row partition": (
        lambda v, p, **k: tf.experimental.RowPartition.from_row_splits(p, **k),
        [0, 2, 1, 3], SPLITS),
}  # fmt: skip
VALUES_3 = np.array([1, 2, 3], np.int32)


def rows(made: Any) -> Any:
    return made.nested_row_splits if isinstance(made, R) else made.row_splits()


@pytest.mark.parametrize("name", CASES)
def test_a_function_refuses_a_malformed_partition(name: str):
    make, partition, message = CASES[name]
    given = np.array(partition, np.int64)
    dims = [None] * given.ndim
    for values_dims in ([None], [3]):
        spec = [tf.TensorSpec(values_dims, tf.int32), tf.TensorSpec(dims, tf.int64)]
        function = tf.function(lambda v, p: rows(make(v, p)), input_signature=spec)
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            function(VALUES_3, given)


@pytest.mark.parametrize("name", CASES)
def test_a_session_refuses_a_malformed_partition(name: str):
    make, partition, message = CASES[name]
    with tf.Graph().as_default(), v1.Session() as session:
        values = v1.placeholder(tf.int32, [None])
        fed = v1.placeholder(tf.int64, [None] * np.ndim(partition))
        splits = rows(make(values, fed))
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            session.run(splits, {values: VALUES_3, fed: partition})


@pytest.mark.parametrize("name", CASES)
def test_nothing_is_checked_where_that_is_not_wanted(name: str):
    make, partition, _ = CASES[name]
    if "below 0" in name:
        pytest.skip("no kernel makes rows of that")
    function = tf.function(
        lambda v, p: rows(make(v, p, validate=False)),
        input_signature=[tf.TensorSpec([None], tf.int32), tf.TensorSpec(None, tf.int64)]
        if "uniform" not in name
        else [tf.TensorSpec([None], tf.int32), tf.TensorSpec([], tf.int64)],
    )
    function(VALUES_3, np.array(partition, np.int64))


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_a_partition_that_fits_is_taken_in_a_function(dtype: Any):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], dtype)])
    def function(values: Any, lengths: Any) -> Any:
        made = R.from_row_lengths(values, lengths)
        again = R.from_row_splits(values, made.row_splits)
        starts = R.from_row_starts(values, again.row_starts())
        limits = R.from_row_limits(values, starts.row_limits())
        return R.from_value_rowids(values, limits.value_rowids(), limits.nrows())

    for lengths in ([2, 0, 1], [3], [0, 0, 3, 0]):
        made = function(VALUES_3, tf.constant(lengths, dtype))
        assert made.row_lengths().numpy().tolist() == lengths


def test_rows_of_one_length_that_a_function_learns():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32), tf.TensorSpec([], tf.int64)])
    def function(values: Any, length: Any) -> Any:
        return R.from_uniform_row_length(values, length)

    assert function(tf.range(6), 3).to_list() == [[0, 1, 2], [3, 4, 5]]
    assert function(tf.range(6), 2).to_list() == [[0, 1], [2, 3], [4, 5]]


def test_rows_of_other_values_than_a_constant_partition_says():
    splits = tf.constant([0, 2, 3], tf.int64)
    function = tf.function(
        lambda v: R.from_row_splits(v, splits), input_signature=[tf.TensorSpec([None], tf.int32)]
    )
    assert function(VALUES_3).to_list() == [[1, 2], [3]]
    with pytest.raises(tf.errors.InvalidArgumentError, match=VALUES):
        function(VALUES_3[:2])


def test_gathering_inside_of_rows_in_a_function():
    rows_of_rows = tf.ragged.constant([[[1, 2], [3]], [[4], [5, 6, 7]]])
    made = tf.function(lambda x: tf.gather(x, 1, axis=1))(rows_of_rows)
    assert made.to_list() == [[3], [5, 6, 7]]
