"""Gradients of `ops/collective/`."""

from __future__ import annotations

from typing import Any

from ..core.tensor import Tensor
from ..ops.array.shaping import identity
from ..ops.collective import sums as s
from ..ops.collective.packing import packs_by_dtype
from ..ops.math.elementwise import divide
from ..ops.op import apply
from .rules import Recorded, completed, gradient


@gradient(s.REPLICA_SUM)
def replica_sum_grad(call: Recorded, *dys: Tensor | None) -> Any:
    """Every replica's value gets the gradient of its sum, or its share of the mean's."""
    replicas = call.attrs["replicas"]
    shared = completed(call, dys)
    if call.attrs["is_mean"]:
        shared = [None if dy is None else divide(dy, replicas) for dy in shared]
    return shared * replicas


@gradient(s.REPLICA_COPY)
def replica_copy_grad(call: Recorded, *dys: Tensor | None) -> Any:
    """The values themselves."""
    return dys


@gradient(s.REPLICA_PACK)
def replica_pack_grad(call: Recorded, *dys: Tensor | None) -> Any:
    """What was packed together comes apart."""
    shapes = tuple(tuple(each.shape) for each in call.inputs)
    places = packs_by_dtype(
        [each.shape.num_elements() * each.dtype.size for each in call.inputs],
        [each.dtype for each in call.inputs], call.attrs["bytes_per_pack"],
    )  # fmt: skip
    given = tuple(completed(call, dys))
    return apply(s.REPLICA_UNPACK, given, {"places": _fixed(places), "shapes": shapes})


@gradient(s.REPLICA_UNPACK)
def replica_unpack_grad(call: Recorded, *dys: Tensor | None) -> Any:
    """What was apart is packed."""
    given = completed(call, dys)
    made = [
        apply(s.REPLICA_PACK, tuple(given[i] for i in places), {"bytes_per_pack": 0})
        for places in call.attrs["places"]
    ]
    return [each[0] if isinstance(each, (list, tuple)) else each for each in made]


@gradient(s.NCCL_SUM)
def nccl_sum_grad(call: Recorded, *dys: Tensor | None) -> Any:
    """Every value gets the sum of all gradients."""
    made = apply(s.NCCL_SUM, tuple(completed(call, dys)), {"is_mean": call.attrs["is_mean"]})
    return made


@gradient(s.REPLICA_PART)
def replica_part_grad(call: Recorded, dy: Tensor) -> Any:
    """The one value gets the gradient."""
    return [identity(dy) if i == call.attrs["place"] else None for i in range(len(call.inputs))]


def _fixed(places: Any) -> tuple[tuple[int, ...], ...]:
    return tuple(map(tuple, places))
