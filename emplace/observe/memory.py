"""`emplace.memory()`: who holds the memory of devices, now and near the peak."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from ..base.files import write_text
from ..core.tensor import EagerTensor
from ..devices.charges import ACTIVATIONS
from ..devices.inventory import INVENTORY
from ..devices.memory import Usage, format_bytes
from ..eager.tape import GradientTape
from ..holders.census import Census, DeviceMemory, Holder
from ..holders.texts import tables
from ..holders.values import address, charge_of, nbytes_of, raw

MOST_LINES = 40


class MemoryReport:
    """What devices hold. Prints as a table, of `MOST_LINES` lines per device at most.

    Attributes:
        devices: by short name, such as "GPU:0".
    """

    def __init__(self, devices: Sequence[DeviceMemory], title: str = "") -> None:
        self.devices = {device.name: device for device in devices}
        self._title = title

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values: `["devices"]["GPU:0"]["holders"]` is a list of dictionaries
        of `kind`, `name`, `op`, `shape`, `dtype`, `bytes` and `line` ("file.py:12", or None).
        """
        return {"devices": {name: each.to_dict() for name, each in self.devices.items()}}

    def to_json(self) -> str:
        """The same as JSON."""
        return json.dumps(self.to_dict(), indent=2)

    def save(self, path: str) -> None:
        """Writes it: as JSON if `path` ends in ".json", else as text.

        Raises:
            OSError: the file cannot be written; a file that was there stays as it was.
        """
        write_text(path, f"{self.to_json() if path.endswith('.json') else self}\n")

    def __str__(self) -> str:
        parts = ["\n".join(_lines(each, self._title)) for each in self.devices.values()]
        return "\n\n".join(parts) or "no device whose memory is counted"

    __repr__ = __str__


def _lines(memory: DeviceMemory, title: str) -> Iterator[str]:
    usage = memory.usage
    if title:
        yield f"{title} {format_bytes(usage.in_use)} on {memory.name}, in {len(memory.holders)}"
    else:
        limit = "" if usage.limit is None else f" of {format_bytes(usage.limit)}"
        yield (
            f"{memory.name}: {format_bytes(usage.in_use)}{limit} in use, peak "
            f"{format_bytes(usage.peak)}"
        )
    yield from tables(memory.holders, MOST_LINES)
    if memory.near_peak and memory.near_peak_bytes > usage.in_use:
        yield f"near the peak, when {format_bytes(memory.near_peak_bytes)} were in use:"
        yield from tables(memory.near_peak, MOST_LINES)


def memory(tape: GradientTape | None = None) -> MemoryReport:
    """Who holds the memory of devices, now and near the peak; or what a tape holds.

    Every charge of a bounded device has a kind (parameters, gradients, optimizer slots,
    activations kept for gradients, datasets, constants, other), a name, the op that made it, its
    shape, its bytes and the line of the program. Their bytes add up to what is in use: what is set
    aside for values that are being made is a row of its own. The holders near the peak are those
    of the moment when what was in use had last grown by an eighth; of those that have died since
    the kind is what was known when they were made. Starts the devices.

    Args:
        tape: a `tf.GradientTape`: only what that keeps for gradients, on any device.

    Raises:
        TypeError: `tape` is no tape.

    >>> import emplace
    >>> emplace.reset()
    >>> emplace.virtual_gpus(1, memory="1GB")
    >>> import emplace.tensorflow as tf
    >>> with tf.device("GPU:0"):
    ...     weights = tf.Variable(tf.ones([256, 256]), name="weights")
    >>> (held,) = [each for each in emplace.memory().devices["GPU:0"].holders if each.nbytes > 256]
    >>> held.kind, held.name, held.nbytes
    ('parameters', 'weights', 262144)
    """
    if tape is not None and not isinstance(tape, GradientTape):
        raise TypeError(
            f"[emplace.memory] `tape` must be a tf.GradientTape, got {tape!r}. Call it without "
            "arguments for what all devices hold."
        )
    devices = INVENTORY.devices()
    census = Census()
    if tape is not None:
        return MemoryReport(_of_tape(tape, census), "the tape keeps")
    counted = [(gpu.short_name, gpu.budget) for gpu in devices if gpu.budget is not None]
    return MemoryReport([census.device(name, budget) for name, budget in counted])


def _of_tape(tape: GradientTape, census: Census) -> list[DeviceMemory]:
    """What a tape keeps, by device; values of devices where nobody counts, too."""
    found: dict[str, dict[int, Holder]] = {}
    for tensor in tape.kept_values():
        value = raw(tensor)
        if value is not None:
            rows = found.setdefault(tensor._kind.device.short_name, {})
            rows[address(value)] = _holder(tensor, census)
    return [_memory_of(name, list(rows.values())) for name, rows in sorted(found.items())]


def _holder(tensor: EagerTensor, census: Census) -> Holder:
    value = raw(tensor)
    assert value is not None
    charge = charge_of(value)
    if charge is not None:
        return census.holder(charge)
    origin, name = tensor._origin, census.names.of(address(value))
    op_name = origin.route.op.name
    return Holder(
        ACTIVATIONS, op_name if name is None else name.name, op_name, tuple(value.shape),
        tensor.dtype.name, nbytes_of(value), origin.line, name,
    )  # fmt: skip


def _memory_of(name: str, holders: list[Holder]) -> DeviceMemory:
    holders = sorted(holders, key=lambda each: -each.nbytes)
    total = sum(each.nbytes for each in holders)
    return DeviceMemory(name, Usage(total, total, total, None), holders)
