"""Images looked at through boxes, patches and projective maps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from ...base import dtypes
from ...base.errors import OutOfRangeError, UnimplementedError, invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import IntsLike, TensorLike
from ...core.tensor import Tensor
from ...devices.late import is_late, note
from ..arguments import static_ints
from ..convert import to_tensor
from ..infer import Spec, shape_only
from ..nn.window import slide
from ..op import apply, op
from .resize import _IMAGES as IMAGES, check_countable

Four = tuple[int, ...]


def _patch_sizes(
    dims: tuple[Any, ...], ksizes: Four, strides: Four, rates: Four, padding: str
) -> list[tuple[int, int]]:
    """Along height and width: how many patches, and the padding before the first."""
    found = slide(dims[1:3], ksizes[1:3], strides[1:3], rates[1:3], padding, ())
    return [(count or 0, before) for count, before in zip(found.out, found.before, strict=True)]


def _patches_spec(images: Spec, **attrs: Any) -> Spec:
    dims = images.dims
    if dims is None:
        return images
    if len(dims) != 4:
        raise invalid_argument(f"input must be 4-dimensional{list(dims)}")
    (rows, _), (columns, _) = _patch_sizes(tuple(dims), **attrs)
    depth = attrs["ksizes"][1] * attrs["ksizes"][2] * (dims[3] or 0)
    return Spec((dims[0], rows, columns, depth), images.dtype)


def patches_kernel(
    images: torch.Tensor, *, ksizes: Four, strides: Four, rates: Four, padding: str
) -> torch.Tensor:
    """Every patch laid flat into the channels of its place."""
    attrs = {"ksizes": ksizes, "strides": strides, "rates": rates, "padding": padding}
    _patches_spec(shape_only(images), **attrs)
    x = images
    sizes = _patch_sizes(tuple(images.shape), ksizes, strides, rates, padding)
    for axis, (count, before) in zip((1, 2), sizes, strict=True):
        place = torch.arange(count, device=x.device)[:, None] * strides[axis] - before
        place = place + torch.arange(ksizes[axis], device=x.device) * rates[axis]
        inside = (place >= 0) & (place < images.shape[axis])
        at = 1 if axis == 1 else 3
        picked = x.index_select(at, place.clamp(0, max(0, images.shape[axis] - 1)).reshape(-1))
        picked = picked.reshape(*x.shape[:at], *place.shape, *x.shape[at + 1 :])
        mask = inside.reshape(*place.shape, *[1] * (picked.ndim - at - 2))
        x = torch.where(mask, picked, torch.zeros((), dtype=x.dtype, device=x.device))
    # Now (batch, rows, height of a patch, columns, width of a patch, channels).
    x = x.permute(0, 1, 3, 2, 4, 5)
    return x.reshape(*x.shape[:3], math.prod(x.shape[3:]))


EXTRACT_PATCHES = op(
    "ExtractImagePatches", "images: T -> patches: T", patches_kernel, _patches_spec,
    T=(*dtypes.NUMBERS, dtypes.bool_),
)  # fmt: skip


def extract_patches(
    images: TensorLike,
    sizes: IntsLike,
    strides: IntsLike | None,
    rates: IntsLike | None,
    padding: str,
    name: str | None = None,
) -> Tensor:
    """Returns patches of images, each laid flat (`tf.image.extract_patches`).

    Args:
        images: shape (batch, height, width, channels).
        sizes: [1, rows, columns, 1] of a patch.
        strides: [1, rows, columns, 1] from one patch to the next.
        rates: [1, rows, columns, 1] from one pixel of a patch to the next.
        padding: "VALID" or "SAME".
        name: a name in graphs.

    Returns:
        Shape (batch, rows, columns, pixels of a patch * channels).
    """
    if padding not in ("SAME", "VALID"):
        raise invalid_argument(
            f"Value for attr 'padding' of \"{padding}\" is not in the list of allowed values: "
            '"SAME", "VALID"'
        )
    named = {"ksizes": sizes, "strides": strides, "rates": rates}
    for key, value in named.items():
        _refuse_lists(key, value)
    attrs: dict[str, Any] = {key: static_ints(value, key) for key, value in named.items()}
    for key, value in attrs.items():
        _check_window(key, value)
    return apply(EXTRACT_PATCHES, (to_tensor(images),), {**attrs, "padding": padding})


def _refuse_lists(name: str, value: Any) -> None:
    """Raises TypeError if a list of integers holds a list."""
    for each in value if isinstance(value, (list, tuple)) else ():
        if isinstance(each, (list, tuple)):
            raise TypeError(f"Expected int for argument '{name}' not {each!r}.")


def _check_window(name: str, value: Sequence[int]) -> None:
    """Raises unless a size or step of patches is one across space."""
    if len(value) < 4:
        raise invalid_argument(
            f"Length for attr '{name}' of {len(value)} must be at least minimum 4\n\t; NodeDef: "
            "{{node ExtractImagePatches}} [Op:ExtractImagePatches] name: "
        )
    if len(value) > 4:
        raise invalid_argument(f"{name} must be [1, rows, columns, 1], got {value}")
    if value[0] != 1 or value[3] != 1:
        text = f"Only support {name} across space. [Op:ExtractImagePatches] name: "
        raise UnimplementedError(None, None, text)
    if min(value) < 1:
        text = f"{name} is out of range. [Op:ExtractImagePatches] name: "
        raise OutOfRangeError(None, None, text)


def _boxes_spec(image: Spec, boxes: Spec, box_ind: Spec, *, crop_size: Four, **attrs: Any) -> Spec:
    if image.dims is None or boxes.dims is None:
        return Spec(None, dtypes.float32)
    if len(image.dims) != 4:
        raise invalid_argument("input image must be 4-D" + str(list(image.dims)))
    if len(boxes.dims) != 2 or boxes.dims[1] != 4:
        raise invalid_argument("boxes must have 4 columns, got " + str(list(boxes.dims)))
    if box_ind.dims != boxes.dims[:1]:
        if box_ind.dims is not None and len(box_ind.dims) != 1:
            raise invalid_argument(
                f"box_indices must be rank 1 but is shape {runtime_text(box_ind.dims)}"
            )
        raise invalid_argument("box_index has incompatible shape")
    if len(crop_size) != 2 or min(crop_size) <= 0:
        raise invalid_argument("crop dimensions must be positive")
    check_countable((boxes.dims[0], *crop_size, image.dims[3]))
    return Spec((boxes.dims[0], *crop_size, image.dims[3]), dtypes.float32)


def _check_boxes(box_ind: torch.Tensor, count: int) -> None:
    if ((box_ind < 0) | (box_ind >= count)).any():
        raise OutOfRangeError(None, None, "box_index has values outside [0, batch_size)")


def crop_and_resize_kernel(
    image: torch.Tensor, boxes: torch.Tensor, box_ind: torch.Tensor, *, crop_size: Four,
    method: str = "bilinear", extrapolation_value: float = 0,
) -> torch.Tensor:  # fmt: skip
    """What lies in each box, resized to one size."""
    given = map(shape_only, (image, boxes, box_ind))
    _boxes_spec(*given, crop_size=crop_size)
    if image.dtype != torch.float64:
        image = image.to(torch.float32)
    top, left, bottom, right = boxes.to(image.dtype).unbind(1)
    rows = _lines(top, bottom, image.shape[1], crop_size[0])
    columns = _lines(left, right, image.shape[2], crop_size[1])
    if is_late(box_ind):
        wrong = (box_ind < 0) | (box_ind >= image.shape[0])
        note(wrong.any(), _check_boxes, (box_ind,), image.shape[0])
        box_ind = box_ind.masked_fill(wrong, 0)
    else:
        _check_boxes(box_ind, image.shape[0])
    batch = box_ind.long()[:, None, None]
    shape = (boxes.shape[0], *crop_size)
    y, x = rows[:, :, None].expand(shape), columns[:, None, :].expand(shape)
    inside = (y >= 0) & (y <= image.shape[1] - 1) & (x >= 0) & (x <= image.shape[2] - 1)
    if method == "nearest":
        y, x = (_half_away(each.detach()) for each in (y, x))
    made = _between(image, batch, y, x)
    return torch.where(inside[..., None], made, extrapolation_value).to(torch.float32)


def _half_away(x: torch.Tensor) -> torch.Tensor:
    return torch.floor(x.abs() + 0.5) * x.sign()


def _lines(start: torch.Tensor, end: torch.Tensor, size: int, count: int) -> torch.Tensor:
    """Where the lines of each crop lie."""
    if count == 1:
        return (0.5 * (start + end) * (size - 1))[:, None]
    steps = torch.arange(count, device=start.device, dtype=start.dtype)
    if start.requires_grad:
        # TF: the kernel of gradients divides first. Rounded so, a line that is on pixels may lie
        # just behind them, where it has a slope.
        step = (end - start) * ((size - 1) / (count - 1))
    else:
        step = (end - start) * (size - 1) / (count - 1)
    return (start * (size - 1))[:, None] + steps * step[:, None]


def _between(
    image: torch.Tensor, batch: torch.Tensor, y: torch.Tensor, x: torch.Tensor
) -> torch.Tensor:
    """The four neighbours of each place, weighted; places are clamped into the image."""
    top, left = y.detach().floor(), x.detach().floor()
    down, across = (y - top)[..., None], (x - left)[..., None]
    rows = [each.long().clamp(0, image.shape[1] - 1) for each in (top, y.detach().ceil())]
    columns = [each.long().clamp(0, image.shape[2] - 1) for each in (left, x.detach().ceil())]
    upper, lower = (
        (1 - across) * image[batch, row, columns[0]] + across * image[batch, row, columns[1]]
        for row in rows
    )
    return (1 - down) * upper + down * lower


CROP_AND_RESIZE = op(
    "CropAndResize",
    "image: T, boxes: float32, box_ind: int32, crop_size: host -> crops: float32",
    crop_and_resize_kernel, _boxes_spec, checks=True, T=IMAGES,
)  # fmt: skip


def crop_and_resize(
    image: TensorLike,
    boxes: TensorLike,
    box_indices: Any,
    crop_size: TensorLike,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """Returns what lies in each box, resized to one size (`tf.image.crop_and_resize`).

    Args:
        image: shape (batch, height, width, channels).
        boxes: (boxes, 4) of [y1, x1, y2, x2], 0 to 1 across the image.
        box_indices: (boxes,), the image each box belongs to; int32.
        crop_size: the height and width of the result.
        method: "bilinear" or "nearest".
        extrapolation_value: what stands outside of the image.
        name: a name in graphs.

    Returns:
        float32 of shape (boxes, height, width, channels).
    """
    attrs = {
        "crop_size": static_ints(crop_size, "crop_size"), "method": method,
        "extrapolation_value": float(extrapolation_value),
    }  # fmt: skip
    image = to_tensor(image)
    boxes = to_tensor(boxes, hint=dtypes.float32)
    places = to_tensor(box_indices, hint=dtypes.int32)
    return apply(CROP_AND_RESIZE, (image, boxes, places), attrs)


def _projected_spec(images: Spec, transforms: Spec, *, output_shape: Four, **attrs: Any) -> Spec:
    if images.dims is None or transforms.dims is None:
        return Spec(None, images.dtype)
    if len(images.dims) != 4:
        raise invalid_argument("Input images must have rank 4")
    rows = transforms.dims[0] if transforms.dims else None
    fits = len(transforms.dims) == 2 and transforms.dims[1] == 8
    if not fits or rows not in (1, images.dims[0]):
        raise invalid_argument("Input transform should be num_images x 8 or 1 x 8")
    if len(output_shape) != 2 or min(output_shape) <= 0:
        raise invalid_argument("new_height and new_width must be positive")
    check_countable((images.dims[0], *output_shape, images.dims[3]))
    return Spec((images.dims[0], *output_shape, images.dims[3]), images.dtype)


def projective_kernel(
    images: torch.Tensor, transforms: torch.Tensor, *, output_shape: Four,
    fill_value: float, interpolation: str, fill_mode: str = "CONSTANT",
) -> torch.Tensor:  # fmt: skip
    """Each pixel from where its map points to; transforms have no gradient."""
    _projected_spec(*map(shape_only, (images, transforms)), output_shape=output_shape)
    maps = transforms.detach().to(torch.float32)[:, :, None, None]
    y, x = torch.meshgrid(
        *[torch.arange(n, device=images.device, dtype=torch.float32) for n in output_shape],
        indexing="ij",
    )
    fill_value = torch.tensor(fill_value).to(images.dtype).item()  # whole among integers
    below = maps[:, 6] * x + maps[:, 7] * y + 1
    across = (maps[:, 0] * x + maps[:, 1] * y + maps[:, 2]) / below
    down = (maps[:, 3] * x + maps[:, 4] * y + maps[:, 5]) / below
    shape = (images.shape[0], *output_shape)
    down, across = (each.expand(shape) for each in (down, across))
    lost = (below == 0).expand(shape)
    down = _folded(down, images.shape[1], fill_mode.upper())
    across = _folded(across, images.shape[2], fill_mode.upper())
    wide = images if images.dtype is torch.float64 else images.to(torch.float32)
    if interpolation.upper() == "NEAREST":
        made = _read(images, _half_away(down), _half_away(across), fill_value)
    else:
        made = _blended(wide, down, across, fill_value)
    made = made.to(images.dtype)
    return torch.where(lost[..., None], torch.full((), fill_value, dtype=made.dtype), made)


def _folded(place: torch.Tensor, size: int, mode: str) -> torch.Tensor:
    """Places outside of the image brought back into it, as the fill mode says."""
    if mode == "CONSTANT":
        return place
    if mode == "NEAREST":
        return place.clamp(0, size - 1)
    if mode == "WRAP":
        if size <= 1:
            return torch.zeros_like(place)
        turns = size - 1
        low = place + size * ((-place / turns).trunc() + 1)
        high = place - size * (place / turns).trunc()
        folded = torch.where(place < 0, low, torch.where(place > turns, high, place))
        return folded.clamp(0, size - 1)
    if size <= 1:
        return torch.zeros_like(place)
    double = 2 * size
    low = torch.where(place < -double, place + double * (-place / double).trunc(), place)
    low = torch.where(low < -size, low + double, -low - 1)
    high = place - double * (place / double).trunc()
    high = torch.where(high >= size, double - high - 1, high)
    folded = torch.where(place < 0, low, torch.where(place > size - 1, high, place))
    return folded.clamp(0, size - 1)


def _read(
    images: torch.Tensor, y: torch.Tensor, x: torch.Tensor, fill_value: float
) -> torch.Tensor:
    """The pixels at whole places, the fill value outside."""
    inside = (y >= 0) & (y < images.shape[1]) & (x >= 0) & (x < images.shape[2])
    batch = torch.arange(images.shape[0], device=images.device)[:, None, None]
    rows = y.clamp(0, images.shape[1] - 1).long()
    columns = x.clamp(0, images.shape[2] - 1).long()
    fill = torch.full((), fill_value, dtype=images.dtype, device=images.device)
    return torch.where(inside[..., None], images[batch, rows, columns], fill)


def _blended(
    images: torch.Tensor, y: torch.Tensor, x: torch.Tensor, fill_value: float
) -> torch.Tensor:
    top, left = y.floor(), x.floor()
    down, across = ((a - b)[..., None].to(images.dtype) for a, b in ((y, top), (x, left)))
    upper, lower = (
        (1 - across) * _read(images, row, left, fill_value)
        + across * _read(images, row, left + 1, fill_value)
        for row in (top, top + 1)
    )
    return (1 - down) * upper + down * lower


PROJECTIVE_TRANSFORM = op(
    "ImageProjectiveTransformV3",
    "images: dtype, transforms: float32, output_shape: host, fill_value: host "
    "-> transformed_images: dtype",
    projective_kernel, _projected_spec,
    dtype=(
        dtypes.uint8, dtypes.int32, dtypes.int64, dtypes.float16, dtypes.bfloat16,
        dtypes.float32, dtypes.float64,
    ),
)  # fmt: skip
