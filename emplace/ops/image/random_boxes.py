"""A box of an image drawn at random, of which enough shows an object:
`tf.image.sample_distorted_bounding_box` and its stateless form.

A box is a shape and an area within ranges, and a place; whatever does not show enough of one of
the objects is drawn again, so often and no oftener. The numbers are TensorFlow's for a seed, and
so are the roundings: everything is computed in float32. TensorFlow draws on the CPU, as do these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import TensorLike
from ...core.context import PROCESS
from ...core.tensor import Tensor
from ..convert import to_tensor
from ..infer import Spec, shape_only
from ..op import CPU_ONLY, apply, op
from ..random.philox import BITS128, block
from ..random.seeds import Key, key_of
from ..random.stateful import fresh_key, op_key, raw_key

_F32 = np.float32
_MOST_WORD = 2**32 - 1
_INT32_MAX = 2**31 - 1
_WHOLE = 1e-7  # taken off before a size is rounded down, so that it is not one too large
_TYPES = (dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64)

ASPECTS, AREAS, ATTEMPTS = (0.75, 1.33), (0.05, 1), 100


class DistortedBox(NamedTuple):
    """What is drawn."""

    begin: Tensor
    size: Tensor
    bboxes: Tensor


class _Box(NamedTuple):
    """A box in whole pixels; the last row and column are not in it."""

    top: int
    left: int
    bottom: int
    right: int

    def area(self) -> int:
        """How many pixels are in it."""
        return max(self.bottom - self.top, 0) * max(self.right - self.left, 0)

    def covered_by(self, other: _Box) -> Any:
        """Which share of it is in another one."""
        both = _Box(
            max(self.top, other.top), max(self.left, other.left),
            min(self.bottom, other.bottom), min(self.right, other.right),
        )  # fmt: skip
        return _F32(both.area()) / _F32(self.area())


class _Draws:
    """Numbers of a generator, one after the other."""

    def __init__(self, key: int, counter: int) -> None:
        self._words = _words(key, counter)

    def unit(self) -> Any:
        """A float from 0 up to, not including, 1."""
        return _F32((next(self._words) & 0x7FFFFF) * 2.0**-23)

    def below(self, size: int) -> int:
        """An integer below `size`, all with the same chance."""
        if size & (size - 1) == 0:
            return next(self._words) & (size - 1)
        least = _MOST_WORD % size + 1
        word = next(self._words)
        while word < least:
            word = next(self._words)
        return word % size


def _words(key: int, counter: int) -> Iterator[int]:
    while True:
        yield from block(key, counter)
        counter = counter + 1 & BITS128


def _rounded(value: Any) -> int:
    return int(np.rint(value))


def _drawn_box(
    height: int, width: int, aspect: Any, areas: Sequence[Any], draws: _Draws
) -> _Box | None:
    """A box of an aspect (width by height) at a random place; None if none fits."""
    if not (0 < aspect < np.inf and 0 < areas[1] >= areas[0] and height > 0 and width > 0):
        return None
    least, most = (_F32(share) * _F32(width) * _F32(height) for share in areas)
    rows, most_rows = (_rounded(np.sqrt(area / aspect)) for area in (least, most))
    if _rounded(_F32(most_rows) * aspect) > width:
        most_rows = int((width + 0.5 - _WHOLE) / float(aspect))
        most_rows -= _rounded(_F32(most_rows) * aspect) > width
    most_rows = min(most_rows, height)
    rows = min(rows, most_rows)
    if rows < most_rows:
        rows += draws.below(most_rows - rows + 1)
    columns = _rounded(_F32(rows) * aspect)
    if _F32(columns * rows) < least:
        rows += 1
        columns = _rounded(_F32(rows) * aspect)
    if _F32(columns * rows) > most:
        rows -= 1
        columns = _rounded(_F32(rows) * aspect)
    fits = least <= _F32(columns * rows) <= most and 0 < columns <= width and 0 < rows <= height
    if not fits:
        return None
    top = draws.below(height - rows) if rows < height else 0
    left = draws.below(width - columns) if columns < width else 0
    return _Box(top, left, top + rows, left + columns)


def _chosen(
    height: int, width: int, objects: Sequence[_Box], covered: Any, aspects: Sequence[Any],
    areas: Sequence[Any], attempts: int, draws: _Draws,
) -> _Box:  # fmt: skip
    """The first box that shows enough; the whole image if none does."""
    objects = [each for each in objects if each.area()]
    low, span = aspects[0], aspects[1] - aspects[0]
    for _ in range(attempts):
        box = _drawn_box(height, width, draws.unit() * span + low, areas, draws)
        if box is not None and any(each.covered_by(box) >= covered for each in objects):
            return box
    return _Box(0, 0, height, width)


def _check_ranges(aspects: Sequence[float], areas: Sequence[float], attempts: int) -> None:
    """Raises InvalidArgumentError unless boxes can be drawn by these."""
    for what, numbers in (("Aspect ratio", aspects), ("Area", areas)):
        if len(numbers) != 2:
            raise invalid_argument(f"{what} range field must specify 2 dimensions")
        if not all(number > 0 for number in numbers):
            raise invalid_argument(f"{what} range must be non-negative: {_listed(numbers)}")
    if not all(number <= 1 for number in areas):
        raise invalid_argument(f"Area range must be less then or equal to 1.0: {_listed(areas)}")
    if attempts <= 0:
        raise invalid_argument(f"Max attempts must be non-negative: {attempts}")


def _listed(numbers: Sequence[float]) -> str:
    return f"[{', '.join(f'{float(number):g}' for number in numbers)}]"


def _sides(image_size: torch.Tensor) -> tuple[int, int]:
    height, width, _ = image_size.tolist()
    for what, size in (("height", height), ("width", width)):
        if not 0 <= size < _INT32_MAX:
            raise invalid_argument(f"image {what} cannot be >= int32 max")
    return height, width


def _objects(
    bounding_boxes: torch.Tensor, height: int, width: int, whole_if_none: bool
) -> list[_Box]:
    """The objects in pixels."""
    if not bounding_boxes.numel():
        if not whole_if_none:
            raise invalid_argument(
                "No bounding boxes provided as input. One must enable "
                "use_image_if_no_bounding_boxes if you wish to not provide any bounding boxes."
            )
        return [_Box(0, 0, height, width)]
    corners = bounding_boxes.reshape(-1, 4).numpy()
    for number in corners.reshape(-1):
        if not 0 <= number <= 1:
            raise invalid_argument(
                f"All bounding box coordinates must be in [0.0, 1.0]: {float(number):g}"
            )
    sides = np.array([height, width, height, width], _F32)
    return [_Box(*each) for each in (corners * sides).astype(np.int64).tolist()]


def _drawn(
    inputs: Sequence[torch.Tensor], key: Key | None, aspects: Sequence[float],
    areas: Sequence[float], attempts: int, whole_if_none: bool,
) -> tuple[torch.Tensor, ...]:  # fmt: skip
    """The box that a key and a counter give, or, behind the other inputs, a seed."""
    _check_ranges(aspects, areas, attempts)
    _check_dims(*(shape_only(each) for each in inputs))
    image_size, bounding_boxes, min_object_covered = inputs[:3]
    key = key or key_of(inputs[3])
    height, width = _sides(image_size)
    objects = _objects(bounding_boxes, height, width, whole_if_none)
    covered = _F32(min_object_covered.item())
    if not covered >= 0:
        raise invalid_argument(f"Min object covered must be non-negative: {float(covered):g}")
    shapes, shares = ([_F32(number) for number in numbers] for numbers in (aspects, areas))
    with np.errstate(all="ignore"):
        box = _chosen(height, width, objects, covered, shapes, shares, attempts, _Draws(*key))
        places = np.array(box, _F32) / np.array([height, width, height, width], _F32)
    sizes = (box.bottom - box.top, box.right - box.left, -1)
    return (
        torch.tensor((box.top, box.left, 0)).to(image_size.dtype),
        torch.tensor(sizes).to(image_size.dtype),
        torch.from_numpy(places).reshape(1, 1, 4),
    )


def sample_kernel(
    image_size: torch.Tensor, bounding_boxes: torch.Tensor, min_object_covered: torch.Tensor, *,
    seed: Key | None, aspect_ratio_range: Sequence[float] = ASPECTS,
    area_range: Sequence[float] = AREAS, max_attempts: int = ATTEMPTS,
    use_image_if_no_bounding_boxes: bool = False,
) -> tuple[torch.Tensor, ...]:  # fmt: skip
    """Another box in each run."""
    inputs = image_size, bounding_boxes, min_object_covered
    return _drawn(
        inputs, seed or fresh_key(), aspect_ratio_range, area_range, max_attempts,
        use_image_if_no_bounding_boxes,
    )  # fmt: skip


def stateless_kernel(
    image_size: torch.Tensor, bounding_boxes: torch.Tensor, min_object_covered: torch.Tensor,
    seed: torch.Tensor, *, aspect_ratio_range: Sequence[float] = ASPECTS,
    area_range: Sequence[float] = AREAS, max_attempts: int = ATTEMPTS,
    use_image_if_no_bounding_boxes: bool = False,
) -> tuple[torch.Tensor, ...]:  # fmt: skip
    """The box of a seed of two integers."""
    inputs = image_size, bounding_boxes, min_object_covered, seed
    return _drawn(
        inputs, None, aspect_ratio_range, area_range, max_attempts,
        use_image_if_no_bounding_boxes,
    )  # fmt: skip


def _check_dims(
    image_size: Spec, bounding_boxes: Spec, min_object_covered: Spec, *seed: Spec
) -> None:
    """Raises InvalidArgumentError unless shapes fit, as far as they are known."""
    dims = image_size.dims
    if dims is not None and len(dims) != 1:
        raise invalid_argument(f"image_size must be 1-dimensional{runtime_text(dims)}")
    if dims not in (None, (3,), (None,)):
        raise invalid_argument(f"image_size must contain 3 elements{runtime_text(dims)}")
    dims = bounding_boxes.dims
    if dims is not None and len(dims) != 3:
        raise invalid_argument(
            f"input boxes must be 3-dimensional [batch, num_boxes, coords]: {runtime_text(dims)}"
        )
    if dims is not None and dims[2] not in (4, None):
        raise invalid_argument(
            f"bounding boxes must have shape [4] or [*, 4], got {runtime_text(dims)}"
        )
    dims = min_object_covered.dims
    if dims:
        raise invalid_argument(f"min_object_covered must be 0-D, got shape {runtime_text(dims)}")
    for each in seed:
        if each.dims not in (None, (2,), (None,)):
            raise invalid_argument(f"seed must have shape [2], not {runtime_text(each.dims)}")


def _spec(
    image_size: Spec, *others: Spec, aspect_ratio_range: Sequence[float] = ASPECTS,
    area_range: Sequence[float] = AREAS, max_attempts: int = ATTEMPTS, **attrs: Any,
) -> tuple[Spec, ...]:  # fmt: skip
    _check_ranges(aspect_ratio_range, area_range, max_attempts)
    _check_dims(image_size, *others)
    place = Spec((3,), image_size.dtype)
    return place, place, Spec((1, 1, 4), dtypes.float32)


_INPUTS = "image_size: T, bounding_boxes: float32, min_object_covered: float32"
_OUTPUTS = "begin: T, size: T, bboxes: float32"
SAMPLE = op(
    "SampleDistortedBoundingBoxV2", f"{_INPUTS} -> {_OUTPUTS}", sample_kernel, _spec,
    device_types=CPU_ONLY, stateful=True, T=_TYPES,
)  # fmt: skip
STATELESS = op(
    "StatelessSampleDistortedBoundingBox", f"{_INPUTS}, seed: Tseed -> {_OUTPUTS}",
    stateless_kernel, _spec, device_types=CPU_ONLY, T=_TYPES, Tseed=dtypes.INDICES,
)  # fmt: skip


def _range(op_name: str, argument: str, value: Any, default: tuple[float, float]) -> Any:
    if value is None:
        return default
    if not isinstance(value, (list, tuple)):
        raise TypeError(
            f"Expected list for {argument!r} argument to {op_name!r} Op, not {value!r}."
        )
    return tuple(float(each) for each in value)


def _attributes(
    op_name: str, aspect_ratio_range: Any, area_range: Any, max_attempts: Any,
    use_image_if_no_bounding_boxes: Any,
) -> dict[str, Any]:  # fmt: skip
    """What is said of the boxes, with TensorFlow's defaults."""
    whole = use_image_if_no_bounding_boxes
    if whole is not None and not isinstance(whole, bool):
        raise TypeError(
            f"Expected bool for argument 'use_image_if_no_bounding_boxes' not {whole!r}."
        )
    try:
        attempts = ATTEMPTS if max_attempts is None else int(max_attempts)
    except (TypeError, ValueError):
        raise TypeError(f"Expected int for argument 'max_attempts' not {max_attempts!r}.") from None
    return {
        "aspect_ratio_range": _range(op_name, "aspect_ratio_range", aspect_ratio_range, ASPECTS),
        "area_range": _range(op_name, "area_range", area_range, AREAS),
        "max_attempts": attempts,
        "use_image_if_no_bounding_boxes": bool(whole),
    }


