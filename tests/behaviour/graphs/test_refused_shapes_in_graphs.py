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
        (lambda n: tf.gather(n(tf.float32, []), n(tf.int32)), "at least rank 1 but is rank 0"),
        (lambda n: tf.gather(n(tf.float32, [2, 3]), n(tf.int32, [2]), axis=2),
         "Shape must be at least rank 3 but is rank 2"),
        (lambda n: tf.gather_nd(n(tf.float32, [None, 3]), n(tf.int32, [None, 4])),
         r"must be <= params.rank, but saw indices shape: \[\?,4\] and params shape: \[\?,3\]"),
        (lambda n: tf.tile(n(tf.float32, [None, 3]), n(tf.int32, [3])),
         "Shape must be rank 2 but is rank 3"),
        (lambda n: tf.tile(n(tf.float32, [None, 3]), n(tf.int32, [2, 2])),
         "Shape must be rank 1 but is rank 2"),
        (lambda n: tf.split(n(tf.float32, [4, 6]), 2, -3),
         r"scalar input -3 must be in range \[-2, 2\)"),
        (lambda n: tf.split(n(tf.float32, [4, None]), [1, -1, -1]), "can only have one -1"),
        (lambda n: tf.split(n(tf.float32, [4, None]), [1, -2]),
         "Split size at index 1 must be >= 0. Got: -2"),
        (lambda n: tf.split(n(tf.float32, [4, 6]), [1, 2]),
         r"can't split axis of size 4 into pieces of size \[1,2\]"),
        (lambda n: tf.split(n(tf.float32, [4, 6]), n(tf.int32)), "Cannot infer argument `num`"),
        (lambda n: tf.unique(n(tf.float32, [3, None])), "Shape must be rank 1 but is rank 2"),
        (lambda n: tf.raw_ops.UniqueV2(x=n(tf.float32, [3, 2]), axis=[2]),
         r"axis expects to be in the range \[-2, 2\)"),
        (lambda n: tf.one_hot(n(tf.int32), -1), "must be non-negative but is -1"),
        (lambda n: tf.one_hot(n(tf.int32), [2]), "Input must be scalar but has rank 1"),
        (lambda n: tf.transpose(n(tf.float32, [1, None]), [0]), "expects a vector of size 2"),
        (lambda n: tf.transpose(n(tf.float32, [1, None]), [0, 2]), "2 is out of range"),
        (lambda n: tf.reverse_sequence([[1, 2]], [1, 2], 1), "Length of seq_lengths"),
        (lambda n: tf.unstack(n(tf.float32, [2, None]), 3), "Dimension must be 3 but is 2"),
        (lambda n: tf.sequence_mask([1], n(tf.int32, [2])), "`maxlen` must be scalar"),
        (lambda n: tf.dynamic_partition(n(tf.float32, [2, None]), [0], 2),
         "in both shapes must be equal, but are 2 and 1"),
        (lambda n: tf.broadcast_to(n(tf.float32, [2]), [[2]]), "must be rank 1 but is rank 2"),
        (lambda n: tf.parallel_stack([n(tf.float32, [None]), [1.0]]), "must be fully defined"),
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


@pytest.mark.parametrize(
    ("call", "dims"),
    [
        (lambda n: tf.gather(n(tf.float32, [2, 3, 4]), n(tf.int32), batch_dims=1), None),
        (lambda n: tf.gather(n(tf.float32, [1, 3]), n(tf.int32, [None, None]), batch_dims=1),
         [1, None]),
        (lambda n: tf.gather(n(tf.float32, [2, 3, 4]), n(tf.int32, [3, None]), batch_dims=1),
         [2, None, 4]),
        (lambda n: tf.gather_nd(n(tf.float32, [None, 3, 4]), n(tf.int32, [None, None])), None),
        (lambda n: tf.gather_nd(n(tf.float32, [None, 3]), n(tf.int32, [5, None, 1]), 1),
         [5, None]),
        (lambda n: tf.space_to_batch(n(tf.float32, [None, None, None, 2]), [2, 3],
                                     [[1, 1], [0, 1]]), [None, None, None, 2]),
        (lambda n: tf.batch_to_space(n(tf.float32, [12, 2, None, 2]), [2, 3], n(tf.int32)),
         [2, None, None, 2]),
        (lambda n: tf.raw_ops.SpaceToBatch(input=n(), paddings=n(tf.int32), block_size=4),
         [None] * 4),
        (lambda n: v1.batch_to_space(n(), n(tf.int32), block_size=4), [None] * 4),
        (lambda n: tf.tile(n(tf.float32, [None, 3]), n(tf.int32)), [None, None]),
        (lambda n: tf.tile(n(), [2, n(tf.int32, [])]), [None, None]),
        (lambda n: tf.split(n(tf.float32, [4, 6]), 2, n(tf.int32))[1], [None, None]),
        (lambda n: tf.split(n(tf.float32, [4, 6]), n(tf.int32), num=2)[1], [None, 6]),
        (lambda n: tf.raw_ops.UniqueV2(x=n(tf.float32, [3, None]), axis=[0]).idx, [3]),
        (lambda n: tf.linspace(n(tf.float32, [None, 2]), n(tf.float32, [None, 2]), n(tf.int32)),
         [None, None, 2]),
        (lambda n: tf.parallel_stack([n(tf.float32, [2]), n(tf.float32, [2])]), [2, 2]),
    ],
)  # fmt: skip
def test_a_graph_knows_no_more_and_no_less_of_a_shape(call: Any, dims: Any) -> None:
    with tf.Graph().as_default():
        made = call(lambda dtype=tf.float32, shape=None: v1.placeholder(dtype, shape))
        assert made.shape.rank is None if dims is None else made.shape.as_list() == dims


@pytest.mark.parametrize("axis", [0, 1, -1, -2, -3])
def test_numbers_between_ends_of_unknown_rank_stand_along_any_axis(axis: int) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        start, stop, count = (v1.placeholder(each) for each in (tf.float32, tf.float32, tf.int32))
        made = tf.linspace(start, stop, count, axis=axis)
        told = session.run(made, {start: [[1.0, 2.0]], stop: [[3.0, 4.0]], count: 3})
    assert told.tolist() == tf.linspace([[1.0, 2.0]], [[3.0, 4.0]], 3, axis=axis).numpy().tolist()


def test_rows_name_places_in_batches_of_unknown_size() -> None:
    params, indices = [[1.0, 2.0], [3.0, 4.0]], [[[0], [0], [1]], [[1], [0], [0]]]
    with tf.Graph().as_default(), v1.Session() as session:
        told = v1.placeholder(tf.int32, [None, None, 1])
        made = tf.gather_nd(params, told, batch_dims=1)
        assert session.run(made, {told: indices}).tolist() == [[1, 1, 2], [4, 3, 3]]


def test_what_is_too_large_or_too_narrow_is_said_in_words() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="has too many elements"):
        tf.reshape([1], [4096, 4096, 4096, 4096, 262145])
    text = r"Unable to broadcast tensor of shape \[2\] to tensor of shape \[2,1\]"
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        tf.broadcast_to([1, 2], [2, 1])
