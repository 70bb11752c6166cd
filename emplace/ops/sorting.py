"""Order: sort, argsort, top_k, nth_element, and permutations."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from ..base import dtypes
from ..base.dtypes import DType
from ..base.errors import invalid_argument
from ..base.shapes import runtime_text
from .convert import to_tensor
from .infer import Spec, by_kernel
from .op import apply, op
from .order import in_order
from .scalars import one_int, one_of

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
_INDICES = (dtypes.int16, dtypes.int32, dtypes.int64)
TAKE_ALONG = op(
    "_TakeAlongAxis", _ALONG, take_along_kernel, by_kernel(take_along_kernel),
    T=dtypes.ANY_FIXED, Tindices=_INDICES,
)  # fmt: skip
PUT_ALONG = op(
    "_PutAlongAxis", _ALONG, put_along_kernel, by_kernel(put_along_kernel),
    T=dtypes.NUMBERS, Tindices=_INDICES,
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


def sort(values: Any, axis: Any = -1, direction: str = "ASCENDING", name: str | None = None) -> Any:
    """The elements in order along an axis (`tf.sort`); NaNs last.

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
    values: Any,
    axis: Any = -1,
    direction: str = "ASCENDING",
    stable: bool = False,
    name: str | None = None,
) -> Any:
    """Where the elements in order along an axis are, as int32 (`tf.argsort`).

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


def _sorted(values: Any, axis: Any, direction: str) -> Any:
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
    if not -rank <= place < rank:
        raise invalid_argument(
            f"slice index {place} of dimension 0 out of bounds: the tensor has {rank} axes"
        )
    return apply(SORT, (x,), {"axis": place, "descending": direction == "DESCENDING"})


# The largest


class TopKV2(NamedTuple):
    """What `top_k` returns."""

    values: Any
    indices: Any


class ApproxTopK(NamedTuple):
    """What `approx_max_k` and `approx_min_k` return."""

    values: Any
    indices: Any


@in_order
def top_k_kernel(
    input: torch.Tensor, *, k: int, sorted: bool = True, index_type: DType = dtypes.int32
) -> tuple[torch.Tensor, torch.Tensor]:
    """The k largest elements of rows and their places; of equal ones, the first come first."""
    _top_k_spec(Spec(tuple(input.shape), dtypes.float32), k=k)
    places = _top_places(input.detach(), k)
    return input.gather(-1, places), places.to(index_type.torch)


def _top_places(x: torch.Tensor, k: int) -> torch.Tensor:
    size = x.shape[-1]
    if k == 1 and not x.is_floating_point():
        return torch.argmax(x, -1, keepdim=True)
    if size > 16 * k and x.dtype in _RANKED:
        return torch.topk(_ranks(x), k).indices
    return torch.sort(x, dim=-1, descending=True, stable=True).indices.narrow(-1, 0, k)


# Types whose elements fit into the upper half of an int64, with their places in the lower half.
_RANKED = (torch.float32, torch.int32, torch.int16, torch.int8, torch.uint8)


def _ranks(x: torch.Tensor) -> torch.Tensor:
    """Integers that are all different, ordered as the elements, and the first of equal ones on
    top: torch's own top_k takes any of them.
    """
    if x.dtype is torch.float32:
        bits = (x + 0.0).view(torch.int32)  # one zero: -0.0 + 0.0 is 0.0
        bits = torch.where(bits < 0, bits ^ 0x7FFFFFFF, bits)
    else:
        bits = x
    size = x.shape[-1]
    return (bits.long() << 32) + torch.arange(size - 1, -1, -1, device=x.device)


def _top_k_spec(
    input: Spec, *, k: int, sorted: bool = True, index_type: DType = dtypes.int32
) -> tuple[Spec, Spec]:
    if k < 0:
        raise invalid_argument(f"Need k >= 0, got {k}")
    if input.dims is None:
        return input, Spec(None, index_type)
    if not input.dims:
        raise invalid_argument(f"input must be >= 1-D, got shape {runtime_text(input.dims)}")
    size = input.dims[-1]
    if size is not None and size < k:
        raise invalid_argument(f"input must have at least k columns. Had {size}, needed {k}")
    dims = (*input.dims[:-1], k)
    return Spec(dims, input.dtype), Spec(dims, index_type)


TOP_K = op(
    "TopKV2", "input: T, k: host -> values: T, indices: index_type", top_k_kernel, _top_k_spec,
    T=dtypes.REALS,
)  # fmt: skip


def top_k(
    input: Any,
    k: Any = 1,
    sorted: bool = True,
    index_type: Any = dtypes.int32,
    name: str | None = None,
) -> TopKV2:
    """The k largest elements along the last axis and their places (`tf.math.top_k`).

    Of equal elements those with the lowest places come first.

    Args:
        input: a tensor of numbers that can be compared, with at least one axis.
        k: how many.
        sorted: taken for TensorFlow's sake; the largest always comes first.
        index_type: the dtype of the places: int16, int32 or int64.
        name: a name in graphs.

    Returns:
        (values, indices), both with k as their last dimension.

    Raises:
        InvalidArgumentError: there are fewer than k elements along the last axis.

    >>> top_k([1, 3, 2], k=2).indices.numpy().tolist()
    [1, 2]
    """
    wanted = one_of("index_type", index_type, _INDICES)
    count = one_int(k, "k must be scalar, got shape {shape}")
    attrs = {"k": count, "sorted": bool(sorted), "index_type": wanted}
    return TopKV2(*apply(TOP_K, (to_tensor(input),), attrs))


def approx_top_k_kernel(
    input: torch.Tensor,
    *,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    is_max_k: bool = True,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The k largest or smallest elements along an axis: all of them, which is close enough."""
    rows = input.movedim(reduction_dimension, -1)
    values, places = top_k_kernel(rows if is_max_k else -rows, k=k)
    back = -1, reduction_dimension
    return (values if is_max_k else -values).movedim(*back), places.movedim(*back)


