"""Windows out of images at places of their own, with noise where they reach beyond the image.

TensorFlow cuts them out on the CPU, and so do these ops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from .. import infer
from ..arguments import static_ints
from ..convert import to_tensor
from ..infer import Spec, shape_only
from ..op import CPU_ONLY, Op, apply, op

Sizes = Sequence[int]


def _spec(input: Spec, offsets: Spec, *, size: Sizes, **attrs: Any) -> Spec:
    dims, places = infer.known_dims(input), infer.known_dims(offsets)
    if len(dims) != 4:
        raise invalid_argument(
            f"input must be 4-dimensional (batch_size, height, width, depth){runtime_text(dims)}"
        )
    if len(size) != 2:
        raise invalid_argument(
            f"input must be a vector of size 2 (height, width){runtime_text((len(size),))}"
        )
    if len(places) != 2:
        raise invalid_argument(f"input must be a matrix{runtime_text(places)}")
    if places[0] != dims[0]:
        raise invalid_argument(f"first dimension should be batch{runtime_text(places)}")
    if places[1] != 2:
        raise invalid_argument(f"second dimension should be of size 2 (y,x){runtime_text(places)}")
    if min(size) < 0:
        raise invalid_argument(f"Expected a non-negative size, got {min(size)}")
    return Spec((dims[0], *size, dims[3]), input.dtype)


def first_corners(
    offsets: torch.Tensor, image: torch.Tensor, window: torch.Tensor, centered: bool,
    normalized: bool,
) -> torch.Tensor:  # fmt: skip
    """The upper left corners as the first version of the op has them: offsets are of centers, and
    pixels are halved, too, where they are counted from the image's center."""
    places = offsets * image if normalized else offsets
    return (places / 2 + image / 2 if centered else places) - window / 2


def second_corners(
    offsets: torch.Tensor, image: torch.Tensor, window: torch.Tensor, centered: bool,
    normalized: bool,
) -> torch.Tensor:  # fmt: skip
    """Those of the second version: offsets are of centers only if both are wished for."""
    if normalized:
        places = offsets * image
        return places / 2 + image / 2 - window / 2 if centered else places
    return offsets + image / 2 if centered else offsets


def _kernel(corners: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    def cut(
        input: torch.Tensor, offsets: torch.Tensor, *, size: Sizes, centered: bool = True,
        normalized: bool = True, uniform_noise: bool = True, noise: str = "uniform",
    ) -> torch.Tensor:  # fmt: skip
        kind = _kind_of(noise, uniform_noise)
        _spec(shape_only(input), shape_only(offsets), size=size)
        image, window = torch.tensor(input.shape[1:3]).float(), torch.tensor(list(size)).float()
        begins = corners(offsets, image, window, centered, normalized).trunc().long().tolist()
        made = [
            _window(one, top, left, size, kind)
            for one, (top, left) in zip(input, begins, strict=True)
        ]
        return torch.stack(made) if made else input.new_empty((0, *size, input.shape[3]))

    return cut


def _kind_of(noise: str, uniform_noise: bool) -> str:
    """What stands beyond an image: uniform numbers, gaussian ones, or zeros.

    Raises:
        InvalidArgumentError: it is something else, or the two arguments contradict each other.
    """
    if uniform_noise and noise not in ("", "uniform"):
        raise invalid_argument(
            "The uniform_noise and noise could not be specified at the same time"
        )
    if noise in ("uniform", "gaussian", "zero"):
        return noise
    if noise:
        raise invalid_argument(f"The noise could only be uniform, gaussian, or zero, got{noise}")
    return "uniform" if uniform_noise else "gaussian"


def _window(image: torch.Tensor, top: int, left: int, size: Sizes, kind: str) -> torch.Tensor:
    height, width = image.shape[:2]
    rows, columns = size
    first, last = max(top, 0), min(top + rows, height)
    start, stop = max(left, 0), min(left + columns, width)
    if (first, last, start, stop) == (top, top + rows, left, left + columns):
        return image[top:last, left:stop]
    made = _noise(image, (rows, columns, image.shape[2]), kind)
    if first < last and start < stop:
        made[first - top : last - top, start - left : stop - left] = image[first:last, start:stop]
    return made


def _noise(image: torch.Tensor, dims: Sizes, kind: str) -> torch.Tensor:
    """What fills a window: numbers between the extremes of the image, or, channel by channel, of
    its mean and deviation, within its extremes."""
    if kind == "zero" or not image.numel():
        return image.new_zeros(dims)
    generator = torch.Generator()
    generator.seed()
    if kind == "uniform":
        low, high = image.amin(), image.amax()
        return torch.rand(dims, generator=generator, dtype=image.dtype) * (high - low) + low
    around = image.std((0, 1), correction=0)
    drawn = torch.randn(dims, generator=generator, dtype=image.dtype) * around + image.mean((0, 1))
    return drawn.clamp(image.amin((0, 1)), image.amax((0, 1)))


def _op(name: str, corners: Callable[..., torch.Tensor]) -> Op:
    return op(
        name, "input: float32, size: host, offsets: float32 -> glimpse: float32",
        _kernel(corners), _spec, device_types=CPU_ONLY, stateful=True,
    )  # fmt: skip


FIRST, SECOND = _op("ExtractGlimpse", first_corners), _op("ExtractGlimpseV2", second_corners)


def _glimpse(which: Op, input: Any, size: Any, offsets: Any, **attrs: Any) -> Tensor:
    parts = (to_tensor(input, dtypes.float32), to_tensor(offsets, dtypes.float32))
    return apply(which, parts, {"size": static_ints(size, "size"), **attrs})


def extract_glimpse(
    input: TensorLike,
    size: TensorLike,
    offsets: TensorLike,
    centered: bool = True,
    normalized: bool = True,
    noise: str = "uniform",
    name: str | None = None,
) -> Tensor:
    """Returns a window out of each image of a batch (`tf.image.extract_glimpse`).

    Args:
        input: images, (batch, height, width, channels).
        size: height and width of a window.
        offsets: its place, (batch, 2): y and x.
        centered: whether offsets count from the center of an image, not its upper left corner.
        normalized: whether they count in images, not pixels; with both they are of a window's
            center, else of its upper left corner.
        noise: what stands where a window reaches beyond its image: "uniform", "gaussian", "zero".
        name: a name in graphs.

    >>> image = [[[[1.0], [2.0], [3.0]], [[4.0], [5.0], [6.0]], [[7.0], [8.0], [9.0]]]]
    >>> extract_glimpse(image, [2, 2], [[1, 1]], centered=False, normalized=False).numpy().ravel()
    array([5., 6., 8., 9.], dtype=float32)
    """
    return _glimpse(
        SECOND, input, size, offsets, centered=centered, normalized=normalized,
        uniform_noise=False, noise=noise,
    )  # fmt: skip


def extract_glimpse_v1(
    input: TensorLike,
    size: TensorLike,
    offsets: TensorLike,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    name: str | None = None,
) -> Tensor:
    """Returns a window out of each image, by offsets that are always of its center
    (`tf.compat.v1.image.extract_glimpse`).

    Args:
        input: images, (batch, height, width, channels).
        size: height and width of a window.
        offsets: the place of its center, (batch, 2): y and x.
        centered: whether offsets count from the center of an image, not its upper left corner.
        normalized: whether they count in images, not pixels.
        uniform_noise: as TensorFlow has it, it changes nothing.
        name: a name in graphs.
    """
    return _glimpse(
        FIRST, input, size, offsets, centered=centered, normalized=normalized,
        uniform_noise=uniform_noise, noise="uniform",
    )  # fmt: skip
