"""`tf.experimental.numpy`: making arrays, and changing their shape and order."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import TensorShape
from ...base.typing import Axis, DTypeLike, TensorLike
from ...core.tensor import Tensor
from ..arguments import static_ints
from ..array import gathering, joining, making, shaping
from ..array.gathering import WHERE
from ..array.joining import stack as stack_
from ..array.making import meshgrid as meshgrid_
from ..array.moving import reverse, roll as roll_
from ..array.repeating import repeat as repeat_, tile as tile_
from ..array.select import where as where_
from ..convert import is_tensor_like, to_tensor
from ..deferred import deferrable, needs_rank
from ..math import elementwise
from ..math.elementwise import cast
from ..op import apply
from .types import as_array, as_type, inexact, one_by_one, promoted, result_type

Shape = Any


def array(
    val: TensorLike, dtype: DTypeLike | None = None, copy: bool = True, ndmin: int = 0
) -> Tensor:
    """Returns a tensor of anything (`tf.experimental.numpy.array`).

    Args:
        val: numbers, sequences, arrays or tensors.
        dtype: the dtype of the result; that of `val` for None.
        copy: not used: tensors never change.
        ndmin: the least rank; axes of size 1 come first.

    >>> array([1, 2]).dtype
    tf.int64
    """
    made = as_array(val, dtype)
    return _of_rank(made, ndmin) if ndmin > 0 else made  # type: ignore[no-any-return]


@needs_rank
def _of_rank(value: Tensor, least: int) -> Any:
    for _ in range(least - value.shape.rank):
        value = shaping.expand_dims(value, 0)
    return value


def asarray(a: TensorLike, dtype: Any = None) -> Any:
    """A tensor of anything (`tf.experimental.numpy.asarray`)."""
    return as_array(a, dtype)


def copy(a: TensorLike) -> Tensor:
    """A tensor of anything (`tf.experimental.numpy.copy`)."""
    return shaping.identity(as_array(a))


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    """Returns start, start + step ... up to stop (`tf.experimental.numpy.arange`).

    Args:
        start: the first number, or the end if `stop` is None.
        stop: the end, which is left out.
        step: from one number to the next.
        dtype: the dtype of the result; None chooses it by the numbers.

    >>> arange(3).numpy().tolist()
    [0, 1, 2]
    """
    if not step:
        raise ValueError("step must be non-zero")
    given = [start, stop, step]
    wanted = dtype or result_type(*[each for each in given if each is not None])
    numbers = [v.numpy() if is_tensor_like(v) else v for v in given]
    if stop is None:
        numbers = [0, numbers[0], step]
    return as_array(np.arange(*numbers), wanted)


def zeros(shape: Shape, dtype: DTypeLike | None = float) -> Tensor:
    """Zeros; float64 by default (`tf.experimental.numpy.zeros`)."""
    return making.zeros(_dims(shape), as_type(dtype or float))


def ones(shape: Shape, dtype: DTypeLike = float) -> Tensor:
    """Ones; float64 by default (`tf.experimental.numpy.ones`)."""
    return making.ones(_dims(shape), as_type(dtype or float))


def empty(shape: Shape, dtype: DTypeLike | None = float) -> Tensor:
    """Zeros: memory is never handed out as it is (`tf.experimental.numpy.empty`)."""
    return zeros(shape, dtype)


def _dims(shape: Shape) -> Any:
    return static_ints(shape, "a shape")


def full(shape: Shape, fill_value: Any, dtype: Any = None) -> Any:
    """Returns one value everywhere (`tf.experimental.numpy.full`).

    Args:
        shape: the shape.
        fill_value: the value.
        dtype: the dtype; that of the value for None.
    """
    return shaping.broadcast_to(as_array(fill_value, dtype), _dims(shape))


def zeros_like(a: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """Zeros of an array's shape (`tf.experimental.numpy.zeros_like`)."""
    value = as_array(a)
    return making.zeros(shaping.sizes_of(value), as_type(dtype or value.dtype))


