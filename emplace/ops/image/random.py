"""Images changed at random: with the runtime's seeds, or (stateless) with a seed of the call.

Stateless functions draw TensorFlow's own numbers, so their images are TensorFlow's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...base import dtypes
from ...base.dtypes import DType
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from ..arguments import static_ints
from ..array.select import where
from ..array.shaping import axis_size, reshape, shape
from ..array.slicing import slice_
from ..convert import to_tensor
from ..deferred import needs_rank
from ..math.elementwise import add, cast, floormod, subtract
from ..random.stateful import uniform
from ..random.stateless import stateless_uniform
from .color import adjust_brightness, adjust_contrast, adjust_hue, adjust_saturation
from .encoding import adjust_jpeg_quality
from .shape import check_image, flip_left_right, flip_up_down

_INT32_MAX = 2**31 - 1


def _drawn(
    low: float, high: float, seed: Any, shape: Sequence[Any] = (), dtype: DType = dtypes.float32
) -> Any:
    return uniform(shape, low, high, dtype, seed)


def _drawn_by(
    low: float,
    high: float,
    seed: Sequence[int],
    shape: Sequence[Any] = (),
    dtype: DType = dtypes.float32,
) -> Any:
    return stateless_uniform(shape, seed, low, high, dtype)


def _check_delta(max_delta: float, largest: float | None = None) -> None:
    if largest is not None and max_delta > largest:
        raise ValueError(f"max_delta must be <= {largest}.")
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")


def _check_range(lower: float, upper: float) -> None:
    if upper <= lower:
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")


@needs_rank
def _flipped(
    image: TensorLike, seed: object, flip: Callable[[Any], Any], draw: Callable[..., Any]
) -> Tensor:
    """Each image of a batch is flipped or not; one image when its number is below a half."""
    image = to_tensor(image)
    check_image(image)
    if image.shape.rank not in (3, 4):
        raise ValueError(f"'image' (shape {image.shape}) must have either 3 or 4 dimensions.")
    if image.shape.rank == 3:
        return where(draw(0.0, 1.0, seed) < 0.5, flip(image), image)
    chosen = draw(0.0, 1.0, seed, (axis_size(image, 0),)) > 0.5
    return where(reshape(chosen, [-1, 1, 1, 1]), flip(image), image)


def random_flip_left_right(image: TensorLike, seed: int | None = None) -> Tensor:
    """Mirrored left to right, or not (`tf.image.random_flip_left_right`)."""
    return _flipped(image, seed, flip_left_right, _drawn)


def random_flip_up_down(image: TensorLike, seed: int | None = None) -> Tensor:
    """Mirrored top to bottom, or not (`tf.image.random_flip_up_down`)."""
    return _flipped(image, seed, flip_up_down, _drawn)


def stateless_random_flip_left_right(image: TensorLike, seed: TensorLike) -> Tensor:
    """Mirrored left to right, or not, by the seed (`tf.image.stateless_random_flip_left_right`).

    >>> stateless_random_flip_left_right([[[1], [2]]], [1, 2]).shape
    TensorShape([1, 2, 1])
    """
    return _flipped(image, seed, flip_left_right, _drawn_by)


def stateless_random_flip_up_down(image: TensorLike, seed: TensorLike) -> Tensor:
    """Mirrored top to bottom, or not, by the seed (`tf.image.stateless_random_flip_up_down`)."""
    return _flipped(image, seed, flip_up_down, _drawn_by)


def random_brightness(image: TensorLike, max_delta: float, seed: int | None = None) -> Any:
    """Returns the image brighter or darker by up to `max_delta` (`tf.image.random_brightness`).

    Args:
        image: one image or a batch, channels last.
        max_delta: the most that is added or taken away.
        seed: a seed of the op.

    Raises:
        ValueError: max_delta is negative.
    """
    _check_delta(max_delta)
    return adjust_brightness(image, _drawn(-max_delta, max_delta, seed))


def stateless_random_brightness(image: Any, max_delta: float, seed: Any) -> Any:
    """Returns the image brighter or darker, by the seed (`tf.image.stateless_random_brightness`).

    Args:
        image: one image or a batch, channels last.
        max_delta: the most that is added or taken away.
        seed: two integers: the same ones give the same result.
    """
    _check_delta(max_delta)
    return adjust_brightness(image, _drawn_by(-max_delta, max_delta, seed))


def random_contrast(image: TensorLike, lower: float, upper: float, seed: int | None = None) -> Any:
    """Returns the image with a contrast factor from lower to upper (`tf.image.random_contrast`).

    Args:
        image: one image or a batch, channels last.
        lower: the least factor.
        upper: the end of the factors, which is not drawn.
        seed: a seed of the op.

    Raises:
        ValueError: upper is not above lower, or lower is negative.
    """
    _check_range(lower, upper)
    return adjust_contrast(image, _drawn(lower, upper, seed))


def stateless_random_contrast(image: Any, lower: float, upper: float, seed: Any) -> Any:
    """Returns the image with a contrast factor of the seed (`tf.image.stateless_random_contrast`).

    Args:
        image: one image or a batch, channels last.
        lower: the least factor.
        upper: the end of the factors, which is not drawn.
        seed: two integers: the same ones give the same result.
    """
    _check_range(lower, upper)
    return adjust_contrast(image, _drawn_by(lower, upper, seed))


def random_hue(image: TensorLike, max_delta: float, seed: int | None = None) -> Any:
    """Returns the image with hues turned by up to `max_delta`, at most 0.5 (`tf.image.random_hue`).

    Args:
        image: one image or a batch, channels last.
        max_delta: the most that is added or taken away.
        seed: a seed of the op.

    Raises:
        ValueError: max_delta is not within [0, 0.5].
    """
    _check_delta(max_delta, 0.5)
    return adjust_hue(image, _drawn(-max_delta, max_delta, seed))


def stateless_random_hue(image: Any, max_delta: float, seed: Any) -> Any:
    """Returns the image with hues turned by the seed (`tf.image.stateless_random_hue`).

    Args:
        image: one image or a batch, channels last.
        max_delta: the most that is added or taken away.
        seed: two integers: the same ones give the same result.
    """
    _check_delta(max_delta, 0.5)
    return adjust_hue(image, _drawn_by(-max_delta, max_delta, seed))


def random_saturation(
    image: TensorLike, lower: float, upper: float, seed: int | None = None
) -> Any:
    """Returns the image with saturation times lower to upper (`tf.image.random_saturation`).

    Args:
        image: one image or a batch, channels last.
        lower: the least factor.
        upper: the end of the factors, which is not drawn.
        seed: a seed of the op.

    Raises:
        ValueError: upper is not above lower, or lower is negative.
    """
    _check_range(lower, upper)
    return adjust_saturation(image, _drawn(lower, upper, seed))


def stateless_random_saturation(image: Any, lower: float, upper: float, seed: Any = None) -> Any:
    """Returns the image with saturation times a factor of the seed
    (`tf.image.stateless_random_saturation`).

    Args:
        image: one image or a batch, channels last.
        lower: the least factor.
        upper: the end of the factors, which is not drawn.
        seed: two integers: the same ones give the same result.
    """
    _check_range(lower, upper)
    return adjust_saturation(image, _drawn_by(lower, upper, seed))


def _cropped(value: TensorLike, size: TensorLike, seed: object, draw: Callable[..., Any]) -> Tensor:
    value, sizes = to_tensor(value), static_ints(size, "a size")
    is_ranked = value.shape.rank is not None
    known: list[int | None] = value.shape.as_list() if is_ranked else [None] * len(sizes)
    pairs = zip(known, sizes, strict=True)
    if any(type(whole) is type(part) is int and whole < part for whole, part in pairs):
        raise ValueError(f"Need value.shape >= size, got {known} {list(sizes)}")
    numbers = draw(0, _INT32_MAX, seed, (len(known),), dtypes.int32)
    room = subtract(shape(value), to_tensor(size, dtypes.int32))
    return slice_(value, floormod(numbers, add(room, 1)), size)


def random_crop(
    value: TensorLike, size: TensorLike, seed: int | None = None, name: str | None = None
) -> Tensor:
    """Returns a part of that size from a random place (`tf.image.random_crop`).

    Args:
        value: a tensor.
        size: the shape of the part.
        seed: a seed of the op.
        name: a name in graphs.

    Raises:
        ValueError: the value is smaller than the part.
    """
    return _cropped(value, size, seed, _drawn)


def stateless_random_crop(
    value: TensorLike, size: TensorLike, seed: TensorLike, name: str | None = None
) -> Tensor:
    """Returns a part of that size from a place of the seed (`tf.image.stateless_random_crop`).

    Args:
        value: a tensor.
        size: the shape of the part.
        seed: two integers: the same ones give the same result.
        name: a name in graphs.

    >>> stateless_random_crop([[1, 2], [3, 4]], [1, 2], [1, 2]).shape
    TensorShape([1, 2])
    """
    return _cropped(value, size, seed, _drawn_by)


def _check_quality(low: int, high: int) -> None:
    if low < 0 or high < 0 or low > 100 or high > 100:
        raise ValueError("jpeg encoding range must be between 0 and 100.")
    if low >= high:
        raise ValueError("`min_jpeg_quality` must be less than `max_jpeg_quality`.")


def random_jpeg_quality(
    image: TensorLike, min_jpeg_quality: int, max_jpeg_quality: int, seed: int | None = None
) -> Any:
    """Returns the image as a JPEG of a random quality shows it (`tf.image.random_jpeg_quality`).

    Args:
        image: one image or a batch, channels last.
        min_jpeg_quality: the least quality.
        max_jpeg_quality: the end of the qualities, which is not drawn.
        seed: a seed of the op.
    """
    _check_quality(min_jpeg_quality, max_jpeg_quality)
    drawn = _drawn(min_jpeg_quality, max_jpeg_quality, seed, (), dtypes.int32)
    return adjust_jpeg_quality(image, cast(drawn, dtypes.int32))


def stateless_random_jpeg_quality(
    image: Any, min_jpeg_quality: int, max_jpeg_quality: int, seed: Any
) -> Any:
    """Returns the image as a JPEG of the seed's quality shows it
    (`tf.image.stateless_random_jpeg_quality`).

    Args:
        image: one image or a batch, channels last.
        min_jpeg_quality: the least quality.
        max_jpeg_quality: the end of the qualities, which is not drawn.
        seed: two integers: the same ones give the same result.
    """
    _check_quality(min_jpeg_quality, max_jpeg_quality)
    return adjust_jpeg_quality(
        image, _drawn_by(min_jpeg_quality, max_jpeg_quality, seed, (), dtypes.int32)
    )
