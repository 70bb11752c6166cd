"""Estimates: what a call will hold on each device at most, as objects and as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..devices.memory import format_bytes
from ..graph.plan.projection import DevicePeak, HeldStorage, Projection
from ..graph.representation.graph import Operation

#: The kinds of what is held, in the order in which they are told.
KINDS = ("parameters", "slots", "variables", "inputs", "constants", "activations")
# What budgets call them that have a name of their own.
_KIND_OF = {
    "parameters": "parameters", "slots": "slots", "variables": "variables", "inputs": "inputs",
    "constants": "constants", "Const": "constants",
}  # fmt: skip
_MOST_HOLDERS = 5


@dataclass(frozen=True, slots=True)
class EstimatedHolder:
    """Something that is there at the peak; `name` and `line` are those of the operation that makes
    it, None where it was there before.
    """

    kind: str
    name: str | None
    op: str
    shape: tuple[int, ...]
    nbytes: int
    line: str | None


@dataclass(frozen=True, slots=True)
class EstimatedDevice:
    """What one device holds. Sizes are in bytes.

    `peak_bytes` is the most; `name`, `op` and `line` are the operation that runs then, None where
    nothing ever takes more than is there before. `parts` are what is there then by kind; they add
    up to the peak. `largest` are the largest of them. `limit_bytes` is its limit, None where it
    has none.
    """

    device: str
    peak_bytes: int
    name: str | None
    op: str | None
    line: str | None
    parts: Mapping[str, int]
    largest: tuple[EstimatedHolder, ...]
    limit_bytes: int | None

    @property
    def fits(self) -> bool:
        """Whether the limit is not passed."""
        return self.limit_bytes is None or self.peak_bytes <= self.limit_bytes


@dataclass(frozen=True, slots=True)
class EstimatedCopies:
    """What is copied between two devices in a call; `seconds` are known where the bandwidth is."""

    source: str
    target: str
    nbytes: int
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a call will hold, by device. Prints as text; see `emplace.estimate`.

    `variables` are the devices of variables, by their names. `notes` are sentences about what the
    estimate assumes, none where it is exact.
    """

    what: str
    devices: Mapping[str, EstimatedDevice]
    copies: tuple[EstimatedCopies, ...]
    variables: Mapping[str, str]
    notes: tuple[str, ...]

    @property
    def fits(self) -> bool:
        """Whether no device passes its limit."""
        return all(each.fits for each in self.devices.values())

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values; sizes in bytes."""
        return {
            "what": self.what,
            "fits": self.fits,
            "devices": {name: _as_dict(each) for name, each in self.devices.items()},
            "copies": [
                {"from": x.source, "to": x.target, "bytes": x.nbytes, "seconds": x.seconds}
                for x in self.copies
            ],
            "variables": dict(self.variables),
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        lines = [self.what]
        for each in self.devices.values():
            lines += _device_lines(each)
        for copy in self.copies:
            took = "" if copy.seconds is None else f", {copy.seconds:.3g} s"
            lines.append(
                f"  copies {copy.source} -> {copy.target}: {format_bytes(copy.nbytes)}{took}"
            )
        lines += [f"  note: {note}" for note in self.notes]
        return "\n".join(lines)

    __repr__ = __str__


def _as_dict(device: EstimatedDevice) -> dict[str, Any]:
    return {
        "peak_bytes": device.peak_bytes,
        "limit_bytes": device.limit_bytes,
        "fits": device.fits,
        "name": device.name,
        "op": device.op,
        "line": device.line,
        "parts": dict(device.parts),
        "holders": [
            {
                "kind": x.kind, "name": x.name, "op": x.op, "shape": list(x.shape),
                "bytes": x.nbytes, "line": x.line,
            }
            for x in device.largest
        ],
    }  # fmt: skip


def _device_lines(device: EstimatedDevice) -> list[str]:
    limit = ""
    if device.limit_bytes is not None:
        verdict = "fits" if device.fits else "does not fit"
        limit = f", limit {format_bytes(device.limit_bytes)}: {verdict}"
    at = "" if device.name is None else f" at {device.name} ({device.op}"
    if at:
        at += f", {device.line})" if device.line else ")"
    parts = ", ".join(
        f"{kind} {format_bytes(device.parts[kind])}" for kind in KINDS if device.parts.get(kind)
    )
    lines = [f"  {device.device}: {format_bytes(device.peak_bytes)}{at}{limit}"]
    if parts:
        lines.append(f"    {parts}")
    for x in device.largest:
        where = f", {x.line}" if x.line else ""
        shape = f" {list(x.shape)}" if x.shape else ""
        lines.append(f"    {format_bytes(x.nbytes):>10}  {x.kind}: {x.name or x.op}{shape}{where}")
    return lines


def line_of(operation: Operation | None) -> str | None:
    """The line of the program that made an operation: "file.py:12"."""
    line = None if operation is None else operation.line
    return None if line is None else f"{line.file.rsplit('/', 1)[-1]}:{line.number}"


def estimated(
    what: str, projection: Projection, limits: Mapping[str, int | None],
    links: Mapping[str, float] | None, variables: Mapping[str, str], notes: Sequence[str] = (),
) -> Estimate:  # fmt: skip
    """An estimate of what was projected.

    Args:
        what: the heading.
        projection: what was projected.
        limits: those of the devices, by name.
        links: bandwidths in bytes per second, by "GPU-GPU", "CPU-GPU", "GPU:0-GPU:1".
        variables: the devices of variables.
        notes: sentences.
    """
    devices = {
        name: _device(each, limits.get(name))
        for name, each in projection.devices.items()
        if each.peak or name in limits
    }
    copies = [
        EstimatedCopies(source, target, nbytes, _seconds(source, target, nbytes, links))
        for (source, target), nbytes in sorted(projection.copied.items())
    ]
    found = [*notes, *_notes(projection)]
    return Estimate(what, devices, tuple(copies), dict(variables), tuple(found))


def _device(peak: DevicePeak, limit: int | None) -> EstimatedDevice:
    holders = [_holder(each) for each in peak.holders]
    parts = dict.fromkeys(KINDS, 0)
    for each in holders:
        parts[each.kind] += each.nbytes
    operation = peak.operation
    largest = sorted(holders, key=lambda each: -each.nbytes)[:_MOST_HOLDERS]
    return EstimatedDevice(
        peak.device, peak.peak,
        None if operation is None else operation.name,
        None if operation is None else operation.type,
        line_of(operation), parts, tuple(largest), limit,
    )  # fmt: skip


def _holder(held: HeldStorage) -> EstimatedHolder:
    kind = _KIND_OF.get(held.op)
    if kind is None:
        kind = "inputs" if held.op.startswith("copy for") else "activations"
    operation = held.operation
    name = None if operation is None else operation.name
    return EstimatedHolder(kind, name, held.op, held.shape, held.nbytes, line_of(operation))


def _notes(projection: Projection) -> list[str]:
    loops = [each for each in projection.choices if each.type == "While"]
    branches = [each for each in projection.choices if each.type != "While"]
    found = []
    if branches:
        names = ", ".join(each.name for each in branches[:3])
        found.append(f"which branch of {names} runs depends on values: this is the larger one")
    if loops:
        names = ", ".join(each.name for each in loops[:3])
        found.append(
            f"how often {names} runs depends on values: it is taken to be a few times, and what "
            "iterations keep for gradients grows with that (`iterations=` says how often)"
        )
    if projection.guesses:
        names = ", ".join(sorted(projection.guesses)[:5])
        found.append(f"results of {names} are taken to be in memory of their own")
    return found


def _seconds(
    source: str, target: str, nbytes: int, links: Mapping[str, float] | None
) -> float | None:
    for one, other in ((source, target), (source.split(":")[0], target.split(":")[0])):
        for key in (f"{one}-{other}", f"{other}-{one}"):
            if links and key in links:
                return nbytes / links[key]
    return None
