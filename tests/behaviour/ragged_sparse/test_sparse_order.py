"""Sparse tensors whose places are out of order, repeated or outside of the shape: TensorFlow's
values and refusals, in eager mode, in functions, and where a graph knows no sizes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf


def falling(dtype: str) -> Any:
    return tf.SparseTensor([[1, 2], [0, 2], [0, 1]], np.array([3, 1, 2], dtype), [2, 3])


def twice(dtype: str) -> Any:
    return tf.SparseTensor([[0, 1], [1, 0], [0, 1]], np.array([1, 2, 4], dtype), [2, 3])


def ordered(dtype: str) -> Any:
    return tf.SparseTensor([[0, 1], [1, 2]], np.array([5, 3], dtype), [2, 3])


def outside(place: list[int], dtype: str = "f4") -> Any:
    return tf.SparseTensor([[0, 1], place], np.array([1, 2], dtype), [2, 3])


def dense_union(x: Any, y: Any, z: Any) -> Any:
    return tf.sets.union(tf.constant([[7], [8]], tf.int64), x, validate_indices=False)


CASES: dict[str, tuple[str, Callable[[Any, Any, Any], Any], Any]] = {
    "add": (
        "f4", lambda x, y, z: tf.sparse.add(x, z),
        ([[0, 1], [1, 2], [0, 2], [0, 1]], [5, 6, 1, 2], [2, 3]),
    ),
    "add repeated": (
        "f4", lambda x, y, z: tf.sparse.add(y, z),
        ([[0, 1], [1, 0], [0, 1], [1, 2]], [6, 2, 4, 3], [2, 3]),
    ),
    "add with a threshold": (
        "f4", lambda x, y, z: tf.sparse.add(y, z, 7.0),
        ([[1, 0], [0, 1], [1, 2]], [2, 4, 3], [2, 3]),
    ),
    "maximum": (
        "f4", lambda x, y, z: tf.sparse.maximum(x, y),
        ([[0, 1], [1, 0], [0, 1], [1, 2], [0, 2], [0, 1]], [1, 2, 4, 3, 1, 2], [2, 3]),
    ),
    "minimum": (
        "f4", lambda x, y, z: tf.sparse.minimum(y, z),
        ([[0, 1], [1, 0], [0, 1], [1, 2]], [1, 0, 0, 0], [2, 3]),
    ),
    "softmax": (
        "f4", lambda x, y, z: tf.sparse.softmax(x),
        ([[1, 2], [0, 2], [0, 1]], [0.7310586, 0.26894143, 1], [2, 3]),
    ),
    "softmax repeated": (
        "f4", lambda x, y, z: tf.sparse.softmax(y),
        ([[0, 1], [1, 0], [0, 1]], [0.04742587, 0.95257413, 1], [2, 3]),
    ),
    "cross": (
        "i8", lambda x, y, z: tf.sparse.cross([x, z]),
        ([[1, 0]], [b"3_X_3"], [2, 1]),
    ),
    "cross repeated": (
        "i8", lambda x, y, z: tf.sparse.cross([y, z]),
        ([[0, 0], [1, 0]], [b"1_X_5", b"2_X_3"], [2, 1]),
    ),
    "cross_hashed": (
        "i8", lambda x, y, z: tf.sparse.cross_hashed([x, z], 100),
        ([[1, 0]], [85], [2, 1]),
    ),
    "union": (
        "i8", lambda x, y, z: tf.sets.union(x, z, validate_indices=False),
        ([[0, 0], [1, 0], [0, 0], [0, 1]], [5, 3, 1, 2], [2, 2]),
    ),
    "union repeated": (
        "i8", lambda x, y, z: tf.sets.union(y, z, validate_indices=False),
        ([[0, 0], [0, 1], [1, 0], [1, 1], [0, 0]], [1, 5, 2, 3, 4], [2, 2]),
    ),
    "union with dense sets": (
        "i8", dense_union, ([[0, 0], [1, 0], [1, 1]], [7, 3, 8], [2, 2]),
    ),
    "intersection": (
        "i8", lambda x, y, z: tf.sets.intersection(x, z, validate_indices=False),
        ([[1, 0]], [3], [2, 1]),
    ),
    "difference": (
        "i8", lambda x, y, z: tf.sets.difference(y, z, validate_indices=False),
        ([[0, 0], [1, 0], [0, 0]], [1, 2, 4], [2, 1]),
    ),
    "size": ("i8", lambda x, y, z: tf.sets.size(y, validate_indices=False), [1, 1]),
    "edit_distance": (
        "i8", lambda x, y, z: tf.edit_distance(x, z, normalize=False), [2, 0],
    ),
    "edit_distance repeated": (
        "i8", lambda x, y, z: tf.edit_distance(y, z), [float("inf"), 1],
    ),
}  # fmt: skip


def plain(value: Any) -> Any:
    if isinstance(value, tf.SparseTensor):
        return tuple(part.numpy().tolist() for part in tf.nest.flatten(value, True))
    return value.numpy().tolist()


def alike(value: Any, expected: Any) -> bool:
    if not isinstance(expected, tuple):
        return bool(plain(value) == expected)
    places, values, shape = plain(value)
    if isinstance(expected[1][0], bytes):
        return (places, values, shape) == expected
    return (places, shape) == expected[::2] and bool(np.allclose(values, expected[1]))


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("mode", ["eager", "function", "unknown sizes", "unknown rank"])
def test_places_are_met_as_they_stand(name: str, mode: str) -> None:
    dtype, called, expected = CASES[name]
    parts = falling(dtype), twice(dtype), ordered(dtype)
    if mode == "function":
        called = tf.function(called)
    elif mode != "eager":
        shape = [None, None] if mode == "unknown sizes" else None
        spec = tf.SparseTensorSpec(shape, parts[0].dtype)
        called = tf.function(called, input_signature=[spec] * 3)
    assert alike(called(*parts), expected)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("add", [[2, 3, 4], None, [1, 2]]),
        ("add repeated", [None, [1, 2, 3], [1, 4]]),
        ("softmax", [[0.19661194, -0.41360226, -0.53788286], None, None]),
        ("softmax repeated", [None, [-0.09710407, 0.09035333, -0.04742587], None]),
    ],
)
@pytest.mark.parametrize("in_function", [False, True])
def test_gradients_of_places_out_of_order(name: str, expected: Any, in_function: bool) -> None:
    dtype, called, _ = CASES[name]
    parts = falling(dtype), twice(dtype), ordered(dtype)

    def gradients(*parts: Any) -> Any:
        with tf.GradientTape() as tape:
            for part in parts:
                tape.watch(part.values)
            values = called(*parts).values
            total = tf.reduce_sum(
                values * tf.range(1.0, 1.0 + tf.cast(tf.size(values), tf.float32))
            )
        return tape.gradient(total, [part.values for part in parts])

    found = (tf.function(gradients) if in_function else gradients)(*parts)
    for one, wanted in zip(found, expected, strict=True):
        assert (one is None) is (wanted is None)
        assert one is None or np.allclose(one.numpy(), wanted, atol=2e-4)


BOUNDS = r"which is outside of bounds of \[0, "


@pytest.mark.parametrize(
    ("called", "error", "text"),
    [
        (lambda: tf.sparse.maximum(outside([-1, 0]), ordered("f4")), "InvalidArgumentError",
         r"Sparse index tuple indices\[1, :\] = \[-1, 0\] is out of bounds"),
        (lambda: tf.sparse.minimum(ordered("f4"), outside([1, 3])), "InvalidArgumentError",
         r"Sparse index tuple indices\[1, :\] = \[1, 3\] is out of bounds"),
        (lambda: tf.sparse.split(outside([1, 3]), 2, 0), "InvalidArgumentError",
         r"Sparse index tuple indices\[1, :\] = \[1, 3\] is out of bounds"),
        (lambda: outside([-1, 0]) * tf.ones([2, 3]), "InvalidArgumentError",
         "Provided indices are out-of-bounds w.r.t. dense side with broadcasted shape"),
        (lambda: outside([1, 3]) / tf.ones([2, 3]), "InvalidArgumentError",
         "Provided indices are out-of-bounds w.r.t. dense side with broadcasted shape"),
        (lambda: tf.sparse.bincount(outside([-1, 0], "i8"), axis=-1), "InvalidArgumentError",
         r"Invalid index value at 1: dimension 0 has value -1 which is not in \[0, 2\) \(as given "
         r"by dense shape Tensor<type: int64 shape: \[2\] values: 2 3>"),
        (lambda: tf.sparse.bincount(outside([1, 3], "i8"), axis=-1), "InvalidArgumentError",
         r"Invalid index value at 1: dimension 1 has value 3 which is not in \[0, 3\)"),
        (lambda: tf.sparse.to_dense(outside([1, 3]), validate_indices=False),
         "InvalidArgumentError", r"Indices are not valid \(out of bounds\).  Shape: \[2,3\]"),
        (lambda: tf.sparse.add(outside([1, 3]), tf.ones([2, 3])), "InvalidArgumentError",
         r"Sparse tensor has an invalid index on dimension 1: a_indices\(1,1\) = 3, dense tensor "
         "shape: 2 3"),
        (lambda: tf.sparse.sparse_dense_matmul(outside([1, 3]), tf.ones([2, 3]), adjoint_a=True),
         "InvalidArgumentError", r"^m \(3\) from index\[1,1\] out of bounds \(>=3\)"),
        (lambda: tf.sparse.reduce_sum(outside([-1, 0]), 1), "InternalError",
         f"Obtained a write index of -1 {BOUNDS}2"),
        (lambda: tf.sparse.reduce_max(outside([1, 3]), 0), "InternalError",
         f"Obtained a write index of 3 {BOUNDS}3"),
        (lambda: tf.sparse.reduce_sum(outside([1, 3]), 0, output_is_sparse=True),
         "InvalidArgumentError", r"indices\[1\] = \[3\] is out of bounds"),
        (lambda: tf.sparse.to_dense(tf.SparseTensor([[0, 1], [0, 1]], [1, 2], [2, 3])),
         "InvalidArgumentError", r"indices\[1\] = \[0,1\] is repeated \[Op"),
        (lambda: tf.edit_distance(outside([-1, 0], "i8"), ordered("i8")), "InternalError",
         "Got an inner product -1 which would require writing to outside of the buffer"),
        (lambda: tf.sets.size(outside([1, 3], "i8"), validate_indices=False), "InternalError",
         r"indices\[0, 1\] expected < 3, got 3\."),
    ],
)  # fmt: skip
def test_places_that_are_refused(called: Callable[[], Any], error: str, text: str) -> None:
    with pytest.raises(getattr(tf.errors, error), match=text):
        called()


def test_a_reshape_counts_places_outside_from_zero() -> None:
    made = tf.sparse.reshape(outside([-1, 2]), [3, 2])
    assert made.indices.numpy().tolist() == [[0, 1], [0, -1]]


def test_a_sum_takes_places_outside_as_they_are() -> None:
    wrong = tf.SparseTensor([[0, 0], [1, -1]], [1.0, 2.0], [2, 3])
    more = tf.SparseTensor([[0, 2]], [4.0], [2, 3])
    made = tf.sparse.add(wrong, more)
    assert made.indices.numpy().tolist() == [[0, 0], [0, 2], [1, -1]]
    assert made.values.numpy().tolist() == [1, 4, 2]
