"""Rows of raw ops on images, and of the gradients of those that resize."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..base import dtypes
from ..base.dtypes import DType
from ..core.tensor import Tensor
from ..grads.rules import pulled_back
from ..ops.arguments import host_value
from ..ops.array.making import constant
from ..ops.image import color, resize, warp
from ..ops.image.encoding import encode_jpeg
from ..ops.image.random_boxes import drawn_by_seeds
from ..ops.infer import Spec
from ..ops.raw import raw_op
from .rows import HOST_NUMBERS, Row, composed, kernel

Raw = torch.Tensor


def _resize_back(forward: Callable[..., Raw]) -> Any:
    """The gradient of a resizing for an image of its size before."""

    def run(
        grads: Raw, original_image: Raw, *, align_corners: bool, half_pixel_centers: bool
    ) -> Raw:
        size = tuple(grads.shape[1:3])

        def resized(image: Raw) -> tuple[Raw, ...]:
            return (
                forward(
                    image, size=size, align_corners=align_corners,
                    half_pixel_centers=half_pixel_centers,
                ),
            )  # fmt: skip

        return pulled_back(resized, [original_image], [grads], False)[0]

    return run


def nearest_back_kernel(
    grads: Raw, *, size: tuple[int, ...], align_corners: bool, half_pixel_centers: bool
) -> Raw:
    """Each gradient goes to the pixel that was taken; integers are added up as they are."""
    count, height, width, channels = grads.shape
    numbers = torch.arange(size[0] * size[1], device=grads.device).reshape(1, *size, 1)
    taken = resize.nearest_kernel(
        numbers, size=(height, width), align_corners=align_corners,
        half_pixel_centers=half_pixel_centers,
    )  # fmt: skip
    wide = grads.float() if grads.dtype in (torch.float16, torch.bfloat16) else grads
    made = wide.new_zeros((count, size[0] * size[1], channels))
    made.index_add_(1, taken.reshape(-1), wide.reshape(count, -1, channels))
    return made.reshape(count, *size, channels).to(grads.dtype)


def _nearest_spec(grads: Spec, *, size: tuple[int, ...], **attrs: Any) -> Spec:
    dims = None if grads.dims is None else (grads.dims[0], *size, grads.dims[3])
    return Spec(dims, grads.dtype)


def translate_back_kernel(
    grads: Raw, original_image: Raw, scale: Raw, translation: Raw, *, kernel_type: str,
    antialias: bool,
) -> Raw:  # fmt: skip
    """The gradient of a scaling and moving."""
    size = tuple(grads.shape[1:3])
    places = tuple(scale.tolist()), tuple(translation.tolist())

    def moved(image: Raw) -> tuple[Raw, ...]:
        return (
            resize.scale_and_translate_kernel(
                image, size=size, scale=places[0], translation=places[1],
                kernel_type=kernel_type, antialias=antialias,
            ),
        )  # fmt: skip

    return pulled_back(moved, [original_image], [grads], False)[0]


def crop_back_image_kernel(
    grads: Raw,
    boxes: Raw,
    box_ind: Raw,
    *,
    image_size: tuple[int, ...],
    T: DType,  # noqa: N803  # raw op's name
    method: str,
) -> Raw:
    """The gradient of crops for the images."""
    image = torch.zeros(image_size, dtype=torch.float32, device=grads.device)
    size = tuple(grads.shape[1:3])

    def cropped(given: Raw) -> tuple[Raw, ...]:
        return (warp.crop_and_resize_kernel(given, boxes, box_ind, crop_size=size, method=method),)

    made: Raw = pulled_back(cropped, [image], [grads], False)[0]
    return made.to(T.torch)


def crop_back_boxes_kernel(grads: Raw, image: Raw, boxes: Raw, box_ind: Raw) -> Raw:
    """The gradient of crops for the boxes."""
    size = tuple(grads.shape[1:3])

    def cropped(given: Raw) -> tuple[Raw, ...]:
        return (warp.crop_and_resize_kernel(image, given, box_ind, crop_size=size),)

    return pulled_back(cropped, [boxes], [grads], False)[0]


def _projected(
    images: Tensor, transforms: Tensor, output_shape: Any, interpolation: str, fill_mode: str
) -> Any:
    """What the third version gives, with black around."""
    return raw_op("ImageProjectiveTransformV3")(
        images=images, transforms=transforms, output_shape=output_shape, fill_value=0.0,
        interpolation=interpolation, fill_mode=fill_mode,
    )  # fmt: skip


def _like_second(grads: Spec, original_image: Spec, *rest: Spec, **attrs: Any) -> Spec:
    return original_image


def _sized(grads: Spec, *rest: Spec, image_size: tuple[int, ...], T: DType, **attrs: Any) -> Spec:  # noqa: N803
    return Spec(image_size, T)


def _jpeg(images: Tensor, quality: Tensor) -> Any:
    return encode_jpeg(images, quality=int(host_value(quality)))


def _drawn_box(
    image_size: Tensor, bounding_boxes: Tensor, seed: int, seed2: int, min_object_covered: float,
    aspect_ratio_range: Any, area_range: Any, **attrs: Any,
) -> Any:  # fmt: skip
    ranges = {"aspect_ratio_range": tuple(aspect_ratio_range), "area_range": tuple(area_range)}
    inputs = image_size, bounding_boxes, constant(min_object_covered, dtypes.float32)
    return drawn_by_seeds("SampleDistortedBoundingBox", inputs, seed, seed2, {**ranges, **attrs})


ROWS: dict[str, Row] = {
    "AdjustContrastv2": composed(color.adjust_contrast),
    "AdjustHue": composed(lambda images, delta: color.adjust_hue(images, delta)),
    "AdjustSaturation": composed(lambda images, scale: color.adjust_saturation(images, scale)),
    "CropAndResizeGradBoxes": kernel(
        crop_back_boxes_kernel, lambda grads, image, boxes, box_ind: boxes, fixed="method"
    ),
    "CropAndResizeGradImage": kernel(crop_back_image_kernel, _sized, ints="image_size"),
    "EncodeJpegVariableQuality": composed(_jpeg),
    "ImageProjectiveTransformV2": composed(_projected, host="output_shape"),
    "ResizeBicubicGrad": kernel(_resize_back(resize.bicubic_kernel), _like_second),
    "ResizeBilinearGrad": kernel(_resize_back(resize.bilinear_kernel), _like_second),
    "ResizeNearestNeighborGrad": kernel(nearest_back_kernel, _nearest_spec, ints="size"),
    "SampleDistortedBoundingBox": composed(_drawn_box),
    "ScaleAndTranslateGrad": kernel(translate_back_kernel, _like_second, wait_reason=HOST_NUMBERS),
}
