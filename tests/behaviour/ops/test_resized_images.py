"""Resized images: what their kernels take besides the result, and what they refuse in functions."""

import pytest

import emplace.tensorflow as tf
from emplace.base.errors import InvalidArgumentError


@pytest.mark.gpus(1, memory="64MB")
@pytest.mark.parametrize("half", [False, True])
def test_a_bilinear_resize_takes_little_besides_its_result(half):
    with tf.device("/GPU:0"):
        images = tf.ones([1, 480, 270, 3], tf.float64)
        tf.config.experimental.reset_memory_stats("GPU:0")
        before = tf.config.experimental.get_memory_info("GPU:0")["current"]
        made = tf.raw_ops.ResizeBilinear(images=images, size=[960, 540], half_pixel_centers=half)
    result = 960 * 540 * 3 * 4
    assert made.dtype == tf.float32
    assert tf.config.experimental.get_memory_info("GPU:0")["peak"] - before < 3 * result


@pytest.mark.parametrize("method", ["Bilinear", "Bicubic", "NearestNeighbor"])
def test_corners_and_centres_exclude_each_other_when_a_function_runs(method):
    @tf.function
    def resized(images):
        resize = getattr(tf.raw_ops, f"Resize{method}")
        return resize(images=images, size=[3, 2], align_corners=True, half_pixel_centers=True)

    with pytest.raises(InvalidArgumentError, match="align_corners must be False"):
        resized(tf.ones([1, 2, 3, 1]))
