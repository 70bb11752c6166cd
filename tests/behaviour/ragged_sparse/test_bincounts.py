"""Counts of sparse and ragged tensors, and what `tf.sparse.bincount` makes of lengths and axes."""

from __future__ import annotations

import numpy as np
import pytest

import emplace.tensorflow as tf

TABLE = np.array([[3, 0, 1, 0], [0, 0, 0, 0], [5, 0, 4, 4]])
RUNS = [lambda f: f(), lambda f: tf.function(f)()]


def _sparse(table=TABLE, dtype=tf.int32):
    return tf.sparse.from_dense(tf.constant(table, dtype))


def _parts(x):
    return x.indices.numpy().tolist(), x.values.numpy().tolist(), x.dense_shape.numpy().tolist()


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_a_sparse_tensor_counts_what_it_has(run, dtype):
    counts = run(lambda: tf.math.bincount(_sparse(dtype=dtype)))
    assert counts.dtype is tf.int32
    assert counts.numpy().tolist() == [0, 1, 0, 1, 2, 1]
    rows = run(lambda: tf.math.bincount(_sparse(dtype=dtype), axis=-1, maxlength=5))
    assert rows.numpy().tolist() == [[0, 1, 0, 1, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 2]]
    binary = run(lambda: tf.math.bincount(_sparse(dtype=dtype), minlength=7, binary_output=True))
    assert binary.numpy().tolist() == [0, 1, 0, 1, 1, 1, 0]


@pytest.mark.parametrize("run", RUNS)
def test_sparse_weights_are_at_the_places_of_what_they_weigh(run):
    x = _sparse()
    weights = x.with_values(tf.constant([0.5, 1.0, 1.5, 2.0, 2.5]))
    summed = run(lambda: tf.math.bincount(x, weights))
    assert summed.numpy().tolist() == [0.0, 1.0, 0.0, 0.5, 4.5, 1.5]
    by_row = run(lambda: tf.math.bincount(x, weights, axis=-1))
    assert by_row.numpy().tolist()[2] == [0.0, 0.0, 0.0, 0.0, 4.5, 1.5]
    elsewhere = tf.SparseTensor(x.indices[::-1], weights.values, x.dense_shape)
    for count in (tf.math.bincount, tf.sparse.bincount):
        with pytest.raises(ValueError, match="`weights` must be a SparseTensor if `values` is"):
            run(lambda count=count: count(x, TABLE))
        with pytest.raises(tf.errors.InvalidArgumentError, match="must have the same indices"):
            run(lambda count=count: count(x, elsewhere))
        wrong = tf.SparseTensor(x.indices, weights.values, [4, 4])
        with pytest.raises(tf.errors.InvalidArgumentError, match="same dense shape"):
            run(lambda count=count, wrong=wrong: count(x, wrong))


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("form", ["dense", "sparse", "ragged"])
def test_a_greatest_length_of_nothing_leaves_nothing(run, form):
    x = {"dense": TABLE, "sparse": _sparse(), "ragged": tf.ragged.constant(TABLE.tolist())}[form]
    assert _parts(run(lambda: tf.sparse.bincount(x, maxlength=0)))[1:] == ([], [0])
    assert _parts(run(lambda: tf.sparse.bincount(x, maxlength=0, axis=-1)))[1:] == ([], [3, 0])


@pytest.mark.parametrize("run", RUNS)
def test_one_axis_of_deep_ragged_tensors_is_laid_flat(run):
    deep = tf.ragged.constant([[[3, 0], [1]], [], [[5, 4, 4]]])
    indices, values, shape = _parts(run(lambda: tf.sparse.bincount(deep)))
    assert indices == [[0, 0], [0, 3], [1, 1], [2, 4], [2, 5]]
    assert values == [1, 1, 1, 2, 1]
    assert shape == [3, 6]


def test_rows_of_a_sparse_tensor_of_rank_three_are_its_first_axis():
    cube = _sparse(TABLE.reshape(3, 2, 2))
    assert tf.math.bincount(cube, axis=-1).numpy().tolist()[2] == [0, 0, 0, 0, 2, 1]
    assert _parts(tf.sparse.bincount(cube, axis=-1))[0] == [[0, 1], [0, 3], [2, 4], [2, 5]]


def test_weights_are_laid_flat_with_what_they_weigh():
    weighed = tf.math.bincount([1, 1, 5, 3], [[1.0, 2.0], [3.0, 4.0]])
    assert weighed.numpy().tolist() == [0.0, 3.0, 0.0, 4.0, 0.0, 3.0]


@pytest.mark.parametrize("run", RUNS)
def test_what_cannot_be_counted_is_refused(run):
    for x in (TABLE, _sparse(), tf.ragged.constant([[1, 2], [3]])):
        with pytest.raises(ValueError, match="`binary_output` and `weights` are mutually"):
            run(lambda x=x: tf.sparse.bincount(x, x, binary_output=True))
    wrong = (tf.errors.InvalidArgumentError, ValueError)
    with pytest.raises(wrong, match="must have the same shape"):
        run(lambda: tf.sparse.bincount(np.ones([2, 3], int), np.ones([3, 2], int), axis=-1))
    with pytest.raises(wrong, match="must be a 1 or 2-dimensional tensor"):
        run(lambda: tf.sparse.bincount(3, axis=-1))
    with pytest.raises(wrong, match="Shape must be at most rank 2 but is rank 3"):
        run(lambda: tf.math.bincount(np.ones([1, 2, 3], int), axis=-1))


def test_weights_of_a_session_are_looked_at_when_it_runs():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        places = tf.compat.v1.placeholder(tf.int64, [None, 2])
        weights = tf.SparseTensor(places, [1.0, 2.0], [2, 3])
        x = tf.SparseTensor([[0, 1], [1, 2]], [4, 4], [2, 3])
        counts = tf.math.bincount(x, weights)
        same = session.run(counts, {places: [[0, 1], [1, 2]]})
        assert same.tolist() == [0.0, 0.0, 0.0, 0.0, 3.0]
        with pytest.raises(tf.errors.InvalidArgumentError, match="must have the same indices"):
            session.run(counts, {places: [[0, 1], [1, 1]]})
