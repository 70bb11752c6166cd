"""Static shapes of convolutions and their transposes whose input a graph knows little of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.tensorflow.compat import v1

FILTER = np.ones([3, 3, 2, 4], np.float32)
BACK = np.ones([3, 3, 4, 2], np.float32)
STRIDES = [1, 1, 1, 1]

# A function, the shape of its input, that of its result.
CASES: dict[str, tuple[Any, Any, Any]] = {
    "transpose": (
        lambda x: tf.nn.conv2d_transpose(x, FILTER, [16, 8, 8, 2], 2), [None, 4, 4, 4],
        [16, 8, 8, 2],
    ),
    "transpose of unknown rank": (
        lambda x: tf.nn.conv2d_transpose(x, FILTER, [16, 8, 8, 2], 2), None, [16, 8, 8, 2]
    ),
    "transpose to a computed shape": (
        lambda x: tf.nn.conv2d_transpose(x, FILTER, tf.shape(x) * [1, 2, 2, 1], 2),
        [None, None, None, 4], [None] * 4,
    ),
    "transpose in one dimension": (
        lambda x: tf.nn.conv1d_transpose(x, FILTER[0], [16, 8, 2], 2), [None, 4, 4], [16, 8, 2]
    ),
    "transpose in three dimensions": (
        lambda x: tf.nn.conv3d_transpose(x, FILTER[None], [16, 8, 8, 8, 2], 2),
        [None, 4, 4, 4, 4], [16, 8, 8, 8, 2],
    ),
    "transpose with holes": (
        lambda x: tf.nn.atrous_conv2d_transpose(x, FILTER, [16, 4, 4, 2], 2, "SAME"),
        [None, 4, 4, 4], [16, 4, 4, 2],
    ),
    "conv2d": (lambda x: tf.nn.conv2d(x, BACK, 1, "SAME"), None, [None, None, None, 2]),
    "conv3d": (lambda x: tf.nn.conv3d(x, BACK[None], [1] * 5, "SAME"), None, [None] * 4 + [2]),
    "depthwise": (
        lambda x: tf.nn.depthwise_conv2d(x, BACK, STRIDES, "SAME"), None, [None, None, None, 8]
    ),
    "gradient of a filter": (
        lambda x: tf.raw_ops.Conv2DBackpropFilter(
            input=x, filter_sizes=[3, 3, 2, 4], out_backprop=tf.ones([2, 5, 5, 4]),
            strides=STRIDES, padding="SAME",
        ), [None, None, None, 2], [3, 3, 2, 4],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_graph_knows_the_shape(case: str) -> None:
    call, given, wanted = CASES[case]
    with tf.Graph().as_default():
        assert call(v1.placeholder(tf.float32, given)).shape.as_list() == wanted


def test_a_transposed_convolution_of_a_fed_batch_has_the_values_of_eager_mode() -> None:
    x = np.arange(16.0, dtype=np.float32).reshape(1, 2, 2, 4)
    eager = tf.nn.conv2d_transpose(x, FILTER, [1, 4, 4, 2], 2)
    with tf.Graph().as_default(), v1.Session() as session:
        fed = v1.placeholder(tf.float32, [None, 2, 2, 4])
        made = tf.nn.conv2d_transpose(fed, FILTER, [1, 4, 4, 2], 2)
        (slope,) = tf.gradients(made, [fed])
        assert session.run(made, {fed: x}).tolist() == eager.numpy().tolist()
        assert session.run(slope, {fed: x}).shape == x.shape


@pytest.mark.parametrize("layout", ["channels_last", "channels_first"])
def test_a_layer_transposes_images_of_unknown_size(layout: str) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        dims = [None, None, None, 3] if layout == "channels_last" else [None, 3, None, None]
        fed = v1.placeholder(tf.float32, dims)
        made = v1.layers.conv2d_transpose(fed, 2, 3, 2, data_format=layout)
        session.run(v1.global_variables_initializer())
        x = np.ones([1, 3, 3, 3], np.float32)
        wanted = (1, 7, 7, 2) if layout == "channels_last" else (1, 2, 7, 7)
        assert session.run(made, {fed: x}).shape == wanted
