"""What is known of tensors before a graph runs; TensorFlow 2.21 gave the values."""

import numpy as np
import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1


def test_nothing_is_known_of_variables_and_composites() -> None:
    assert tf.get_static_value(tf.Variable(1.0)) is None
    assert tf.get_static_value(tf.ragged.constant([[1], [2, 3]])) is None
    assert tf.get_static_value(tf.sparse.from_dense([1, 0])) is None
    with tf.Graph().as_default():
        assert tf.get_static_value(v1.Variable(1.0)) is None
        assert tf.get_static_value(tf.Variable(1.0)) is None


def test_what_is_no_tensor_is_its_own_value() -> None:
    assert tf.get_static_value([1, 2]) == [1, 2]
    assert tf.get_static_value("a") == "a"


def test_a_stack_is_known_in_part() -> None:
    with tf.Graph().as_default():
        fed = v1.placeholder(tf.float32, [2])
        stacked = tf.stack([np.array([1.0, 2.0], np.float32), fed])
        assert tf.get_static_value(stacked) is None
        whole = tf.get_static_value(stacked, partial=True)
        assert whole[0].tolist() == [1.0, 2.0]
        assert whole[1] is None
        rows = [tf.get_static_value(row, partial=True) for row in tf.unstack(stacked)]
        assert rows[0].tolist() == [1.0, 2.0]
        assert rows[1] is None
        parts = [tf.get_static_value(part, partial=True) for part in tf.split(stacked, 2)]
        assert parts[0][0].tolist() == [1.0, 2.0]
        assert parts[1][0] is None
        along = tf.stack([np.array([1.0, 2.0], np.float32), fed], axis=1)
        assert tf.get_static_value(along, partial=True) is None


def test_each_of_the_stacked_tells_of_the_shape_of_all() -> None:
    with tf.Graph().as_default():
        open_, rows, columns = (v1.placeholder(tf.float32, s) for s in (None, [None, 3], [2, None]))
        assert tf.stack([open_, rows]).shape.as_list() == [2, None, 3]
        assert tf.stack([rows, columns], axis=-1).shape.as_list() == [2, 3, 2]
        assert tf.stack([open_, open_]).shape.rank is None
        assert len(tf.unstack(tf.stack([open_, np.ones((4, 7), np.float32)]))) == 2
        with pytest.raises(ValueError, match="Dimension 1 in both shapes must be equal"):
            tf.stack([rows, tf.zeros([2, 2])])
        with pytest.raises(ValueError, match="Shapes must be equal rank, but are 2 and 1"):
            tf.stack([rows, tf.zeros([2])])


def test_the_spec_of_a_tensor_of_a_graph_has_its_operations_name() -> None:
    with tf.Graph().as_default() as graph:
        fed = v1.placeholder(tf.float32, [2], name="fed")
        assert tf.TensorSpec.from_tensor(fed) == tf.TensorSpec([2], tf.float32, "fed")
        assert tf.TensorSpec.from_tensor(fed, name="other").name == "other"
        before = len(graph.get_operations())
        assert tf.type_spec_from_value(np.ones(3)) == tf.TensorSpec([3], tf.float64)
        assert len(graph.get_operations()) == before


def test_a_size_of_a_sparse_tensor_that_is_minus_one_is_not_known() -> None:
    sparse = tf.SparseTensor([[0, 2]], [1], [-1, 5])
    assert sparse.shape.as_list() == [None, 5]


def test_counts_of_what_has_an_unknown_rank_are_scalars() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        open_ = v1.placeholder(tf.float32)
        assert tf.size(open_).shape.as_list() == []
        assert tf.rank(open_).shape.as_list() == []
        assert tf.shape(open_).shape.as_list() == [None]
        assert (tf.size(open_) + 1).shape.as_list() == []
        first = tf.range(9)[: tf.minimum(tf.size(open_), 4)]
        assert session.run(first, {open_: [[1, 2], [3, 4], [5, 6]]}).tolist() == [0, 1, 2, 3]
        some = v1.placeholder(tf.int32)
        rest = tf.range(9)[some:]
        assert session.run(rest, {some: 7}).tolist() == [7, 8]
