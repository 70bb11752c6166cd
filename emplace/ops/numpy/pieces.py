"""`tf.experimental.numpy`: arrays cut, joined, turned, sorted and padded."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import dtypes
from ...base.typing import DTypeLike, TensorLike
from ...core.tensor import Tensor
from ..arguments import static_ints
from ..array import gathering, repeating, shaping, sorting
from ..array.making import zeros_like
from ..array.moving import reverse
from ..deferred import deferrable, needs_rank
from ..math.elementwise import cast
from .arrays import array, axis_of, concatenate, flip, nonzero, ravel, reshape, split
from .types import BEHAVIOR, as_array, as_type, one_by_one


def asanyarray(a: TensorLike, dtype: DTypeLike | None = None) -> Any:
    """A tensor of anything (`tf.experimental.numpy.asanyarray`)."""
    return as_array(a, dtype)


@needs_rank
def ascontiguousarray(a: TensorLike, dtype: DTypeLike | None = None) -> Any:
    """A tensor of anything, of rank 1 at least (`tf.experimental.numpy.ascontiguousarray`)."""
    return array(a, dtype, ndmin=1)


@deferrable
def append(arr: TensorLike, values: TensorLike, axis: int | None = None) -> Tensor:
    """Returns values after those of an array (`tf.experimental.numpy.append`).

    Args:
        arr: the array.
        values: what comes behind it.
        axis: along which axis; None lays both flat first.
    """
    return concatenate(one_by_one(arr, values), axis)  # type: ignore[arg-type]


@deferrable
def atleast_3d(*arys: Any) -> Any:
    """Arrays of rank 3 at least (`tf.experimental.numpy.atleast_3d`)."""
    made = [_of_rank_three(as_array(each)) for each in arys]
    return made[0] if len(made) == 1 else made


def _of_rank_three(value: Tensor) -> Tensor:
    if not value.shape.rank:
        return shaping.reshape(value, [1, 1, 1])
    if value.shape.rank == 1:
        return value[None, :, None]
    return value[:, :, None] if value.shape.rank == 2 else value


@deferrable
def broadcast_arrays(*args: Any, **kwargs: Any) -> list[Any]:
    """Arrays stretched to a common shape (`tf.experimental.numpy.broadcast_arrays`)."""
    if kwargs.pop("subok", False):
        raise ValueError("subok=True is not supported.")
    if kwargs:
        raise ValueError(f"Received unsupported arguments {list(kwargs)}")
    values = [as_array(each) for each in args]
    dims = np.broadcast_shapes(*[tuple(each.shape.as_list()) for each in values])
    return [shaping.broadcast_to(each, list(dims)) for each in values]


@deferrable
def compress(condition: TensorLike, a: TensorLike, axis: int | None = None) -> Tensor:
    """Returns the slices at which a condition holds (`tf.experimental.numpy.compress`).

    Args:
        condition: one bool per place; places behind its end are left out.
        a: the array.
        axis: the axis; None lays the array flat first.
    """
    holds = cast(as_array(condition), dtypes.bool_)
    value = as_array(a)
    if axis is None:
        value, axis = ravel(value), 0
    return gathering.gather(value, nonzero(holds)[0], axis=axis)


@deferrable
def dstack(tup: Any) -> Tensor:
    """Arrays behind each other, along the third axis (`tf.experimental.numpy.dstack`)."""
    return concatenate([atleast_3d(each) for each in one_by_one(*tup)], 2)


@deferrable
def hsplit(ary: TensorLike, indices_or_sections: object) -> Any:
    """Parts of the columns (`tf.experimental.numpy.hsplit`)."""
    value = as_array(ary)
    return split(value, indices_or_sections, 0 if value.shape.rank == 1 else 1)


@deferrable
def vsplit(ary: TensorLike, indices_or_sections: object) -> Any:
    """Parts of the rows (`tf.experimental.numpy.vsplit`)."""
    return split(ary, indices_or_sections, 0)


@deferrable
def dsplit(ary: TensorLike, indices_or_sections: object) -> Any:
    """Parts along the third axis (`tf.experimental.numpy.dsplit`)."""
    return split(ary, indices_or_sections, 2)


def empty_like(a: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """Zeros of an array's shape: memory is never handed out as it is (`...numpy.empty_like`)."""
    value = as_array(a)
    return zeros_like(value, value.dtype if dtype is None else as_type(dtype))


