"""How values of replicas become one, and one value comes to many devices.

Copies and sums are ordinary ops under device scopes: what is where it is wanted is not copied. A
class says which way is taken and what is told about it.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import Any

from ...base import dtypes
from ...base.logger import get_logger
from ...base.typing import TensorLike
from ...core.context import LOCAL, device
from ...devices.config import list_logical_devices, list_physical_devices
from ...devices.name import LOCALHOST, DeviceSpec
from ...ops.array.joining import concat
from ...ops.array.shaping import identity
from ...ops.collective.packing import packs_of
from ...ops.convert import to_tensor
from ...ops.math.elementwise import divide
from ...ops.math.reduction import add_n
from ...ops.variables.indexed_slices import IndexedSlices
from ..replicas.contexts import session_graph
from ..replicas.values import DistributedValues, Mirrored, PerReplica, ReduceOp
from .batched import fits, reduced

HOST = f"{LOCALHOST}/device:CPU:0"
_HOST_SPEC = DeviceSpec.from_string(HOST)
_MOST = 10
_TOLD: dict[str, int] = {}


def full_name(name: str | None) -> str:
    """The full name of a device."""
    return _HOST_SPEC.make_merged_spec(DeviceSpec.from_string(str(name))).to_string()


def tell(kind: str, text: str) -> None:
    """Writes a line of information: of one kind the first ten."""
    count = _TOLD[kind] = _TOLD.get(kind, 0) + 1
    if count <= _MOST:
        get_logger().info(text)


def warn(kind: str, text: str) -> None:
    """Writes a warning: of one kind the first ten."""
    count = _TOLD[kind] = _TOLD.get(kind, 0) + 1
    if count <= _MOST:
        get_logger().warning(text)


class CommunicationImplementation(enum.Enum):
    """What carries values between devices
    (`tf.distribute.experimental.CommunicationImplementation`)."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


class CommunicationOptions:
    """How values are brought together (`tf.distribute.experimental.CommunicationOptions`).

    Args:
        bytes_per_pack: how large the packs are into which values are joined; 0 makes one pack. No
            pack is needed where devices share one memory.
        timeout_seconds: not used on one machine.
        implementation: RING keeps GPUs of their own from using NCCL.

    Raises:
        ValueError: a negative size.
    """

    def __init__(
        self,
        bytes_per_pack: int = 0,
        timeout_seconds: float | None = None,
        implementation: CommunicationImplementation = CommunicationImplementation.AUTO,
    ) -> None:
        if bytes_per_pack < 0:
            raise ValueError(f"Argument `bytes_per_pack` must be >=0, Received {bytes_per_pack}.")
        self.bytes_per_pack = bytes_per_pack
        self.timeout_seconds = timeout_seconds
        self.implementation = CommunicationImplementation(implementation)


class CollectiveHints(CommunicationOptions):
    """The old name of `CommunicationOptions`
    (`tf.distribute.experimental.CollectiveHints`)."""

    def __init__(self, bytes_per_pack: int = 0, timeout_seconds: float | None = None) -> None:
        super().__init__(bytes_per_pack, timeout_seconds)


# -- what a value is and where it is to be ---------------------------------------------------------


def destinations_of(wanted: Any) -> tuple[str, ...]:
    """The full names of the devices that a value is to be on: those of a distributed value, of a
    variable, of a tensor, or a name.
    """
    if isinstance(wanted, DistributedValues):
        return tuple(full_name(each.device) for each in wanted.values)
    if isinstance(wanted, str):
        return (full_name(wanted),)
    if isinstance(wanted, (list, tuple)):
        return tuple(full_name(each) for each in wanted)
    return (full_name(wanted.device or here()),)


def here() -> str:
    """The device that is asked for; the host if none is."""
    scope = LOCAL.state.scope
    return HOST if scope is None else full_name(scope.name)


def values_of(value: TensorLike) -> tuple[Any, ...]:
    """The values of all replicas, as tensors; of what is not distributed the one."""
    parts = value.values if isinstance(value, DistributedValues) else (value,)
    return tuple(each if isinstance(each, IndexedSlices) else to_tensor(each) for each in parts)


