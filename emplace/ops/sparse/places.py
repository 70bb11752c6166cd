"""Places of elements as single numbers: what the kernels of sparse ops have in common.

The number of a place counts the elements before it, row by row, so that places in order have
ascending numbers and equal places equal ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import TensorShape
from ...base.typing import IntsLike, TensorLike
from ...core.symbolic_value import SymbolicValue, SymbolicValueError
from ...devices.constants import constants
from ...devices.late import is_late, note
from ..array.joining import stack
from ..array.shaping import shape as shape_of
from ..array.slicing import getitem
from ..convert import to_tensor
from ..counts import counts_of
from ..math.elementwise import cast
from .tensor import SparseTensor, SparseTensorValue

Dims = Sequence[int]
Place = tuple[int, ...]


@constants
def _vector(numbers: tuple[int, ...]) -> torch.Tensor:
    return torch.tensor(numbers, dtype=torch.int64)


def row_of(numbers: Sequence[int], like: torch.Tensor) -> torch.Tensor:
    """Plain numbers as a vector beside places, which nobody writes into."""
    return _vector(like.device, tuple(numbers))  # type: ignore[no-any-return]


def sizes_as_tensor(dims: Dims, like: torch.Tensor) -> torch.Tensor:
    """A shape as a result beside places."""
    return row_of(dims, like).clone()


def numbers_of(indices: torch.Tensor, shape: Dims) -> torch.Tensor:
    """(N, rank) places as (N,) numbers; rank 0 gives zeros."""
    if not shape:
        return indices.new_zeros(len(indices))
    steps = strides(shape)
    numbers = indices[:, -1].clone()
    for axis, step in enumerate(steps[:-1]):
        numbers.add_(indices[:, axis], alpha=step)
    return numbers


def strides(shape: Dims) -> list[int]:
    """How far apart neighbours of each axis are."""
    return [math.prod(shape[i + 1 :]) for i in range(len(shape))]


def places_of(numbers: torch.Tensor, shape: Dims) -> torch.Tensor:
    """(N,) numbers as (N, rank) places; numbers of places outside are rounded towards 0."""
    columns = []
    for step in strides(shape):
        columns.append(torch.div(numbers, step, rounding_mode="trunc"))
        numbers = torch.fmod(numbers, step)
    return torch.stack(columns, -1) if columns else numbers.new_zeros((len(numbers), 0))


def take(values: Any, places: torch.Tensor) -> Any:
    """Elements by number, also of strings."""
    if isinstance(values, torch.Tensor):
        return values.index_select(0, places)
    return values[places.cpu().numpy()]


def join(parts: Sequence[Any]) -> Any:
    """Vectors one after the other, also of strings."""
    if isinstance(parts[0], torch.Tensor):
        return torch.cat(list(parts))
    return np.concatenate(parts)


def check_parts(indices: torch.Tensor, values: Any, shape: Dims) -> None:
    """Raises InvalidArgumentError unless three parts have the forms of those of a sparse tensor."""
    for what, part, rank in (("indices", indices, 2), ("values", values, 1)):
        if part.ndim != rank:
            raise invalid_argument(f"Sparse {what} must be rank {rank} but is rank {part.ndim}")
    if len(indices) != len(values):
        raise invalid_argument(
            f"Number of elements in indices ({len(indices)}) and values ({len(values)}) do not "
            "match"
        )
    if indices.shape[1] != len(shape):
        raise invalid_argument(
            f"Index rank ({indices.shape[1]}) and shape rank ({len(shape)}) do not match"
        )


def inside(
    indices: torch.Tensor, shape: Dims, told: Callable[[int, Place, Dims], str] | None = None
) -> torch.Tensor:
    """Places, after a check that they are inside of a shape; where it is late, they are inside all
    the same.

    Raises:
        InvalidArgumentError: one is outside; maybe later. `told` makes its text.
    """
    if not is_late(indices) or 0 in shape or not shape:
        check_inside(indices, shape, told)
        return indices
    columns = [indices[:, axis].clamp(0, size - 1) for axis, size in enumerate(shape)]
    safe = torch.stack(columns, 1)
    note((safe != indices).any(), check_inside, (indices,), tuple(shape), told)
    return safe


def check_inside(
    indices: torch.Tensor, shape: Dims, told: Callable[[int, Place, Dims], str] | None = None
) -> None:
    """Raises InvalidArgumentError if a place is outside of the shape. `told` makes the text out of
    the number of the place, the place and the shape.
    """
    if are_inside(indices, shape):
        return
    wrong = ((indices < 0) | (indices >= indices.new_tensor(list(shape)))).any(-1)
    row = int(wrong.nonzero()[0])
    raise invalid_argument((told or _needed)(row, tuple(indices[row].tolist()), shape))


def are_inside(indices: torch.Tensor, shape: Dims) -> bool:
    """True if no place is outside of the shape."""
    if not indices.numel():
        return True
    low, high = indices.amin(0).tolist(), indices.amax(0).tolist()
    return min(low) >= 0 and all(most < size for most, size in zip(high, shape, strict=True))


def _needed(row: int, place: Place, shape: Dims) -> str:
    return f"indices[{row}] = {_text(place)} is out of bounds: need 0 <= index < {_text(shape)}"


def outside_of_tuple(row: int, place: Place, shape: Dims) -> str:
    """What ops say that compare or split sparse tensors."""
    return f"Sparse index tuple indices[{row}, :] = {list(place)} is out of bounds"


def outside_of_shape(row: int, place: Place, shape: Dims) -> str:
    """What ops say that put elements in without a look at their order."""
    return f"Indices are not valid (out of bounds).  Shape: {_text(shape)}"


def wrong_axis(place: Place, shape: Dims) -> int:
    """The first axis along which a place is outside."""
    return next(i for i, size in enumerate(shape) if not 0 <= place[i] < size)


def ascending(numbers: torch.Tensor) -> bool:
    """True if no number is smaller than the one before it."""
    return not bool((numbers[1:] < numbers[:-1]).any())


def in_order_of_places(indices: torch.Tensor) -> torch.Tensor:
    """The order that sorts places, also those outside of a shape, by one axis after the other."""
    order = torch.arange(len(indices), device=indices.device)
    for column in reversed(indices.unbind(1)):
        order = order[torch.argsort(column[order], stable=True)]
    return order


def merged_places(behind: torch.Tensor, count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Where elements go if others are put between them, each behind so many of them: the places
    of the first ones, and of the others.
    """
    before = counts_of(behind, count + 1)[:count].cumsum(0)
    first = torch.arange(count, device=behind.device) + before
    return first, torch.arange(len(behind), device=behind.device) + behind


