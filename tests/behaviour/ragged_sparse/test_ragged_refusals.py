"""Ragged arguments that do not fit are refused, and those that TensorFlow takes are taken."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf

ROWS = tf.ragged.constant([[1, 2, 3], [4]])


def test_flat_values_of_other_ragged_ranks_are_not_mixed() -> None:
    deeper = tf.ragged.constant([[[1], [2], [3]], [[4]]])
    with pytest.raises(ValueError, match="All ragged inputs must have the same ragged_rank"):
        tf.ragged.map_flat_values(tf.add, ROWS, deeper)


@pytest.mark.parametrize("axis", [0, 1])
def test_a_new_axis_of_one_hot_lies_within_the_rows(axis: int) -> None:
    with pytest.raises(ValueError, match=rf"axis \({axis}\) must be greater than"):
        tf.one_hot(ROWS, 3, axis=axis)
    assert tf.one_hot(ROWS, 5, axis=2).shape.as_list() == [2, None, 5]


@pytest.mark.parametrize("minlength", [None, 4])
def test_a_greatest_length_of_0_leaves_no_column(minlength: Any) -> None:
    made = tf.math.bincount(ROWS, axis=-1, minlength=minlength, maxlength=0)
    assert made.shape == (2, 0)
    counted = tf.sparse.bincount(ROWS, axis=-1, maxlength=0)
    assert counted.dense_shape.numpy().tolist() == [2, 0]


def test_weights_have_the_form_of_the_values() -> None:
    with pytest.raises(ValueError, match="`weights` must be a RaggedTensor"):
        tf.sparse.bincount(ROWS, weights=tf.constant([[1, 2, 3], [4, 5, 6]]), axis=-1)
    with pytest.raises(ValueError, match=r"`weights` must be a tf\.Tensor"):
        tf.sparse.bincount([[1, 2], [3, 0]], weights=ROWS, axis=-1)


def test_the_variance_of_ragged_integers_is_a_float64() -> None:
    made = tf.math.reduce_variance(ROWS, axis=1)
    assert made.dtype == tf.float64
    np.testing.assert_allclose(made, [2 / 3, 0.0])
    np.testing.assert_allclose(tf.math.reduce_std(ROWS), np.std([1, 2, 3, 4]))


@pytest.mark.parametrize("pads", [(b"L", b"R"), ("L", "R"), ["L", b"R"]])
def test_ngrams_take_bytes(pads: Any) -> None:
    words = tf.ragged.constant([[b"a", b"b", b"c"], [b"d"]])
    assert tf.strings.ngrams(words, [2, 3], separator=b"|").to_list() == [
        [b"a|b", b"b|c", b"a|b|c"], [],
    ]  # fmt: skip
    padded = tf.strings.ngrams(words, 2, separator=b"|", pad_values=pads)
    assert padded.to_list()[1] == [b"L|d", b"d|R"]
    with pytest.raises(TypeError, match="pad_values must be a string"):
        tf.strings.ngrams(words, 2, pad_values=3)


def test_a_ragged_value_of_a_session_tells_what_it_is() -> None:
    value = tf.compat.v1.ragged.constant_value([[1, 2], [3]])
    assert (value.shape, value.ragged_rank, value.dtype) == ((2, None), 1, np.int64)


def test_a_tensor_has_more_axes_than_are_to_be_ragged() -> None:
    with pytest.raises(ValueError, match=r"Shape \(1, 2\) must have rank at least 3"):
        tf.RaggedTensor.from_tensor([[1, 2]], ragged_rank=2)
