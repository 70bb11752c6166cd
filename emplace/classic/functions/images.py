"""`tf.image.resize_*` of TF 1, which aligns corners, or pixels as TF 1 does, not their centers."""

from __future__ import annotations

from typing import Any

from ...base import dtypes
from ...base.typing import TensorLike
from ...core.ragged import RaggedTensor
from ...core.symbolic_value import SymbolicValue
from ...ops.arguments import static_ints
from ...ops.array.shaping import expand_dims, shape, squeeze
from ...ops.convert import to_tensor
from ...ops.deferred import needs_rank
from ...ops.image import warp
from ...ops.image.resize import (
    RESIZE_AREA,
    RESIZE_BICUBIC,
    RESIZE_BILINEAR,
    RESIZE_NEAREST,
    height_and_width,
    told_within,
    within,
)
from ...ops.image.shape import fitted_into
from ...ops.math.elementwise import cast
from ...ops.op import apply
from ...ops.ragged.images import each_resized
from ..scopes.arguments import renamed, required


class ResizeMethod:
    """How images are resized (`tf.compat.v1.image.ResizeMethod`)."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


_OPS = {0: RESIZE_BILINEAR, 1: RESIZE_NEAREST, 2: RESIZE_BICUBIC, 3: RESIZE_AREA,
        "bilinear": RESIZE_BILINEAR, "nearest": RESIZE_NEAREST, "bicubic": RESIZE_BICUBIC,
        "area": RESIZE_AREA}  # fmt: skip


def resize_images(
    images: Any, size: Any, method: Any = ResizeMethod.BILINEAR, align_corners: bool = False,
    preserve_aspect_ratio: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    """Images in another size (`tf.compat.v1.image.resize_images`).

    Args:
        images: one image (height, width, channels) or a batch of them.
        size: the new height and width.
        method: one of `ResizeMethod`.
        align_corners: whether the centers of the corner pixels stay where they are.
        preserve_aspect_ratio: takes the largest size within `size` of the old proportions.
        name: a name in graphs.

    Raises:
        ValueError: images have another rank, or there is no such method.
    """
    images = to_tensor(images)
    if isinstance(images, RaggedTensor):
        options = {
            "method": method, "align_corners": align_corners,
            "preserve_aspect_ratio": preserve_aspect_ratio,
        }  # fmt: skip
        return each_resized(images, size, resize_images, options)
    rank = images.shape.rank
    if rank not in (3, 4):
        raise ValueError("'images' must have either 3 or 4 dimensions.")
    if method not in _OPS:
        raise ValueError("Resize method is not implemented.")
    size, sizes = height_and_width(size)
    batch = expand_dims(images, 0) if rank == 3 else images
    is_known = SymbolicValue not in map(type, sizes)
    if preserve_aspect_ratio:
        _, height, width, _ = batch.shape.as_list()
        is_known = is_known and None not in (height, width)
        sizes = (
            within(height, width, sizes)
            if is_known
            else static_ints(told_within(shape(batch)[1:3], size), "'size'")
        )
    if is_known and batch.shape.as_list()[1:3] == list(sizes):
        return images
    attrs: dict[str, Any] = {"size": sizes}
    if _OPS[method] is not RESIZE_AREA or align_corners:
        attrs["align_corners"] = align_corners
    resized = apply(_OPS[method], (batch,), attrs)
    return squeeze(resized, [0]) if rank == 3 else resized


@needs_rank
def resize_image_with_pad(
    image: TensorLike, target_height: Any, target_width: Any,
    method: Any = ResizeMethod.BILINEAR, align_corners: bool = False,
) -> Any:  # fmt: skip
    """Resizes an image in its proportions and pads it to a size
    (`tf.compat.v1.image.resize_image_with_pad`).

    Args:
        image: one image (height, width, channels) or a batch of them.
        target_height: rows of the result.
        target_width: columns of the result.
        method: one of `ResizeMethod`.
        align_corners: whether the centers of the corner pixels stay where they are.

    Raises:
        ValueError: a size is not positive, or the image has another rank.
    """
    return fitted_into(
        image, target_height, target_width,
        lambda images, size: resize_images(images, size, method, align_corners),
    )  # fmt: skip


def _resized(record: Any, images: TensorLike, size: TensorLike, align: bool, centers: bool) -> Any:
    attrs = {"size": static_ints(size, "size"), "align_corners": align,
             "half_pixel_centers": centers}  # fmt: skip
    return apply(record, (to_tensor(images),), attrs)


def resize_bilinear(
    images: TensorLike, size: TensorLike, align_corners: bool = False, name: str | None = None,
    half_pixel_centers: bool = False,
) -> Any:  # fmt: skip
    """Each pixel from its four neighbours (`tf.compat.v1.image.resize_bilinear`)."""
    return _resized(RESIZE_BILINEAR, images, size, align_corners, half_pixel_centers)


def resize_nearest_neighbor(
    images: TensorLike, size: TensorLike, align_corners: bool = False, name: str | None = None,
    half_pixel_centers: bool = False,
) -> Any:  # fmt: skip
    """Each pixel from the nearest (`tf.compat.v1.image.resize_nearest_neighbor`)."""
    return _resized(RESIZE_NEAREST, images, size, align_corners, half_pixel_centers)


def resize_bicubic(
    images: TensorLike, size: TensorLike, align_corners: bool = False, name: str | None = None,
    half_pixel_centers: bool = False,
) -> Any:  # fmt: skip
    """Each pixel from its sixteen neighbours (`tf.compat.v1.image.resize_bicubic`)."""
    return _resized(RESIZE_BICUBIC, images, size, align_corners, half_pixel_centers)


def resize_area(
    images: TensorLike, size: TensorLike, align_corners: bool = False, name: str | None = None
) -> Any:
    """Each pixel from the area that it covers (`tf.compat.v1.image.resize_area`)."""
    attrs: dict[str, Any] = {"size": static_ints(size, "size"), "align_corners": align_corners}
    return apply(RESIZE_AREA, (cast(to_tensor(images), dtypes.float32),), attrs)


def crop_and_resize(
    image: TensorLike, boxes: TensorLike, box_ind: Any = None, crop_size: Any = None,
    method: str = "bilinear", extrapolation_value: float = 0, name: str | None = None,
    box_indices: Any = None,
) -> Any:  # fmt: skip
    """Returns what lies in boxes, resized to one size (`tf.compat.v1.image.crop_and_resize`).

    Args:
        image: images (batch, height, width, channels).
        boxes: (boxes, 4) of [y1, x1, y2, x2], 0 to 1 across the image.
        box_ind: the image each box belongs to.
        crop_size: the height and width of the result.
        method: "bilinear" or "nearest".
        extrapolation_value: what stands outside of the image.
        name: a name in graphs.
        box_indices: the same as `box_ind`, under its newer name.
    """
    box_indices = required("box_indices", renamed("box_indices", box_indices, "box_ind", box_ind))
    crop_size = required("crop_size", crop_size)
    return warp.crop_and_resize(image, boxes, box_indices, crop_size, method, extrapolation_value)
