"""Features whose values are cut into rows by other features: `tf.io.RaggedFeature`'s partitions."""

from __future__ import annotations

from typing import Any

import pytest

import emplace.tensorflow as tf

R = tf.io.RaggedFeature


def numbers(values: list[int]) -> Any:
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def context(**given: list[int]) -> Any:
    return tf.train.Features(feature={key: numbers(each) for key, each in given.items()})


def example(**given: list[int]) -> bytes:
    return tf.train.Example(features=context(**given)).SerializeToString()


BATCH = [
    example(
        v=[3, 1, 4, 1, 5, 9], s1=[0, 2, 3, 3, 6], s2=[0, 2, 3, 4], l=[1, 0, 5], st=[0, 2, 2],
        li=[1, 1, 6], id=[0, 0, 1, 3, 3, 3],
    ),
    example(
        v=[2, 7, 1, 8, 2, 8, 1, 9], s1=[0, 3, 4, 5, 8], s2=[0, 1, 1, 4], l=[8], st=[0], li=[0, 8],
        id=[1, 1, 1, 1, 2, 2, 2, 2],
    ),
    example(v=[], s1=[], s2=[], l=[], st=[], li=[], id=[]),
]  # fmt: skip

# As TensorFlow 2.21 answers for the first two.
CASES = [
    (
        [R.RowSplits("s1")],
        [[3, 1], [4], [], [1, 5, 9]],
        [[2, 7, 1], [8], [2], [8, 1, 9]],
    ),
    (
        [R.RowSplits("s2"), R.RowSplits("s1")],
        [[[3, 1], [4]], [[]], [[1, 5, 9]]],
        [[[2, 7, 1]], [], [[8], [2], [8, 1, 9]]],
    ),
    ([R.RowLengths("l")], [[3], [], [1, 4, 1, 5, 9]], [[2, 7, 1, 8, 2, 8, 1, 9]]),
    ([R.RowStarts("st")], [[3, 1], [], [4, 1, 5, 9]], [[2, 7, 1, 8, 2, 8, 1, 9]]),
    ([R.RowLimits("li")], [[3], [], [1, 4, 1, 5, 9]], [[], [2, 7, 1, 8, 2, 8, 1, 9]]),
    ([R.ValueRowIds("id")], [[3, 1], [4], [], [1, 5, 9]], [[], [2, 7, 1, 8], [2, 8, 1, 9]]),
    ([R.UniformRowLength(2)], [[3, 1], [4, 1], [5, 9]], [[2, 7], [1, 8], [2, 8], [1, 9]]),
    (
        [R.UniformRowLength(2), R.RowSplits("s1")],
        [[[3, 1], [4]], [[], [1, 5, 9]]],
        [[[2, 7, 1], [8]], [[2], [8, 1, 9]]],
    ),
]


@pytest.mark.parametrize(("partitions", "first", "second"), CASES)
def test_values_are_cut_into_rows(partitions, first, second):
    features = {"f": R(tf.int64, "v", partitions)}

    def parse(serialized):
        return tf.io.parse_example(serialized, features)

    answer = parse(BATCH)
    assert list(answer) == ["f"]
    assert answer["f"].to_list() == [first, second, []]
    assert tf.function(parse)(tf.constant(BATCH))["f"].to_list() == [first, second, []]
    for serialized, expected in zip(BATCH, (first, second, []), strict=True):
        one = tf.io.parse_single_example(serialized, features)["f"]
        is_ragged = isinstance(one, tf.RaggedTensor)
        assert (one.to_list() if is_ragged else one.numpy().tolist()) == expected
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        texts = tf.compat.v1.placeholder(tf.string, [None])
        found = session.run(parse(texts)["f"], {texts: BATCH})
    assert found.to_list() == [first, second, []]


def test_rows_of_one_length_are_a_tensor():
    features = {"f": R(tf.int64, "v", [R.UniformRowLength(2), R.UniformRowLength(1)])}
    one = tf.io.parse_single_example(BATCH[0], features)["f"]
    assert isinstance(one, tf.Tensor)
    assert one.shape == [3, 2, 1]
    assert tf.io.parse_example(BATCH, features)["f"].values.shape == [7, 2, 1]


def lists(**given: list[list[int]]) -> Any:
    made = {
        key: tf.train.FeatureList(feature=[numbers(row) for row in rows])
        for key, rows in given.items()
    }
    return tf.train.FeatureLists(feature_list=made)


def test_contexts_and_lists_of_sequences_are_cut():
    batch = [
        tf.train.SequenceExample(
            context=context(v=[3, 1, 4], l=[1, 2]),
            feature_lists=lists(
                a=[[1, 2, 3], [4], []], al=[[2, 1], [0, 1], []], b=[[1, 2], [3, 4, 5, 6], []]
            ),
        ),
        tf.train.SequenceExample(
            context=context(v=[9], l=[0, 1, 0]),
            feature_lists=lists(a=[[7, 8]], al=[[1, 1]], b=[[1, 2]]),
        ),
    ]
    texts = [message.SerializeToString() for message in batch]
    of_context = {"c": R(tf.int64, "v", [R.RowLengths("l")])}
    of_lists = {
        "x": R(tf.int64, "a", [R.RowLengths("al")]),
        "a": R(tf.int64),
        "u": R(tf.int64, "b", [R.UniformRowLength(2)]),
    }
    x = [[[1, 2], [3]], [[], [4]], []]
    u = [[[1, 2]], [[3, 4], [5, 6]], []]
    for parse in (
        lambda t: tf.io.parse_sequence_example(t, of_context, of_lists)[:2],
        tf.function(lambda t: tf.io.parse_sequence_example(t, of_context, of_lists)[:2]),
    ):
        contexts, times = parse(tf.constant(texts))
        assert contexts["c"].to_list() == [[[3], [1, 4]], [[], [9], []]]
        assert sorted(times) == ["a", "u", "x"]
        assert times["x"].to_list() == [x, [[[7], [8]]]]
        assert times["a"].to_list() == [[[1, 2, 3], [4], []], [[7, 8]]]
        assert times["u"].to_list() == [u, [[[1, 2]]]]
    contexts, times = tf.io.parse_single_sequence_example(texts[0], of_context, of_lists)
    assert contexts["c"].to_list() == [[3], [1, 4]]
    assert (times["x"].to_list(), times["u"].to_list()) == (x, u)


def test_partitions_that_cannot_be_read_are_refused():
    with pytest.raises(TypeError, match="cannot be cast to any of the partition types"):
        R(tf.int64, "v", ["s1"])
    two = {"f": R(tf.int64, "v", [R.RowSplits("s1")], tf.int64), "g": R(tf.int64, "s1")}
    with pytest.raises(ValueError, match=r"Conflicting partition type .* for feature s1"):
        tf.io.parse_example(BATCH, two)
    checked = {"f": R(tf.int64, "v", [R.RowLengths("l")], validate=True)}
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.io.parse_example([example(v=[1, 2], l=[5])], checked)
