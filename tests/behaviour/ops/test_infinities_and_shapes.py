"""What becomes of infinities in saturating casts, and of shapes that are converted; TensorFlow
2.21 says the same."""

from __future__ import annotations

import math

import numpy as np
import pytest

import emplace.tensorflow as tf

INF = float("inf")
FLOATS = [tf.float64, tf.float32, tf.float16, tf.bfloat16]


@pytest.mark.parametrize("given", FLOATS, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("wanted", FLOATS, ids=lambda dtype: dtype.name)
def test_infinities_become_the_largest_number_of_both_dtypes(
    given: tf.DType, wanted: tf.DType
) -> None:
    made = tf.saturate_cast(tf.constant([INF, -INF, math.nan], given), wanted)
    values = tf.cast(made, tf.float64).numpy()
    most = min(float(given.max), float(wanted.max))
    assert np.isfinite(values[:2]).all()
    assert np.isnan(values[2])
    np.testing.assert_allclose(values[:2], [most, -most], rtol=1e-2)


def test_infinities_of_a_half_become_its_largest_integer() -> None:
    made = tf.saturate_cast(tf.constant([INF, -INF], tf.float16), tf.int32)
    assert made.numpy().tolist() == [65504, -65504]


def test_a_shape_is_a_tensor_of_int32_or_int64() -> None:
    assert tf.convert_to_tensor(tf.TensorShape([])).dtype == tf.int32
    assert tf.convert_to_tensor(tf.TensorShape([2**31, 2])).dtype == tf.int64
    assert tf.convert_to_tensor(tf.TensorShape([2]), tf.int64).dtype == tf.int64
    with pytest.raises(TypeError, match=r"Cannot convert TensorShape \(2,\) to dtype"):
        tf.convert_to_tensor(tf.TensorShape([2]), tf.float32)
    with pytest.raises(ValueError, match=r"a partially known TensorShape \(2, None\) to a Tensor"):
        tf.convert_to_tensor(tf.TensorShape([2, None]))


def test_zeros_and_ones_have_quantized_dtypes() -> None:
    for dtype in (tf.qint8, tf.quint8, tf.qint16, tf.quint16, tf.qint32):
        assert tf.bitcast(tf.zeros([2], dtype), tf.zeros([2], dtype).dtype).dtype == dtype
        assert tf.cast(tf.ones([2, 1], dtype), tf.int32).numpy().tolist() == [[1], [1]]


def test_graphs_refuse_shapes_that_are_no_vectors_with_a_value_error() -> None:
    calls = {
        "rank 1 but is rank 2": [
            lambda: tf.fill([[0, 1], [2, 3]], 1.0),
            lambda: tf.tile([1.0, 2.0], [[1, 2]]),
            lambda: tf.reshape([1.0, 2.0], [[1, 2]]),
            lambda: tf.transpose([[1.0]], [[0, 1]]),
        ],
        "Fill dimensions must be >= 0": [lambda: tf.fill([-1], 1.0)],
        "rank 0 but is rank 1": [lambda: tf.fill([2], [1.0])],
        "rank 2 but is rank 1": [lambda: tf.pad([1.0], [1, 2])],
    }
    for text, programs in calls.items():
        for program in programs:
            with tf.Graph().as_default(), pytest.raises(ValueError, match=text):
                program()


def test_resizing_in_tf1_keeps_the_proportions() -> None:
    image = tf.reshape(tf.range(24.0), [4, 6, 1])
    made = tf.compat.v1.image.resize_images(image, [8, 9], preserve_aspect_ratio=True)
    assert made.shape == [6, 9, 1]


def test_the_padding_of_a_diagonal_may_be_a_tensor_of_the_graph() -> None:
    @tf.function
    def part(padding: tf.Tensor) -> tf.Tensor:
        return tf.linalg.diag_part(tf.ones([2, 3]), k=(0, 1), padding_value=padding * 2.0)

    assert part(tf.constant(2.0)).numpy().tolist() == [[1.0, 1.0], [1.0, 1.0]]
    tall = tf.function(lambda p: tf.linalg.diag_part(tf.ones([3, 2]), k=(0, 1), padding_value=p))
    assert tall(tf.constant(7.0)).numpy().tolist() == [[7.0, 1.0], [1.0, 1.0]]


def test_limits_of_boxes_may_be_constants_of_a_graph() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        places, count = tf.image.non_max_suppression_padded(
            [[0.0, 0.0, 1.0, 1.0]],
            [0.5],
            tf.constant(3),
            tf.constant(0.5),
            tf.constant(0.0),
            pad_to_max_output_size=True,
        )
        answers = session.run([places, count])
    assert answers[0].tolist() == [0, 0, 0]
    assert answers[1] == 1
