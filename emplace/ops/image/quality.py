"""How alike two images are: SSIM, at one scale and at several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...base import dtypes
from ...base.errors import InvalidArgumentError
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from ..array.joining import stack
from ..array.making import constant
from ..array.repeating import pad, tile
from ..array.shaping import reshape
from ..convert import to_tensor
from ..deferred import deferrable
from ..math.elementwise import cast, pow as power
from ..math.reduction import reduce_mean, reduce_prod
from ..nn.activation import relu
from ..nn.convolution import depthwise_conv2d
from ..nn.pooling import avg_pool
from .color import convert_image_dtype

_FIVE = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)


def _compared(img1: Any, img2: Any, max_val: TensorLike) -> tuple[Any, Any, Any]:
    """Both images and their largest value as float32."""
    a, b = to_tensor(img1), to_tensor(img2)
    for image in (a, b):
        if image.shape.rank < 3:
            raise ValueError(f"Shape {image.shape} must have rank at least 3")
    if a.shape[-3:] != b.shape[-3:]:
        raise ValueError(f"Shapes {a.shape[-3:]} and {b.shape[-3:]} are incompatible")
    most = convert_image_dtype(cast(max_val, a.dtype), dtypes.float32)
    return (*(convert_image_dtype(each, dtypes.float32) for each in (a, b)), most)


def _require_size(image: Tensor, size: int) -> None:
    sizes = image.shape.as_list()
    if min(sizes[-3:-1]) < size:
        raise InvalidArgumentError(
            None, None,
            "Expected 'tf.Tensor(False, shape=(), dtype=bool)' to be true. Summarized data: "
            f"{', '.join(map(str, sizes))}\n{size}\n"
            f"The images must be at least as large as the filter, {size} x {size} pixels.",
        )  # fmt: skip


def _window(size: int, sigma: float) -> Any:
    """A Gaussian that sums to one, (size, size, 1, 1)."""
    steps = np.arange(size, dtype=np.float32) - np.float32(size - 1) / 2
    heights = np.exp(-0.5 * (steps / sigma) ** 2)
    window = heights[:, None] * heights
    return (window / window.sum()).astype(np.float32)[..., None, None]


def _similarity(
    a: Tensor, b: Tensor, most: Tensor, size: int, sigma: float, k1: float, k2: float
) -> tuple[Any, Any]:
    """Per place and channel: how alike brightness and structure are, and structure alone."""
    _require_size(a, size)
    _require_size(b, size)
    depth = a.shape.as_list()[-1]
    window = tile(constant(_window(size, sigma)), [1, 1, depth, 1])

    def mean(x: Tensor) -> Tensor:
        rows = reshape(x, [-1, *x.shape.as_list()[-3:]])
        return _as_before(depthwise_conv2d(rows, window, [1, 1, 1, 1], "VALID"), x)

    first, second = (k1 * most) ** 2, (k2 * most) ** 2
    mean_a, mean_b = mean(a), mean(b)
    product, squares = mean_a * mean_b * 2.0, mean_a * mean_a + mean_b * mean_b
    structure = (mean(a * b) * 2.0 - product + second) / (mean(a * a + b * b) - squares + second)
    return (product + first) / (squares + first) * structure, structure


@deferrable
def ssim(
    img1: TensorLike,
    img2: TensorLike,
    max_val: Any,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    return_index_map: bool = False,
) -> Tensor:
    """Returns the structural similarity of images, 1 for equal ones (`tf.image.ssim`).

    Args:
        img1: images of shape (..., height, width, channels).
        img2: images of the same size.
        max_val: the largest value a pixel can have.
        filter_size: how many pixels wide the Gaussian window is.
        filter_sigma: the width of the Gaussian.
        k1: keeps the comparison of brightness from dividing by zero.
        k2: likewise for structure.
        return_index_map: keeps the similarity of each place.

    Returns:
        float32 of shape (...), or (..., rows, columns) of the places.

    Raises:
        ValueError: the images have different sizes, or fewer than three dimensions.
        InvalidArgumentError: an image is smaller than the window.

    >>> from emplace.ops.array.making import ones
    >>> ssim(ones([16, 16, 1]), ones([16, 16, 1]), 1.0).numpy().item()
    1.0
    """
    a, b, most = _compared(img1, img2, max_val)
    alike, _ = _similarity(a, b, most, filter_size, filter_sigma, k1, k2)
    return reduce_mean(alike if return_index_map else reduce_mean(alike, [-3, -2]), [-1])


@deferrable
def ssim_multiscale(
    img1: Any, img2: Any, max_val: Any, power_factors: Sequence[float] = _FIVE,
    filter_size: int = 11, filter_sigma: float = 1.5, k1: float = 0.01, k2: float = 0.03,
) -> Tensor:  # fmt: skip
    """Returns the structural similarity at several scales, each half as large as the one before
    (`tf.image.ssim_multiscale`).

    Args:
        img1: images of shape (..., height, width, channels).
        img2: images of the same size.
        max_val: the largest value a pixel can have.
        power_factors: how much each scale counts; the number of scales.
        filter_size: how many pixels wide the Gaussian window is.
        filter_sigma: the width of the Gaussian.
        k1: keeps the comparison of brightness from dividing by zero.
        k2: likewise for structure.

    Returns:
        float32 of shape (...).

    Raises:
        ValueError: the images have different sizes, or fewer than three dimensions.
        InvalidArgumentError: an image is smaller than the window, at the smallest scale too.
    """
    a, b, most = _compared(img1, img2, max_val)
    scores = []
    for scale in range(len(power_factors)):
        if scale:
            a, b = _halved(a), _halved(b)
        alike, structure = _similarity(a, b, most, filter_size, filter_sigma, k1, k2)
        last = scale == len(power_factors) - 1
        scores.append(relu(reduce_mean(alike if last else structure, [-3, -2])))
    weighted = power(stack(scores, -1), constant(list(power_factors), dtypes.float32))
    return reduce_mean(reduce_prod(weighted, [-1]), [-1])


def _halved(images: Tensor) -> Tensor:
    """Half as large; odd sizes repeat their last line first."""
    rows = reshape(images, [-1, *images.shape.as_list()[-3:]])
    more = [[0, size % 2] for size in rows.shape.as_list()[1:3]]
    if [0, 1] in more:
        rows = pad(rows, [[0, 0], *more, [0, 0]], mode="SYMMETRIC")
    return _as_before(avg_pool(rows, 2, 2, "VALID"), images)


def _as_before(rows: Tensor, images: Tensor) -> Tensor:
    """Images in one row with the dimensions they had before."""
    return reshape(rows, [*images.shape.as_list()[:-3], *rows.shape.as_list()[1:]])
