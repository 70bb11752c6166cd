"""Shapes that a graph knows or does not know, in stitched tensors, split texts and assertions."""

from __future__ import annotations

from typing import Any

import pytest

import emplace.tensorflow as tf
from emplace.base.errors import InvalidArgumentError

v1 = tf.compat.v1

# (indices, data, what TensorFlow's shape rule says)
MISFITS: list[Any] = [
    ([[0, 4, 7], [[1, 6, 2]]], [[[0, 40, 70]], [10, 60, 20]], "Dimensions must be equal"),
    ([[0, 4], [1, 6]], [[[0], [40]], [[10, 11], [60, 61]]], r"Shapes are \[1\] and \[2\]"),
    ([[0, 4], [1, 6]], [[0, 40], [10]], "Dimensions must be equal, but are 1 and 2"),
]


@pytest.mark.parametrize(("indices", "data", "text"), MISFITS)
def test_a_graph_refuses_to_stitch_what_does_not_fit(indices: Any, data: Any, text: str) -> None:
    with tf.Graph().as_default():
        places, values = ([tf.constant(each) for each in listed] for listed in (indices, data))
        with pytest.raises(ValueError, match=text):
            tf.dynamic_stitch(places, values)
    with pytest.raises(InvalidArgumentError):
        tf.dynamic_stitch(indices, data)


def test_texts_are_split_whose_number_only_a_run_tells() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def characters(texts: tf.Tensor) -> Any:
        return tf.strings.unicode_split(texts, "UTF-8")

    with tf.Graph().as_default(), v1.Session() as session:
        texts = v1.placeholder(tf.string, [None])
        made, places = tf.strings.unicode_split_with_offsets(texts, "UTF-8")
        answers = session.run([made, places], {texts: ["aé", "", "b"]})
    assert answers[0].to_list() == [[b"a", "é".encode()], [], [b"b"]]
    assert answers[1].to_list() == [[0, 1], [], [0]]
    assert characters(["ab", "c"]).to_list() == [[b"a", b"b"], [b"c"]]


def test_tf1s_assertions_of_types_are_operations_of_a_graph() -> None:
    with tf.Graph().as_default():
        for check in (v1.assert_integer(tf.constant(1)), v1.assert_type(tf.constant(1), tf.int32)):
            with tf.control_dependencies([check]):
                assert check.type == "NoOp"
        with pytest.raises(TypeError, match='Expected "x" to be integer type'):
            v1.assert_integer(tf.constant(1.0))
    assert v1.assert_integer(tf.constant(1)) is None


def test_ragged_values_are_made_of_bytes() -> None:
    value = v1.ragged.constant_value([[b"a", b"bc"], []], dtype=bytes)
    assert value.to_list() == [[b"a", b"bc"], []]
