"""Slices of batches of operators: each parameter is sliced in its own batch dimensions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...base import dtypes
from ...ops.array.joining import concat
from ...ops.array.making import fill
from ...ops.array.select import where
from ...ops.array.shaping import reshape, shape
from ...ops.convert import to_tensor
from ...ops.math.elementwise import greater

Change = Callable[[Any, int], Any]


def sliced(operator: Any, places: Any) -> Any:
    """An operator of some of the matrices of a batch.

    Args:
        operator: a batch of matrices.
        places: what stands in brackets; it is about the batch dimensions alone.
    """
    places = tuple(places) if isinstance(places, (tuple, list)) else (places,)
    if len(places) == 1 and places[0] is Ellipsis:
        return with_parameters(operator, lambda value, inner: value)
    return operator._sliced(places, operator._batch_sizes())


def with_parameters(operator: Any, change: Change) -> Any:
    """The same kind of operator of other parameters.

    Args:
        operator: an operator.
        change: makes a parameter of one and the number of its dimensions that are no batch.
    """
    of_matrices = operator._experimental_parameter_ndims_to_matrix_ndims
    changed = {
        name: _each(getattr(operator, name), inner, change)
        for name, inner in of_matrices.items()
        if getattr(operator, name) is not None
    }
    return type(operator)(**{**operator.parameters, **changed})


def _each(value: Any, inner: Any, change: Change) -> Any:
    if isinstance(inner, (list, tuple)):
        return [_each(x, n, change) for x, n in zip(value, inner, strict=True)]
    return change(value, inner)


def sliced_parameter(value: Any, inner: int, places: Sequence[Any], batch: Any) -> Any:
    """A parameter of a slice.

    Args:
        value: a tensor, or an operator; its batch dimensions may be fewer, or ones.
        inner: how many of its last dimensions are no batch.
        places: what stands in brackets.
        batch: the dimensions that these are about; a tensor where they are not known yet.
    """
    if hasattr(value, "batch_shape_tensor"):
        return value._sliced(places, batch)
    value = to_tensor(value)
    if not isinstance(batch, list) or not value.shape.is_fully_defined():
        return _sliced_as_it_runs(value, inner, places, batch)
    own = value.shape.as_list()[: len(value.shape) - inner]
    missing = len(batch) - len(own)
    if missing > 0:
        value, own = value[(None,) * missing], [1] * missing + own
    picks = fitting(places, batch, own)
    return value[_with_inner(picks, inner)]


def _with_inner(picks: list[Any], inner: int) -> tuple[Any, ...]:
    """Slices of a batch, and all of what is no batch."""
    if not inner:
        return tuple(picks)
    rest = [] if any(each is Ellipsis for each in picks) else [Ellipsis]
    return (*picks, *rest, *[slice(None)] * inner)


def _sliced_as_it_runs(value: Any, inner: int, places: Sequence[Any], batch: Any) -> Any:
    """A parameter of a slice where only running a graph tells which of its dimensions are ones."""
    batch, sizes = to_tensor(batch, hint=dtypes.int32), shape(value)
    missing = shape(batch)[0] + inner - shape(sizes)[0]
    sizes = concat([fill([missing], 1), sizes], 0)
    picks: list[Any] = []
    axis = 0
    for i, place in enumerate(places):
        if place is Ellipsis:
            axis = -sum(each is not None for each in places[i + 1 :])
        elif place is not None:
            own = sizes[axis if axis >= 0 else axis - inner]
            place = _of_one_as_it_runs(place, greater(batch[axis], own))
            axis += 1
        picks.append(place)
    return reshape(value, sizes)[_with_inner(picks, inner)]


def _of_one_as_it_runs(place: Any, is_one: Any) -> Any:
    if not isinstance(place, slice):
        return where(is_one, 0, place)
    limits = ((place.start, 0), (place.stop, 1), (place.step, 1))
    return slice(*(None if x is None else where(is_one, one, x) for x, one in limits))


def fitting(places: Sequence[Any], batch: Sequence[int], own: Sequence[int]) -> list[Any]:
    """Slices of a batch, as what has ones in the place of some of its dimensions takes them."""
    made: list[Any] = []
    axis = 0
    for i, place in enumerate(places):
        if place is Ellipsis:
            if axis < 0:
                raise ValueError(f"Found multiple `...` in slices {tuple(places)}")
            axis = -sum(each is not None for each in places[i + 1 :])
        elif place is not None:
            place = _of_one(place) if batch[axis] > own[axis] else place
            axis += 1
        made.append(place)
    return made


def _of_one(place: Any) -> Any:
    """What a slice, or an index, takes of a dimension of 1 that stands for a longer one."""
    if not isinstance(place, slice):
        return 0
    start, stop, step = place.start, place.stop, place.step
    return slice(
        None if start is None else 0, None if stop is None else 1, None if step is None else 1
    )
