"""Resizing images: bilinear, nearest, bicubic, area, and the kernels that smooth while they shrink.

All but nearest and bilinear are two linear maps, one along the height and one along the width. The
maps are small matrices that depend on the sizes alone and are kept. Plain bilinear, the common one,
is torch's own kernel on a channels-last view; TF 1's, which torch lacks, reads two neighbours along
each axis.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import InvalidArgumentError, invalid_argument
from ...base.shapes import Dims, overflow_text, runtime_text
from ...base.typing import TensorLike
from ...core.ragged import RaggedTensor
from ...core.symbolic_value import SymbolicValue
from ...core.tensor import Tensor
from ...devices.constants import constants
from ..arguments import static_ints
from ..array.shaping import ensure_shape, expand_dims, shape, squeeze
from ..convert import to_tensor
from ..infer import Spec, shape_only
from ..math.elementwise import cast, divide, multiply, round as round_
from ..math.reduction import reduce_min
from ..op import apply, op
from ..ragged.images import each_resized

Size = tuple[int, ...]
_IMAGES = (
    dtypes.int8, dtypes.uint8, dtypes.int16, dtypes.uint16, dtypes.int32, dtypes.int64,
    dtypes.bfloat16, dtypes.float16, dtypes.float32, dtypes.float64,
)  # fmt: skip


class ResizeMethod:
    """The names of the methods of `resize` (`tf.image.ResizeMethod`)."""

    AREA = "area"
    BICUBIC = "bicubic"
    BILINEAR = "bilinear"
    GAUSSIAN = "gaussian"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    MITCHELLCUBIC = "mitchellcubic"
    NEAREST_NEIGHBOR = "nearest"


def check_countable(dims: Dims) -> None:
    """Raises InvalidArgumentError if a result would have more elements than can be counted: what
    kernels make on the way to it would fill the machine.
    """
    text = overflow_text(dims)
    if text is not None:
        raise invalid_argument(text)


def _checked(images: Spec, size: Size) -> tuple[Any, int, int, Any]:
    """The sizes of the result."""
    dims = images.dims
    if dims is None:
        return None, *size, None  # type: ignore[return-value]
    if len(dims) != 4:
        raise invalid_argument(f"input must be 4-dimensional{runtime_text(dims)}")
    if len(size) != 2:
        raise invalid_argument(f"shape_t must have two elements{[len(size)]}")
    if min(size) <= 0:
        raise invalid_argument("output dimensions must be positive")
    if dims[1] == 0 or dims[2] == 0:
        raise invalid_argument("input image must be of non-zero size")
    if dims[3] == 0:
        raise invalid_argument("image must have at least one channel")
    check_countable((dims[0], *size, dims[3]))
    return dims[0], size[0], size[1], dims[3]


def _nearest_spec(images: Spec, *, size: Size, **attrs: Any) -> Spec:
    return Spec(_checked(images, size), images.dtype)


def _resize_spec(images: Spec, *, size: Size, **attrs: Any) -> Spec:
    return Spec(_checked(images, size), dtypes.float32)


def _check(images: torch.Tensor, size: Size, align: bool = False, half: bool = False) -> None:
    if align and half:
        raise invalid_argument("If half_pixel_centers is True, align_corners must be False.")
    _checked(shape_only(images), size)


def _scale(before: int, after: int, align_corners: bool) -> float:
    return (before - 1) / (after - 1) if align_corners and after > 1 else before / after


def _apply_maps(x: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
    """Both maps on images in NHWC."""
    down, across = rows.to(x.dtype), columns.to(x.dtype)
    batch, height, width, channels = x.shape
    x = _mapped(down, x.reshape(batch, height, width * channels))
    x = x.reshape(batch, down.shape[0], width, channels)
    return _mapped(across, x)


def _mapped(shares: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """The product, in which what is not finite reaches only the pixels that have a share of it.

    A share of 0 is not a product with 0, which would make NaN of it. The host looks whether there
    is any such number; elsewhere looking would be a wait, so both is always computed.
    """
    if x.is_cpu and not torch.compiler.is_compiling():
        made = torch.matmul(shares, x)
        if math.isfinite(made.detach().sum()):
            return made
    wild = ~torch.isfinite(x)
    signs = torch.where(wild & ~torch.isnan(x), torch.sign(x), 0.0).detach()
    sign = torch.matmul(torch.sign(shares), signs)
    del signs  # what is let go early need not be there at once: images are large
    count = torch.matmul((shares != 0).to(x.dtype), wild.to(x.dtype))
    # Infinities of one sign stay that, all else is no number.
    is_mixed = sign.abs() != count
    odd = sign.mul_(math.inf).masked_fill_(is_mixed, math.nan)
    return torch.where(count == 0, torch.matmul(shares, torch.where(wild, 0.0, x)), odd)


def _places(before: int, after: int, align_corners: bool, half_pixel_centers: bool) -> Any:
    """Where each pixel of the result lies among the pixels before, as float32."""
    scale = np.float32(_scale(before, after, align_corners))
    steps = np.arange(after, dtype=np.float32)
    if half_pixel_centers:
        return (steps + np.float32(0.5)) * scale - np.float32(0.5)
    return steps * scale


@constants
def _neighbours(before: int, after: int, align: bool) -> torch.Tensor:
    """Which pixels lie before and behind each pixel of the result."""
    places = _places(before, after, align, False)
    both = np.stack([np.floor(places), np.ceil(places)])
    return torch.from_numpy(np.clip(both.astype(np.int64), 0, before - 1))


@constants
def _shares(before: int, after: int, align: bool) -> torch.Tensor:
    """How far each pixel of the result is from the one before it."""
    places = _places(before, after, align, False)
    return torch.from_numpy(places - np.floor(places))


def _between(x: torch.Tensor, axis: int, after: int, align: bool) -> torch.Tensor:
    """Images in another size along one axis, each pixel from two neighbours."""
    sizes = x.shape[axis], after
    low, high = _neighbours(x.device, *sizes, align)
    share = _shares(x.device, *sizes, align).reshape((-1,) + (1,) * (x.dim() - axis - 1))
    near = x.index_select(axis, low)
    return x.index_select(axis, high).sub_(near).mul_(share).add_(near)


def bilinear_kernel(
    images: torch.Tensor, *, size: Size, align_corners: bool = False,
    half_pixel_centers: bool = False,
) -> torch.Tensor:  # fmt: skip
    """Each pixel from its four neighbours."""
    _check(images, size, align_corners, half_pixel_centers)
    x = images.to(torch.float32)  # TF: doubles too
    if x.shape[1:3] == size:
        return x
    if not half_pixel_centers and (not align_corners or 1 in size or not x.numel()):
        return _between(_between(x, 2, size[1], align_corners), 1, size[0], align_corners)
    if not x.numel():
        return x.new_empty((x.shape[0], *size, x.shape[3]))
    made = torch.nn.functional.interpolate(
        x.permute(0, 3, 1, 2), size, mode="bilinear", align_corners=align_corners
    )
    return made.permute(0, 2, 3, 1)


def nearest_kernel(
    images: torch.Tensor, *, size: Size, align_corners: bool = False,
    half_pixel_centers: bool = False,
) -> torch.Tensor:  # fmt: skip
    """Each pixel from the one that lies nearest."""
    _check(images, size, align_corners, half_pixel_centers)
    for axis in (1, 2):
        sizes = images.shape[axis], size[axis - 1]
        picked = _nearest(images.device, *sizes, align_corners, half_pixel_centers)
        images = images.index_select(axis, picked)
    return images


@constants
def _nearest(before: int, after: int, align: bool, half: bool) -> torch.Tensor:
    scale = np.float32(_scale(before, after, align))
    places = (np.arange(after, dtype=np.float32) + np.float32(0.5 if half else 0)) * scale
    # Halves go away from zero, as C rounds them.
    picked = np.floor(places + np.float32(0.5)) if align else np.floor(places)
    return torch.from_numpy(np.clip(picked.astype(np.int64), 0, before - 1))


def bicubic_kernel(
    images: torch.Tensor, *, size: Size, align_corners: bool = False,
    half_pixel_centers: bool = False,
) -> torch.Tensor:  # fmt: skip
    """Each pixel from sixteen neighbours."""
    _check(images, size, align_corners, half_pixel_centers)
    x = images.to(torch.float32) if images.dtype != torch.float64 else images
    maps = (
        _cubic_map(x.device, before, after, align_corners, half_pixel_centers)
        for before, after in zip(x.shape[1:3], size, strict=True)
    )
    return _apply_maps(x, *maps).to(torch.float32)


@constants
def _cubic_map(before: int, after: int, align: bool, half: bool) -> torch.Tensor:
    """Keys' cubic (a = -0.5) with half pixels, a = -0.75 and repeated borders without; shares are
    rounded to 1/1024 as TensorFlow's table has them.
    """
    places = _places(before, after, align, half)
    floor = np.floor(places)
    share = np.floor((places - floor) * 1024 + 0.5) / 1024
    a = -0.5 if half else -0.75
    result = np.zeros((after, before), np.float64)
    rows = np.arange(after)
    for step in range(-1, 3):
        weight = _keys(np.abs(share - step), a)
        column = floor.astype(int) + step
        inside = np.clip(column, 0, before - 1)
        if half:
            weight = np.where(column == inside, weight, 0.0)
        np.add.at(result, (rows, inside), weight)
    if half:
        total = result.sum(1, keepdims=True)
        result = np.where(np.abs(total) >= 1000 * np.finfo(np.float32).tiny, result / total, result)
    return torch.from_numpy(result.astype(np.float32))


def _keys(x: np.ndarray[Any, Any], a: float) -> Any:
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return np.where(x <= 1, near, np.where(x < 2, far, 0.0))


def area_kernel(images: torch.Tensor, *, size: Size, align_corners: bool = False) -> torch.Tensor:
    """Each pixel the mean of the area it covers."""
    _check(images, size)
    x = images.to(torch.float32) if images.dtype != torch.float64 else images
    maps = (
        _area_map(x.device, before, after, align_corners)
        for before, after in zip(x.shape[1:3], size, strict=True)
    )
    return _apply_maps(x, *maps).to(torch.float32)


@constants
def _area_map(before: int, after: int, align: bool) -> torch.Tensor:
    scale = _scale(before, after, align)
    if scale == 0:  # there is one pixel, whose corners are aligned with all others
        return torch.ones(after, before)
    start = np.arange(after)[:, None] * scale
    pixels = np.arange(math.ceil(after * scale) + 1)[None]
    covered = np.minimum(start + scale, pixels + 1) - np.maximum(start, pixels)
    covered = np.clip(covered, 0, None)
    result = np.zeros((after, before))
    for pixel in range(pixels.size):
        result[:, min(pixel, before - 1)] += covered[:, pixel]
    return torch.from_numpy((result / scale).astype(np.float32))


def _lanczos(radius: int) -> Callable[[Any], Any]:
    return lambda x: np.where(np.abs(x) < radius, np.sinc(x) * np.sinc(x / radius), 0.0)


def _gaussian(x: np.ndarray[Any, Any]) -> Any:
    sigma = 1.5 / 3
    return np.where(np.abs(x) < 1.5, np.exp(-x * x / (2 * sigma * sigma)), 0.0)


def _mitchell(x: np.ndarray[Any, Any]) -> Any:
    x = np.abs(x)
    near = ((7 * x - 12) * x * x) / 6 + 16 / 18
    far = ((-7 / 18 * x + 2) * x - 10 / 3) * x + 16 / 9
    return np.where(x < 1, near, np.where(x < 2, far, 0.0))


_KERNELS: dict[str, tuple[Callable[[Any], Any], float]] = {
    "lanczos1": (_lanczos(1), 1.0),
    "lanczos3": (_lanczos(3), 3.0),
    "lanczos5": (_lanczos(5), 5.0),
    "gaussian": (_gaussian, 1.5),
    "box": (lambda x: np.where(np.abs(x) < 0.5, 1.0, np.where(np.abs(x) == 0.5, 0.5, 0.0)), 1.0),
    "triangle": (lambda x: np.clip(1 - np.abs(x), 0, None), 1.0),
    "keyscubic": (lambda x: _keys(np.abs(x), -0.5), 2.0),
    "mitchellcubic": (_mitchell, 2.0),
}


def scale_and_translate_kernel(
    images: torch.Tensor, *, size: Size, scale: tuple[float, float],
    translation: tuple[float, float], kernel_type: str = "lanczos3", antialias: bool = True,
) -> torch.Tensor:  # fmt: skip
    """Scaled and moved, each pixel a weighted mean of those under a kernel."""
    _check(images, size)
    x = images.to(torch.float32) if images.dtype != torch.float64 else images
    maps = (
        _span_map(
            x.device, x.shape[i + 1], size[i], scale[i], translation[i], kernel_type, antialias
        )
        for i in (0, 1)
    )
    return _apply_maps(x, *maps).to(torch.float32)


@constants
def _span_map(
    before: int, after: int, scale: float, translation: float, name: str, antialias: bool
) -> torch.Tensor:
    """The kernel around each pixel of the result, stretched where it would skip pixels."""
    if name not in _KERNELS:
        raise invalid_argument(f"Unrecognized kernel type: {name}")
    kernel, radius = _KERNELS[name]
    # In float32 as TensorFlow has it: pixels on the very edge of the kernel count or not.
    inverse = np.float32(1) / np.float32(scale)
    stretch = max(inverse, np.float32(1)) if antialias else np.float32(1)
    steps = np.arange(after, dtype=np.float32) + np.float32(0.5)
    centre = (steps * inverse - np.float32(translation) * inverse)[:, None]
    pixels = np.arange(before, dtype=np.float32)[None] + np.float32(0.5)
    reached = np.abs(pixels - centre) <= radius * stretch + 0.5
    weights = np.where(reached, kernel((pixels - centre) * (np.float32(1) / stretch)), 0.0)
    total = weights.sum(1, keepdims=True)
    empty = (np.abs(total) < 1e-30) | (centre < 0) | (centre > before)
    shares = np.where(empty, 0.0, weights / np.where(empty, 1.0, total))
    return torch.from_numpy(shares.astype(np.float32))


_SIZED = "images: T, size: host -> resized_images: "
RESIZE_BILINEAR = op(
    "ResizeBilinear", _SIZED + "float32", bilinear_kernel, _resize_spec, T=_IMAGES,
    gpu_types=(dtypes.bfloat16, dtypes.float16, dtypes.float32, dtypes.float64),
)  # fmt: skip
RESIZE_NEAREST = op("ResizeNearestNeighbor", _SIZED + "T", nearest_kernel, _nearest_spec, T=_IMAGES)
RESIZE_BICUBIC = op("ResizeBicubic", _SIZED + "float32", bicubic_kernel, _resize_spec, T=_IMAGES)
RESIZE_AREA = op("ResizeArea", _SIZED + "float32", area_kernel, _resize_spec, T=_IMAGES)
SCALE_AND_TRANSLATE = op(
    "ScaleAndTranslate",
    "images: T, size: host, scale: host, translation: host -> resized_images: float32",
    scale_and_translate_kernel, _resize_spec, T=_IMAGES,
)  # fmt: skip

_SMOOTHING = {
    "bilinear": "triangle", "bicubic": "keyscubic", "gaussian": "gaussian",
    "lanczos3": "lanczos3", "lanczos5": "lanczos5", "mitchellcubic": "mitchellcubic",
}  # fmt: skip
_PLAIN = {"bilinear": RESIZE_BILINEAR, "bicubic": RESIZE_BICUBIC}
_KEEPING = {"nearest", "area", "bilinear", "bicubic", "lanczos3", "lanczos5"}
"""Methods that leave an image of the wanted size as it is: the others smooth it."""


def resize(
    images: TensorLike, size: TensorLike, method: str = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False, antialias: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Returns images in another size (`tf.image.resize`).

    Args:
        images: one image (height, width, channels) or a batch of them, ragged where they have
            several sizes.
        size: the new height and width.
        method: one of the names in `ResizeMethod`.
        preserve_aspect_ratio: takes the largest size within `size` of the old proportions.
        antialias: smooths while it shrinks.
        name: a name in graphs.

    Returns:
        float32 images; of the images' dtype for "nearest" and where the size stays.

    Raises:
        ValueError: `images` has another rank, `size` is no pair, or there is no such method.

    >>> from emplace.ops.array.making import ones
    >>> resize(ones([4, 6, 1]), [2, 3]).shape
    TensorShape([2, 3, 1])
    """
    images = to_tensor(images)
    if isinstance(images, RaggedTensor):
        options = {
            "method": method, "preserve_aspect_ratio": preserve_aspect_ratio,
            "antialias": antialias,
        }  # fmt: skip
        return each_resized(images, size, resize, options)
    rank = images.shape.rank
    if rank not in (3, 4):
        raise ValueError("'images' must have either 3 or 4 dimensions.")
    size, new_size = height_and_width(size)
    batch = expand_dims(images, 0) if rank == 3 else images
    height, width = batch.shape.as_list()[1:3]
    if None in (height, width) or SymbolicValue in map(type, new_size):
        resized = _resized_as_told(batch, to_tensor(size), method, preserve_aspect_ratio, antialias)
        return squeeze(resized, [0]) if rank == 3 else resized
    if preserve_aspect_ratio:
        new_size = within(height, width, new_size)
    if new_size == (height, width) and method in _KEEPING:
        resized = batch if method == "nearest" else cast(batch, dtypes.float32)
    else:
        resized = _resized(batch, new_size, method, antialias)
    return squeeze(resized, [0]) if rank == 3 else resized