def flatten(a: TensorLike, order: str = "C") -> Any:
    """Returns all elements in a vector (`tf.experimental.numpy.flatten`).

    Args:
        a: the array.
        order: "C", "A" or "K", the last axis changes fastest, or "F", the first one.
    """
    if order not in ("C", "A", "K", "F"):
        raise ValueError("order can only be C, A, K (all row major) or F (column major).")
    return reshape(a, [-1], "F" if order == "F" else "C")


@needs_rank
def fliplr(m: TensorLike) -> Any:
    """The columns backwards (`tf.experimental.numpy.fliplr`)."""
    value = as_array(m)
    return flip(value, 1) if value.shape.rank else value


@needs_rank
def flipud(m: TensorLike) -> Tensor:
    """The rows backwards (`tf.experimental.numpy.flipud`)."""
    value = as_array(m)
    return flip(value, 0) if value.shape.rank else value


@deferrable
def rot90(m: TensorLike, k: int = 1, axes: TensorLike = (0, 1)) -> Tensor:
    """Returns an array turned by right angles (`tf.experimental.numpy.rot90`).

    Args:
        m: the array, of rank 2 at least.
        k: how often; the first axis turns towards the second one.
        axes: the plane in which it is turned.
    """
    value = as_array(m)
    first, second = (axis_of(each, value.shape.rank) for each in static_ints(axes, "axes"))
    order = list(range(value.shape.rank))
    order[first], order[second] = second, first
    if k % 4 == 0:
        return value  # type: ignore[no-any-return]
    if k % 4 == 2:
        return reverse(value, [first, second])
    if k % 4 == 1:
        return shaping.transpose(reverse(value, [second]), order)
    return reverse(shaping.transpose(value, order), [second])


@deferrable
def ix_(*args: Any) -> list[Any]:
    """Open grids of indices: an axis each (`tf.experimental.numpy.ix_`)."""
    made = []
    for i, each in enumerate(args):
        value = as_array(each)
        if value.shape.rank != 1:
            raise ValueError(f"Arguments must be 1-d, got arg {i} of rank {value.shape.rank}")
        if value.dtype is dtypes.bool_:
            value = nonzero(value)[0]
        made.append(shaping.reshape(value, [1] * i + [-1] + [1] * (len(args) - i - 1)))
    return made


def sort(a: TensorLike, axis: Any = -1, kind: str = "quicksort", order: str | None = None) -> Any:
    """Returns elements in rising order (`tf.experimental.numpy.sort`).

    Args:
        a: the array.
        axis: the axis; None lays the array flat first.
        kind: "quicksort".
        order: None.
    """
    if kind != "quicksort":
        raise ValueError(
            'Invalid value for argument `kind`. Only kind="quicksort" is supported. '
            f"Received: kind={kind}"
        )
    if order is not None:
        raise ValueError("The `order` argument is not supported. Pass order=None")
    value = as_array(a)
    return sorting.sort(ravel(value), 0) if axis is None else sorting.sort(value, axis)


def argsort(
    a: TensorLike, axis: Any = -1, kind: str = "quicksort", order: str | None = None
) -> Any:
    """Returns the places of the elements in rising order (`tf.experimental.numpy.argsort`).

    Args:
        a: the array.
        axis: the axis; None lays the array flat first.
        kind: "quicksort" or "stable".
        order: None.
    """
    if kind not in ("quicksort", "stable"):
        raise ValueError(
            'Invalid value for argument `kind`. Only kind="quicksort" and kind="stable" are '
            f"supported. Received: kind={kind}"
        )
    if order is not None:
        raise ValueError("The `order` argument is not supported. Pass order=None")
    value = as_array(a)
    if isinstance(a, bool):  # TF: one bool of Python's has an order, a tensor of them has none
        value = cast(value, dtypes.int32)
    is_flat = axis is None or value.shape.rank == 0
    value, place = (ravel(value), 0) if is_flat else (value, axis)
    found = sorting.argsort(value, place, stable=kind == "stable")
    return found if BEHAVIOR.promotes else cast(found, dtypes.int64)


def pad(array: TensorLike, pad_width: Any, mode: str, **kwargs: Any) -> Any:
    """Returns an array with more on all sides (`tf.experimental.numpy.pad`).

    Args:
        array: the array.
        pad_width: per axis how much comes before and after.
        mode: "constant", "reflect" or "symmetric".
        **kwargs: `constant_values`, what "constant" fills in, 0 if it is not given.
    """
    if mode not in ("constant", "reflect", "symmetric"):
        raise ValueError("Unsupported padding mode: " + mode)
    return repeating.pad(as_array(array), pad_width, mode.upper(), kwargs.get("constant_values", 0))