def size_of(values: Sequence[Any]) -> int:
    """The bytes of one of the values of replicas; 0 where its shape is not known."""
    first = values[0]
    if isinstance(first, IndexedSlices) or not first.shape.is_fully_defined():
        return 0
    return int(first.shape.num_elements()) * int(first.dtype.size)


def is_int32(value: object) -> bool:
    """Whether a value is of whole numbers of 32 bits, which are always added on one device."""
    first = value.values[0] if isinstance(value, DistributedValues) else value
    return getattr(first, "dtype", None) is dtypes.int32


# -- sums and copies -------------------------------------------------------------------------------


def summed_on(name: str, values: Sequence[Any], reduce_op: ReduceOp) -> Any:
    """The sum or mean of tensors or of slices, on a device."""
    with device(name):
        if isinstance(values[0], IndexedSlices):
            return _joined_slices(values, reduce_op)
        total = add_n(values) if len(values) > 1 else values[0]
        return divide(total, len(values)) if reduce_op is ReduceOp.MEAN else total


def _joined_slices(values: Sequence[Any], reduce_op: ReduceOp) -> IndexedSlices:
    """All slices; those for one place add up when they are used."""
    first = values[0]
    if len(values) == 1:
        return first  # type: ignore[no-any-return]
    rows = concat([each.values for each in values], 0)
    places = concat([each.indices for each in values], 0)
    if reduce_op is ReduceOp.MEAN:
        rows = divide(rows, len(values))
    return IndexedSlices(rows, places, first.dense_shape)


def copied_to(name: str, value: Any) -> Any:
    """A value on a device."""
    with device(name):
        if isinstance(value, IndexedSlices):
            parts = [identity(each) for each in value.components()]
            return value.with_components(parts)
        return identity(value)


def broadcast(value: TensorLike, wanted: Sequence[str]) -> Any:
    """A value on several devices."""
    copies = [copied_to(name, value) for name in wanted]
    return copies[0] if len(copies) == 1 else Mirrored(copies)


# -- ways to do it ---------------------------------------------------------------------------------


