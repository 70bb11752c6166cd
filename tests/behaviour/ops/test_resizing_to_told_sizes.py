"""Resizing images of unknown size, and what resizing ops refuse."""

from __future__ import annotations

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.base.errors import InvalidArgumentError

v1 = tf.compat.v1
IMAGES = np.arange(48, dtype=np.float32).reshape(2, 6, 4, 1)


@pytest.mark.parametrize("dims", [[None] * 4, [2, None, None, 1], [2, 6, 4, 1]])
@pytest.mark.parametrize("method", range(4))
def test_resizing_in_tf1_keeps_proportions_that_only_the_run_tells(
    dims: list[int | None], method: int
) -> None:
    wanted = v1.image.resize_images(IMAGES, [5, 7], method, preserve_aspect_ratio=True)
    with tf.Graph().as_default(), v1.Session() as session:
        images, size = v1.placeholder(tf.float32, dims), v1.placeholder(tf.int32, [2])
        made = [
            v1.image.resize_images(images, each, method, preserve_aspect_ratio=True)
            for each in ([5, 7], size)
        ]
        for value in session.run(made, {images: IMAGES, size: [5, 7]}):
            assert value.shape == (2, 5, 3, 1)
            assert value == pytest.approx(wanted.numpy())


@pytest.mark.parametrize("name", ["ResizeBilinear", "ResizeBicubic", "ResizeNearestNeighbor"])
def test_corners_and_centers_are_not_aligned_at_once(name: str) -> None:
    resize = getattr(tf.raw_ops, name)
    with pytest.raises(InvalidArgumentError, match="align_corners must be False"):
        resize(images=IMAGES, size=[3, 3], align_corners=True, half_pixel_centers=True)


def test_what_fills_an_image_of_whole_numbers_is_whole() -> None:
    """TF: the fill value is cast before it is blended with pixels."""
    made = tf.raw_ops.ImageProjectiveTransformV3(
        images=np.zeros([1, 1, 2, 1], np.uint8), transforms=[[1.0, 0.0, -0.75, 0, 1, 0, 0, 0]],
        output_shape=[1, 3], fill_value=2.9, interpolation="BILINEAR", fill_mode="CONSTANT",
    )  # fmt: skip
    assert made.numpy().ravel().tolist() == [1, 0, 0]
