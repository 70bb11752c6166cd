"""The values of many variables reduced at once, in one op where memory is shared, else in packs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base import dtypes
from ...base.logger import get_logger
from ...core.context import device
from ...ops.array.shaping import identity
from ...ops.collective.packing import packs_by_dtype
from ...ops.collective.sums import (
    NCCL_SUM,
    REPLICA_COPY,
    REPLICA_PACK,
    REPLICA_PART,
    REPLICA_SUM,
    REPLICA_UNPACK,
)
from ...ops.collective.ways import Choice, Way, choose
from ...ops.math.elementwise import divide
from ...ops.math.reduction import add_n
from ...ops.op import Op, apply
from ...ops.variables.indexed_slices import IndexedSlices
from ..replicas.values import Mirrored, ReduceOp

_DTYPES = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64, dtypes.int64,
           dtypes.complex64, dtypes.complex128)  # fmt: skip
_TOLD: set[str] = set()


def fits(values: Sequence[Any], is_mean: bool) -> bool:
    """Whether the values of the replicas may be reduced together with others."""
    first = values[0]
    if len(values) < 2 or isinstance(first, IndexedSlices) or first.dtype not in _DTYPES:
        return False
    return all(each.dtype is first.dtype for each in values) and not (
        is_mean and first.dtype is dtypes.int64
    )


def reduced(
    values: Sequence[Sequence[Any]], destinations: Sequence[str], place: str, reduce_op: ReduceOp,
    bytes_per_pack: int = 0, may_use_nccl: bool = False,
) -> list[Any]:  # fmt: skip
    """The sums or means of several values of replicas.

    Args:
        values: those of all replicas of each; all `fits`.
        destinations: the full names of the devices that want the results.
        place: the device that adds, where one does.
        reduce_op: sums or means.
        bytes_per_pack: when a pack is full; 0 packs all.
        may_use_nccl: whether NCCL may be used where it can be.

    Returns:
        A tensor for each value, or a `Mirrored` one for several devices.
    """
    is_mean = reduce_op is ReduceOp.MEAN
    by_replica = list(zip(*values, strict=True))
    choice = Choice(Way.MEMORY)
    if len(by_replica) == len(destinations) and all(map(_has_one_shape, values)):
        choice = choose(destinations, may_use_nccl)
    _tell(destinations, choice)
    if choice.way is Way.MEMORY:
        parts = _by_memory(by_replica, destinations, place, is_mean)
    else:
        parts = _by_packs(by_replica, destinations, place, is_mean, bytes_per_pack, choice.way)
    if len(parts) == 1:
        return list(parts[0])
    return [Mirrored(copies) for copies in zip(*parts, strict=True)]


def _has_one_shape(values: Sequence[Any]) -> bool:
    """Whether the shape of a value is known, and that of all replicas."""
    shape = values[0].shape
    return shape.is_fully_defined() and all(each.shape == shape for each in values)


def _tell(wanted: Sequence[str], choice: Choice) -> None:
    """Writes a line for who looks for details: once for devices and a way."""
    why = f" ({choice.why})" if choice.why else ""
    text = f"Values for {tuple(wanted)!r} are reduced by {choice.way.value}{why}."
    if text not in _TOLD:
        _TOLD.add(text)
        get_logger().debug(text)


def _many(record: Op, inputs: Sequence[Any], attrs: dict[str, Any] | None = None) -> list[Any]:
    made = apply(record, tuple(inputs), attrs)
    return list(made) if isinstance(made, (list, tuple)) else [made]


def _by_memory(
    by_replica: Sequence[Sequence[Any]], wanted: Sequence[str], place: str, is_mean: bool
) -> list[list[Any]]:
    """Adds the values where they are, one after the other."""
    with device(place):
        attrs = {"replicas": len(by_replica), "is_mean": is_mean}
        totals = _many(REPLICA_SUM, [x for each in by_replica for x in each], attrs)
    parts = []
    for name in wanted:
        with device(name):
            parts.append(totals if name == place else _many(REPLICA_COPY, totals))
    return parts


def _by_packs(
    by_replica: Sequence[Sequence[Any]], wanted: Sequence[str], place: str, is_mean: bool,
    bytes_per_pack: int, way: Way,
) -> list[list[Any]]:  # fmt: skip
    """Packs the values where they are, adds the packs, and unpacks on each device."""
    first = by_replica[0]
    shapes = tuple(tuple(x.shape) for x in first)
    sizes = [x.shape.num_elements() * x.dtype.size for x in first]
    places = packs_by_dtype(sizes, [x.dtype for x in first], bytes_per_pack)
    attrs = {"places": tuple(map(tuple, places)), "shapes": shapes}
    packed = []
    for name, each in zip(wanted, by_replica, strict=True):
        with device(name):
            packed.append(_many(REPLICA_PACK, each, {"bytes_per_pack": bytes_per_pack}))
    add = _by_nccl if way is Way.NCCL else _on_one
    totals = [add(each, wanted, place, is_mean) for each in zip(*packed, strict=True)]
    parts = []
    for name, flats in zip(wanted, zip(*totals, strict=True), strict=True):
        with device(name):
            parts.append(_many(REPLICA_UNPACK, flats, attrs))
    return parts


def _by_nccl(
    flats: Sequence[Any], wanted: Sequence[str], place: str, is_mean: bool
) -> list[Any]:  # fmt: skip
    """The sum of a pack, as each device gets it from NCCL."""
    with device(place):
        totals = _many(NCCL_SUM, flats, {"is_mean": is_mean})
    made = []
    for i, name in enumerate(wanted):
        with device(name):
            made.append(apply(REPLICA_PART, tuple(totals), {"place": i}))
    return made


def _on_one(flats: Sequence[Any], wanted: Sequence[str], place: str, is_mean: bool) -> list[Any]:
    """The sum of a pack, made on one device and copied to the others."""
    with device(place):
        total = add_n(flats)
        total = divide(total, len(flats)) if is_mean else total
    made = []
    for name in wanted:
        with device(name):
            made.append(identity(total))
    return made
