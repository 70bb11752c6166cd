"""Answers to arguments at the edges, which are TensorFlow's: rows that differ, lengths below zero,
matrices that are none, numbers that are none, channels too many.
"""

from __future__ import annotations

import numpy as np
import pytest

import emplace.tensorflow as tf

WAYS = {"eager": lambda f: f, "function": lambda f: tf.function(f, autograph=False)}
ways = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.int8, np.float32])
def test_rows_whose_numbers_lie_far_apart_are_told_apart(dtype):
    rows = np.array([[1, 2], [1, -3], [0, 1]], dtype)
    y, places, counts = tf.raw_ops.UniqueWithCountsV2(x=rows, axis=[0])
    np.testing.assert_array_equal(y, rows)
    assert (places.numpy().tolist(), counts.numpy().tolist()) == ([0, 1, 2], [1, 1, 1])


def test_unique_rows_are_those_that_numpy_finds():
    random = np.random.default_rng(0)
    for _ in range(200):
        shape = random.integers(1, 7, 2)
        low, high = np.sort(random.integers(-40, 40, 2))
        rows = random.integers(low, high + 1, shape).astype(np.int32)
        y, places, _ = tf.raw_ops.UniqueWithCountsV2(x=rows, axis=[0])
        np.testing.assert_array_equal(y.numpy()[places], rows)
        assert len(y) == len(np.unique(rows, axis=0))


def test_a_length_below_zero_takes_all_bytes_and_no_characters():
    assert tf.strings.substr(["héllo"], 1, -1).numpy().tolist() == ["éllo".encode()]
    for text in ("hello", "héllo"):
        assert tf.strings.substr([text], 1, -1, unit="UTF8_CHAR").numpy().tolist() == [b""]
        with pytest.raises(tf.errors.InvalidArgumentError, match="pos -2 out of range"):
            tf.strings.substr([text], -2, -1, unit="UTF8_CHAR")


@ways
@pytest.mark.parametrize("function", [tf.linalg.logm, tf.linalg.sqrtm])
@pytest.mark.parametrize("shape", [(2, 0), (0, 2), (0, 2, 3)])
def test_empty_matrices_must_be_square_too(function, shape, way):
    errors = (tf.errors.InvalidArgumentError, ValueError)
    with pytest.raises(errors, match="Input matrix must be square"):
        way(function)(tf.zeros(shape, tf.complex64))


@ways
def test_a_histogram_refuses_what_is_no_number(way):
    count = way(lambda x: tf.histogram_fixed_width(x, [0.0, 5.0], nbins=5))
    assert count(tf.constant([1.0, np.inf, -np.inf])).numpy().tolist() == [1, 1, 0, 0, 1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="must not contain NaN"):
        count(tf.constant([1.0, np.nan]))


@ways
@pytest.mark.parametrize(
    "function",
    [tf.image.yuv_to_rgb, tf.image.rgb_to_yuv, tf.image.rgb_to_yiq, tf.image.yiq_to_rgb],
)
def test_colours_have_three_channels(function, way):
    assert way(function)(tf.ones([2, 0, 3])).shape == (2, 0, 3)
    for shape in ((2, 3, 4), (6,), (4, 3, 1)):
        with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
            way(function)(tf.ones(shape))


def test_colours_of_unknown_sizes_have_three_channels():
    turn = tf.function(tf.image.rgb_to_yuv, input_signature=[tf.TensorSpec(None)])
    assert turn(tf.ones([2, 3])).shape == (2, 3)
    with pytest.raises(tf.errors.InvalidArgumentError):
        turn(tf.ones([3, 4]))


@pytest.mark.parametrize("dtype", [tf.float32, tf.bool, tf.uint8, tf.int16])
@pytest.mark.parametrize(
    "function",
    [
        lambda dtype: tf.shape([1, 2], dtype),
        lambda dtype: tf.shape_n([[1, 2]], dtype),
        lambda dtype: tf.linalg.lu(tf.eye(2), dtype),
        lambda dtype: tf.nn.max_pool_with_argmax(
            tf.ones([1, 2, 2, 1]), 2, 2, "SAME", output_dtype=dtype
        ),
        lambda dtype: tf.ragged.range([2, 3], row_splits_dtype=dtype),
        lambda dtype: tf.function(lambda x: tf.shape(x, dtype))(tf.ones([2])),
    ],
)
def test_places_and_sizes_are_int32_or_int64(function, dtype):
    with pytest.raises(tf.errors.InvalidArgumentError, match="allowed values: int32, int64"):
        function(dtype)
    function(tf.int64)


@pytest.mark.parametrize("dtype", [tf.float32, tf.uint8])
def test_row_splits_are_int32_or_int64(dtype):
    with pytest.raises(ValueError, match="row_splits must have dtype int32 or int64"):
        tf.ragged.constant([[1], [2]], row_splits_dtype=dtype)
