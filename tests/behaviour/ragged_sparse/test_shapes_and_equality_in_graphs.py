"""What graphs know of sparse and ragged tensors' shapes, and what they compare."""

import numpy as np
import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1


def test_ragged_tensors_of_a_session_are_equal_to_themselves_alone():
    def same():
        x = tf.ragged.constant([[1, 2], [3]])
        return x, tf.ragged.constant([[1, 2], [3]])

    x, y = same()
    assert (x == y).to_list() == [[True, True], [True]]
    with tf.Graph().as_default():
        x, y = same()
        assert (x == x) is True
        assert (x == y) is False
        assert (x != x) is False
        assert (x != y) is True
        assert (x is None) is False
        assert (x is not None) is True

    @tf.function
    def in_function():
        x, y = same()
        return x == y

    assert in_function().to_list() == [[True, True], [True]]


def test_a_reshaped_sparse_tensor_has_the_sizes_that_follow():
    with tf.Graph().as_default():
        x = tf.SparseTensor([[0, 1], [1, 0]], [1, 2], [3, 4])
        one = v1.placeholder(tf.int64, [1])
        known = tf.sparse.reshape(x, tf.concat([tf.constant([2], tf.int64), one], 0))
        assert known.shape == [2, 6]
        assert tf.sparse.reshape(x, one).shape == [12]
        assert tf.sparse.reshape(x, [-1, 2]).shape == [6, 2]
        wrong = {
            (-1, 2, -1): r"At most one dimension can be inferred \(-1\). Found: \[-1  2 -1\]",
            (5, 7): r"Cannot reshape a tensor with 12 elements to shape \[5, 7\] \(35 elements\)",
            (
                -1,
                7,
            ): r"Cannot reshape a tensor with 12 elements to shape \[None, 7\] \(7 elements\)",
        }
        for shape, text in wrong.items():
            with pytest.raises(ValueError, match=text):
                tf.sparse.reshape(x, shape)
        with v1.Session() as session:
            assert session.run(known.dense_shape, {one: [6]}).tolist() == [2, 6]
            with pytest.raises(tf.errors.InvalidArgumentError, match="12 dense values"):
                session.run(known.indices, {one: [5]})


def test_a_product_with_a_sparse_matrix_of_unknown_shape_has_the_columns_of_the_other():
    with tf.Graph().as_default():
        x = tf.SparseTensor([[0, 1]], [1.0], v1.placeholder(tf.int64))
        dense = np.zeros((3, 5), np.float32)
        assert tf.sparse.sparse_dense_matmul(x, dense).shape.as_list() == [None, 5]
        unknown = tf.sparse.sparse_dense_matmul(x, v1.placeholder(tf.float32))
        assert unknown.shape.as_list() == [None, None]


def test_rows_of_a_tensor_of_unknown_rank_have_no_certain_rank():
    shapes = []

    @tf.function(input_signature=[tf.TensorSpec(None, tf.int32)])
    def rows(x):
        found = tf.RaggedTensor.from_tensor(x, ragged_rank=2)
        shapes.append(found.shape)
        return found

    x = tf.reshape(tf.range(24), [4, 3, 2, 1])
    assert rows(x).to_list() == x.numpy().tolist()
    assert shapes[0].rank is None


def test_ranges_in_graphs_know_how_many_there_are():
    @tf.function(input_signature=[tf.TensorSpec([], tf.int32), tf.TensorSpec([3], tf.int32)])
    def shapes(one, three):
        assert tf.ragged.range(one).shape.as_list() == [1, None]
        assert tf.ragged.range(one, three).shape.as_list() == [3, None]
        with pytest.raises(ValueError, match="must have the same shape"):
            tf.ragged.range([1, 2], three)
        return one

    shapes(1, [1, 2, 3])


