"""Colours of images: HSV, YIQ, YUV and grey; hue, saturation, brightness, contrast, gamma."""

from __future__ import annotations

from typing import Any, NoReturn

import torch

from ...base import dtypes
from ...base.dtypes import DType, as_dtype
from ...base.errors import FailedPreconditionError, invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import DTypeLike, TensorLike
from ...core.context import LOCAL
from ...core.tensor import Tensor
from ...devices.late import is_late, note
from ..array.joining import stack, unstack
from ..array.making import constant, ones_like
from ..array.repeating import tile
from ..array.select import where
from ..array.shaping import axis_size, ensure_shape, expand_dims, identity, reshape, sizes_of
from ..convert import by_default, to_tensor, unary
from ..deferred import deferrable, needs_rank
from ..infer import Spec, shape_only
from ..linalg.products import matmul
from ..math.clipping import saturate_cast
from ..math.elementwise import (
    add,
    cast,
    clip_by_value,
    floormod,
    greater_equal,
    maximum,
    multiply,
    pow as power,
    subtract,
    truediv,
)
from ..math.reduction import reduce_max, reduce_mean, reduce_min, reduce_sum
from ..math.statistics import reduce_std
from ..op import apply, op


def _coloured_spec(images: Spec, **attrs: Any) -> Spec:
    dims = images.dims
    if dims is not None and not dims:
        raise invalid_argument("input must be at least 1D" + runtime_text(dims))
    if dims is not None and dims[-1] not in (3, None):
        raise FailedPreconditionError(
            None, None, f"input must have 3 channels but instead has {dims[-1]} channels."
        )
    return images


def _check(images: torch.Tensor) -> None:
    _coloured_spec(shape_only(images))


def rgb_to_hsv_kernel(images: torch.Tensor) -> torch.Tensor:
    """Hue, saturation and value of red, green and blue."""
    _check(images)
    red, green, blue = images.unbind(-1)
    # Of equal ones the first is the largest and the last the smallest, for the gradient goes there.
    value = torch.where(
        (red >= green) & (red >= blue), red, torch.where(green >= blue, green, blue)
    )
    least = torch.where(
        (blue <= red) & (blue <= green), blue, torch.where(green <= red, green, red)
    )
    spread = value - least
    some = spread > 0
    saturation = torch.where(value > 0, spread / torch.where(value > 0, value, 1), 0)
    norm = 1 / (6 * torch.where(some, spread, 1))
    hue = torch.where(
        red == value,
        norm * (green - blue),
        torch.where(green == value, norm * (blue - red) + 2 / 6, norm * (red - green) + 4 / 6),
    )
    hue = torch.where(some, hue, 0)
    return torch.stack([torch.where(hue < 0, hue + 1, hue), saturation, value], -1)


def hsv_to_rgb_kernel(images: torch.Tensor) -> torch.Tensor:
    """Red, green and blue of hue, saturation and value."""
    _check(images)
    hue, saturation, value = images.unbind(-1)
    six = hue * 6
    parts = (
        (six - 3).abs() - 1,
        2 - (six - 2).abs(),
        2 - (six - 4).abs(),
    )
    shades = [((1 - saturation) + saturation * each.clamp(0, 1)) * value for each in parts]
    return torch.stack(shades, -1)


RGB_TO_HSV = op(
    "RGBToHSV", "images: T -> output: T", rgb_to_hsv_kernel, _coloured_spec, T=dtypes.FLOATS
)
HSV_TO_RGB = op(
    "HSVToRGB", "images: T -> output: T", hsv_to_rgb_kernel, _coloured_spec, T=dtypes.FLOATS
)


def rgb_to_hsv(images: TensorLike, name: str | None = None) -> Tensor:
    """Hue, saturation and value of images in RGB between 0 and 1 (`tf.image.rgb_to_hsv`).

    Raises:
        FailedPreconditionError: the last dimension is not 3.
    """
    return unary(RGB_TO_HSV, by_default(images, dtypes.FLOATS, dtypes.float32))


