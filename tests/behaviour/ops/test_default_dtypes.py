"""What is no tensor, for ops whose dtype has a default in TensorFlow."""

from __future__ import annotations

import numpy as np
import pytest

import emplace.tensorflow as tf

WAVES = np.exp(1j * np.linspace(0.0, 1.0, 8))
COLOURS = np.linspace(0.0, 1.0, 12).reshape(2, 2, 3)


@pytest.mark.parametrize(
    ("op", "array", "default"),
    [
        (tf.signal.fft, WAVES, "complex64"),
        (tf.signal.ifft2d, WAVES.reshape(2, 4), "complex64"),
        (tf.image.rgb_to_hsv, COLOURS, "float32"),
        (tf.image.hsv_to_rgb, COLOURS, "float32"),
    ],
)
def test_arrays_keep_their_dtype_in_functions_alone(op, array, default):
    assert op(array).dtype.name == default
    assert tf.function(lambda: op(array))().dtype.name == array.dtype.name
    with tf.Graph().as_default():
        assert op(array).dtype.name == array.dtype.name
    for each in (op, tf.function(op)):
        assert each(tf.constant(array)).dtype.name == array.dtype.name


def test_arrays_of_dtypes_that_an_op_has_not_become_its_default():
    box = [[[0.1, 0.1, 0.9, 0.9]]]
    for made in (
        lambda: tf.image.draw_bounding_boxes(COLOURS[None], box, [[1.0, 0.0, 0.0]]),
        lambda: tf.nn.lrn(COLOURS[None]),
    ):
        assert made().dtype is tf.function(made)().dtype is tf.float32
    with pytest.raises(tf.errors.InvalidArgumentError, match="double"):
        tf.nn.lrn(tf.constant(COLOURS[None]))