def test_what_an_accumulator_of_rows_returns_says_the_shape_of_the_whole():
    with tf.Graph().as_default(), v1.Session() as session:
        rows = np.ones((1, 2, 3), np.float32)
        for told, expected in (((), [-1, 2, 3]), ([4, None], [4, 2, 3]), (None, [-1, 2, 3])):
            sums = v1.SparseConditionalAccumulator(tf.float32, shape=told)
            session.run(sums.apply_grad([0], rows))
            shape = session.run(sums.take_indexed_slices_grad(1)).dense_shape
            assert shape.dtype == np.int64
            assert shape.tolist() == expected


def test_weights_of_ragged_counts_have_the_same_rows():
    x, other = tf.ragged.constant([[1, 2], [3]]), tf.ragged.constant([[1], [2, 3]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have the same row splits"):
        tf.sparse.bincount(x, weights=other)
    counts = tf.function(lambda w: tf.sparse.bincount(x, weights=w, axis=-1).values)
    assert counts(tf.ragged.constant([[5, 6], [7]])).numpy().tolist() == [5, 6, 7]
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have the same row splits"):
        counts(other)


def test_partitions_keep_the_type_of_arrays():
    partition = tf.experimental.RowPartition
    assert partition.from_row_splits(np.array([0, 1], np.int32)).dtype is tf.int32
    assert partition.from_row_splits([0, 1]).dtype is tf.int64


def test_a_separator_may_be_a_tensor():
    pair = [tf.constant([["a"]]), tf.constant([["b"]])]
    assert tf.sparse.cross(pair, separator=tf.constant("&")).values.numpy().tolist() == [b"a&b"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input separator should be a scalar"):
        tf.sparse.cross(pair, separator=tf.constant(["a", "b"]))


def test_a_shape_of_known_and_unknown_sizes_keeps_what_it_knows():
    @tf.function(input_signature=[tf.TensorSpec(None, tf.int64)])
    def shapes(sizes):
        x = tf.SparseTensor([[0, 1], [1, 0]], [1, 2], [sizes[0], 6])
        assert x.shape.as_list() == [None, 6]
        assert tf.sparse.reorder(x).shape.as_list() == [None, 6]
        return tf.sparse.to_dense(x)

    assert shapes([2]).shape == [2, 6]


def test_a_tensor_of_unknown_rank_is_repeated_by_counts():
    repeated = tf.function(
        lambda x: tf.repeat(x, [1, 2], axis=0), input_signature=[tf.TensorSpec(None, tf.int32)]
    )
    assert repeated([5, 6]).numpy().tolist() == [5, 6, 6]


def test_no_lengths_cut_no_rows():
    assert tf.RaggedTensor.from_tensor(tf.zeros([0, 3]), lengths=[]).to_list() == []


def test_assertions_on_ragged_tensors_show_their_values_in_graphs():
    x, y = tf.ragged.constant([[1, 2], [3]]), tf.ragged.constant([[1, 2], [4]])
    text = r"Condition x == y did not hold element-wise:\nx \(.+\) = \n\[1 2 3\]\ny"
    with tf.Graph().as_default():
        same = [tf.ragged.constant(each.to_list()) for each in (x, y)]
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            tf.debugging.assert_equal(*same)

    @tf.function
    def checked(x, y):
        tf.debugging.assert_less(x, y + 1)

    checked(x, y)
    with pytest.raises(tf.errors.InvalidArgumentError, match="did not hold element-wise"):
        checked(y + 5, y)


def test_cross_entropies_of_ragged_rows():
    labels, logits = (
        tf.ragged.constant([[1.0, 0.0], [1.0]]),
        tf.ragged.constant([[0.0, 0.0], [0.0]]),
    )
    found = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
    assert [len(row) for row in found.to_list()] == [2, 1]
    assert np.allclose(found.flat_values, np.log(2.0))


def test_values_of_ragged_constants_wrap_around():
    found = v1.ragged.constant_value([[1, 2], [-1]], dtype=tf.uint64)
    assert found.to_list() == [[1, 2], [2**64 - 1]]
    assert v1.ragged.constant_value([[300]], dtype=tf.uint8).to_list() == [[44]]
