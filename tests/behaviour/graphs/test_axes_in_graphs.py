"""What a graph knows of the shapes of results along axes that only its run tells."""

from __future__ import annotations

import numpy as np
import pytest

import emplace.tensorflow as tf
import emplace.v1 as tf1

ROWS = np.arange(6, dtype=np.float32).reshape(2, 3)
# A function of a matrix and an axis, and the shape that TensorFlow 2.21 knows of its result.
CASES = {
    "sum": (lambda x, n: tf.reduce_sum(x, n), None),
    "sum, kept": (lambda x, n: tf.reduce_sum(x, n, keepdims=True), [None, None]),
    "all": (lambda x, n: tf.reduce_all(x > 0, n), None),
    "logsumexp": (lambda x, n: tf.reduce_logsumexp(x, n), None),
    "argmax": (lambda x, n: tf.argmax(x, n), [None]),
    "concat": (lambda x, n: tf.concat([x, x], n), [None, None]),
    "expand_dims": (lambda x, n: tf.expand_dims(x, n), None),
    "norm": (lambda x, n: tf.norm(x, axis=n), None),
    "count_nonzero": (lambda x, n: tf.math.count_nonzero(x, n), None),
    "std": (lambda x, n: tf.math.reduce_std(x, n), None),
    "frame": (lambda x, n: tf.signal.frame(x, n + 1, 1), None),
    "reduce_join": (lambda x, n: tf.strings.reduce_join(tf.strings.as_string(x), n), None),
    "repeat": (lambda x, n: tf.repeat(x, n, 0), [None, 3]),
    "fill": (lambda x, n: tf.fill([n, 2], 1.0), [None, 2]),
}


@pytest.mark.parametrize("name", CASES)
def test_no_size_is_known_that_another_axis_would_change(name):
    function, known = CASES[name]
    with tf1.Graph().as_default(), tf1.Session() as session:
        x, n = tf1.placeholder(tf.float32, [2, 3]), tf1.placeholder(tf.int32, [])
        y = function(x, n)
        for number in (0, 1):
            made = session.run([y, tf.shape(y)], {x: ROWS, n: number})
            assert y.shape.is_compatible_with(made[0].shape)
            assert tuple(made[1]) == made[0].shape
    if known is not None:
        assert y.shape.as_list() == known


REDUCTIONS = ["sum", "mean", "prod", "max", "min", "euclidean_norm", "any", "all", "std"]


@pytest.mark.parametrize("name", REDUCTIONS)
def test_a_reduction_over_all_axes_is_a_scalar_whatever_the_rank(name):
    dtype = tf.bool if name in ("any", "all") else tf.float32
    reduce = getattr(tf.math, f"reduce_{name}")
    with tf1.Graph().as_default():
        x = tf1.placeholder(dtype)
        assert reduce(x).shape == ()
        assert reduce(x, [1, 2]).shape.rank is None
        assert reduce(x, keepdims=True).shape.rank is None


def test_axes_of_which_nothing_is_known_keep_the_rank_where_they_are_kept():
    with tf1.Graph().as_default():
        axes = tf1.placeholder(tf.int32)
        assert tf.reduce_sum(tf.ones([2, 1]), axes, keepdims=True).shape.as_list() == [None, None]
        assert tf.reduce_sum(tf.ones([2, 1]), axes).shape.rank is None