def hsv_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """Images in RGB of their hue, saturation and value (`tf.image.hsv_to_rgb`).

    Raises:
        FailedPreconditionError: the last dimension is not 3.
    """
    return unary(HSV_TO_RGB, by_default(images, dtypes.FLOATS, dtypes.float32))


def convert_image_dtype(
    image: TensorLike, dtype: DTypeLike, saturate: bool = False, name: str | None = None
) -> Any:
    """Returns images as another dtype, scaled so that white stays white
    (`tf.image.convert_image_dtype`).

    Floats span 0 to 1, integers 0 to their largest number.

    Args:
        image: images of any number of dimensions.
        dtype: the dtype wanted.
        saturate: clips what the dtype cannot hold.
        name: a name in graphs.

    >>> import numpy as np
    >>> convert_image_dtype(np.uint8(255), "float32").numpy().item()
    1.0
    """
    out_dtype = as_dtype(dtype)
    image = to_tensor(image)
    if not _has_range(out_dtype):
        raise AttributeError("dtype must be either floating point or integer")
    if not _has_range(image.dtype):
        raise AttributeError("image dtype must be either floating point or integer")
    if out_dtype is image.dtype:
        return identity(image)
    change = saturate_cast if saturate else cast
    if image.dtype.is_integer and out_dtype.is_integer:
        return _between_integers(image, out_dtype, saturate)
    if image.dtype.is_floating and out_dtype.is_floating:
        return cast(image, out_dtype)
    if image.dtype.is_integer:
        return multiply(cast(image, out_dtype), 1.0 / image.dtype.max)
    return change(multiply(image, float(out_dtype.max) + 0.5), out_dtype)


def _has_range(dtype: DType) -> bool:
    return dtype.is_integer or dtype.is_floating


def _between_integers(image: Tensor, wanted: DType, saturate: bool) -> Any:
    most, before = wanted.max, image.dtype.max
    if before > most:
        scaled = image // ((before + 1) // (most + 1))
        return saturate_cast(scaled, wanted) if saturate else cast(scaled, wanted)
    factor = (most + 1) // (before + 1)
    return multiply(saturate_cast(image, wanted) if saturate else cast(image, wanted), factor)


_GREY = [0.2989, 0.587, 0.114]
_YIQ = [
    [0.299, 0.59590059, 0.2115],
    [0.587, -0.27455667, -0.52273617],
    [0.114, -0.32134392, 0.31119955],
]
_FROM_YIQ = [
    [1.0, 1.0, 1.0],
    [0.95598634, -0.27201283, -1.10674021],
    [0.6208248, -0.64720424, 1.70423049],
]
_YUV = [
    [0.299, -0.14714119, 0.61497538],
    [0.587, -0.28886916, -0.51496512],
    [0.114, 0.43601035, -0.10001026],
]
_FROM_YUV = [[1.0, 1.0, 1.0], [0.0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0.0]]


def _mixed(images: TensorLike, matrix: list[list[float]]) -> Tensor:
    images = to_tensor(images)
    flat = matmul(reshape(images, [-1, axis_size(images, -1)]), constant(matrix, images.dtype))
    return reshape(flat, sizes_of(images))


def rgb_to_yiq(images: TensorLike) -> Tensor:
    """Luma and two chroma channels, as NTSC has them (`tf.image.rgb_to_yiq`)."""
    return _mixed(images, _YIQ)


def yiq_to_rgb(images: TensorLike) -> Tensor:
    """Back from `rgb_to_yiq` (`tf.image.yiq_to_rgb`)."""
    return _mixed(images, _FROM_YIQ)


@deferrable
def rgb_to_yuv(images: TensorLike) -> Tensor:
    """Luma and two chroma channels, as PAL has them (`tf.image.rgb_to_yuv`)."""
    return _mixed(images, _YUV)


def yuv_to_rgb(images: TensorLike) -> Tensor:
    """Back from `rgb_to_yuv` (`tf.image.yuv_to_rgb`)."""
    return _mixed(images, _FROM_YUV)


