"""`tf.compat.v1.image`: what has other arguments there; the rest is that of TF 2."""

import importlib
from typing import Any

from ....classic.functions.images import (
    ResizeMethod,
    resize_area,
    resize_bicubic,
    resize_bilinear,
    resize_images,
    resize_nearest_neighbor,
)
from ....classic.functions.images import resize_images as resize
from ....ops.image.shape import resize_with_crop_or_pad as resize_image_with_crop_or_pad
from ....ops.image.shape import transpose as transpose_image


def __getattr__(name: str) -> Any:
    return getattr(importlib.import_module("emplace.tensorflow.image"), name)