class CrossDeviceOps:
    """Base of the ways to reduce and gather (`tf.distribute.CrossDeviceOps`)."""

    # With which lines those of a batch are counted.
    _of_batch = "batch_reduce"

    def reduce(
        self, reduce_op: Any, per_replica_value: Any, destinations: Any, options: Any = None
    ) -> Any:
        """Makes one value of those of all replicas, on `destinations`.

        Args:
            reduce_op: a `ReduceOp`.
            per_replica_value: the values; one that is not distributed counts once.
            destinations: a distributed value, a variable, a tensor or a device's name.
            options: `CommunicationOptions`.

        Returns:
            A tensor, or a `Mirrored` one for several devices.
        """
        wanted = destinations_of(destinations)
        values = values_of(per_replica_value)
        place = wanted[0]
        if self._needs_one_device(values, wanted):
            place = self._place(wanted)
            self._tell_one_device(values, wanted, "reduce")
        else:
            self._tell_all([values], options)
        return broadcast(summed_on(place, values, reduce_op), wanted)

    def batch_reduce(
        self, reduce_op: ReduceOp | str, value_destination_pairs: Sequence[Any], options: Any = None
    ) -> list[Any]:
        """Reduces several (value, destinations) at once.

        Args:
            reduce_op: a `ReduceOp`.
            value_destination_pairs: see `reduce` for both.
            options: `CommunicationOptions`.
        """
        pairs = [(values_of(value), destinations_of(to)) for value, to in value_destination_pairs]
        alone = [self._needs_one_device(values, to) for values, to in pairs]
        rest = [values for (values, _), is_alone in zip(pairs, alone, strict=True) if not is_alone]
        if rest:
            self._tell_all(rest, options)
        size, may_use_nccl = self._packs(rest, options)
        given = []
        for (values, to), is_alone in zip(pairs, alone, strict=True):
            if is_alone:
                self._tell_one_device(values, to, self._of_batch)
            place = self._place(to) if is_alone else to[0]
            given.append((values, to, full_name(place), may_use_nccl and not is_alone))
        return all_on(given, reduce_op, size)

    def broadcast(self, tensor: TensorLike, destinations: Any) -> Any:
        """A tensor on several devices."""
        return broadcast(to_tensor(tensor), destinations_of(destinations))

    def gather(
        self, per_replica_value: Any, destinations: Any, axis: int, options: object = None
    ) -> Any:
        """Joins the values of all replicas along an axis, on `destinations`.

        Args:
            per_replica_value: the values.
            destinations: a distributed value, a variable, a tensor or a device's name.
            axis: along which.
            options: `CommunicationOptions`.
        """
        wanted = destinations_of(destinations)
        values = values_of(per_replica_value)
        self._tell_gather(wanted)
        with device(self._place(wanted)):
            joined = concat(list(values), axis)
        return broadcast(joined, wanted)

    def _place(self, wanted: Sequence[str]) -> str:
        """Where sums are made that are made on one device."""
        return wanted[0]

    def _tell_gather(self, wanted: Sequence[str]) -> None:
        tell("gather", f"Gather to {self._place(wanted)} then broadcast to {tuple(wanted)!r}.")

    def _needs_one_device(self, values: Sequence[Any], wanted: Sequence[str]) -> bool:
        return True

    def _tell_all(self, values: Sequence[Any], options: CommunicationOptions) -> None:
        """Tells of values that are reduced where they are, all at once."""

    def _packs(
        self, values: Sequence[Any], options: CommunicationOptions | None
    ) -> tuple[int, bool]:
        """When a pack is full, in bytes, and whether NCCL may carry it."""
        return getattr(options, "bytes_per_pack", 0), False

    def _tell_one_device(self, values: Sequence[Any], wanted: Sequence[str], kind: str) -> None:
        place = self._place(wanted)
        if len(values) > 1 or place != wanted[0]:
            tell(kind, f"Reduce to {place} then broadcast to {tuple(wanted)!r}.")


def all_on(given: Sequence[tuple[Any, ...]], reduce_op: Any, bytes_per_pack: int) -> list[Any]:
    """Several (values, devices that want the result, place that adds, whether by NCCL)."""
    made: list[Any] = [None] * len(given)
    groups: dict[Any, list[int]] = {}
    for i, (values, wanted, place, may_use_nccl) in enumerate(given):
        if fits(values, reduce_op is ReduceOp.MEAN):
            key = len(values), tuple(wanted), place, may_use_nccl
            groups.setdefault(key, []).append(i)
        else:
            made[i] = broadcast(summed_on(place, values, reduce_op), wanted)
    for (_, wanted, place, may_use_nccl), members in groups.items():
        chosen = [given[i][0] for i in members]
        found = reduced(chosen, wanted, place, reduce_op, bytes_per_pack, may_use_nccl)
        for i, each in zip(members, found, strict=True):
            made[i] = each
    return made


