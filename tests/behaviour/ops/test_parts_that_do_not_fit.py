"""Parts of sparse tensors, singular bands and axes that do not fit are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1
Invalid = tf.errors.InvalidArgumentError


def bincount(indices: Any, values: Any, shape: Any, weights: Any = ()) -> Any:
    return tf.raw_ops.SparseBincount(
        indices=np.int64(indices), values=np.int32(values), dense_shape=np.int64(shape), size=3,
        weights=np.float32(weights),
    )  # fmt: skip


def set_size(indices: Any, values: Any, shape: Any, validate: bool = True) -> Any:
    return tf.raw_ops.SetSize(
        set_indices=np.int64(indices), set_values=np.int32(values), set_shape=np.int64(shape),
        validate_indices=validate,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: bincount([[0], [1]], [1, 2, 3], [2]),
         r"elements in indices \(2\) and values \(3\) do not match"),
        (lambda: bincount([[[0]], [[1]]], [1, 2], [2]), "indices must be rank 2 but is rank 3"),
        (lambda: bincount([[0], [1]], [[1, 2]], [2]), "values must be rank 1 but is rank 2"),
        (lambda: bincount([[0], [1]], [1, 2], [[2]]), "shape must be rank 1 but is rank 2"),
        (lambda: bincount([[0, 0], [1, 5]], [1, 2], [2]),
         r"Index rank \(2\) and shape rank \(1\) do not match"),
        (lambda: bincount([[0, 0], [7, 5]], [1, 2], [2, 3]),
         r"tuple indices\[1, :\] = \[7, 5\] is out of bounds"),
        (lambda: bincount([[0, 0], [-1, 2]], [1, 2], [2, 3]), r"\[-1, 2\] is out of bounds"),
        (lambda: bincount([[0], [1]], [1, 2], [2], [1.0]), "must have the same size"),
        (lambda: set_size([[1, 1]], [1, 1], [4, 4]), r"\(indices = 1, values = 2\)"),
        (lambda: set_size([[1, 1]], [[1]], [4, 4]), r"vals must be a vec, but got: \[1,1\]"),
        (lambda: set_size([[1]], [1], [4]), "Invalid rank 1."),
        (lambda: set_size([[5, 1]], [1], [4, 4], False), r"indices\[0, 0\] expected < 4, got 5"),
        (lambda: set_size([[-1, 1]], [1], [4, 4], False), r"indices\[0, 0\] expected < 4, got -1"),
        (lambda: tf.sets.size(tf.SparseTensor([[0]], [1], [1])), "Invalid rank 1."),
        (lambda: tf.linalg.banded_triangular_solve([[0.0, 1.0]], [[1.0], [1.0]]),
         "Input matrix is not invertible"),
        (lambda: tf.linalg.banded_triangular_solve([[1.0, 1.0], [np.nan, 1.0]], [[1.0], [1.0]],
                                                   lower=False),
         "Input matrix is not invertible"),
    ],
)  # fmt: skip
@pytest.mark.gpus(0)
def test_what_does_not_fit_is_refused(call: Any, text: str) -> None:
    with pytest.raises((Invalid, tf.errors.InternalError), match=text):
        call()


def sequences(indices: Any, shape: Any) -> Any:
    values = np.zeros(len(indices), np.int64)
    return tf.SparseTensor(np.int64(indices), values, np.int64(shape))


@pytest.mark.parametrize("place", [-1, 2, -1250999896764])
@pytest.mark.gpus(0)
def test_a_distance_is_written_to_no_other_place(place: int) -> None:
    with pytest.raises(tf.errors.InternalError, match="require writing to outside of the buffer"):
        tf.edit_distance(sequences([[place, 0]], [2, 1]), sequences([[0, 0]], [2, 1]))


def test_a_graph_knows_the_shape_of_distances() -> None:
    with tf.Graph().as_default():
        made = tf.edit_distance(
            sequences([[0, 0, 0]], [2, 5, 7]), sequences([[0, 0, 0]], [3, 4, 7])
        )
        assert made.shape.as_list() == [3, 5]
        with pytest.raises(ValueError, match="matching ranks"):
            tf.edit_distance(sequences([[0, 0, 0]], [2, 5, 7]), sequences([[0, 0]], [3, 4]))


@pytest.mark.parametrize(
    ("one", "other", "text"),
    [
        ([[1, 2]], [[[1]]], "Shape must be rank 2 but is rank 3"),
        ([[1, 2]], [[1], [2]], "both shapes must be equal, but are 1 and 2"),
        ([1], [2], "Shape must be at least rank 2 but is rank 1"),
    ],
)
def test_a_graph_refuses_other_numbers_of_sets(one: Any, other: Any, text: str) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=text):
        tf.sets.intersection(one, other)


def test_axes_that_only_a_run_tells_must_have_the_same_size() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        a, b, axes = (v1.placeholder(each) for each in (tf.float32, tf.float32, tf.int32))
        product = tf.tensordot(a, b, axes)
        fits = {a: np.ones([2, 3]), b: np.ones([3, 2]), axes: [[-1], [0]]}
        assert session.run(product, fits).tolist() == [[3, 3], [3, 3]]
        with pytest.raises(Invalid, match=r"Matrix size-incompatible: In\[0\]: \[2,1\]"):
            session.run(product, {**fits, a: np.ones([2, 1])})


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (np.int64([[1, 2], [3, 4]]), None),
        (["a", "b"],
         [[227, 117, 223, 182, 101, 66, 69, 179], [22, 241, 200, 94, 33, 96, 178, 163]]),
        ([["a", "b"], ["c", "d"]],
         [[122, 64, 59, 169, 136, 60, 55, 83], [52, 252, 224, 38, 64, 226, 155, 60]]),
        ([1.5], [[64, 181, 56, 72, 223, 224, 189, 72]]),
    ],
)  # fmt: skip
def test_rows_have_fingerprints(data: Any, expected: Any) -> None:
    made = tf.fingerprint(data)
    assert made.dtype == tf.uint8
    assert made.shape == [len(data), 8]
    assert expected is None or made.numpy().tolist() == expected
    with tf.Graph().as_default():
        assert tf.fingerprint(v1.placeholder(tf.float32, [3, None])).shape.as_list() == [3, 8]


def test_steps_behind_the_end_of_a_sequence_do_not_count_whatever_they_are() -> None:
    inputs = np.float32([[np.log([0.5, 0.25, 0.25])], [[-np.inf] * 3]])
    _, score = tf.nn.ctc_greedy_decoder(inputs, [1])
    np.testing.assert_allclose(score, [[-np.log(0.5)]], rtol=1e-6)
