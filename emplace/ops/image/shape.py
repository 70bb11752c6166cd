"""Images cut, padded, mirrored and turned; and what edges and neighbours tell about them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from ..arguments import check_that, is_symbolic, known_int, number_now
from ..array.joining import concat
from ..array.making import constant, zeros
from ..array.moving import reverse
from ..array.repeating import pad, tile
from ..array.shaping import (
    ensure_shape,
    expand_dims,
    reshape,
    shape,
    squeeze,
    transpose as permuted,
)
from ..convert import to_tensor
from ..deferred import deferrable, needs_rank
from ..infer import Spec
from ..math.elementwise import (
    abs as absolute,
    cast,
    log,
    maximum,
    minimum,
    multiply,
    square,
    subtract,
    truediv,
)
from ..math.reduction import reduce_mean, reduce_sum
from ..nn.convolution import depthwise_conv2d
from ..op import apply, op
from .color import convert_image_dtype
from .resize import resize

# A number, or a tensor of a graph that tells it when it runs.
Number = float | Tensor


def _batch(image: TensorLike, what: str = "image") -> tuple[Any, bool]:
    """As a batch, and whether it was one image."""
    image = to_tensor(image)
    rank = image.shape.rank
    if rank is None:  # TF: it is one image
        return ensure_shape(expand_dims(image, 0), [None] * 4), True
    if rank not in (3, 4):
        raise ValueError(f"'{what}' (shape {image.shape}) must have either 3 or 4 dimensions.")
    return (expand_dims(image, 0), True) if rank == 3 else (image, False)


def check_image(image: Tensor) -> None:
    """Raises ValueError unless these may be images: three axes at least, with something in the
    last three. A graph that does not know the rank is asked again for each (`needs_rank`).
    """
    dims = image.shape.sizes
    if dims is None or len(dims) < 3:
        raise ValueError(f"'image' (shape {image.shape}) must be at least three-dimensional.")
    if 0 in dims[-3:]:
        raise ValueError(f"inner 3 dims of 'image.shape' must be > 0: {image.shape}")


def _turned_batch(image: TensorLike) -> tuple[Any, bool]:
    """As a batch, and whether it was one image, of what is mirrored or turned."""
    image = to_tensor(image)
    dims = image.shape.sizes
    if dims is not None and len(dims) == 4 and 0 not in dims:
        return image, False
    check_image(image)
    return _batch(image)


def _filled_batch(image: TensorLike) -> tuple[Any, bool]:
    """As a batch, and whether it was one image, which has pixels and channels."""
    images, alone = _batch(image)
    if 0 in images.shape.as_list()[1:]:
        raise ValueError(f"inner 3 dims of 'image.shape' must be > 0: {images.shape}")
    return images, alone


def _one(images: Tensor, alone: bool) -> Tensor:
    return squeeze(images, [0]) if alone else images


def _checked(images: Tensor, *rules: tuple[Any, str]) -> Tensor:
    """The images, of which rules hold; those of tensors of a graph are checked when it runs."""
    for holds, message in rules:
        if is_symbolic(holds):
            images = check_that(images, holds, f"assertion failed: [{message}]")
        elif not holds:
            raise ValueError(message)
    return images


def _size(images: Tensor) -> tuple[Any, Any]:
    """Height and width of a batch: numbers, or tensors where only running the graph tells."""
    height, width = images.shape.as_list()[1:3]
    if height is not None and width is not None:
        return height, width
    told = shape(images)
    return told[1] if height is None else height, told[2] if width is None else width


def _most(a: Number, b: Number) -> Any:
    return maximum(a, b) if is_symbolic(a) or is_symbolic(b) else max(a, b)


def _least(a: Number, b: Number) -> Any:
    return minimum(a, b) if is_symbolic(a) or is_symbolic(b) else min(a, b)


def _whole(number: Number) -> Any:
    """A positive number without what is behind the point."""
    return cast(number, dtypes.int32) if is_symbolic(number) else int(number)


def _exact(number: Number) -> Any:
    """A number to divide with."""
    return cast(number, dtypes.float64) if is_symbolic(number) else int(number)


def _static(number: Number) -> int | None:
    return None if is_symbolic(number) else int(number)


def crop_to_bounding_box(
    image: TensorLike, offset_height: int, offset_width: int, target_height: int, target_width: int
) -> Tensor:
    """Returns the box of a size that starts at an offset (`tf.image.crop_to_bounding_box`).

    Args:
        image: one image (height, width, channels) or a batch of them.
        offset_height: the first row.
        offset_width: the first column.
        target_height: how many rows.
        target_width: how many columns.

    Raises:
        ValueError: the box is not within the image, or the image is empty.
    """
    offset_height, offset_width, target_height, target_width = map(
        number_now, (offset_height, offset_width, target_height, target_width)
    )
    images, alone = _filled_batch(image)
    height, width = _size(images)
    bottom, right = offset_height + target_height, offset_width + target_width
    images = _checked(
        images,
        (offset_height >= 0, "offset_height must be >= 0."),
        (offset_width >= 0, "offset_width must be >= 0."),
        (target_height > 0, "target_height must be > 0."),
        (target_width > 0, "target_width must be > 0."),
        (bottom <= height, "height must be >= target + offset."),
        (right <= width, "width must be >= target + offset."),
    )
    cut = images[:, offset_height:bottom, offset_width:right, :]
    return _one(_of_size(cut, target_height, target_width), alone)


def _of_size(images: Tensor, height: Number, width: Number) -> Tensor:
    """A batch of which a graph may not know what it was made with."""
    if is_symbolic(images):
        images.set_shape([None, _static(height), _static(width), None])
    return images


def pad_to_bounding_box(
    image: TensorLike, offset_height: int, offset_width: int, target_height: int, target_width: int
) -> Tensor:
    """Returns the image at an offset in a larger one of zeros (`tf.image.pad_to_bounding_box`).

    Args:
        image: one image or a batch, channels last.
        offset_height: rows of zeros above it.
        offset_width: columns of zeros left of it.
        target_height: rows of the result.
        target_width: columns of the result.

    Raises:
        ValueError: the image does not fit, or is empty.
    """
    offset_height, offset_width, target_height, target_width = map(
        number_now, (offset_height, offset_width, target_height, target_width)
    )
    images, alone = _filled_batch(image)
    height, width = _size(images)
    below = target_height - offset_height - height
    after = target_width - offset_width - width
    images = _checked(
        images,
        (offset_height >= 0, "offset_height must be >= 0"),
        (offset_width >= 0, "offset_width must be >= 0"),
        (after >= 0, "width must be <= target - offset"),
        (below >= 0, "height must be <= target - offset"),
    )
    spaces = [[0, 0], [offset_height, below], [offset_width, after], [0, 0]]
    return _one(_of_size(pad(images, spaces), target_height, target_width), alone)


def resize_with_crop_or_pad(image: TensorLike, target_height: int, target_width: int) -> Tensor:
    """Returns the middle of the image, cut or padded to a size
    (`tf.image.resize_with_crop_or_pad`).

    Args:
        image: one image or a batch, channels last.
        target_height: rows of the result.
        target_width: columns of the result.

    Raises:
        ValueError: a size is not positive, or the image has another rank or is empty.
    """
    target_height, target_width = map(number_now, (target_height, target_width))
    images, alone = _filled_batch(image)
    images = _checked(
        images,
        (target_width > 0, "target_width must be > 0."),
        (target_height > 0, "target_height must be > 0."),
    )
    height, width = _size(images)
    more_height, more_width = target_height - height, target_width - width
    cut = crop_to_bounding_box(
        images, _most(-more_height // 2, 0), _most(-more_width // 2, 0),
        _least(target_height, height), _least(target_width, width),
    )  # fmt: skip
    padded = pad_to_bounding_box(
        cut, _most(more_height // 2, 0), _most(more_width // 2, 0), target_height, target_width
    )
    return _one(padded, alone)


def resize_with_pad(
    image: TensorLike, target_height: int, target_width: int, method: str = "bilinear",
    antialias: bool = False,
) -> Tensor:  # fmt: skip
    """Returns the image resized in its proportions and padded to a size
    (`tf.image.resize_with_pad`).

    Args:
        image: one image or a batch, channels last.
        target_height: rows of the result.
        target_width: columns of the result.
        method: how it is resized, see `resize`.
        antialias: True smooths before it shrinks.

    Raises:
        ValueError: a size is not positive, or the image has another rank.
    """
    return fitted_into(
        image, target_height, target_width,
        lambda images, size: resize(images, size, method, antialias=antialias),
    )  # fmt: skip


def fitted_into(
    image: TensorLike, target_height: Any, target_width: Any, resized: Callable[[Any, Any], Tensor]
) -> Tensor:
    """The image in its proportions within a size: `resized` gives a batch another size. Raises as
    `resize_with_pad` does.
    """
    target_height, target_width = map(number_now, (target_height, target_width))
    images, alone = _batch(image)
    images = _checked(
        images,
        (target_width > 0, "target_width must be > 0."),
        (target_height > 0, "target_height must be > 0."),
    )
    height, width = map(_exact, _size(images))
    rows, columns = _exact(target_height), _exact(target_width)
    ratio = _most(width / columns, height / rows)
    size = [_whole(height / ratio), _whole(width / ratio)]
    top = _most(0, _whole((rows - height / ratio) / 2))
    left = _most(0, _whole((columns - width / ratio) / 2))
    return _one(
        pad_to_bounding_box(resized(images, size), top, left, target_height, target_width), alone
    )


@needs_rank
def central_crop(image: TensorLike, central_fraction: float) -> Tensor:
    """The middle part of the image (`tf.image.central_crop`).

    Raises:
        ValueError: the fraction is not within (0, 1], or the image is empty.
    """
    fraction = number_now(central_fraction)
    waits = is_symbolic(fraction)
    if not waits and not 0.0 < fraction <= 1.0:
        raise ValueError("central_fraction must be within (0, 1]")
    images, alone = _filled_batch(image)
    if waits:
        fraction = cast(fraction, dtypes.float64)
        fits = (fraction > 0) & (fraction <= 1)
        images = _checked(images, (fits, "central_fraction must be within (0, 1]"))
    elif fraction == 1.0:
        return _one(images, alone)
    height, width = _size(images)
    top = _whole((_exact(height) - _exact(height) * fraction) / 2)
    left = _whole((_exact(width) - _exact(width) * fraction) / 2)
    return _one(images[:, top : height - top, left : width - left, :], alone)


@needs_rank
def flip_left_right(image: TensorLike) -> Tensor:
    """Mirrored left to right (`tf.image.flip_left_right`)."""
    images, alone = _turned_batch(image)
    return _one(reverse(images, [2]), alone)


@needs_rank
def flip_up_down(image: TensorLike) -> Tensor:
    """Mirrored top to bottom (`tf.image.flip_up_down`)."""
    images, alone = _turned_batch(image)
    return _one(reverse(images, [1]), alone)


@needs_rank
def transpose(image: TensorLike, name: str | None = None) -> Tensor:
    """Rows as columns (`tf.image.transpose`)."""
    images, alone = _turned_batch(image)
    return _one(permuted(images, [0, 2, 1, 3]), alone)


def rot90_kernel(images: torch.Tensor, *, k: int) -> torch.Tensor:
    """Images turned against the clock by quarters of which the number is known only now."""
    return torch.rot90(images, k, (1, 2))


ROT90 = op(
    "_Rot90", "images: T, k: host -> turned: T", rot90_kernel,
    lambda images, *, k: Spec(
        None if images.dims is None else (images.dims[0], None, None, images.dims[3]), images.dtype
    ),
    T=dtypes.ANY, is_listed=False,
)  # fmt: skip


@needs_rank
def rot90(image: TensorLike, k: int = 1, name: str | None = None) -> Tensor:
    """Turned against the clock by k quarters (`tf.image.rot90`)."""
    images, alone = _turned_batch(image)
    turns = number_now(k)
    if is_symbolic(turns):
        return _one(apply(ROT90, (images,), {"k": known_int(turns)}), alone)
    quarters = int(turns) % 4
    if quarters == 1:
        images = permuted(reverse(images, [2]), [0, 2, 1, 3])
    elif quarters == 2:
        images = reverse(images, [1, 2])
    elif quarters == 3:
        images = reverse(permuted(images, [0, 2, 1, 3]), [2])
    return _one(images, alone)


_SOBEL = [
    [[[-1, -1]], [[-2, 0]], [[-1, 1]]],
    [[[0, -2]], [[0, 0]], [[0, 2]]],
    [[[1, -1]], [[2, 0]], [[1, 1]]],
]


@deferrable
def sobel_edges(image: TensorLike) -> Tensor:
    """How steep each channel is, downwards and to the right (`tf.image.sobel_edges`).

    Args:
        image: images of shape (batch, height, width, channels), floats.

    Returns:
        Shape (batch, height, width, channels, 2).
    """
    image = to_tensor(image)
    shape = image.shape.as_list()
    filters = tile(constant(_SOBEL, image.dtype), [1, 1, shape[-1], 1])
    padded = pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")
    edges = depthwise_conv2d(padded, filters, [1, 1, 1, 1], "VALID")
    return reshape(edges, [*shape, 2])


@deferrable
def image_gradients(image: TensorLike) -> Any:
    """Differences to the next row and to the next column, zero at the end
    (`tf.image.image_gradients`).

    Raises:
        ValueError: `image` is no batch of images.
    """
    image = to_tensor(image)
    if image.shape.rank != 4:
        raise ValueError(
            "image_gradients expects a 4D tensor [batch_size, h, w, d], not "
            f"{tuple(image.shape.as_list())}."
        )
    batch, height, width, depth = image.shape.as_list()
    down = subtract(image[:, 1:, :, :], image[:, :-1, :, :])
    across = subtract(image[:, :, 1:, :], image[:, :, :-1, :])
    return (
        concat([down, zeros([batch, 1, width, depth], image.dtype)], 1),
        concat([across, zeros([batch, height, 1, depth], image.dtype)], 2),
    )


def total_variation(images: TensorLike, name: str | None = None) -> Tensor:
    """The sum of all differences between neighbours, per image (`tf.image.total_variation`).

    Raises:
        ValueError: `images` has another rank than 3 or 4.
    """
    images = to_tensor(images)
    if images.shape.rank not in (3, 4):
        raise ValueError("'images' must be either 3 or 4-dimensional.")
    down = subtract(images[..., 1:, :, :], images[..., :-1, :, :])
    across = subtract(images[..., :, 1:, :], images[..., :, :-1, :])
    axes = [-3, -2, -1]
    return reduce_sum(absolute(down), axes) + reduce_sum(absolute(across), axes)


def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Tensor:
    """Returns the peak signal-to-noise ratio in dB, per image (`tf.image.psnr`).

    Args:
        a: an image or a batch.
        b: another of that shape.
        max_val: the largest value that pixels can have.
        name: a name in graphs.
    """
    a, b = to_tensor(a), to_tensor(b)
    most = convert_image_dtype(cast(max_val, a.dtype), dtypes.float32)
    a, b = (convert_image_dtype(each, dtypes.float32) for each in (a, b))
    if a.shape[-3:] != b.shape[-3:]:
        raise invalid_argument(f"Incompatible shapes: {a.shape} vs. {b.shape}")
    error = reduce_mean(square(subtract(a, b)), [-3, -2, -1])
    ten = log(constant(10.0))
    return subtract(
        multiply(truediv(log(most), ten), 20.0), multiply(truediv(log(error), ten), 10.0)
    )