class ReductionToOneDevice(CrossDeviceOps):
    """Copies all values to one device, adds them there, copies the sum to all
    (`tf.distribute.ReductionToOneDevice`).

    Args:
        reduce_to_device: the device; the first of those that want the result if None.
        accumulation_fn: a function that adds tensors, `tf.add_n` if None.
    """

    _of_batch = "reduce"

    def __init__(
        self, reduce_to_device: Any = None, accumulation_fn: Callable[..., Any] | None = None
    ) -> None:
        self.reduce_to_device = reduce_to_device
        self.accumulation_fn = accumulation_fn

    def reduce(
        self,
        reduce_op: ReduceOp | str,
        per_replica_value: Any,
        destinations: Any,
        options: CommunicationOptions | None = None,
    ) -> Any:
        """Makes one value of those of all replicas; see `CrossDeviceOps.reduce`.

        Args:
            reduce_op: a `ReduceOp`.
            per_replica_value: the values.
            destinations: a distributed value, a variable, a tensor or a device's name.
            options: `CommunicationOptions`.
        """
        values = values_of(per_replica_value)
        if self.accumulation_fn is None or isinstance(values[0], IndexedSlices):
            return super().reduce(reduce_op, per_replica_value, destinations, options)
        wanted = destinations_of(destinations)
        place = self._place(wanted)
        tell("reduce", f"Reduce to {place} then broadcast to {tuple(wanted)!r}.")
        with device(place):
            total = self.accumulation_fn(list(values))
            total = divide(total, len(values)) if reduce_op is ReduceOp.MEAN else total
        return broadcast(total, wanted)

    def batch_reduce(
        self,
        reduce_op: ReduceOp | str,
        value_destination_pairs: Sequence[Any],
        options: CommunicationOptions | None = None,
    ) -> list[Any]:
        """Reduces several values at once; see `CrossDeviceOps.batch_reduce`.

        Args:
            reduce_op: a `ReduceOp`.
            value_destination_pairs: see `reduce` for both.
            options: `CommunicationOptions`.
        """
        if self.accumulation_fn is None:
            return super().batch_reduce(reduce_op, value_destination_pairs, options)
        return [self.reduce(reduce_op, value, to) for value, to in value_destination_pairs]

    def _place(self, wanted: Sequence[str]) -> str:
        return str(self.reduce_to_device) if self.reduce_to_device else wanted[0]


class _AllAtOnce(CrossDeviceOps):
    """What reduces all values of a step at once, where they are on the devices that want them."""

    algorithm = ""
    title = ""

    def __init__(self, num_packs: int = 1) -> None:
        if num_packs < 0:
            raise ValueError(f"{self.title} requires num_packs >= 0, but {num_packs} is specified")
        self._num_packs = num_packs

    def _needs_one_device(self, values: Sequence[Any], wanted: Sequence[str]) -> bool:
        if not _is_where_wanted(values, wanted):
            return True
        if isinstance(values[0], IndexedSlices):
            warn("sparse", "Efficient allreduce is not supported for 1 IndexedSlices")
            return True
        return False

    def _tell_all(self, values: Sequence[Any], options: CommunicationOptions) -> None:
        tell(
            "all_reduce",
            f"batch_all_reduce: {len(values)} all-reduces with algorithm = {self.algorithm}, "
            f"num_packs = {self._num_packs}",
        )

    def _packs(self, values: Sequence[Any], options: object) -> tuple[int, bool]:
        size = sum(map(size_of, values)) // self._num_packs if self._num_packs else 1
        return max(1, size), self.algorithm == "nccl"

    def _tell_gather(self, wanted: Sequence[str]) -> None:
        if any("CPU" in name for name in wanted):
            super()._tell_gather(wanted)
            return
        warn(
            "gather with",
            "gather/all_gather with NCCL or HierarchicalCopy is not supported. Falling back to "
            "gather on one device and then broadcast. We're working on a more efficient "
            "implementation.",
        )
        super()._tell_gather(wanted)


def _is_where_wanted(values: Sequence[Any], wanted: Sequence[str]) -> bool:
    """Whether there is a value on each device that wants the result, and all are GPUs."""
    if len(values) != len(wanted) or any("CPU" in name for name in wanted):
        return False
    found = [_device_of(each) for each in values]
    return all(name is None or name == to for name, to in zip(found, wanted, strict=True))


def _device_of(value: TensorLike) -> str | None:
    name = getattr(value, "device", None)
    return full_name(name) if name else None


class HierarchicalCopyAllReduce(_AllAtOnce):
    """Adds by copies within groups of GPUs (`tf.distribute.HierarchicalCopyAllReduce`); here there
    is one group.

    Args:
        num_packs: into about how many packs values are joined that must be copied; 0 joins none.

    Raises:
        ValueError: a negative number.
    """

    algorithm, title = "hierarchical_copy", "HierarchicalCopy"


class NcclAllReduce(_AllAtOnce):
    """Adds by NCCL where each device is a GPU of its own, else as all do
    (`tf.distribute.NcclAllReduce`).

    Args:
        num_packs: into about how many packs values are joined that must travel; 0 joins none.

    Raises:
        ValueError: a negative number.
    """

    algorithm, title = "nccl", "NCCL all-reduce"


