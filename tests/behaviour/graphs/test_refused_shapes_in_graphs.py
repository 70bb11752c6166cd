"""What a graph refuses while it is built, as far as it knows the shapes; what only a run can."""

from __future__ import annotations

from typing import Any

import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda n: tf.concat([n(), tf.ones([4, 4]), tf.ones([4])], n(tf.int32)),
         "Shape must be rank 2 but is rank 1"),
        (lambda n: tf.concat([tf.constant(7), tf.constant(7)], n(tf.int32)),
         r"Can't concatenate scalars \(use tf.stack instead\)"),
        (lambda n: tf.concat([n(tf.int32), 7], 0), "Can't concatenate scalars"),
        (lambda n: tf.concat([1, 2], 0), "Can't concatenate scalars"),
        (lambda n: tf.concat([[1], [2]], -2), "Shape must be at least rank 2 but is rank 1"),
        (lambda n: tf.concat([n(), n(tf.float32, [None, 2])], 3),
         "Shape must be at least rank 4 but is rank 2"),
        (lambda n: tf.concat([[[1, 2]], [[2]]], 0),
         "Dimension 0 in both shapes must be equal, but are 2 and 1. Shapes are .2. and .1."),
        (lambda n: tf.concat([[1], [2]], [0]), "Shape must be rank 0 but is rank 1"),
        (lambda n: tf.concat([[1], [2]], n(tf.int32, [3])), "Shape must be rank 0 but is rank 1"),
        (lambda n: tf.concat([[1]], [0]), r"Shape \(1,\) must have rank 0"),
        (lambda n: tf.concat([n()], n(tf.int32, [1])), r"Shape \(1,\) must have rank 0"),
        (lambda n: tf.roll(n(tf.int32, []), n(tf.int32), 0),
         "Shape must be at least rank 1 but is rank 0"),
        (lambda n: tf.roll(n(), 1, n(tf.int32, [None, None])),
         "Shape must be at most rank 1 but is rank 2"),
        (lambda n: tf.roll(n(), [[0, 1]], 1), "Shape must be at most rank 1 but is rank 2"),
        (lambda n: tf.roll(n(), n(tf.int32, [3]), [0, 1]),
         "Dimension 0 in both shapes must be equal, but are 3 and 2. Shapes are .3. and .2."),
    ],
)  # fmt: skip
def test_a_graph_refuses_when_it_is_built(call: Any, text: str) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=text):
        call(lambda dtype=tf.float32, shape=None: v1.placeholder(dtype, shape))


def test_a_lone_tensor_is_not_joined_along_a_vector_of_axes() -> None:
    with pytest.raises(ValueError, match=r"Shape \(1,\) must have rank 0"):
        tf.concat(1, [0])
    assert tf.concat([[1], [2]], [0]).numpy().tolist() == [1, 2]


def test_axes_that_a_run_finds_wrong_are_refused_by_the_run() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        rolled = tf.roll([[1, 2], [3, 4]], 3, -10)
        with pytest.raises(tf.errors.InvalidArgumentError, match="axis -8 is out of range"):
            session.run(rolled)


def test_shapes_of_which_offsets_are_wanted_are_vectors() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"be a vector, but got shape \[1,3\]"):
        tf.raw_ops.ConcatOffset(concat_dim=0, shape=[[[2, 3, 5]], [[2, 7, 5]]])