def _approx_top_k_spec(
    input: Spec, *, k: int, reduction_dimension: int = -1, **attrs: Any
) -> tuple[Spec, Spec]:
    dims = list(input.dims or ())
    if not -len(dims) <= reduction_dimension < len(dims):
        raise invalid_argument(
            f"Got rank {len(dims)} input and reduction_dimension {reduction_dimension}"
        )
    size = dims[reduction_dimension]
    _top_k_spec(Spec((size,), input.dtype), k=k)
    dims[reduction_dimension] = k
    return Spec(tuple(dims), input.dtype), Spec(tuple(dims), dtypes.int32)


APPROX_TOP_K = op(
    "ApproxTopK", "input: T -> values: T, indices: int32", approx_top_k_kernel, _approx_top_k_spec,
    T=(dtypes.float16, dtypes.bfloat16, dtypes.float32),
)  # fmt: skip


def approx_max_k(
    operand: Any,
    k: Any,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The k largest elements along an axis and their places (`tf.nn.approx_max_k`).

    Here it is exact; what says how good an approximation must be is taken for TensorFlow's sake.

    Args:
        operand: a tensor of float32, float16 or bfloat16.
        k: how many.
        reduction_dimension: the axis.
        recall_target: the share of the k that an approximation must find.
        reduction_input_size_override: the size to compute that share from.
        aggregate_to_topk: whether an approximation is cut to k.
        name: a name in graphs.

    Returns:
        (values, indices).

    Raises:
        InvalidArgumentError: there are fewer than k elements along the axis.

    >>> approx_max_k([1.0, 3.0, 2.0], 2).values.numpy().tolist()
    [3.0, 2.0]
    """
    return _approx(operand, k, reduction_dimension, recall_target, True)


def approx_min_k(
    operand: Any,
    k: Any,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The k smallest elements along an axis and their places (`tf.nn.approx_min_k`); arguments as
    of `approx_max_k`.

    >>> approx_min_k([1.0, 3.0, 2.0], 2).values.numpy().tolist()
    [1.0, 2.0]
    """
    return _approx(operand, k, reduction_dimension, recall_target, False)


def _approx(operand: Any, k: Any, axis: int, recall_target: float, is_max_k: bool) -> ApproxTopK:
    attrs = {
        "k": one_int(k, "k must be scalar, got shape {shape}"),
        "reduction_dimension": axis,
        "recall_target": recall_target,
        "is_max_k": is_max_k,
    }
    return ApproxTopK(*apply(APPROX_TOP_K, (to_tensor(operand),), attrs))


@in_order
def nth_element_kernel(input: torch.Tensor, *, n: int, reverse: bool = False) -> torch.Tensor:
    """The element of each row that is at place n in order."""
    _nth_element_spec(Spec(tuple(input.shape), dtypes.float32), n=n)
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


def in_top_k_kernel(predictions: torch.Tensor, targets: torch.Tensor, *, k: int) -> torch.Tensor:
    """Whether fewer than k predictions of a row are larger than that of its target."""
    _in_top_k_spec(
        Spec(tuple(predictions.shape), dtypes.float32), Spec(tuple(targets.shape), dtypes.int32),
        k=k,
    )  # fmt: skip
    classes = predictions.shape[1]
    if classes == 0:
        return torch.zeros_like(targets, dtype=torch.bool)
    is_class = (targets >= 0) & (targets < classes)
    places = targets.long().clamp(0, classes - 1).unsqueeze(1)
    larger = (predictions > predictions.gather(1, places)).sum(1)
    return is_class & (larger < k) & predictions.isfinite().all(1)


def _in_top_k_spec(predictions: Spec, targets: Spec, *, k: int) -> Spec:
    for name, given, rank in (("predictions", predictions, 2), ("targets", targets, 1)):
        if given.dims is not None and len(given.dims) != rank:
            raise invalid_argument(f"{name} must be {rank}-dimensional")
    if predictions.dims is not None and targets.dims is not None:
        rows, count = predictions.dims[0], targets.dims[0]
        if None not in (rows, count) and rows != count:
            raise invalid_argument(
                f"First dimension of predictions {rows} must match length of targets {count}"
            )
    return Spec(targets.dims, dtypes.bool_)


IN_TOP_K = op(
    "InTopKV2", "predictions: float32, targets: T, k: host -> precision: bool", in_top_k_kernel,
    _in_top_k_spec, T=(dtypes.int32, dtypes.int64),
)  # fmt: skip


def in_top_k(targets: Any, predictions: Any, k: Any, name: str | None = None) -> Any:
    """Whether each row's target is among its k highest predictions (`tf.math.in_top_k`).

    Targets that tie with the k-th are in; a row with a target that is no class, or with a
    prediction that is not finite, is not.

    Args:
        targets: a class per row, int32 or int64.
        predictions: a row of float32 per target, one number per class.
        k: how many predictions count.
        name: a name in graphs.

    Returns:
        A bool per row.

    Raises:
        InvalidArgumentError: the shapes do not fit.

    >>> in_top_k([1, 1], [[0.1, 0.9], [0.8, 0.2]], k=1).numpy().tolist()
    [True, False]
    """
    count = one_int(k, "k must be 0-D, got shape {shape}")
    given = to_tensor(predictions, hint=dtypes.float32), to_tensor(targets)
    return apply(IN_TOP_K, given, {"k": count})


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
    if not ((inside == x) & (places >= 0)).all():
        raise _no_permutation(x.tolist())
    return places


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
    T=(dtypes.int32, dtypes.int64),
)  # fmt: skip


def invert_permutation(x: Any, name: str | None = None) -> Any:
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
