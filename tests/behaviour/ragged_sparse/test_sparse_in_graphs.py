"""Sparse tensors in graphs that do not know their sizes: what eager mode makes of them, and the
shapes that TensorFlow tells.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import emplace.tensorflow as tf

S = tf.sparse
PLACES = [[0, 1], [1, 0], [1, 2]]


def numbers() -> Any:
    return tf.SparseTensor(PLACES, [1.0, 2.0, 3.0], [2, 3])


def ids() -> Any:
    return tf.SparseTensor(PLACES, tf.constant([1, 2, 3], tf.int64), [2, 3])


def flat(result: Any) -> list[Any]:
    return [x.numpy().tolist() for x in tf.nest.flatten(result, expand_composites=True)]


def table() -> Any:
    return tf.ones([5, 2])


# A function of a sparse tensor, and the shape of its result in a graph that knows ranks only.
OF_NUMBERS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "to_dense": (S.to_dense, [None, None]),
    "reorder": (S.reorder, [None, None]),
    "reshape to a vector": (lambda x: S.reshape(x, [-1]), [None]),
    "reshape to a matrix": (lambda x: S.reshape(x, [3, 2]), [None, None]),
    "transpose": (S.transpose, [None, None]),
    "expand_dims": (lambda x: S.expand_dims(x, 0), [1, None, None]),
    "reset_shape": (lambda x: S.reset_shape(x, [4, 4]), [4, 4]),
    "reset_shape to the smallest": (S.reset_shape, [None, None]),
    "retain": (lambda x: S.retain(x, x.values > 1.5), [None, None]),
    "map_values": (lambda x: S.map_values(tf.abs, x), [None, None]),
    "concat": (lambda x: S.concat(0, [x, x]), [None, None]),
    "concat of the last axis": (lambda x: S.concat(-1, [x, x]), [None, None]),
    "concat expanded": (
        lambda x: S.concat(0, [x, x], expand_nonconcat_dims=True), [None, None]
    ),
    "slice": (lambda x: S.slice(x, [0, 1], [2, 2]), [None, None]),
    "split": (lambda x: S.split(x, 2, 1)[1], [None, None]),
    "fill_empty_rows": (lambda x: S.fill_empty_rows(x, 7.0)[0], [None, None]),
    "add": (lambda x: S.add(x, x), [None, None]),
    "maximum": (lambda x: S.maximum(x, x), [None, None]),
    "softmax": (S.softmax, [None, None]),
    "times a dense tensor": (lambda x: x * tf.ones([2, 3]), [None, None]),
    "sparse_dense_matmul": (lambda x: S.sparse_dense_matmul(x, tf.ones([3, 2])), [None, 2]),
    "reduce_sum to a sparse tensor": (
        lambda x: S.reduce_sum(x, 1, output_is_sparse=True), [None]
    ),
    "from_dense": (lambda x: S.from_dense(S.to_dense(x)), [None, None]),
    "eye": (lambda x: S.eye(x.dense_shape[0], x.dense_shape[1]), [None, None]),
}  # fmt: skip

OF_IDS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "to_indicator": (lambda x: S.to_indicator(x, 5), [None, 5]),
    "bincount": (S.bincount, [None]),
    "bincount of rows": (lambda x: S.bincount(x, axis=-1), [None, None]),
    "bincount of dense rows": (lambda x: S.bincount(S.to_dense(x), axis=-1), [None, None]),
    "bincount of a dense matrix": (lambda x: S.bincount(S.to_dense(x)), [None]),
    "cross": (lambda x: S.cross([x, x]), [None, None]),
    "cross_hashed": (lambda x: S.cross_hashed([x, x], 10), [None, None]),
    "embedding_lookup_sparse": (
        lambda x: tf.nn.embedding_lookup_sparse(table(), x, None), [None, 2]
    ),
    "safe_embedding_lookup_sparse": (
        lambda x: tf.nn.safe_embedding_lookup_sparse(table(), x), [None, 2]
    ),
    "union": (lambda x: tf.sets.union(x, x), [None, None]),
}  # fmt: skip


def check(function: Callable[[Any], Any], x: Any, spec: Any, dims: list[Any]) -> None:
    told = []

    def traced(x: Any) -> Any:
        result = function(x)
        told.append(result.shape.as_list())
        return result

    assert flat(tf.function(traced, input_signature=[spec])(x)) == flat(function(x))
    assert told == [dims]


@pytest.mark.parametrize("name", OF_NUMBERS)
def test_sparse_numbers_of_unknown_sizes_go_through_graphs(name):
    function, dims = OF_NUMBERS[name]
    check(function, numbers(), tf.SparseTensorSpec([None, None], tf.float32), dims)


@pytest.mark.parametrize("name", OF_IDS)
def test_sparse_ids_of_unknown_sizes_go_through_graphs(name):
    function, dims = OF_IDS[name]
    check(function, ids(), tf.SparseTensorSpec([None, None], tf.int64), dims)


def of_shape(count: int, dims: list[int]) -> Any:
    return tf.SparseTensor([[0, i] for i in range(count)], [1.0] * count, dims)


def test_a_function_is_traced_per_shape_of_a_sparse_tensor_not_per_number_of_elements():
    shapes = []

    @tf.function
    def dense(x):
        shapes.append(x.shape.as_list())
        return tf.sparse.to_dense(x)

    for count, dims in ((1, [2, 3]), (2, [2, 3]), (2, [4, 3])):
        assert float(tf.reduce_sum(dense(of_shape(count, dims)))) == count
    assert shapes == [[2, 3], [4, 3]]


def test_a_function_that_reduces_retracing_forgets_sizes_in_which_sparse_tensors_differ():
    shapes = []

    @tf.function(reduce_retracing=True)
    def dense(x):
        shapes.append(x.shape.as_list())
        return tf.sparse.to_dense(x)

    for dims in ([2, 3], [4, 3], [5, 3], [6, 4]):
        assert dense(of_shape(1, dims)).shape == dims
    assert shapes == [[2, 3], [None, 3], [None, None]]


def test_a_spec_in_a_signature_tells_the_shape_of_a_sparse_tensor():
    shapes = []

    @tf.function(input_signature=[tf.SparseTensorSpec([None, 3])])
    def dense(x):
        shapes.append(x.shape.as_list())
        return tf.sparse.to_dense(x)

    for dims in ([2, 3], [4, 3]):
        assert dense(of_shape(1, dims)).shape == dims
    assert shapes == [[None, 3]]


def test_a_sparse_tensor_that_does_not_fit_the_signature_is_refused():
    @tf.function(input_signature=[tf.SparseTensorSpec([None, 3])])
    def dense(x):
        return tf.sparse.to_dense(x)

    with pytest.raises(TypeError, match="Can not cast SparseTensorSpec"):
        dense(of_shape(1, [2, 4]))


def test_a_concrete_function_is_made_of_the_spec_of_a_sparse_tensor():
    @tf.function
    def same(x):
        return x

    made = same.get_concrete_function(tf.SparseTensorSpec([None, 5]))
    assert made.structured_outputs.shape.as_list() == [None, 5]


def test_a_sparse_tensor_keeps_its_shape_through_a_function_in_a_function():
    shapes = []

    @tf.function
    def inner(x):
        return tf.identity(x)

    @tf.function(input_signature=[tf.SparseTensorSpec([None, 3])])
    def outer(x):
        y = inner(x)
        shapes.append(y.shape.as_list())
        return tf.sparse.to_dense(y)

    assert outer(of_shape(2, [2, 3])).numpy().tolist() == [[1.0, 1.0, 0.0], [0.0] * 3]
    assert shapes == [[None, 3]]


def test_sparse_tensors_joined_in_a_graph_keep_the_sizes_they_share():
    shapes = []

    @tf.function(input_signature=[tf.SparseTensorSpec([None, 3])])
    def twice(x):
        y = tf.sparse.concat(0, [x, x])
        shapes.append(y.shape.as_list())
        return tf.sparse.to_dense(y)

    assert twice(of_shape(1, [2, 3])).shape == [4, 3]
    assert shapes == [[None, 3]]


COUNTS = [[0.0, 1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0], [0.0] * 4, [0.0, 0.0, 2.0, 0.0]]


@pytest.mark.parametrize("run", [lambda f: f, tf.function])
def test_the_rows_of_a_ragged_tensor_are_counted(run):
    rows = tf.ragged.constant([[1, 2], [3], [], [2, 2]], dtype=tf.int64)
    sparse = run(lambda x: tf.sparse.to_dense(tf.sparse.bincount(x, axis=-1)))
    dense = run(lambda x: tf.math.bincount(x, axis=-1))
    assert sparse(rows).numpy().tolist() == COUNTS
    assert dense(rows).numpy().tolist() == COUNTS


def test_ragged_weights_are_summed_per_row_and_number():
    rows = tf.ragged.constant([[1, 2], [], [2, 2]], dtype=tf.int64)
    weights = tf.ragged.constant([[1.0, 2.0], [], [2.0, 2.5]])
    counts = tf.math.bincount(rows, weights=weights, axis=-1)
    assert counts.numpy().tolist() == [[0.0, 1.0, 2.0], [0.0] * 3, [0.0, 0.0, 4.5]]


def test_zeros_of_a_shape_that_a_graph_computes_take_updates():
    @tf.function
    def marked(places, count):
        return tf.scatter_nd(places[:, None], tf.ones(tf.shape(places)), (count[0],))

    result = marked(tf.constant([1, 2]), tf.constant([4]))
    assert result.numpy().tolist() == [0.0, 1.0, 1.0, 0.0]


def test_a_signature_of_a_sparse_tensor_alone_makes_a_concrete_function():
    @tf.function(input_signature=[tf.SparseTensorSpec([None, 3])])
    def dense(x):
        return tf.sparse.to_dense(x)

    made = dense.get_concrete_function()
    assert made.structured_outputs.shape.as_list() == [None, 3]
    assert made(of_shape(1, [2, 3])).numpy().tolist() == [[1.0, 0.0, 0.0], [0.0] * 3]


def test_rank_and_size_of_a_sparse_tensor_are_those_that_are_fed():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        sparse = tf.compat.v1.sparse_placeholder(tf.int32)
        asked = [tf.rank(sparse), tf.size(sparse), tf.size(sparse, tf.int64)]
        assert [x.dtype for x in asked] == [tf.int32, tf.int32, tf.int64]
        for at, sizes, found in [([0, 1], [2, 3], [2, 6, 6]), ([4], [5], [1, 5, 5])]:
            fed = tf.compat.v1.SparseTensorValue([at], [3], sizes)
            assert session.run(asked, {sparse: fed}) == found


def test_a_sparse_tensor_of_a_graph_is_evaluated_by_a_session():
    with tf.Graph().as_default() as graph:
        sparse = tf.compat.v1.sparse_placeholder(tf.float32)
        assert sparse.op is sparse.values.op
        assert sparse.graph is graph
        fed = {sparse: tf.compat.v1.SparseTensorValue([[1]], [2.0], [3])}
        with pytest.raises(ValueError, match="No default session is registered"):
            sparse.eval(fed)
        with tf.compat.v1.Session():
            assert sparse.eval(fed).values.tolist() == [2.0]
        assert sparse.eval(fed, tf.compat.v1.Session()).indices.tolist() == [[1]]


def test_places_outside_of_a_shape_stay_what_they_are_in_the_same_shape():
    places = [[0, 0, 2], [1, 0, 0], [1, 2, 0]]
    outside = tf.SparseTensor(places, [6, 7, 8], [2, 2, 2])
    for shape in ([2, 2, 2], [2, -1, 2]):
        assert S.reshape(outside, shape).indices.numpy().tolist() == places
