"""The largest elements: top_k, approximations of it, and whether an element is among them."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from ...base import dtypes
from ...base.dtypes import DType
from ...base.errors import invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from ..arguments import check_index_types, one_int, one_of
from ..convert import to_tensor
from ..infer import Spec, shape_only
from ..op import apply, op
from ..order import in_order


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
    if k < 0 or input.ndim == 0 or input.shape[-1] < k:
        _top_k_spec(shape_only(input), k=k)
    places = _top_places(input.detach(), k)
    return input.gather(-1, places), places.to(index_type.torch)


def _top_places(x: torch.Tensor, k: int) -> torch.Tensor:
    size = x.shape[-1]
    if k == 1:
        return torch.max(x, -1, keepdim=True).indices
    if size < max(64, 16 * k):
        return torch.sort(x, dim=-1, descending=True, stable=True).indices.narrow(-1, 0, k)
    values, places = torch.topk(x, k + 1)  # one more, to see a tie for the last place
    if (values[..., :-1] > values[..., 1:]).all():
        return places.narrow(-1, 0, k)
    if x.dtype in _RANKED:
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
    input: TensorLike,
    k: TensorLike = 1,
    sorted: bool = True,
    index_type: DType = dtypes.int32,
    name: str | None = None,
) -> TopKV2:
    """Returns the k largest elements along the last axis and their places (`tf.math.top_k`).

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
    index_dtype = one_of("index_type", index_type, dtypes.ANY_INDICES)
    check_index_types("TopKV2", (k,), dtypes.ANY_INDICES)
    count = one_int(k, "k must be scalar, got shape {shape}")
    attrs = {"k": count, "sorted": bool(sorted), "index_type": index_dtype}
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
    operand: TensorLike,
    k: TensorLike,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """Returns the k largest elements along an axis and their places (`tf.nn.approx_max_k`).

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
    k: TensorLike,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """Returns the k smallest elements along an axis and their places (`tf.nn.approx_min_k`);
    arguments as of `approx_max_k`.

    Args:
        operand: floats.
        k: how many.
        reduction_dimension: the axis.
        recall_target: not used: the result is exact.
        reduction_input_size_override: not used.
        aggregate_to_topk: as of `approx_max_k`.
        name: a name in graphs.

    >>> approx_min_k([1.0, 3.0, 2.0], 2).values.numpy().tolist()
    [1.0, 2.0]
    """
    return _approx(operand, k, reduction_dimension, recall_target, False)


def _approx(
    operand: TensorLike, k: TensorLike, axis: int, recall_target: float, is_max_k: bool
) -> ApproxTopK:
    attrs = {
        "k": one_int(k, "k must be scalar, got shape {shape}"),
        "reduction_dimension": axis,
        "recall_target": recall_target,
        "is_max_k": is_max_k,
    }
    return ApproxTopK(*apply(APPROX_TOP_K, (to_tensor(operand),), attrs))


def in_top_k_kernel(predictions: torch.Tensor, targets: torch.Tensor, *, k: int) -> torch.Tensor:
    """Whether fewer than k predictions of a row are larger than that of its target."""
    _in_top_k_spec(
        shape_only(predictions), Spec(tuple(targets.shape), dtypes.int32),
        k=k,
    )  # fmt: skip
    classes = predictions.shape[1]
    if classes == 0:
        return torch.zeros_like(targets, dtype=torch.bool)
    is_class = (targets >= 0) & (targets < classes)
    places = targets.long().clamp(0, classes - 1).unsqueeze(1)
    # As floats: torch adds those up much faster than bools.
    is_larger = torch.empty_like(predictions)
    torch.gt(predictions, predictions.gather(1, places), out=is_larger)
    is_finite = predictions.amax(1).isfinite() & predictions.amin(1).isfinite()
    return is_class & (is_larger.sum(1) < k) & is_finite


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
    _in_top_k_spec, T=dtypes.INDICES,
)  # fmt: skip


def in_top_k(
    targets: TensorLike, predictions: TensorLike, k: TensorLike, name: str | None = None
) -> Tensor:
    """Returns whether each row's target is among its k highest predictions (`tf.math.in_top_k`).

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
