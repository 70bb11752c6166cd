"""Ragged tensors beside the rest of the runtime: tapes, nests, devices, operators, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf


def rows() -> tf.RaggedTensor:
    return tf.ragged.constant([[1.0, 2.0], [], [3.0]])


def test_a_gradient_for_a_ragged_tensor_is_ragged() -> None:
    x = rows()
    with tf.GradientTape() as tape:
        tape.watch(x.flat_values)
        y = tf.reduce_sum(x * x, axis=1)
    assert tape.gradient(y, x).to_list() == [[2.0, 4.0], [], [6.0]]


def test_a_gradient_flows_through_padding_and_gather() -> None:
    x = rows()
    with tf.GradientTape() as tape:
        tape.watch(x.flat_values)
        y = tf.reduce_sum(tf.gather(x, [2, 0, 0]).to_tensor(default_value=5.0))
    assert tape.gradient(y, x).to_list() == [[2.0, 2.0], [], [1.0]]


def test_ties_share_the_gradient_of_the_largest() -> None:
    x = tf.ragged.constant([[2.0, 2.0], [1.0]])
    with tf.GradientTape() as tape:
        tape.watch(x.flat_values)
        y = tf.reduce_max(x, axis=1)
    assert tape.gradient(y, x.flat_values).numpy().tolist() == [0.5, 0.5, 1.0]


def test_output_gradients_may_be_ragged() -> None:
    x = rows()
    with tf.GradientTape() as tape:
        tape.watch(x.flat_values)
        y = x * 2.0
    assert tape.gradient(y, x.flat_values, output_gradients=x).numpy().tolist() == [2.0, 4.0, 6.0]


def test_a_nest_takes_a_ragged_tensor_apart_and_puts_it_together() -> None:
    parts = tf.nest.flatten(rows(), expand_composites=True)
    assert [part.numpy().tolist() for part in parts] == [[1.0, 2.0, 3.0], [0, 2, 2, 3]]
    again = tf.nest.pack_sequence_as(rows(), parts, expand_composites=True)
    assert again.to_list() == rows().to_list()


def test_an_op_without_a_rule_names_itself_and_the_way_out() -> None:
    with pytest.raises(ValueError, match="Transpose takes no RaggedTensor") as raised:
        tf.transpose(rows())
    assert "to_tensor()" in str(raised.value)


def test_a_ragged_tensor_is_no_boolean_and_no_key() -> None:
    with pytest.raises(TypeError, match="may not be used as a boolean"):
        bool(rows())
    with pytest.raises(TypeError, match="RaggedTensor is unhashable"):
        hash(rows())


def test_dense_tensors_stand_on_either_side_of_an_operator() -> None:
    column = tf.constant([[10.0], [20.0], [30.0]])
    assert (column - rows()).to_list() == [[9.0, 8.0], [], [27.0]]
    assert (rows() - column).to_list() == [[-9.0, -8.0], [], [-27.0]]


def test_rows_that_do_not_fit_are_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Condition x == y did not hold\."):
        rows() + tf.constant([[1.0, 2.0, 3.0]])
    ragged = tf.ragged.constant([[1, 2], [3, 4]])
    dense = tf.constant([[1, 2, 3], [3, 4, 5]])
    text = (  # TF 2.21: where rows end, those of the dense tensor first
        "Condition x == y did not hold.\nIndices of first 2 different values:\n[[1]\n [2]]\n"
        "Corresponding x values:\n[3 6]\nCorresponding y values:\n[2 4]\n"
        "First 3 elements of x:\n[0 3 6]\nFirst 3 elements of y:\n[0 2 4]"
    )
    for add in (lambda: ragged + dense, lambda: dense + ragged):
        with pytest.raises(tf.errors.InvalidArgumentError) as refused:
            add()
        assert refused.value.message == text


@pytest.mark.gpus(1, memory="64MB")
def test_ragged_arithmetic_runs_where_the_scope_says() -> None:
    with tf.device("/GPU:0"):
        total = tf.reduce_sum(rows() * 2.0, axis=1)
    assert total.device.endswith("GPU:0")
    assert total.numpy().tolist() == [6.0, 0.0, 6.0]


@pytest.mark.gpus(1, memory="64MB")
def test_split_strings_stay_on_the_cpu() -> None:
    words = tf.strings.split(["a b", "c"])
    assert words.flat_values.device.endswith("CPU:0")
    assert words.to_tensor().numpy().tolist() == [[b"a", b"b"], [b"c", b""]]


def test_zeros_at_the_end_of_strings_are_kept() -> None:
    assert tf.constant(["a\x00", b"b\x00\x00"]).numpy().tolist() == [b"a\x00", b"b\x00\x00"]


def test_long_rows_print_as_numpy_prints_them() -> None:
    x = tf.RaggedTensor.from_row_splits(np.arange(1501), [0, 1500, 1501])
    assert repr(x) == "<tf.RaggedTensor [[0, 1, 2, ..., 1497, 1498, 1499], [1500]]>"


def test_a_row_partition_tells_rows_in_every_way():
    partition = tf.experimental.RowPartition.from_value_rowids([0, 0, 2], nrows=4)
    assert partition.row_splits().numpy().tolist() == [0, 2, 2, 3, 3]
    assert partition.row_lengths().numpy().tolist() == [2, 0, 1, 0]
    assert partition.value_rowids().numpy().tolist() == [0, 0, 2]
    assert (int(partition.nrows()), int(partition.nvals())) == (4, 3)
    for again in (
        tf.experimental.RowPartition.from_row_splits(partition.row_splits()),
        tf.experimental.RowPartition.from_row_lengths([2, 0, 1, 0]),
    ):
        assert again.row_starts().numpy().tolist() == [0, 2, 2, 3]


def test_a_dense_tensor_of_unknown_sizes_becomes_ragged() -> None:
    signature = [tf.TensorSpec([None, None, 2])]

    @tf.function(input_signature=signature)
    def ragged(x: Any) -> Any:
        made = tf.RaggedTensor.from_tensor(x)
        assert made.shape.as_list() == [None, None, 2]
        assert made.flat_values.shape.as_list() == [None, 2]
        return made

    given = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    assert ragged(given).to_list() == given.tolist()
    assert ragged(given).row_splits.numpy().tolist() == [0, 3, 6]
    assert ragged(given[:, :0]).row_splits.numpy().tolist() == [0, 0, 0]


def test_one_value_of_each_row_is_gathered_in_batches():
    # TensorFlow 2.21 gives the same.
    rows = tf.ragged.constant([[1, 2, 3], [4, 5], [6, 7, 8, 9]])
    assert tf.gather(rows, [2, 0, 3], batch_dims=1).numpy().tolist() == [3, 4, 9]
    deep = tf.ragged.constant([[[1, 2], [3]], [[4], [5, 6, 7]]])
    assert tf.gather(deep, [1, 0], batch_dims=1).to_list() == [[3], [4]]
    with pytest.raises(ValueError, match=r"batch shape from indices .* does not match params"):
        tf.gather(rows, [2, 0], batch_dims=1)


def test_a_partition_of_a_scalar_is_refused():
    with pytest.raises(ValueError, match="must have rank at least 1"):
        tf.RaggedTensor.from_row_lengths(1, [1])


def test_a_number_of_rows_is_a_scalar():
    with pytest.raises(ValueError, match=r"Shape \(1,\) must have rank 0"):
        tf.RaggedTensor.from_value_rowids([1, 2], [0, 1], nrows=[5])


@pytest.mark.parametrize("validate", [True, False])
def test_the_partition_that_rows_were_made_of_is_given_back(validate: bool) -> None:
    # As in TensorFlow: nothing is computed again, and its static shape is known.
    make = tf.RaggedTensor
    lengths, ids = tf.constant([2, 0, 1], tf.int64), tf.constant([0, 0, 2], tf.int64)
    by_lengths = make.from_row_lengths([1, 2, 3], lengths, validate=validate)
    by_ids = make.from_value_rowids([1, 2, 3], ids, 3, validate=validate)
    assert by_lengths.row_lengths() is lengths
    assert by_ids.value_rowids() is ids
    assert (by_lengths + 1).row_lengths() is by_lengths.with_values([4, 5, 6]).row_lengths()
    assert by_lengths.value_rowids().numpy().tolist() == ids.numpy().tolist()
    assert by_ids.row_lengths().numpy().tolist() == lengths.numpy().tolist()
    with tf.Graph().as_default():
        ids = tf.constant([0, 0, 2], tf.int64)
        assert make.from_value_rowids([1, 2, 3], ids, validate=False).value_rowids() is ids
        assert make.from_value_rowids([1, 2, 3], ids).value_rowids().shape == [3]


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_tensors_of_one_number_in_a_ragged_shape(wrap):
    rows = tf.ragged.constant([[1], [2, 3]])
    for made, kind, expected in (
        (lambda x: tf.ones_like(x, "float32"), tf.float32, [[1.0], [1.0, 1.0]]),
        (lambda x: tf.zeros_like(x, tf.string), tf.string, [[b""], [b"", b""]]),
        (lambda x: tf.zeros(tf.shape(x), tf.bool), tf.bool, [[False], [False, False]]),
        (lambda x: tf.ones(tf.shape(x)), tf.float32, [[1.0], [1.0, 1.0]]),
        (lambda x: tf.fill(tf.shape(x), 3), tf.int32, [[3], [3, 3]]),
    ):
        found = wrap(made)(rows)
        assert (found.dtype, found.to_list()) == (kind, expected)
