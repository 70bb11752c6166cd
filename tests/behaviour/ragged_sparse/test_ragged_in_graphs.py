"""Ragged tensors in graphs that do not know their rows: what eager mode makes of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import emplace.tensorflow as tf

RT = tf.RaggedTensor
ROWS = tf.RaggedTensorSpec([None, None], tf.float32)
IDS = tf.RaggedTensorSpec([None, None], tf.int64)
DEEP = tf.RaggedTensorSpec([None, None, None], tf.float32)
MATRIX = tf.TensorSpec([None, None], tf.float32)
VECTOR = tf.TensorSpec([None], tf.int64)


def rows() -> Any:
    return tf.ragged.constant([[1.0, 2.0], [], [3.0]])


def ids() -> Any:
    return tf.ragged.constant([[1, 2], [0], [2]], dtype=tf.int64)


def deep() -> Any:
    return tf.ragged.constant([[[1.0, 2.0], [3.0]], [], [[4.0]]])


def matrix() -> Any:
    return tf.constant([[1.0, 2.0, 0.0], [3.0, 0.0, 0.0]])


def vector() -> Any:
    return tf.constant([1, 2, 3, 4], tf.int64)


# An argument, its spec, a function, and the shape that TensorFlow tells of its result.
CASES: dict[str, tuple[Any, Any, Callable[[Any], Any], Any]] = {
    "to_tensor": (rows, ROWS, lambda x: x.to_tensor(), [None, None]),
    "to_tensor of a shape": (rows, ROWS, lambda x: x.to_tensor(shape=[None, 4]), [None, 4]),
    "to_sparse": (rows, ROWS, lambda x: x.to_sparse(), [None, None]),
    "from_sparse": (rows, ROWS, lambda x: RT.from_sparse(x.to_sparse()), [None, None]),
    "add": (rows, ROWS, lambda x: x + x, [None, None]),
    "add a column": (rows, ROWS, lambda x: x + tf.ones([x.nrows(), 1]), [None, None]),
    "reduce_sum of columns": (rows, ROWS, lambda x: tf.reduce_sum(x, 0), [None]),
    "reduce_sum of rows": (rows, ROWS, lambda x: tf.reduce_sum(x, 1), [None]),
    "reduce_sum of rows of rows": (deep, DEEP, lambda x: tf.reduce_sum(x, 1), [None, None]),
    "concat": (rows, ROWS, lambda x: tf.concat([x, x], 1), [None, None]),
    "concat of rows": (rows, ROWS, lambda x: tf.concat([x, x], 0), [None, None]),
    "stack": (rows, ROWS, lambda x: tf.stack([x, x]), [2, None, None]),
    "a slice of each row": (rows, ROWS, lambda x: x[:, :1], [None, None]),
    "the end of each row": (rows, ROWS, lambda x: x[:, -1:], [None, None]),
    "a row": (rows, ROWS, lambda x: x[0], [None]),
    "some rows": (rows, ROWS, lambda x: x[1:], [None, None]),
    "an element": (rows, ROWS, lambda x: x[0, 1], []),
    "gather with ragged places": (
        ids, IDS, lambda x: tf.gather(tf.constant([10.0, 20.0, 30.0]), x), [None, None]
    ),
    "gather in batches": (
        rows, ROWS, lambda x: tf.gather(x, tf.ragged.constant([[0], [], [0]]), batch_dims=1),
        [3, None],
    ),
    "expand_dims": (rows, ROWS, lambda x: tf.expand_dims(x, 0), [1, None, None]),
    "tile": (rows, ROWS, lambda x: tf.tile(x, [1, 2]), [None, None]),
    "reverse": (rows, ROWS, lambda x: tf.reverse(x, [1]), [None, None]),
    "boolean_mask": (rows, ROWS, lambda x: tf.ragged.boolean_mask(x, x > 1.0), [None, None]),
    "boolean_mask of a matrix": (
        matrix, MATRIX, lambda x: tf.ragged.boolean_mask(x, x > 1.0), [None, None]
    ),
    "where": (rows, ROWS, lambda x: tf.where(x > 1.0), [None, 2]),
    "bounding_shape": (rows, ROWS, lambda x: x.bounding_shape(), [2]),
    "size": (rows, ROWS, tf.size, []),
    "merge_dims": (deep, DEEP, lambda x: x.merge_dims(0, 1), [None, None]),
    "map_flat_values": (
        rows, ROWS, lambda x: tf.ragged.map_flat_values(tf.add, x, x), [None, None]
    ),
    "from_tensor": (matrix, MATRIX, RT.from_tensor, [None, None]),
    "from_tensor with padding": (
        matrix, MATRIX, lambda x: RT.from_tensor(x, padding=0.0), [None, None]
    ),
    "from_row_starts": (vector, VECTOR, lambda x: RT.from_row_starts(x, [0, 1]), [2, None]),
    "from_uniform_row_length": (
        vector, VECTOR, lambda x: RT.from_uniform_row_length(x, 2), [None, 2]
    ),
    "softmax": (rows, ROWS, tf.nn.softmax, [None, None]),
    "reduce_join": (
        ids, IDS, lambda x: tf.strings.reduce_join(tf.strings.as_string(x), axis=1), [None]
    ),
}  # fmt: skip


def flat(result: Any) -> list[Any]:
    return [x.numpy().tolist() for x in tf.nest.flatten(result, expand_composites=True)]


@pytest.mark.parametrize("name", CASES)
def test_rows_that_a_graph_does_not_know_go_through(name):
    make, spec, function, dims = CASES[name]
    told = []

    def traced(x: Any) -> Any:
        result = function(x)
        told.append(result.shape.as_list())
        return result

    assert flat(tf.function(traced, input_signature=[spec])(make())) == flat(function(make()))
    assert told == [dims]


def test_one_trace_serves_ragged_tensors_of_any_rows():
    traces = []

    @tf.function(input_signature=[ROWS])
    def ends(x):
        traces.append(x.shape.as_list())
        return tf.concat([x[:, -1:], x[:, :1]], 1)

    assert ends(rows()).to_list() == [[2.0, 1.0], [], [3.0, 3.0]]
    assert ends(tf.ragged.constant([[7.0]])).to_list() == [[7.0, 7.0]]
    assert traces == [[None, None]]


def test_gradients_go_back_through_rows_that_a_graph_does_not_know():
    def loss(x):
        return tf.reduce_sum(tf.concat([x[:, :1], x], 1).to_tensor() ** 2)

    def slope(values):
        x = rows().with_values(values)
        with tf.GradientTape() as tape:
            tape.watch(values)
            y = loss(x.with_values(values))
        return tape.gradient(y, values)

    @tf.function(input_signature=[ROWS])
    def in_graph(x):
        values = x.values
        with tf.GradientTape() as tape:
            tape.watch(values)
            y = loss(x.with_values(values))
        return tape.gradient(y, values)

    made, wanted = (tf.convert_to_tensor(x) for x in (in_graph(rows()), slope(rows().values)))
    assert made.numpy().tolist() == wanted.numpy().tolist()


def test_what_would_not_run_is_refused_while_a_function_is_traced():
    @tf.function(input_signature=[ROWS])
    def wrong(x):
        return tf.concat([x, tf.ones([3])], 0)

    with pytest.raises(ValueError, match="must have the same rank"):
        wrong(rows())


def test_a_session_runs_what_looks_at_rows():
    with tf.Graph().as_default():
        values = tf.compat.v1.placeholder(tf.float32, [None])
        splits = tf.compat.v1.placeholder(tf.int64, [None])
        x = RT.from_row_splits(values, splits)
        last = x[:, -1:].to_tensor()
        with tf.compat.v1.Session() as session:
            feeds = {values: [1.0, 2.0, 3.0], splits: [0, 2, 3]}
            assert session.run(last, feeds).tolist() == [[2.0], [3.0]]


def test_a_ragged_tensor_of_a_graph_tells_its_parts():
    with tf.Graph().as_default():
        x = tf.ragged.constant([[1, 2], [3]])
        assert repr(x).startswith('tf.RaggedTensor(values=Tensor("')
        assert str(x).endswith("shape=(3,), dtype=int64))")
    assert repr(tf.ragged.constant([[1, 2], [3]])) == "<tf.RaggedTensor [[1, 2], [3]]>"


def test_parts_of_ragged_and_sparse_tensors_know_who_takes_them():
    with tf.Graph().as_default():
        ragged = tf.RaggedTensor.from_row_splits([1, 2], [0, 1, 2], validate=False)
        sparse = tf.SparseTensor([[0]], [1.0], [2])
        assert ragged.consumers() == sparse.consumers() == []
        tf.identity(ragged.row_splits)
        dense = tf.sparse.to_dense(sparse)
        assert len(ragged.consumers()) == 1
        assert sparse.consumers() == [dense.op]
    assert tf.ragged.constant([[1]]).consumers() == []


def test_a_spec_without_partitions_is_that_of_a_tensor():
    spec = tf.RaggedTensorSpec([None], tf.int32, 0)
    assert spec.value_type is tf.Tensor
    assert tf.RaggedTensorSpec(ragged_rank=1).value_type is tf.RaggedTensor
    assert spec.is_compatible_with(tf.constant([1, 2]))
    assert not spec.is_compatible_with(tf.constant([1.0]))
    assert not spec.is_compatible_with(tf.ragged.constant([[1]]))


def test_a_ragged_value_is_made_of_lists_while_a_graph_is_built():
    with tf.Graph().as_default() as graph:
        value = tf.compat.v1.ragged.constant_value([[[0]], [[1], [2]]])
        assert not graph.get_operations()
    assert value.to_list() == [[[0]], [[1], [2]]]