class CollectiveAllReduce(CrossDeviceOps):
    """What a `MirroredStrategy` uses if it is not told: the values of a step all at once.

    Args:
        devices: the devices of the replicas.
    """

    def __init__(self, devices: Sequence[str]) -> None:
        self._devices = tuple(devices)
        kinds = {DeviceSpec.from_string(name).device_type for name in devices}
        virtual = len(list_logical_devices("GPU")) > len(list_physical_devices("GPU"))
        self.implementation = "RING" if kinds == {"CPU"} or virtual else "NCCL"

    def _needs_one_device(self, values: Sequence[Any], wanted: Sequence[str]) -> bool:
        if len(wanted) != len(self._devices):
            return True
        if isinstance(values[0], IndexedSlices):
            return tuple(wanted) != self._devices
        return len(values) != len(wanted)

    def reduce(
        self,
        reduce_op: Any,
        per_replica_value: Any,
        destinations: Any,
        options: CommunicationOptions | None = None,
    ) -> Any:
        """See `CrossDeviceOps.reduce`; single values are reduced on one device."""
        wanted = destinations_of(destinations)
        values = values_of(per_replica_value)
        is_gpu = all("GPU" in name for name in wanted)
        if is_gpu and not self._needs_one_device(values, wanted):
            self._tell_all([values], options)
        else:
            self._tell_one_device(values, wanted, "reduce")
        return broadcast(summed_on(wanted[0], values, reduce_op), wanted)

    def _packs(self, values: Sequence[Any], options: Any) -> tuple[int, bool]:
        way = getattr(options, "implementation", CommunicationImplementation.AUTO)
        may_use_nccl = self.implementation == "NCCL" or way is CommunicationImplementation.NCCL
        size = getattr(options, "bytes_per_pack", 0)
        return size, may_use_nccl and way is not CommunicationImplementation.RING

    def _count(self, values: Sequence[Any], options: CommunicationOptions | None) -> int:
        """Into how many packs values go, as TensorFlow counts."""
        dense = [each for each in values if not isinstance(each[0], IndexedSlices)]
        if not all(each[0].shape.is_fully_defined() for each in dense):
            return 1
        return len(packs_of(list(map(size_of, dense)), self._packs(values, options)[0]))

    def _tell_all(self, values: Sequence[Any], options: CommunicationOptions | None) -> None:
        for what, count in (
            ("tensors", sum(not isinstance(each[0], IndexedSlices) for each in values)),
            ("IndexedSlices", sum(isinstance(each[0], IndexedSlices) for each in values)),
        ):
            if count and not LOCAL.state.target.is_eager:  # TF: functions tell it
                settings = self._settings_text("=" if what == "IndexedSlices" else "= ")
                number = self._count(values, options)
                packs = "" if what == "IndexedSlices" else f", num_packs = {number}"
                tell(what, f"Collective all_reduce {what}: {count} all_reduces, {settings}{packs}")

    def _settings_text(self, equals: str = "= ") -> str:
        """What all lines say, with TensorFlow's own blanks."""
        count = len(self._devices)
        return (
            f"num_devices {equals}{count}, group_size = {count}, implementation = "
            f"CommunicationImplementation.{self.implementation}"
        )

    def _tell_gather(self, wanted: Sequence[str]) -> None:
        tell("all_gather", f"Collective batch_all_gather: 1 all-gathers, {self._settings_text()}, ")


def default_ops(devices: Sequence[str]) -> CrossDeviceOps:
    """How the values of replicas on these devices are reduced if nobody says."""
    kinds = {DeviceSpec.from_string(name).device_type for name in devices}
    is_in_graph = session_graph() is not None
    if len(kinds) > 1 or (is_in_graph and kinds != {"GPU"}):  # TF: so in a session's graph
        return ReductionToOneDevice()
    return CollectiveAllReduce(devices)


def as_per_replica(value: object) -> Any:
    """What is to be reduced: a distributed value as it is, or a variable's values."""
    return PerReplica(value.values) if isinstance(value, DistributedValues) else value