def height_and_width(size: Any) -> tuple[Any, Any]:
    """The argument `size` of resizing, and its two numbers, `SymbolicValue`s where only running
    the graph tells them.

    Raises:
        ValueError: there are not two of them, or they are no integers.
    """
    if isinstance(size, (list, tuple)):
        for each in size:
            if each is None or isinstance(each, (float, str)):
                raise ValueError("'size' must be a 1-D int32 Tensor")
    try:
        numbers = static_ints(size, "'size'")
        if isinstance(numbers, SymbolicValue):  # TF: how many there are is seen when it runs
            size = ensure_shape(to_tensor(size), [2])
            numbers = static_ints(size, "'size'")
    except (TypeError, InvalidArgumentError) as error:
        raise ValueError("'size' must be a 1-D int32 Tensor") from error
    if len(numbers) != 2 or (hasattr(size, "shape") and len(size.shape) != 1):
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    return size, numbers


def _resized_as_told(
    images: Tensor, size: Tensor, method: str, preserve_aspect_ratio: bool, antialias: bool
) -> Tensor:
    """The same where only running the graph tells a size."""
    before = shape(images)[1:3]
    if preserve_aspect_ratio:
        size = told_within(before, size)
    new_size = static_ints(size, "'size'")
    if (method in _PLAIN and not antialias) or method in ("nearest", "area"):
        return _resized(images, new_size, method, antialias)
    if method not in _SMOOTHING:
        raise ValueError(f"Resize method is not implemented: {method}")
    scale = divide(cast(size, dtypes.float32), cast(before, dtypes.float32))
    return _smoothed(images, new_size, SymbolicValue(scale, "all"), method, antialias)