def _inputs(*given: TensorLike) -> tuple[Tensor, Tensor, Tensor]:
    image_size, bounding_boxes, min_object_covered = given
    return (
        to_tensor(image_size),
        to_tensor(bounding_boxes, dtypes.float32),
        to_tensor(min_object_covered, dtypes.float32),
    )


def sample_distorted_bounding_box(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: int = 0,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: Sequence[float] | None = None,
    area_range: Sequence[float] | None = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> DistortedBox:
    """Draws a box of an image that shows enough of an object
    (`tf.image.sample_distorted_bounding_box`).

    Args:
        image_size: height, width and channels of the image, integers.
        bounding_boxes: the objects, shape (batch, objects, 4): y and x of the upper left corner,
            then of the lower right one, from 0 to 1.
        seed: not 0: makes this op repeatable.
        min_object_covered: which share of an object must be in the box.
        aspect_ratio_range: the least and the largest width by height, (0.75, 1.33) by default.
        area_range: the least and the largest share of the image, (0.05, 1) by default.
        max_attempts: how many boxes are drawn at most, 100 by default; then it is the whole image.
        use_image_if_no_bounding_boxes: whether the whole image is the object if there is none,
            which is refused otherwise.
        name: a name in graphs.

    Returns:
        A named tuple: `begin` and `size`, as `tf.slice` takes them, and `bboxes`, as
        `tf.image.draw_bounding_boxes` does.

    Raises:
        InvalidArgumentError: an argument is none of these.
        ValueError: the seed is 0, and determinism is wished for.

    >>> whole = [[[0.0, 0.0, 1.0, 1.0]]]
    >>> begin, size, _ = sample_distorted_bounding_box([40, 50, 3], whole, area_range=(1.0, 1.0))
    >>> begin.numpy().tolist(), size.numpy().tolist()
    ([0, 0, 0], [40, 50, -1])
    """
    if not seed and PROCESS.deterministic:
        raise ValueError(
            "tf.image.sample_distorted_bounding_box requires a non-zero seed to be passed in when "
            f"determinism is enabled, but got seed={seed}. Please pass in a non-zero seed, e.g. by "
            'passing "seed=1".'
        )
    attrs = _attributes(
        "sample_distorted_bounding_box_v2", aspect_ratio_range, area_range, max_attempts,
        use_image_if_no_bounding_boxes,
    )  # fmt: skip
    inputs = _inputs(image_size, bounding_boxes, min_object_covered)
    user = (SAMPLE.name, inputs[0].dtype, *attrs.values())
    key = op_key(user, seed, attrs["max_attempts"]) if seed else None
    return DistortedBox(*apply(SAMPLE, inputs, {**attrs, "seed": key}))


def sample_distorted_bounding_box_v1(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: int | None = None,
    seed2: int | None = None,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: Sequence[float] | None = None,
    area_range: Sequence[float] | None = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> DistortedBox:
    """Does as `sample_distorted_bounding_box`, by two seeds of its own: the program's and the
    graph's count for nothing (`tf.compat.v1.image.sample_distorted_bounding_box`).

    Args:
        image_size: height, width and channels of the image, integers.
        bounding_boxes: the objects, shape (batch, objects, 4).
        seed: the first seed.
        seed2: the second seed; if both are 0 nobody can repeat what is drawn.
        min_object_covered: which share of an object must be in the box.
        aspect_ratio_range: the least and the largest width by height.
        area_range: the least and the largest share of the image.
        max_attempts: how many boxes are drawn at most.
        use_image_if_no_bounding_boxes: whether the whole image is the object if there is none.
        name: a name in graphs.
    """
    if not seed and not seed2 and PROCESS.deterministic:
        raise ValueError(
            'tf.compat.v1.image.sample_distorted_bounding_box requires "seed" or "seed2" to be '
            "non-zero when determinism is enabled. Please pass in a non-zero seed, e.g. by passing "
            f'"seed=1". Got seed={seed} and seed2={seed2}'
        )
    attrs = _attributes(
        "sample_distorted_bounding_box_v2", aspect_ratio_range, area_range, max_attempts,
        use_image_if_no_bounding_boxes,
    )  # fmt: skip
    inputs = _inputs(image_size, bounding_boxes, min_object_covered)
    return drawn_by_seeds(SAMPLE.name, inputs, int(seed or 0), int(seed2 or 0), attrs)


def drawn_by_seeds(
    name: str, inputs: tuple[Tensor, ...], seed: int, seed2: int, attrs: dict[str, Any]
) -> DistortedBox:
    """The next box of an op of this name, by its two seeds."""
    user = (name, inputs[0].dtype, *attrs.values())
    key = raw_key(user, seed, seed2, attrs["max_attempts"])
    return DistortedBox(*apply(SAMPLE, inputs, {**attrs, "seed": key}))


def stateless_sample_distorted_bounding_box(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: TensorLike,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: Sequence[float] | None = None,
    area_range: Sequence[float] | None = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> DistortedBox:
    """Does as `sample_distorted_bounding_box`, but a seed gives the same box each time
    (`tf.image.stateless_sample_distorted_bounding_box`).

    Args:
        image_size: height, width and channels of the image, integers.
        bounding_boxes: the objects, shape (batch, objects, 4).
        seed: two integers.
        min_object_covered: which share of an object must be in the box.
        aspect_ratio_range: the least and the largest width by height.
        area_range: the least and the largest share of the image.
        max_attempts: how many boxes are drawn at most.
        use_image_if_no_bounding_boxes: whether the whole image is the object if there is none.
        name: a name in graphs.

    >>> whole = [[[0.0, 0.0, 1.0, 1.0]]]
    >>> drawn = stateless_sample_distorted_bounding_box([40, 50, 3], whole, seed=[1, 2])
    >>> drawn.begin.numpy().tolist(), drawn.size.numpy().tolist()
    ([12, 3, 0], [26, 32, -1])
    """
    attrs = _attributes(
        "stateless_sample_distorted_bounding_box", aspect_ratio_range, area_range, max_attempts,
        use_image_if_no_bounding_boxes,
    )  # fmt: skip
    inputs = _inputs(image_size, bounding_boxes, min_object_covered)
    return DistortedBox(*apply(STATELESS, (*inputs, to_tensor(seed)), attrs))