def rgb_to_grayscale(images: TensorLike, name: str | None = None) -> Any:
    """The brightness of images in RGB, one channel of the same dtype (`tf.image.rgb_to_grayscale`).

    Raises:
        InvalidArgumentError: the last dimension is not 3.
    """
    images = to_tensor(images)
    dims = images.shape.sizes
    return (_brightness_of_any_shape if dims is None or None in dims[-1:] else _brightness)(images)


def _brightness(images: Tensor) -> Any:
    if images.shape.as_list()[-1:] != [3]:
        raise invalid_argument(f"Matrix size-incompatible: images {images.shape} need 3 channels")
    flat = images if images.dtype.is_floating else convert_image_dtype(images, dtypes.float32)
    grey = expand_dims(reduce_sum(multiply(flat, constant(_GREY, flat.dtype)), [-1]), -1)
    return convert_image_dtype(grey, images.dtype)


_brightness_of_any_shape = deferrable(_brightness)


@needs_rank
def grayscale_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """The one channel three times (`tf.image.grayscale_to_rgb`).

    Raises:
        ValueError: the last dimension is not 1, or the only one.
    """
    images = to_tensor(images)
    if images.shape.rank is not None and images.shape.rank < 2:
        raise ValueError(
            f"A grayscale image (shape {images.shape}) must be at least two-dimensional."
        )
    if images.shape.rank is None:
        raise ValueError("How many dimensions the images have must be known.")
    if images.shape[-1] not in (1, None):
        raise ValueError("Last dimension of a grayscale image should be size 1.")
    if images.shape[-1] is None:
        images = ensure_shape(images, [*images.shape.as_list()[:-1], 1])
    return tile(images, [1] * (images.shape.rank - 1) + [3])


def _rgb(images: TensorLike) -> Tensor:
    images = to_tensor(images)
    if images.shape.rank == 0:
        raise ValueError("A color image must be at least 1-dimensional.")
    if images.shape.rank is not None and images.shape[-1] not in (3, None):
        raise ValueError("'images' must have last dimension of 3.")
    return images


def _as_floats(image: TensorLike) -> tuple[Any, DType]:
    image = to_tensor(image)
    if image.dtype in (dtypes.float16, dtypes.float32):
        return image, image.dtype
    return convert_image_dtype(image, dtypes.float32), image.dtype


def _scalar(name: str, value: TensorLike, dtype: DType) -> Any:
    number = cast(value, dtype)
    if number.shape.rank:
        raise invalid_argument(f"{name} must be scalar: {runtime_text(number.shape)}")
    return number


def adjust_brightness(image: TensorLike, delta: TensorLike) -> Any:
    """`delta` added to images between 0 and 1 (`tf.image.adjust_brightness`)."""
    flat, dtype = _as_floats(image)
    return convert_image_dtype(add(flat, cast(delta, flat.dtype)), dtype, saturate=True)


def adjust_contrast(images: TensorLike, contrast_factor: TensorLike) -> Any:
    """The distance to the mean of each channel, scaled (`tf.image.adjust_contrast`)."""
    flat, dtype = _as_floats(images)
    wide = cast(flat, dtypes.float32)
    mean = reduce_mean(wide, [-3, -2], keepdims=True)
    factor = _scalar("contrast_factor", contrast_factor, dtypes.float32)
    changed = add(multiply(subtract(wide, mean), factor), mean)
    return convert_image_dtype(cast(changed, flat.dtype), dtype, saturate=True)


def at_least_0_kernel(x: torch.Tensor, *, refusal: str) -> torch.Tensor:
    """The values, none of which may be negative."""
    is_negative = (x < 0).any()
    if is_late(x):
        note(is_negative, _refuse, (), refusal)
    elif is_negative:
        _refuse(refusal)
    return x.clone()


def _refuse(text: str) -> NoReturn:
    raise invalid_argument(text)