def ones_like(a: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """Ones of an array's shape (`tf.experimental.numpy.ones_like`)."""
    value = as_array(a)
    return making.ones(shaping.sizes_of(value), as_type(dtype or value.dtype))


@needs_rank
def full_like(
    a: TensorLike,
    fill_value: TensorLike,
    dtype: DTypeLike | None = None,
    order: str = "K",
    subok: bool = True,
    shape: Shape = None,
) -> Any:
    """Returns one value in an array's shape (`tf.experimental.numpy.full_like`).

    Args:
        a: the array whose shape and dtype are taken.
        fill_value: the value.
        dtype: another dtype.
        order: not used.
        subok: not used.
        shape: another shape.
    """
    value = as_array(a)
    sizes = shaping.sizes_of(value) if shape is None else shape
    return full(sizes, fill_value, dtype or value.dtype)


def eye(N: int, M: int | None = None, k: int = 0, dtype: DTypeLike = float) -> Any:  # noqa: N803
    """Returns ones on a diagonal (`tf.experimental.numpy.eye`).

    Args:
        N: how many rows.
        M: how many columns; as many as rows for None.
        k: which diagonal: 0 is the main one, those above it are positive.
        dtype: the dtype of the result.
    """
    return as_array(np.eye(N, M, k), dtype)


def identity(n: int, dtype: DTypeLike = float) -> Any:
    """A square matrix with ones on its diagonal (`tf.experimental.numpy.identity`)."""
    return eye(n, n, dtype=dtype)


@deferrable
def linspace(
    start: TensorLike, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False,
    dtype: DTypeLike = float, axis: int = 0,
) -> Any:  # fmt: skip
    """Returns numbers at equal distances (`tf.experimental.numpy.linspace`).

    Args:
        start: the first number.
        stop: the end.
        num: how many numbers.
        endpoint: False leaves out the end.
        retstep: True returns the distance, too.
        dtype: the dtype of the result.
        axis: where the new axis is.

    Raises:
        ValueError: `num` is negative.

    >>> linspace(0, 1, 3).numpy().tolist()
    [0.0, 0.5, 1.0]
    """
    if num < 0:
        raise ValueError(
            "Argument `num` (number of samples) must be a non-negative integer. "
            f"Received: num={num}"
        )
    # TensorFlow asks for `float` by default and goes by the numbers then.
    target = None if dtype is None or dtype is float else as_type(dtype)
    if target is None or target.is_floating or target.is_complex:
        numbers, step = _evenly(start, stop, num, endpoint, target, axis)
    else:
        numbers, step = _evenly(start, stop, num, endpoint, None, axis)
        numbers = cast(elementwise.floor(numbers), target)
    if not retstep:
        return numbers
    # TF: one number has no distance to others, and its NaN is a scalar of float32.
    return numbers, step if num > (1 if endpoint else 0) else to_tensor(np.float32(np.nan))


def _evenly(
    start: TensorLike, stop: TensorLike, num: int, endpoint: bool, dtype: object, axis: int
) -> tuple[Any, Any]:
    """The numbers, and the step from one to the next."""
    first, last = (as_array(each, dtype) for each in _as_floats(start, stop))
    step = (last - first) / as_array(max(num - 1 if endpoint else num, 1), first.dtype)
    begin = shaping.expand_dims(first, axis)
    rank = begin.shape.rank
    place = axis % rank
    if num < 2:
        return begin[(*(slice(None),) * place, slice(0, num))], step
    # Both ends are as they are: neither a rounding error nor a NaN of the other one is in them.
    end = last if endpoint else last - step
    between = (end - first) / as_array(num - 1, first.dtype)
    counts = as_array(np.arange(1, num - 1), first.dtype)
    column = shaping.reshape(counts, [-1] + [1] * (rank - place - 1))
    inner = begin + shaping.expand_dims(between, axis) * column
    return joining.concat([begin, inner, shaping.expand_dims(end, axis)], place), step


def _as_floats(start: TensorLike, stop: TensorLike) -> list[Any]:
    """Both ends, of one shape."""
    ends = inexact(start, stop, 1.0)[:2]
    dims = np.broadcast_shapes(*[tuple(each.shape.as_list()) for each in ends])
    return [shaping.broadcast_to(each, list(dims)) for each in ends]


@deferrable
def meshgrid(*xi: Any, **kwargs: Any) -> list[Any]:
    """Coordinate matrices of coordinate vectors (`tf.experimental.numpy.meshgrid`)."""
    indexing = kwargs.pop("indexing", "xy")
    if kwargs.pop("sparse", False) or not kwargs.pop("copy", True):
        raise ValueError("meshgrid supports neither sparse=True nor copy=False.")
    if kwargs:
        raise TypeError(f"meshgrid() got an unexpected keyword argument {next(iter(kwargs))!r}")
    values = [as_array(each) for each in xi]
    if len({each.dtype for each in values}) < 2:
        return meshgrid_(*values, indexing=indexing)
    rows = [ravel(each) for each in values]  # each keeps its own dtype
    grids = meshgrid_(*[np.arange(each.shape[0]) for each in rows], indexing=indexing)
    return [gathering.gather(each, at) for each, at in zip(rows, grids, strict=True)]


def reshape(a: Any, newshape: Shape, order: str = "C") -> Any:
    """Returns the same elements in another shape (`tf.experimental.numpy.reshape`).

    Args:
        a: the array.
        newshape: the shape; -1 for one size that follows from the others.
        order: "C", the last axis changes fastest, or "F", the first one.
    """
    if order not in ("C", "F"):
        raise ValueError(f"Unsupported order argument {order!r}. Must be one of {{'C', 'F'}}.")
    value = as_array(a)
    if order == "C":
        return shaping.reshape(value, _dims(newshape))
    return _last_first(shaping.reshape(_last_first(value), _dims(newshape)[::-1]))


@needs_rank
def _last_first(value: Tensor) -> Any:
    return shaping.transpose(value)


def ravel(a: TensorLike) -> Tensor:
    """All elements in a vector (`tf.experimental.numpy.ravel`)."""
    return shaping.reshape(as_array(a), [-1])


@deferrable
def transpose(a: TensorLike, axes: Axis | None = None) -> Tensor:
    """The axes in another order (`tf.experimental.numpy.transpose`)."""
    return shaping.transpose(as_array(a), axes)


@deferrable
def swapaxes(a: TensorLike, axis1: int, axis2: int) -> Tensor:
    """Returns two axes exchanged (`tf.experimental.numpy.swapaxes`).

    Args:
        a: the array.
        axis1: an axis.
        axis2: the axis it changes places with.
    """
    value = as_array(a)
    order = list(range(value.shape.rank))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return shaping.transpose(value, order)


@deferrable
def moveaxis(a: TensorLike, source: TensorLike, destination: Any) -> Tensor:
    """Returns axes moved to other places (`tf.experimental.numpy.moveaxis`).

    Args:
        a: the array.
        source: the axes.
        destination: where each of them goes.
    """
    value = as_array(a)
    rank = value.shape.rank
    sources = [axis_of(each, rank) for each in static_ints(source, "source")]
    places = [axis_of(each, rank) for each in static_ints(destination, "destination")]
    order = [axis for axis in range(rank) if axis not in sources]
    for place, axis in sorted(zip(places, sources, strict=True)):
        order.insert(place, axis)
    return shaping.transpose(value, order)


def axis_of(axis: int, rank: int) -> int:
    """The number of an axis, counted from the first one."""
    if not -rank <= axis < rank:
        raise invalid_argument(f"axis {axis} is out of bounds for an array of {rank} axes")
    return axis % rank


def expand_dims(a: Any, axis: Axis | None) -> Tensor:
    """One more axis of size 1 (`tf.experimental.numpy.expand_dims`)."""
    return shaping.expand_dims(as_array(a), axis)


def squeeze(a: TensorLike, axis: Axis | None = None) -> Tensor:
    """Without axes of size 1 (`tf.experimental.numpy.squeeze`)."""
    return shaping.squeeze(as_array(a), axis)


def concatenate(arys: Any, axis: Axis = 0) -> Tensor:
    """Arrays one after the other (`tf.experimental.numpy.concatenate`)."""
    parts = promoted(*(arys if isinstance(arys, (list, tuple)) else [arys]))
    if axis is None:
        return joining.concat([shaping.reshape(each, [-1]) for each in parts], 0)
    return joining.concat(parts, axis)


def stack(arrays: Any, axis: int = 0) -> Tensor:
    """Arrays side by side along a new axis (`tf.experimental.numpy.stack`)."""
    if is_tensor_like(arrays):  # TF: its first axis changes places with another one
        value = as_array(arrays)
        return value if axis == 0 else swapaxes(value, 0, axis)
    return stack_(promoted(*arrays), axis)


@deferrable
def vstack(tup: Any) -> Tensor:
    """Arrays below each other (`tf.experimental.numpy.vstack`)."""
    return concatenate([atleast_2d(each) for each in one_by_one(*tup)])


@deferrable
def hstack(tup: Any) -> Tensor:
    """Arrays beside each other (`tf.experimental.numpy.hstack`)."""
    parts = [atleast_1d(each) for each in one_by_one(*tup)]
    return concatenate(parts, 0 if parts[0].shape.rank == 1 else 1)


def atleast_1d(*arys: Any) -> Any:
    """Scalars as vectors (`tf.experimental.numpy.atleast_1d`)."""
    made = [array(each, ndmin=1) for each in arys]
    return made[0] if len(made) == 1 else made


def atleast_2d(*arys: Any) -> Any:
    """Vectors as rows (`tf.experimental.numpy.atleast_2d`)."""
    made = [array(each, ndmin=2) for each in arys]
    return made[0] if len(made) == 1 else made


@deferrable
def split(ary: TensorLike, indices_or_sections: Any, axis: int = 0) -> Any:
    """Returns parts of equal size, or cut at places (`tf.experimental.numpy.split`).

    Args:
        ary: the array.
        indices_or_sections: how many parts, or the places where to cut.
        axis: the axis.
    """
    value = as_array(ary)
    size = value.shape[axis]
    if isinstance(indices_or_sections, int):
        if size % indices_or_sections:
            raise ValueError("array split does not result in an equal division")
        each = size // indices_or_sections
        cuts = list(range(each, size, each))
    else:
        cuts = list(static_ints(indices_or_sections, "indices"))
    lead = (slice(None),) * (axis % value.shape.rank)
    ends = [0, *cuts, size]
    return [value[(*lead, slice(a, b))] for a, b in itertools.pairwise(ends)]


@deferrable
def tile(a: TensorLike, reps: Any) -> Tensor:
    """An array repeated along axes (`tf.experimental.numpy.tile`)."""
    value, times = as_array(a), list(static_ints(reps, "reps"))
    rank = max(value.shape.rank, len(times))
    value = array(value, ndmin=rank)
    return tile_(value, [1] * (rank - len(times)) + times)


def repeat(a: Any, repeats: Any, axis: Any = None) -> Tensor:
    """Returns elements repeated (`tf.experimental.numpy.repeat`).

    Args:
        a: the array.
        repeats: how often: one number, or one per place along the axis.
        axis: the axis; None lays the array flat first.
    """
    return repeat_(as_array(a), repeats, axis)


@deferrable
def flip(m: TensorLike, axis: Axis | None = None) -> Tensor:
    """Axes backwards (`tf.experimental.numpy.flip`)."""
    value = as_array(m)
    axes = range(value.shape.rank) if axis is None else static_ints(axis, "axis")
    return reverse(value, list(axes))


@deferrable
def roll(a: TensorLike, shift: TensorLike, axis: Axis | None = None) -> Tensor:
    """Returns elements moved around the ends (`tf.experimental.numpy.roll`).

    Args:
        a: the array.
        shift: by how many places.
        axis: the axis or axes; None rolls the array laid flat.
    """
    value = as_array(a)
    if axis is not None:
        return roll_(value, shift, axis)
    return shaping.reshape(roll_(shaping.reshape(value, [-1]), shift, 0), value.shape.as_list())


def broadcast_to(array: TensorLike, shape: Shape) -> Tensor:
    """Elements stretched to a shape (`tf.experimental.numpy.broadcast_to`)."""
    return shaping.broadcast_to(as_array(array), _dims(shape))


def where(condition: TensorLike, x: Any = None, y: Any = None) -> Any:
    """Returns x or y by a condition, or where it holds (`tf.experimental.numpy.where`).

    Args:
        condition: bools.
        x: what stands where they are True.
        y: what stands elsewhere; without x and y, the places of True are returned.
    """
    if x is None and y is None:
        return nonzero(condition)
    if x is None or y is None:
        raise ValueError("Both x and y must be ndarrays, or both must be None.")
    return where_(cast(as_array(condition), dtypes.bool_), *promoted(x, y))


def nonzero(a: Any) -> list[Any]:
    """The places of elements that are not zero (`tf.experimental.numpy.nonzero`)."""
    value = array(cast(as_array(a), dtypes.bool_), ndmin=1)
    found = apply(WHERE, (value,))
    return [found[:, i] for i in range(value.shape.rank)]


def select(condlist: Any, choicelist: Any, default: TensorLike = 0) -> Any:
    """Returns the first choice whose condition holds (`tf.experimental.numpy.select`).

    Args:
        condlist: conditions.
        choicelist: as many arrays.
        default: what stands where no condition holds.

    >>> select([[True, False], [True, True]], [[1, 2], [3, 4]], 9).numpy().tolist()
    [1, 4]
    """
    if len(condlist) != len(choicelist):
        raise ValueError(
            f"condlist must have length equal to choicelist ({len(condlist)} vs {len(choicelist)})"
        )
    if not condlist:
        raise ValueError("condlist must be non-empty")
    *choices, result = promoted(*choicelist, default)
    for condition, choice in reversed(list(zip(condlist, choices, strict=True))):
        result = where_(cast(as_array(condition), dtypes.bool_), choice, result)
    return result


@deferrable
def take(
    a: TensorLike, indices: TensorLike, axis: Any = None, out: object = None, mode: str = "clip"
) -> Any:
    """Returns elements or slices by their places (`tf.experimental.numpy.take`).

    Args:
        a: the array.
        indices: places along the axis.
        axis: the axis; None lays the array flat first.
        out: not used.
        mode: "wrap" counts on from the start; otherwise places out of range are the nearest
            end.
    """
    if mode not in ("raise", "clip", "wrap"):
        raise ValueError(f"Invalid mode '{mode}' for take")
    value = as_array(a)
    if axis is None:
        value, axis = shaping.reshape(value, [-1]), 0
    size = value.shape[axis]
    places = as_array(indices)
    if mode == "wrap":
        places = elementwise.floormod(places, as_array(size, places.dtype))
    else:
        last = as_array(size - 1, places.dtype)
        places = elementwise.minimum(elementwise.maximum(places, last - last), last)
    return gathering.gather(value, places, axis=axis)


@deferrable
def take_along_axis(arr: Any, indices: Any, axis: Any) -> Any:
    """Returns one element per place along an axis (`tf.experimental.numpy.take_along_axis`).

    Args:
        arr: the array.
        indices: places, of the array's rank.
        axis: the axis; None lays the array flat first.
    """
    value, places = as_array(arr), as_array(indices)
    if axis is None:
        value, axis = shaping.reshape(value, [-1]), 0
    rank = value.shape.rank
    axis = axis_of(axis, rank)
    dims = [
        None if i == axis else max(sizes)
        for i, sizes in enumerate(zip(value.shape.as_list(), places.shape.as_list(), strict=True))
    ]
    value = shaping.broadcast_to(value, [d or value.shape[axis] for d in dims])
    places = shaping.broadcast_to(places, [d or places.shape[axis] for d in dims])
    # Negative places count from the end; gather wants them counted from the start.
    size = as_array(value.shape[axis], places.dtype)
    places = where_(elementwise.less(places, size - size), places + size, places)
    order = [i for i in range(rank) if i != axis] + [axis]
    back = [order.index(i) for i in range(rank)]
    made = gathering.gather(
        shaping.transpose(value, order), shaping.transpose(places, order), batch_dims=rank - 1
    )
    return shaping.transpose(made, back)


@deferrable
def diff(a: TensorLike, n: int = 1, axis: int = -1) -> Any:
    """Returns differences of neighbours (`tf.experimental.numpy.diff`).

    Args:
        a: the array.
        n: how often differences are taken.
        axis: the axis.
    """
    value = as_array(a)
    if n < 0:
        raise ValueError(f"Argument `order` must be a non-negative integer. Received: axis={n}")
    rank = value.shape.rank
    if not -rank <= axis < rank:
        raise ValueError(f"Argument `axis` (received axis={axis}) is out of bounds for input {a!s}")
    lead = (slice(None),) * (axis % rank)
    for _ in range(n):
        after, before = value[(*lead, slice(1, None))], value[(*lead, slice(None, -1))]
        is_bool = value.dtype is dtypes.bool_
        value = elementwise.not_equal(after, before) if is_bool else after - before
    return value


def _triangle(value: Tensor, k: int) -> np.ndarray[Any, Any]:
    rows, columns = value.shape.as_list()[-2:]
    return np.tri(rows, columns, k, dtype=bool)


@deferrable
def tril(m: TensorLike, k: int = 0) -> Tensor:
    """The lower triangle (`tf.experimental.numpy.tril`)."""
    value = as_array(m)
    mask = _triangle(value, k)
    return where_(to_tensor(mask), value, making.zeros_like(value))


@deferrable
def triu(m: TensorLike, k: int = 0) -> Tensor:
    """The upper triangle (`tf.experimental.numpy.triu`)."""
    value = as_array(m)
    mask = ~_triangle(value, k - 1)
    return where_(to_tensor(mask), value, making.zeros_like(value))


def shape(a: Any) -> TensorShape:
    """The shape (`tf.experimental.numpy.shape`)."""
    return as_array(a).shape  # type: ignore[no-any-return]


def ndim(a: Any) -> int:
    """The number of dimensions (`tf.experimental.numpy.ndim`)."""
    return as_array(a).shape.rank  # type: ignore[no-any-return]


def size(x: Any, axis: Any = None) -> Any:
    """The number of elements (`tf.experimental.numpy.size`)."""
    if axis is not None:
        raise NotImplementedError(
            "axis argument is not supported in the current `np.size` implementation"
        )
    if isinstance(x, (bool, int, float, complex)):
        return 1
    value = as_array(x)
    count = value.shape.num_elements()
    return shaping.size(value) if count is None else np.int64(count)


def isscalar(num: TensorLike) -> bool:
    """Whether it is one number (`tf.experimental.numpy.isscalar`)."""
    return not num.shape.rank if is_tensor_like(num) else np.isscalar(num)
