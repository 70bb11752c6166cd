"""Sparse tensors as texts, in TensorFlow 2.21's bytes."""

from __future__ import annotations

from typing import Any

import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1
# What TensorFlow writes: strings lie in one piece, after their lengths.
TEXTS = [
    b"\x08\t\x12\x08\x12\x02\x08\x02\x12\x02\x08\x02\" " + b"\0" * 16 + (b"\1" + b"\0" * 7) * 2,
    b"\x08\x07\x12\x04\x12\x02\x08\x02\"\x05\x01\x02abb",
    b"\x08\t\x12\x04\x12\x02\x08\x02\"\x10" + (b"\2" + b"\0" * 7) * 2,
]  # fmt: skip


def sparse(values: Any = ("a", "bb"), indices: Any = ((0, 0), (1, 1))) -> Any:
    return tf.SparseTensor(indices, values, [2, 2])


def equal(a: Any, b: Any) -> bool:
    return all(
        one.numpy().tolist() == other.numpy().tolist()
        for one, other in zip(
            (a.indices, a.values, a.dense_shape), (b.indices, b.values, b.dense_shape), strict=True
        )
    )


@pytest.mark.parametrize("serialize", [tf.io.serialize_sparse, v1.serialize_sparse])
def test_the_bytes_are_tensorflows(serialize: Any) -> None:
    assert serialize(sparse()).numpy().tolist() == TEXTS


def test_strings_in_one_piece_are_read() -> None:
    assert tf.io.parse_tensor(TEXTS[1], tf.string).numpy().tolist() == [b"a", b"bb"]
    long = tf.SparseTensor([[0, 0]], ["x" * 300], [1, 1])
    assert equal(tf.io.deserialize_many_sparse(tf.io.serialize_many_sparse(long), tf.string), long)


@pytest.mark.parametrize("content", [b"\x01\x02", b"\x01", b"\x01\x02abbc", b"\x81"])
def test_strings_that_are_cut_off_are_refused(content: bytes) -> None:
    text = TEXTS[1][:8] + b'"' + bytes([len(content)]) + content
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot parse tensor from proto"):
        tf.io.parse_tensor(text, tf.string)


@pytest.mark.parametrize("values", [("a", "bb"), (1.5, 2.5), (1, 2)])
def test_rows_come_back(values: Any) -> None:
    given = sparse(values)
    back = tf.io.deserialize_many_sparse(tf.io.serialize_many_sparse(given), given.dtype)
    assert equal(back, given)
    both = tf.stack([tf.io.serialize_sparse(given)] * 2)
    assert tf.io.deserialize_many_sparse(both, given.dtype).dense_shape.numpy().tolist() == [
        2, 2, 2,
    ]  # fmt: skip


def test_what_is_no_sparse_tensor_of_that_type_is_refused() -> None:
    with pytest.raises(TypeError, match="Input must be a SparseTensor"):
        tf.io.serialize_sparse(tf.constant([1.0]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Requested SparseTensor of type int"):
        tf.io.deserialize_many_sparse(tf.io.serialize_many_sparse(sparse()), tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[1\].*out of order"):
        tf.io.serialize_many_sparse(sparse(indices=((1, 1), (0, 0))))
    with pytest.raises(NotImplementedError, match="as strings alone"):
        tf.io.serialize_sparse(sparse(), tf.variant)
    with pytest.raises(tf.errors.InvalidArgumentError, match="allowed values: string, variant"):
        tf.io.serialize_sparse(sparse(), tf.int32)


def test_a_graph_knows_the_shapes() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        fed = v1.sparse_placeholder(tf.float32)
        assert v1.serialize_sparse(fed).shape.as_list() == [3]
        texts = v1.serialize_many_sparse(fed)
        assert texts.shape.as_list() == [None, 3]
        back = v1.deserialize_many_sparse(texts, tf.float32, rank=2)
        assert back.indices.shape.as_list() == [None, 2]
        value = v1.SparseTensorValue([[1, 2]], [3.0], [4, 5])
        found = session.run(back, {fed: value})
    assert found.indices.tolist() == [[1, 2]]
    assert found.dense_shape.tolist() == [4, 5]