def told_within(before: Tensor, size: TensorLike) -> Tensor:
    """The largest size within `size` of the proportions of another, both as tensors."""
    floats = cast(before, dtypes.float32)
    factor = reduce_min(divide(cast(size, dtypes.float32), floats))
    return cast(round_(multiply(factor, floats)), dtypes.int32)


def within(height: int, width: int, size: Size) -> Size:
    """The largest size within `size` of the proportions of height and width."""
    factor = min(np.float32(size[0] / height), np.float32(size[1] / width))
    return round(float(factor * np.float32(height))), round(float(factor * np.float32(width)))


def _resized(images: Tensor, size: Size, method: str, antialias: bool) -> Tensor:
    half = {"size": size, "half_pixel_centers": True}
    if method == "nearest":
        return apply(RESIZE_NEAREST, (images,), half)
    if method == "area":
        return apply(RESIZE_AREA, (images,), {"size": size})
    if method in _PLAIN and not antialias:
        return apply(_PLAIN[method], (images,), half)
    if method not in _SMOOTHING:
        raise ValueError(f"Resize method is not implemented: {method}")
    before = images.shape.as_list()[1:3]
    scale = tuple(float(np.float32(a) / np.float32(b)) for a, b in zip(size, before, strict=True))
    return _smoothed(images, size, scale, method, antialias)


def _smoothed(images: Tensor, size: Size, scale: Any, method: str, antialias: bool) -> Tensor:
    attrs = {
        "size": size, "scale": scale, "translation": (0.0, 0.0),
        "kernel_type": _SMOOTHING[method], "antialias": antialias,
    }  # fmt: skip
    return apply(SCALE_AND_TRANSLATE, (images,), attrs)
