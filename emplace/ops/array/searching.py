"""Places in sorted sequences: searchsorted and Bucketize."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from ...base import dtypes
from ...base.dtypes import DType
from ...base.errors import invalid_argument
from ...base.typing import DTypeLike, TensorLike
from ...core.tensor import Tensor
from ...devices.constants import constants
from ..arguments import one_of
from ..convert import pair_apart
from ..deferred import deferrable
from ..infer import Spec, shape_only
from ..op import Op, apply, op
from ..order import ordered
from .shaping import reshape, sizes_of


def _bound(name: str, right: bool) -> Op:
    def kernel(
        sorted_inputs: torch.Tensor, values: torch.Tensor, *, out_type: DType = dtypes.int32
    ) -> torch.Tensor:
        found = torch.searchsorted(
            ordered(sorted_inputs).contiguous(), ordered(values).contiguous(),
            right=right, out_int32=out_type is dtypes.int32,
        )  # fmt: skip
        return found

    inputs = "sorted_inputs: T, values: T -> output: out_type"
    return op(name, inputs, kernel, _bound_spec, T=dtypes.REALS)


def _bound_spec(sorted_inputs: Spec, values: Spec, *, out_type: DType = dtypes.int32) -> Spec:
    left, right = sorted_inputs.dims, values.dims
    if left is not None and right is not None:
        for name, dims in (("sorted_inputs", left), ("values", right)):
            if len(dims) != 2:
                raise invalid_argument(f"Shape must be rank 2 but is rank {len(dims)} ({name})")
        if None not in (left[0], right[0]) and left[0] != right[0]:
            raise invalid_argument("Leading dim_size of both tensors must match.")
    return Spec(right, out_type)


LOWER_BOUND = _bound("LowerBound", right=False)
UPPER_BOUND = _bound("UpperBound", right=True)


@deferrable
def searchsorted(
    sorted_sequence: Any,
    values: TensorLike,
    side: str = "left",
    out_type: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Returns where values would be inserted into sorted rows (`tf.searchsorted`).

    Args:
        sorted_sequence: a tensor whose last axis is in increasing order.
        values: a tensor of the same dtype, with the same leading dimensions.
        side: 'left' for the first place that keeps the order, 'right' for the last.
        out_type: the dtype of the places, int32 or int64.
        name: a name in graphs.

    Returns:
        A tensor of places in the shape of values.

    Raises:
        ValueError: side is neither.
        InvalidArgumentError: the leading dimensions differ, or there is no last axis.

    >>> searchsorted([1, 3, 3, 5], [3, 4]).numpy().tolist()
    [1, 3]
    """
    if side not in ("left", "right"):
        raise ValueError(
            f"Argument `side` must be either 'right' or 'left'. Received: `side` = '{side}'."
        )
    index_dtype = one_of("out_type", out_type, dtypes.INDICES)
    sequence, values = pair_apart(sorted_sequence, values)
    record = UPPER_BOUND if side == "right" else LOWER_BOUND
    positions = apply(record, (_rows(sequence), _rows(values)), {"out_type": index_dtype})
    return positions if values.shape.rank == 2 else reshape(positions, sizes_of(values))


def _rows(x: Any) -> Any:
    """All leading axes as one."""
    dims = x.shape.as_list()
    if not dims:
        raise invalid_argument("slice index -1 of dimension 0 out of bounds: a scalar has no axis")
    return x if len(dims) == 2 else reshape(x, [math.prod(dims[:-1]), dims[-1]])


def bucketize_kernel(input: torch.Tensor, *, boundaries: Sequence[float]) -> torch.Tensor:
    """How many boundaries are not above each element."""
    _bucketize_spec(shape_only(input), boundaries=boundaries)
    bounds = _bounds(input.device, tuple(boundaries))
    if input.dtype is torch.float64:
        bounds = bounds.double()
    return torch.bucketize(input.to(bounds.dtype), bounds, right=True, out_int32=True)


@constants
def _bounds(boundaries: tuple[float, ...]) -> torch.Tensor:
    return torch.tensor(boundaries, dtype=torch.float32)


def _bucketize_spec(input: Spec, *, boundaries: Sequence[float]) -> Spec:
    if list(boundaries) != sorted(boundaries):
        raise invalid_argument("Expected sorted boundaries")
    return Spec(input.dims, dtypes.int32)


BUCKETIZE = op(
    "Bucketize", "input: T -> output: int32", bucketize_kernel, _bucketize_spec,
    T=(dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64),
)  # fmt: skip
