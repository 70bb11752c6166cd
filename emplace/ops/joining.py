"""Ops that put tensors together and take them apart: concat, stack, unstack."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ..base import dtypes
from ..base.errors import invalid_argument
from ..base.shapes import runtime_text
from .convert import (
    register_stack,
    static_ints,
    tensors,
    to_tensor,
)
from .infer import Spec
from .op import apply, op
from .shaping import identity


def concat_kernel(*values: Any, axis: int) -> Any:
    """One after the other along an axis."""
    if isinstance(values[0], torch.Tensor):
        _concat_spec(*[Spec(tuple(v.shape), dtypes.float32) for v in values], axis=axis)
        return torch.cat(values, axis)
    return np.concatenate(values, axis)


def _concat_spec(*values: Spec, axis: int) -> Spec:
    first = values[0].dims or ()
    rank = len(first)
    if rank == 0:
        raise invalid_argument("ConcatOp : Expected concatenating dimensions in the range [0, 0)")
    if not -rank <= axis < rank:
        raise invalid_argument(
            "ConcatOp : Expected concatenating dimensions in the range "
            f"[{-rank}, {rank}), but got {axis}"
        )
    axis %= rank
    total = 0
    for i, value in enumerate(values):
        dims = value.dims or ()
        if len(dims) != rank:
            raise invalid_argument(
                "ConcatOp : Ranks of all input tensors should match: "
                f"shape[0] = {runtime_text(first)} vs. shape[{i}] = {runtime_text(dims)}"
            )
        if any(d != f for j, (d, f) in enumerate(zip(dims, first, strict=True)) if j != axis):
            raise invalid_argument(
                f"ConcatOp : Dimension {axis} in both shapes must be equal: "
                f"shape[0] = {runtime_text(first)} vs. shape[{i}] = {runtime_text(dims)}"
            )
        total += dims[axis] or 0
    return Spec((*first[:axis], total, *first[axis + 1 :]), values[0].dtype)


CONCAT = op(
    "ConcatV2", "values: N * T, axis: host -> output: T", concat_kernel, _concat_spec, T=dtypes.ANY
)


def pack_kernel(*values: Any, axis: int) -> Any:
    """Side by side along a new axis."""
    return (
        torch.stack(values, axis) if isinstance(values[0], torch.Tensor) else np.stack(values, axis)
    )


def _pack_spec(*values: Spec, axis: int) -> Spec:
    first = values[0].dims or ()
    for i, value in enumerate(values):
        if value.dims != first:
            raise invalid_argument(
                "Shapes of all inputs must match: values[0].shape = "
                f"{runtime_text(first)} != values[{i}].shape = {runtime_text(value.dims or ())}"
            )
    rank = len(first) + 1
    if not -rank <= axis < rank:
        raise invalid_argument(f"axis = {axis} not in [{-rank}, {rank})")
    axis %= rank
    return Spec((*first[:axis], len(values), *first[axis:]), values[0].dtype)


PACK = op("Pack", "values: N * T -> output: T", pack_kernel, _pack_spec, T=dtypes.ANY)


def unpack_kernel(value: Any, *, axis: int) -> Any:
    """One tensor for each place along an axis."""
    if isinstance(value, torch.Tensor):
        return value.unbind(axis)
    return [value.take(i, axis) for i in range(value.shape[axis])]


def _unpack_spec(value: Spec, *, axis: int) -> tuple[Spec, ...]:
    dims = value.dims or ()
    if not -len(dims) <= axis < len(dims):
        raise invalid_argument(f"axis = {axis} not in [{-len(dims)}, {len(dims)})")
    axis %= len(dims)
    kept = (*dims[:axis], *dims[axis + 1 :])
    return (Spec(kept, value.dtype),) * (dims[axis] or 0)


UNPACK = op(
    "Unpack", "value: T -> output: N * T", unpack_kernel, _unpack_spec, aliases=True, T=dtypes.ANY
)


def concat(values: Any, axis: Any, name: str | None = "concat") -> Any:
    """Tensors one after the other along an axis (`tf.concat`).

    Raises:
        InvalidArgumentError: dtypes differ, or shapes do outside the axis.

    >>> concat([[1, 2], [3]], 0).numpy().tolist()
    [1, 2, 3]
    """
    parts = tensors(values if isinstance(values, (list, tuple)) else [values])
    place = static_ints(axis, "axis")[0]
    if len(parts) == 1:
        return identity(parts[0])
    return apply(CONCAT, tuple(parts), {"axis": place})


def stack(values: Any, axis: int = 0, name: str | None = "stack") -> Any:
    """Tensors of one shape side by side along a new axis (`tf.stack`).

    >>> stack([[1, 2], [3, 4]]).shape
    TensorShape([2, 2])
    """
    return apply(PACK, tuple(tensors(values)), {"axis": axis})


register_stack(stack)


def unstack(value: Any, num: int | None = None, axis: int = 0, name: str | None = "unstack") -> Any:
    """One tensor for each place along an axis (`tf.unstack`)."""
    return apply(UNPACK, (to_tensor(value),), {"axis": axis})
