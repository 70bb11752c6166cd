"""Boxes of images that are drawn by TensorFlow's numbers: how they go on from call to call, in
functions, sessions and datasets, and where a graph knows no shapes. The numbers are TensorFlow's;
contract cases have more of them.
"""

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.base.errors import InvalidArgumentError

_SIZE, _OBJECT = [40, 50, 3], np.array([[[0.1, 0.2, 0.6, 0.7]]], np.float32)
_ANY = {"min_object_covered": 0.0, "area_range": (0.05, 1.0)}
_FIRST = [
    ([0, 3, 0], [40, 39, -1]), ([0, 0, 0], [39, 50, -1]), ([16, 19, 0], [13, 13, -1]),
    ([0, 9, 0], [39, 36, -1]),
]  # fmt: skip


def _plain(box):
    return box.begin.numpy().tolist(), box.size.numpy().tolist()


def _drawn(size=_SIZE, **more):
    return tf.image.sample_distorted_bounding_box(size, _OBJECT, seed=3, **_ANY, **more)


def test_boxes_of_a_seed_go_on_from_call_to_call():
    tf.random.set_seed(7)
    assert [_plain(_drawn()) for _ in _FIRST] == _FIRST
    # Another number of attempts is another op, which begins anew and sets other numbers aside.
    assert _plain(_drawn(max_attempts=7)) == _FIRST[0]
    assert _plain(_drawn(max_attempts=7)) == ([21, 2, 0], [14, 17, -1])
    assert _plain(_drawn(max_attempts=1)) == _FIRST[0]
    assert _plain(_drawn(max_attempts=1)) == ([0, 2, 0], [33, 39, -1])
    assert _plain(_drawn()) == ([1, 20, 0], [20, 17, -1])
    tf.random.set_seed(7)
    assert _plain(_drawn()) == _FIRST[0]


def test_a_function_draws_other_boxes_in_each_call():
    tf.random.set_seed(7)

    @tf.function
    def both():
        return _drawn(), _drawn()

    for box in _FIRST[:2]:
        assert [_plain(each) for each in both()] == [box, box]


def test_a_session_draws_by_its_graph():
    with tf.Graph().as_default():
        tf.compat.v1.set_random_seed(5)
        box = _drawn()
        own = tf.compat.v1.image.sample_distorted_bounding_box(_SIZE, _OBJECT, seed=3, **_ANY)
        assert box.begin.op.name == "sample_distorted_bounding_box/SampleDistortedBoundingBoxV2"
        for _ in range(2):
            with tf.compat.v1.Session() as session:
                found = [session.run([box.begin, own.size]) for _ in range(2)]
            assert [[each.tolist() for each in pair] for pair in found] == [
                [[2, 4, 0], [39, 32, -1]], [[2, 1, 0], [12, 14, -1]],
            ]  # fmt: skip


def test_a_graph_tells_shapes_of_boxes_whatever_it_knows_of_inputs():
    unknown = [tf.TensorSpec(None, dtype) for dtype in (tf.int32, tf.float32, tf.int32)]
    shapes = []

    @tf.function(input_signature=unknown)
    def box(size, objects, seed):
        drawn = tf.image.stateless_sample_distorted_bounding_box(size, objects, seed)
        shapes.append([each.shape.as_list() for each in drawn])
        return drawn

    assert _plain(box(_SIZE, _OBJECT, [1, 2])) == ([12, 3, 0], [26, 32, -1])
    assert shapes == [[[3], [3], [1, 1, 4]]]
    with pytest.raises(InvalidArgumentError, match="input boxes must be 3-dimensional"):
        box(_SIZE, _OBJECT[0], [1, 2])
    with pytest.raises(InvalidArgumentError, match=r"seed must have shape \[2\], not \[3\]"):
        box(_SIZE, _OBJECT, [1, 2, 3])
    with tf.Graph().as_default(), pytest.raises(ValueError, match="image_size must contain 3"):
        _drawn(tf.compat.v1.placeholder(tf.int32, [2]))


def test_boxes_are_drawn_in_datasets():
    seeds = tf.data.Dataset.range(3)
    boxes = seeds.map(
        lambda i: tf.image.stateless_sample_distorted_bounding_box(
            _SIZE, [[[0.0, 0.0, 1.0, 1.0]]], tf.stack([i, i])
        )
    )
    alone = [
        tf.image.stateless_sample_distorted_bounding_box(_SIZE, [[[0.0, 0.0, 1.0, 1.0]]], [i, i])
        for i in range(3)
    ]
    for (begin, size, _), box in zip(boxes, alone, strict=True):
        assert (begin.numpy().tolist(), size.numpy().tolist()) == _plain(box)


def test_boxes_have_no_gradient():
    objects = tf.constant(_OBJECT)
    for draw, more in (
        (tf.image.stateless_sample_distorted_bounding_box, {"seed": [1, 2]}),
        (tf.image.sample_distorted_bounding_box, {"seed": 1}),
    ):
        with tf.GradientTape() as tape:
            tape.watch(objects)
            box = draw(_SIZE, objects, **more)
        with pytest.raises(LookupError, match="gradient registry has no entry"):
            tape.gradient(box.bboxes, objects)


def test_determinism_wants_seeds_of_boxes():
    tf.config.experimental.enable_op_determinism()
    tf.random.set_seed(1)
    with pytest.raises(ValueError, match="requires a non-zero seed to be passed in when determin"):
        tf.image.sample_distorted_bounding_box(_SIZE, _OBJECT)
    with pytest.raises(ValueError, match='requires "seed" or "seed2" to be non-zero when determin'):
        tf.compat.v1.image.sample_distorted_bounding_box(_SIZE, _OBJECT)
    with pytest.raises(InvalidArgumentError, match="random ops must have a seed specified"):
        tf.raw_ops.SampleDistortedBoundingBoxV2(
            image_size=_SIZE, bounding_boxes=_OBJECT, min_object_covered=0.1
        )
    tf.image.sample_distorted_bounding_box(_SIZE, _OBJECT, seed=1)
    tf.compat.v1.image.sample_distorted_bounding_box(_SIZE, _OBJECT, seed2=1)
    tf.image.stateless_sample_distorted_bounding_box(_SIZE, _OBJECT, [1, 2])
