"""Order: sort, argsort, nth_element, and permutations."""

from __future__ import annotations

from typing import Any, NoReturn

import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.typing import Axis, TensorLike
from ...core.tensor import Tensor
from ...devices.late import is_late, note
from ..arguments import one_int
from ..convert import to_tensor
from ..infer import Spec, by_kernel, shape_only
from ..op import apply, op
from ..order import in_order

# Taking and putting elements along an axis, which gradients of order need.


def take_along_kernel(x: torch.Tensor, places: torch.Tensor, *, axis: int) -> torch.Tensor:
    """The elements at some places along an axis."""
    return torch.gather(x, axis, places.long())


def put_along_kernel(
    x: torch.Tensor, places: torch.Tensor, *, axis: int, size: int
) -> torch.Tensor:
    """Zeros, with the elements of x added at some places along an axis."""
    dims = list(x.shape)
    dims[axis] = size
    return x.new_zeros(dims).scatter_add(axis, places.long(), x)


_ALONG = "x: T, places: Tindices -> y: T"
TAKE_ALONG = op(
    "_TakeAlongAxis", _ALONG, take_along_kernel, by_kernel(take_along_kernel),
    T=dtypes.ANY_FIXED, Tindices=dtypes.ANY_INDICES,
)  # fmt: skip
PUT_ALONG = op(
    "_PutAlongAxis", _ALONG, put_along_kernel, by_kernel(put_along_kernel),
    T=dtypes.NUMBERS, Tindices=dtypes.ANY_INDICES,
)  # fmt: skip


# Sorting


@in_order
def sort_kernel(
    x: torch.Tensor, *, axis: int, descending: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """Elements in order along an axis, and where they were; equal ones stay as they stood."""
    values, places = torch.sort(x, dim=axis, descending=descending, stable=True)
    return values, places.to(torch.int32)


def _sort_spec(x: Spec, *, axis: int, descending: bool) -> tuple[Spec, Spec]:
    return x, Spec(x.dims, dtypes.int32)


# TensorFlow makes it of TopKV2, and of Neg before and after it.
SORT = op("_Sort", "x: T -> y: T, places: int32", sort_kernel, _sort_spec, T=dtypes.REALS)


def sort(
    values: TensorLike,
    axis: Axis | None = -1,
    direction: str = "ASCENDING",
    name: str | None = None,
) -> Any:
    """Returns the elements in order along an axis (`tf.sort`); NaNs last.

    Args:
        values: a tensor of numbers that can be compared.
        axis: the axis, the last one by default.
        direction: 'ASCENDING' or 'DESCENDING'.
        name: a name in graphs.

    Returns:
        A tensor of the same shape and dtype.

    Raises:
        ValueError: the direction is none, or axis is no integer.
        InvalidArgumentError: the axis is out of range.

    >>> sort([3, 1, 2], direction="DESCENDING").numpy().tolist()
    [3, 2, 1]
    """
    return _sorted(values, axis, direction)[0]


def argsort(
    values: TensorLike,
    axis: Axis | None = -1,
    direction: str = "ASCENDING",
    stable: bool = False,
    name: str | None = None,
) -> Any:
    """Returns where the elements in order along an axis are, as int32 (`tf.argsort`).

    Args:
        values: a tensor of numbers that can be compared.
        axis: the axis, the last one by default.
        direction: 'ASCENDING' or 'DESCENDING'.
        stable: taken for TensorFlow's sake; equal elements always stay as they stood.
        name: a name in graphs.

    Raises:
        ValueError: the direction is none, or axis is no integer.
        InvalidArgumentError: the axis is out of range.

    >>> argsort([3, 1, 2]).numpy().tolist()
    [1, 2, 0]
    """
    return _sorted(values, axis, direction)[1]


def _sorted(values: TensorLike, axis: Axis | None, direction: str) -> Any:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(
            "Argument `direction` should be one of ASCENDING, DESCENDING. Received: "
            f"direction={direction}"
        )
    if isinstance(axis, (list, tuple)):
        raise ValueError(f"Argument `axis` must be a constant scalar. Received: axis={axis}.")
    place = one_int(axis, "Argument `axis` must be a constant scalar. Received shape {shape}.")
    x = to_tensor(values)
    rank = x.shape.rank
    if rank is not None and not -rank <= place < rank:
        raise invalid_argument(
            f"slice index {place} of dimension 0 out of bounds: the tensor has {rank} axes"
        )
    return apply(SORT, (x,), {"axis": place, "descending": direction == "DESCENDING"})


@in_order
def nth_element_kernel(input: torch.Tensor, *, n: int, reverse: bool = False) -> torch.Tensor:
    """The element of each row that is at place n in order."""
    _nth_element_spec(shape_only(input), n=n)
    place = input.shape[-1] - n if reverse else n + 1
    return torch.kthvalue(input, place).values


def _nth_element_spec(input: Spec, *, n: int, reverse: bool = False) -> Spec:
    if n < 0:
        raise invalid_argument(f"n must be non-negative but is {n}")
    if input.dims is None:
        return input
    if not input.dims:
        raise invalid_argument("Input must be at least rank 1 but is rank 0")
    if input.dims[-1] is not None and input.dims[-1] <= n:
        raise invalid_argument(f"Input must have last dimension > n = {n}")
    return Spec(input.dims[:-1], input.dtype)


NTH_ELEMENT = op(
    "NthElement", "input: T, n: host -> values: T", nth_element_kernel, _nth_element_spec,
    T=dtypes.REALS,
)  # fmt: skip


def invert_permutation_kernel(x: torch.Tensor) -> torch.Tensor:
    """Where each of 0 .. n-1 stands."""
    if x.ndim != 1:
        raise invalid_argument("invert_permutation expects a 1D vector.")
    size = len(x)
    if size == 0:
        return x.clone()
    inside = x.clamp(0, size - 1)
    order = torch.arange(size, dtype=x.dtype, device=x.device)
    places = torch.full_like(x, -1).scatter(0, inside.long(), order)
    is_good = ((inside == x) & (places >= 0)).all()
    if is_late(x):
        note(~is_good, _refuse_numbers, (x,))
    elif not is_good:
        _refuse_numbers(x)
    return places


def _refuse_numbers(x: torch.Tensor) -> NoReturn:
    raise _no_permutation(x.tolist())


def _no_permutation(numbers: list[int]) -> Exception:
    seen: set[int] = set()
    for number in numbers:
        if not 0 <= number < len(numbers):
            return invalid_argument(f"{number} is not between 0 and {len(numbers)}")
        if number in seen:
            return invalid_argument(f"{number} is duplicated in the input.")
        seen.add(number)
    raise AssertionError("it is a permutation")


def _invert_spec(x: Spec) -> Spec:
    if x.dims is not None and len(x.dims) != 1:
        raise invalid_argument("invert_permutation expects a 1D vector.")
    return x


INVERT_PERMUTATION = op(
    "InvertPermutation", "x: T -> y: T", invert_permutation_kernel, _invert_spec,
    checks=True, T=dtypes.INDICES,
)  # fmt: skip


def invert_permutation(x: TensorLike, name: str | None = None) -> Tensor:
    """Where each of 0 .. n-1 stands in a permutation of them (`tf.math.invert_permutation`).

    Args:
        x: a vector of int32 or int64 that holds each of 0 .. n-1 once.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: it does not.

    >>> invert_permutation([2, 0, 1]).numpy().tolist()
    [1, 2, 0]
    """
    return apply(INVERT_PERMUTATION, (to_tensor(x),))
