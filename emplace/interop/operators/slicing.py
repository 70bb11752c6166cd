"""Slices of batches of operators: each parameter is sliced in its own batch dimensions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...ops.convert import to_tensor

Change = Callable[[Any, int], Any]


def sliced(operator: Any, places: Any) -> Any:
    """An operator of some of the matrices of a batch.

    Args:
        operator: a batch of matrices.
        places: what stands in brackets; it is about the batch dimensions alone.

    Raises:
        NotImplementedError: the batch dimensions are not known yet.
    """
    places = tuple(places) if isinstance(places, (tuple, list)) else (places,)
    if len(places) == 1 and places[0] is Ellipsis:
        return with_parameters(operator, lambda value, inner: value)
    if not operator.batch_shape.is_fully_defined():
        raise NotImplementedError(
            f"{operator!r} is sliced where its batch dimensions are known. Slice what it is made "
            "of."
        )
    return operator._sliced(places, operator.batch_shape.as_list())


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


def sliced_parameter(value: Any, inner: int, places: Sequence[Any], batch: Sequence[int]) -> Any:
    """A parameter of a slice.

    Args:
        value: a tensor, or an operator; its batch dimensions may be fewer, or ones.
        inner: how many of its last dimensions are no batch.
        places: what stands in brackets.
        batch: the dimensions that these are about.
    """
    if hasattr(value, "batch_shape_tensor"):
        return value._sliced(places, batch)
    value = to_tensor(value)
    own = value.shape.as_list()[: len(value.shape) - inner]
    missing = len(batch) - len(own)
    if missing > 0:
        value, own = value[(None,) * missing], [1] * missing + own
    picks = fitting(places, batch, own)
    if inner:
        picks += [] if any(each is Ellipsis for each in places) else [Ellipsis]
        picks += [slice(None)] * inner
    return value[tuple(picks)]


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
