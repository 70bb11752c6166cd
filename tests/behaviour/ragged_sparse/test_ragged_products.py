"""`tf.matmul` of ragged matrices, and gradients of graphs for ragged tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf

# Two by none by two: in the second form the columns may differ too.
ROWS = tf.ragged.constant([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0]]], ragged_rank=1)
DEEP = tf.ragged.constant([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0]]])
OF_ROWS = tf.RaggedTensorSpec([None, None, 2], tf.float32, ragged_rank=1)
OF_DEEP = tf.RaggedTensorSpec([None, None, None], tf.float32, ragged_rank=2)


@pytest.mark.parametrize(
    ("x", "spec"), [(ROWS, OF_ROWS), (DEEP, OF_DEEP)], ids=["rows", "rows and columns"]
)
@pytest.mark.parametrize("sizes", [[2, 2, 3], [None, 2, 3], [None, None, None]], ids=str)
def test_ragged_matrices_are_multiplied_where_sizes_are_known_later(
    x: Any, spec: Any, sizes: Any
) -> None:
    y = tf.reshape(tf.range(12.0), [2, 2, 3])
    function = tf.function(tf.matmul, input_signature=[spec, tf.TensorSpec(sizes)])
    wanted = [
        np.matmul(mine, yours).tolist()
        for mine, yours in zip(x.to_list(), y.numpy(), strict=True)
    ]  # fmt: skip
    assert function(x, y).to_list() == wanted
    assert tf.matmul(x, y).to_list() == wanted


def test_both_sides_may_be_ragged() -> None:
    wanted = [[[5.0, 11.0], [11.0, 25.0]], [[61.0]]]

    def squares(x: Any) -> Any:
        return tf.matmul(x, x, transpose_b=True)

    for x, spec in ((ROWS, OF_ROWS), (DEEP, OF_DEEP)):
        assert squares(x).to_list() == wanted
        assert tf.function(squares, input_signature=[spec])(x).to_list() == wanted
    assert tf.matmul(ROWS, ROWS, transpose_a=True).shape.as_list() == [2, 2, 2]


def test_rows_of_one_length_are_a_matrix() -> None:
    rows = tf.ragged.constant([[1.0, 2.0], [3.0, 4.0]])
    assert tf.matmul(rows, tf.ones([2, 1])).numpy().tolist() == [[3.0], [7.0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="ragged in their innermost"):
        tf.matmul(tf.ragged.constant([[1.0, 2.0], [3.0]]), tf.ones([2, 1]))
    unknown = tf.RaggedTensorSpec(None, tf.float32, ragged_rank=1)
    known = tf.RaggedTensorSpec([None, None], tf.float32)
    made = tf.function(tf.matmul, input_signature=[unknown, known])(rows, rows)
    assert made.numpy().tolist() == [[7.0, 10.0], [15.0, 22.0]]
    with pytest.raises(ValueError, match="at least one input to have known rank"):
        tf.function(tf.matmul, input_signature=[unknown, unknown])(rows, rows)


def test_matrices_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="same rank"):
        tf.matmul(ROWS, tf.ones([2, 2]))
    with pytest.raises(ValueError, match="same dtype"):
        tf.matmul(ROWS, tf.ones([2, 2, 2], tf.float64))
    for other in (ROWS, tf.ones([2, 3, 2])):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Matrix size-incompatible"):
            tf.matmul(ROWS, other)
    with pytest.raises(ValueError, match="Dimensions 2 and 3 are not compatible"):
        tf.matmul(ROWS, tf.ones([3, 2, 2]))
    rows = tf.RaggedTensor.from_row_lengths(tf.ones([3, 2, 2]), [1, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Batch dimensions"):
        tf.matmul(rows, rows[::-1])


def test_products_of_ragged_matrices_have_gradients() -> None:
    def gradients(flat: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([flat, y])
            made = tf.reduce_sum(tf.matmul(DEEP.with_flat_values(flat), y))
        return tape.gradient(made, [flat, y])

    y = tf.reshape(tf.range(12.0), [2, 2, 3])
    for function in (gradients, tf.function(gradients)):
        of_flat, of_y = function(DEEP.flat_values, y)
        np.testing.assert_allclose(of_flat, [3.0, 12.0, 3.0, 12.0, 21.0, 30.0])
        np.testing.assert_allclose(of_y[:, :, 0], [[4.0, 6.0], [5.0, 6.0]])


def test_graphs_have_gradients_for_ragged_tensors() -> None:
    with tf.Graph().as_default():
        fill = tf.constant(3.0)
        rows = tf.ragged.constant([[1.0, 2.0], [3.0]])
        sparse = tf.SparseTensor([[0, 1]], fill[None], [2, 2])
        ragged, dense = tf.gradients(
            rows.to_tensor(fill), [rows, fill], grad_ys=tf.constant([[1.0, 2.0], [3.0, 4.0]])
        )
        (twice,) = tf.gradients(rows * 2.0, [rows], grad_ys=[rows])
        with pytest.raises(ValueError, match="SparseTensor is not supported as a gradient source"):
            tf.gradients(tf.sparse.to_dense(sparse), [sparse])
        with tf.compat.v1.Session() as session:
            assert session.run(ragged).to_list() == [[1.0, 2.0], [3.0]]
            assert session.run(dense) == 4.0
            assert session.run(twice).to_list() == [[2.0, 4.0], [6.0]]
        assert tf.gradients(fill, [rows]) == [None]


def placeholder(value: Any) -> Any:
    return tf.compat.v1.placeholder_with_default(value, None)


@pytest.mark.parametrize(
    ("shape", "fill", "wanted"),
    [
        (None, None, [[1, 2], [3, 0]]),
        ([None, 3], 7, [[1, 2, 7], [3, 7, 7]]),
        (tf.TensorShape([1, None]), None, [[1, 2]]),
    ],
)
def test_rows_whose_rank_is_known_later_become_tensors(shape: Any, fill: Any, wanted: Any) -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        rows = tf.nest.map_structure(
            placeholder, tf.ragged.constant([[1, 2], [3]]), expand_composites=True
        )
        fill = None if fill is None else placeholder(fill)
        assert session.run(rows.to_tensor(fill, shape=shape)).tolist() == wanted


def test_the_shape_of_rows_side_by_side_may_be_a_tensor() -> None:
    rows = tf.ragged.constant([[1, 2, 3], [4]])

    @tf.function(input_signature=[tf.TensorSpec(None, tf.int32)])
    def dense(shape: Any) -> Any:
        return rows.to_tensor(shape=shape)

    for function in (dense, dense.python_function):
        assert function(tf.constant([2, -1])).numpy().tolist() == [[1, 2, 3], [4, 0, 0]]
        assert function(tf.constant([1, 2])).numpy().tolist() == [[1, 2]]
    assert rows.to_tensor(shape=[2, tf.constant(2)]).shape == [2, 2]
    assert rows.to_tensor(shape=tf.constant(-1)).shape == [2, 3]
    told = tf.function(lambda: rows.to_tensor(shape=[None, 4])).get_concrete_function()
    assert told.output_shapes == [2, 4]


def test_a_default_that_does_not_stretch_is_refused_when_the_graph_runs() -> None:
    rows = tf.RaggedTensor.from_row_splits([[1, 2], [3, 4], [5, 6]], [0, 2, 3])
    for call in (rows.to_tensor, tf.function(lambda x: rows.to_tensor(x))):
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match=r"shape\[-1\] = 3"):
            call(tf.constant([7, 8, 9]))
