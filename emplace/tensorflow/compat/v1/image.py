"""`tf.compat.v1.image`: what has other arguments there; the rest is that of TF 2."""

import importlib
from typing import Any

from ....classic.functions.images import (
    ResizeMethod as ResizeMethod,
    crop_and_resize as crop_and_resize,
    resize_area as resize_area,
    resize_bicubic as resize_bicubic,
    resize_bilinear as resize_bilinear,
    resize_images as _resize,
    resize_images as resize_images,
    resize_nearest_neighbor as resize_nearest_neighbor,
)
from ....ops.image.glimpse import extract_glimpse_v1 as _extract_glimpse
from ....ops.image.shape import (
    resize_with_crop_or_pad as _resize_image_with_crop_or_pad,
    transpose as _transpose_image,
)

# Names that differ from ours, as type checkers want them said.
extract_glimpse = _extract_glimpse
resize = _resize
resize_image_with_crop_or_pad = _resize_image_with_crop_or_pad
transpose_image = _transpose_image


def __getattr__(name: str) -> Any:
    return getattr(importlib.import_module("emplace.tensorflow.image"), name)