def merged(numbers: torch.Tensor, more: torch.Tensor) -> torch.Tensor:
    """Where the elements of both go if two ascending vectors are merged: for each place of the
    result the number of an element, those of `more` counted behind the others.
    """
    count = len(numbers)
    behind = torch.searchsorted(numbers.contiguous(), more.contiguous(), right=True)
    first, second = merged_places(behind, count)
    order = torch.empty(count + len(more), dtype=torch.int64, device=numbers.device)
    order[first] = torch.arange(count, device=numbers.device)
    order[second] = torch.arange(count, count + len(more), device=numbers.device)
    return order


def check_in_order(indices: torch.Tensor, shape: Dims) -> None:
    """Raises InvalidArgumentError if places repeat or do not ascend; maybe later."""
    numbers = numbers_of(indices, shape)
    bad = numbers[1:] <= numbers[:-1]
    if is_late(indices):
        note(bad.any(), check_in_order, (indices,), tuple(shape))
    elif bad.any():
        row = int(bad.nonzero()[0]) + 1
        place = f"indices[{row}] = {_text(indices[row])}"
        if numbers[row] == numbers[row - 1]:
            raise invalid_argument(f"{place} is repeated")
        raise invalid_argument(
            f"{place} is out of order. Many sparse ops require sorted indices.\n"
            "    Use `tf.sparse.reorder` to create a correctly ordered copy.\n\n"
        )


def _text(row: Sequence[int] | torch.Tensor) -> str:
    return "[" + ",".join(str(int(each)) for each in row) + "]"


def as_sparse(value: TensorLike, name: str = "Input") -> SparseTensor:
    """A sparse tensor, or a SparseTensorValue as one.

    Raises:
        TypeError: it is something else.
    """
    if isinstance(value, SparseTensor):
        return value
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    raise TypeError(f"{name} must be a SparseTensor.")


def dims_of(value: SparseTensor) -> Any:
    """The shape as plain numbers, or as `SymbolicValue`s where a graph does not know them: one for
    each, or one for all if it does not even know the rank.
    """
    return _dims(value.shape, lambda: value.dense_shape)


def dims_of_dense(value: Any) -> Any:
    """The same of a dense tensor."""
    return _dims(value.shape, lambda: shape_of(value, dtypes.int64))


def _dims(shape: TensorShape, sizes: Callable[[], Any]) -> Any:
    dims = shape.sizes
    if dims is not None and None not in dims:
        return dims
    later = sizes()
    if dims is None:
        return SymbolicValue(later, "all")
    return tuple(SymbolicValue(later, i) if size is None else size for i, size in enumerate(dims))


def put_together(
    indices: TensorLike, values: TensorLike, sizes: IntsLike, rule: Callable[[], Sequence[int]]
) -> SparseTensor:
    """A sparse tensor of good parts. A rule tells its shape, where it need not wait for a graph."""
    try:
        shape = TensorShape(rule())
    except SymbolicValueError:
        return SparseTensor(indices, values, sizes)
    return SparseTensor.of(indices, values, sizes, shape)


def known_shape(dims: Any) -> TensorShape:
    """What is known of a shape out of numbers and `SymbolicValue`s."""
    if isinstance(dims, SymbolicValue):
        return TensorShape(None)
    return TensorShape([None if isinstance(size, SymbolicValue) else size for size in dims])


def made(indices: Any, values: Any, dims: Any) -> SparseTensor:
    """A sparse tensor of good parts and a shape out of numbers and `SymbolicValue`s."""
    known = known_shape(dims)
    if isinstance(dims, SymbolicValue):
        sizes = cast(dims.tensor, dtypes.int64)
    elif known.is_fully_defined():
        sizes = to_tensor(np.array(dims, np.int64), dtypes.int64)
    else:
        sizes = stack([size_tensor(size) for size in dims])
    return SparseTensor.of(indices, values, sizes, known)


def size_tensor(size: Any) -> Any:
    """A size, a number or a `SymbolicValue`, as a tensor."""
    if not isinstance(size, SymbolicValue):
        return to_tensor(size, dtypes.int64)
    number = size.tensor if size.place is None else getitem(size.tensor, size.place)
    return cast(number, dtypes.int64)