_AT_LEAST_0 = op(
    "_AtLeast0", "x: T -> y: T", at_least_0_kernel, lambda x, **attrs: x, is_listed=False,
    T=dtypes.FLOATS, checks=True,
)  # fmt: skip


def adjust_gamma(image: TensorLike, gamma: TensorLike = 1, gain: TensorLike = 1) -> Any:
    """Returns gain * image ** gamma (`tf.image.adjust_gamma`).

    Args:
        image: one image or a batch, channels last.
        gamma: the exponent, not negative.
        gain: the factor.

    Raises:
        ValueError: gamma is a negative number.
        InvalidArgumentError: it is a tensor of one.
    """
    flat, dtype = _as_floats(image)
    refusal = "Gamma should be a non-negative real number."
    if isinstance(gamma, Tensor):
        gamma = apply(_AT_LEAST_0, (cast(gamma, flat.dtype),), {"refusal": refusal})
    elif isinstance(gamma, (int, float)) and gamma < 0:
        raise ValueError(refusal)
    return convert_image_dtype(multiply(power(flat, gamma), gain), dtype, saturate=True)


def adjust_hue(image: TensorLike, delta: Any, name: str | None = None) -> Any:
    """The hue turned by `delta`, 1 being the full circle (`tf.image.adjust_hue`).

    Raises:
        ValueError: `delta` is not within [-1, 1]; graphs do not look, as TensorFlow's.
    """
    if LOCAL.state.target.is_eager and not -1 <= float(delta) <= 1:
        raise ValueError("delta must be in the interval [-1, 1]")
    flat, dtype = _as_floats(_rgb(image))
    hue = unstack(rgb_to_hsv(flat), num=3, axis=-1)[0]
    turned = floormod(add(hue, cast(delta, flat.dtype)), 1.0)
    pure = hsv_to_rgb(stack([turned, ones_like(hue), ones_like(hue)], -1))
    # The darkest and the brightest channel stay what they are, to the last bit.
    dark, bright = (reduce(flat, -1, keepdims=True) for reduce in (reduce_min, reduce_max))
    between = add(dark, multiply(pure, subtract(bright, dark)))
    changed = where(greater_equal(pure, 1.0), bright, between)
    return convert_image_dtype(changed, dtype, saturate=True)


def adjust_saturation(
    image: TensorLike, saturation_factor: TensorLike, name: str | None = None
) -> Any:
    """The saturation scaled and kept between 0 and 1 (`tf.image.adjust_saturation`)."""
    flat, dtype = _as_floats(_rgb(image))
    hue, saturation, value = unstack(rgb_to_hsv(flat), num=3, axis=-1)
    scaled = multiply(saturation, _scalar("scale", saturation_factor, flat.dtype))
    changed = hsv_to_rgb(stack([hue, clip_by_value(scaled, 0.0, 1.0), value], -1))
    return convert_image_dtype(changed, dtype, saturate=True)


@deferrable
def per_image_standardization(image: Any) -> Tensor:
    """Images with mean 0 and deviation 1 (`tf.image.per_image_standardization`).

    Args:
        image: images of shape (..., height, width, channels) and any dtype; integers count as they
            are, unscaled.

    Returns:
        float32 of the same shape.

    Raises:
        ValueError: the images have fewer than three dimensions, or no pixel.
    """
    image = cast(image, dtypes.float32)
    shape = image.shape.as_list()
    if len(shape) < 3:
        raise ValueError(f"'image' (shape {image.shape}) must be at least three-dimensional.")
    if 0 in shape[-3:]:
        raise ValueError(f"inner 3 dims of 'image.shape' must be > 0: {image.shape}")
    pixels = shape[-1] * shape[-2] * shape[-3]
    axes = [-1, -2, -3]
    mean = reduce_mean(image, axes, keepdims=True)
    deviation = maximum(reduce_std(image, axes, keepdims=True), float(pixels) ** -0.5)
    return truediv(subtract(image, mean), deviation)
