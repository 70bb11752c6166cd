"""Ops that pick elements and slices by index or by mask."""

from __future__ import annotations

from typing import Any

import torch

from ..base import dtypes
from ..base.errors import invalid_argument
from .convert import (
    static_ints,
    to_tensor,
)
from .infer import Spec
from .making import INDICES
from .op import apply, op
from .shaping import reshape


def gather_kernel(params: Any, indices: torch.Tensor, *, axis: int, batch_dims: int = 0) -> Any:
    """Slices of params along an axis, in the order of the indices."""
    size = params.shape[axis]
    if indices.numel():
        low, high = (int(end) for end in indices.aminmax())
        if low < 0 or high >= size:
            bad = low if low < 0 else high
            raise invalid_argument(f"indices[?] = {bad} is not in [0, {size})")
    if not isinstance(params, torch.Tensor):
        return params.take(indices.numpy(), axis)
    flat = params.index_select(axis, indices.reshape(-1).long())
    return flat.reshape((*params.shape[:axis], *indices.shape, *params.shape[axis + 1 :]))


def _gather_spec(params: Spec, indices: Spec, *, axis: int, batch_dims: int = 0) -> Spec:
    dims = params.dims or ()
    return Spec((*dims[:axis], *(indices.dims or ()), *dims[axis + 1 :]), params.dtype)


GATHER = op(
    "GatherV2", "params: Tparams, indices: Tindices, axis: host -> output: Tparams",
    gather_kernel, _gather_spec, Tparams=dtypes.ANY, Tindices=INDICES,
)  # fmt: skip


def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Any:
    """Slices of params along an axis, in the order of the indices (`tf.gather`).

    Raises:
        InvalidArgumentError: an index is out of range.

    >>> gather([10, 20, 30], [2, 0]).numpy().tolist()
    [30, 10]
    """
    params = to_tensor(params)
    place = 0 if axis is None else static_ints(axis, "axis")[0]
    place %= max(1, params.shape.rank)
    return apply(GATHER, (params, to_tensor(indices)), {"axis": place})


def where_kernel(condition: torch.Tensor) -> torch.Tensor:
    """The places of all True elements, a row each."""
    return torch.nonzero(condition)


WHERE = op("Where", "condition: T -> index: int64", where_kernel, None, T=dtypes.ANY_FIXED)


def boolean_mask(
    tensor: Any, mask: Any, axis: int | None = None, name: str | None = "boolean_mask"
) -> Any:
    """The elements or slices where a mask is True (`tf.boolean_mask`).

    Raises:
        ValueError: the mask's shape is not the start of the tensor's.
    """
    tensor, mask = to_tensor(tensor), to_tensor(mask, dtypes.bool_)
    start = axis or 0
    covered = mask.shape.rank
    dims = tensor.shape.as_list()
    if covered == 0:
        raise ValueError("mask cannot be scalar.")
    if dims[start : start + covered] != mask.shape.as_list():
        raise ValueError(
            f"Shapes {TupleText(dims[start : start + covered])} and {mask.shape} are incompatible"
        )
    flat = reshape(tensor, [*dims[:start], -1, *dims[start + covered :]])
    places = reshape(apply(WHERE, (reshape(mask, [-1]),)), [-1])
    return gather(flat, places, axis=start)


class TupleText(tuple[Any, ...]):
    """A tuple made of a list, for messages."""

    __slots__ = ()
