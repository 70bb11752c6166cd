"""The holders of a device's memory: every charge, with its kind, its name and its line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any, NamedTuple

from ..base import dtypes
from ..base.lines import Line
from ..core.context import LOCAL
from ..devices.charges import (
    ACTIVATIONS,
    CONSTANTS,
    GRADIENTS,
    KINDS,
    OTHER,
    SEARCHING,
    Charge,
    line_of,
)
from ..devices.memory import Budget, Usage
from . import keras_objects
from .names import ProgramName, ProgramNames, each_frame
from .values import address, raw
from .walkers import SEARCH, Found, Known, SetAside, set_aside_by

_LOADED = keras_objects.LOADED  # importing registers its walkers
_OPS_OF_CONSTANTS = frozenset(("Const", "_EagerConst"))
SET_ASIDE = "set aside, not made yet"


@dataclass(frozen=True, slots=True)
class Holder:
    """What holds some of a device's memory.

    Attributes:
        kind: what for: "parameters", "gradients", "optimizer slots", "activations kept for
            gradients", "datasets", "constants" or "other".
        name: the variable's name or path, the operation's name in its graph, or the program's own
            name for it; the op's name where there is none.
        op: the op that made it.
        shape: the dimensions of the value.
        dtype: its element type.
        nbytes: what it takes, in bytes, rounded up as the budget counts it.
        line: the program's line that made it; None where no line of the program did.
        keeper: the name by which the program keeps it alive, where it has one.
    """

    kind: str
    name: str
    op: str
    shape: tuple[int, ...]
    dtype: str
    nbytes: int
    line: Line | None
    keeper: ProgramName | None = None

    def to_dict(self) -> dict[str, Any]:
        """As plain values; `line` is "file.py:12", or None."""
        return {
            "kind": self.kind, "name": self.name, "op": self.op, "shape": list(self.shape),
            "dtype": self.dtype, "bytes": self.nbytes,
            "line": None if self.line is None else str(self.line),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class DeviceMemory:
    """What a device holds. Sizes are in bytes.

    Attributes:
        name: the device's short name.
        usage: what is in use, the peak, and the limit.
        holders: what holds that, the largest first; their bytes add up to what is in use.
        near_peak_bytes: what was in use when the holders near the peak were noted, at least eight
            ninths of the peak; 0 if they were not.
        near_peak: what held that, the largest first.
    """

    name: str
    usage: Usage
    holders: Sequence[Holder]
    near_peak_bytes: int = 0
    near_peak: Sequence[Holder] = ()

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "in_use_bytes": self.usage.in_use,
            "peak_bytes": self.usage.peak,
            "limit_bytes": self.usage.limit,
            "holders": [each.to_dict() for each in self.holders],
            "near_peak": {
                "in_use_bytes": self.near_peak_bytes,
                "holders": [each.to_dict() for each in self.near_peak],
            },
        }


class Said(NamedTuple):
    """What an object has said of a value that it holds, without the value."""

    kind: str
    name: str
    owner: ProgramName | None


class Census:
    """Who holds what, as it is at one moment.

    Args:
        thoroughly: False makes do with the objects that were found just now, if there are any.
    """

    def __init__(self, thoroughly: bool = True) -> None:
        with SEARCHING:
            self._search(thoroughly)

    def _search(self, thoroughly: bool) -> None:
        self.names = ProgramNames()
        self._said: dict[int, Said] = {}
        self._known: dict[str, str] = {}
        self._set_aside: list[SetAside] = []
        besides = [*LOCAL.state.tapes, *self.names.objects()]
        for found in SEARCH.found(thoroughly, besides):
            self._note(found)
        each_frame(self._note_frame)
        self.names.let_go()

    def _note_frame(self, frame: FrameType) -> None:
        for found in set_aside_by(frame):
            self._note(found)

    def _note(self, found: Found) -> None:
        if isinstance(found, SetAside):
            self._set_aside.append(found)
            return
        if isinstance(found, Known):
            self._known[found.name] = found.kind
            return
        value = raw(found.value)
        if value is not None:
            key = address(value)
            found = found._replace(kind=self._known.get(found.name, found.kind))
            before = self._said.get(key)
            # A name of its own beats none; variables beat what merely keeps their value.
            if before is not None and _rank(before.kind) < _rank(found.kind):
                return
            if before is None or found.name or _rank(before.kind) > _rank(found.kind):
                owner = None if found.owner is None else self.names.of_object(found.owner)
                self._said[key] = Said(found.kind, found.name, owner)

    def holders(self, budget: Budget) -> tuple[int, list[Holder]]:
        """(bytes in use, what holds them): they add up."""
        in_use, charges = budget.holdings()
        found = [self.holder(each) for each in charges]
        left = in_use - sum(each.nbytes for each in found)
        for row in self._set_aside:
            if row.budget in (budget, _parent_of(budget, row.budget)) and 0 < row.nbytes <= left:
                found.append(_set_aside(row.name, row.op_name, row.nbytes, None))
                left -= row.nbytes
        if left > 0:
            found.append(_set_aside(SET_ASIDE, "", left, None))
        return in_use, _sorted(found)

    def near_peak(self, budget: Budget) -> tuple[int, list[Holder]]:
        """The same of the moment when the peak was last looked at."""
        snapshot = budget.near_peak()
        if snapshot is None:
            return 0, []
        found = [self.holder(each) for each in snapshot.charges]
        left = snapshot.in_use - sum(each.nbytes for each in found)
        if left > 0:
            found.append(_set_aside(SET_ASIDE, "", left, line_of(snapshot.made)))
        return snapshot.in_use, _sorted(found)

    def holder(self, charge: Charge) -> Holder:
        """What a charge is for."""
        storage = charge()
        key = 0 if storage is None else storage._cdata
        del storage
        said = self._said.get(key) if key else None
        keeper = self.names.of(key) if key else None
        kind = _kind(charge, said)
        maker, _, _, scope, _, _ = charge.made
        name = "" if isinstance(maker, str) else maker.name
        name = (said.name if said else "") or name or (keeper.name if keeper else "")
        return Holder(
            kind, name or f"{scope}{charge.op_name}", charge.op_name, tuple(charge.shape),
            dtypes.as_dtype(charge.dtype).name, charge.nbytes, charge.line,
            keeper or (said.owner if said else None),
        )  # fmt: skip

    def device(self, name: str, budget: Budget) -> DeviceMemory:
        """All of a device."""
        in_use, holders = self.holders(budget)
        usage = budget.usage()._replace(in_use=in_use)
        return DeviceMemory(name, usage, holders, *self.near_peak(budget))


def _kind(charge: Charge, said: Said | None) -> str:
    maker, _, _, _, is_gradient, is_taped = charge.made
    known = "" if isinstance(maker, str) else maker.kind
    if said is not None and said.kind != ACTIVATIONS:
        return said.kind
    if known:
        return known
    if is_gradient:
        return GRADIENTS
    if charge.op_name in _OPS_OF_CONSTANTS:
        return CONSTANTS
    is_kept = not isinstance(maker, str) and maker.is_kept
    if said is not None or is_kept or (is_taped and charge() is None):
        return ACTIVATIONS
    return OTHER


def _rank(kind: str) -> int:
    """Whose word counts for more: who owns a value before who keeps it."""
    return 1 if kind == ACTIVATIONS else 0


def _parent_of(budget: Budget, other: Budget) -> Budget | None:
    """`other`, if `budget` is the device behind it."""
    return other if other.parent is budget else None


def _set_aside(name: str, op_name: str, nbytes: int, line: Line | None) -> Holder:
    return Holder(OTHER, name, op_name, (), "", nbytes, line)


def _sorted(holders: Iterable[Holder]) -> list[Holder]:
    kinds = {kind: i for i, kind in enumerate(KINDS)}
    return sorted(
        holders,
        key=lambda each: (
            -each.nbytes,
            kinds.get(each.kind, len(kinds)),
            each.name,
            str(each.line),
        ),
    )


def by_kind(holders: Iterable[Holder]) -> list[tuple[str, list[Holder]]]:
    """The kinds that there are, the one with the most bytes first, each with its holders."""
    groups: dict[str, list[Holder]] = {kind: [] for kind in KINDS}
    for each in holders:
        groups[each.kind].append(each)
    found = [(kind, group) for kind, group in groups.items() if group]
    return sorted(found, key=lambda row: -sum(each.nbytes for each in row[1]))
