"""The text of an out-of-memory error: what was asked for, what holds the memory, what would help.

The first line is TensorFlow's; at most `MOST_LINES` follow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..base.lines import Line
from ..devices.charges import ACTIVATIONS, DATASETS, PARAMETERS, SLOTS
from ..devices.device import Device
from ..devices.inventory import INVENTORY
from ..devices.memory import Budget, OutOfBudget, format_bytes
from .census import Census, Holder
from .texts import tables

MOST_LINES = 20


@dataclass(frozen=True, slots=True)
class Refusal:
    """An allocation that was refused.

    Attributes:
        device: where it was to be.
        budget: whose limit it would have passed: the device's, or that of the hardware behind it.
        op_name: the op that asked.
        line: the program's line that did; None if no line of the program did.
        nbytes: what it asked for.
        holders: what holds the budget's memory, the largest first.
    """

    device: Device
    budget: Budget
    op_name: str
    line: Line | None
    nbytes: int
    holders: Sequence[Holder]


Adviser = Callable[[Refusal], str | None]
_ADVISERS: list[Adviser] = []


def advises(adviser: Adviser) -> Adviser:
    """Registers what may know a way out of a refusal: a sentence, or None. It runs no op."""
    _ADVISERS.append(adviser)
    return adviser


def refusal_text(device: Device, refused: OutOfBudget, op_name: str, line: Line | None) -> str:
    """What to tell of an allocation that a budget refused; see `Refusal`."""
    budget, nbytes = refused.budget, refused.nbytes
    in_use, report = holders_and_help(device, budget, op_name, line, nbytes)
    usage = budget.usage()
    whose = device.short_name
    if budget is not device.budget:
        whose = f"the hardware that {whose} shares with others"
    where = "" if line is None else f" ({line})"
    scratch = f" (of which {format_bytes(refused.scratch)} scratch)" if refused.scratch else ""
    head = (
        f"{op_name}{where} needs {format_bytes(nbytes)}{scratch} on {whose}; "
        f"{format_bytes(in_use)} of {format_bytes(usage.limit or 0)} are in use, "
        f"{format_bytes(budget.free_bytes() or 0)} are left (peak {format_bytes(usage.peak)})."
    )
    return "\n".join([head, *report])


def holders_and_help(
    device: Device, budget: Budget, op_name: str, line: Line | None, nbytes: int,
    first: Sequence[str] = (),
) -> tuple[int, list[str]]:  # fmt: skip
    """(the bytes in use, lines that say who holds them and what would help); see `Refusal`. `first`
    are sentences about what would help most.
    """
    in_use, holders = Census(thoroughly=False).holders(budget)
    refusal = Refusal(device, budget, op_name, line, nbytes, holders)
    known = [*first, *[text for adviser in _ADVISERS if (text := adviser(refusal))]]
    advice = [f"  {text}" for text in known]
    help_lines = ["What would help:", *advice] if advice else []
    return in_use, [*tables(holders, MOST_LINES - 1 - len(help_lines)), *help_lines]


@advises
def what_keeps_the_most(refusal: Refusal) -> str | None:
    """What to let go: the variable, tape, iterator or name of the program that keeps the most."""
    groups: dict[tuple[object, ...], list[Holder]] = {}
    for each in refusal.holders:
        keeper = each.keeper
        if each.kind in (ACTIVATIONS, DATASETS):
            groups.setdefault((each.kind,), []).append(each)
        elif each.kind in (PARAMETERS, SLOTS):
            groups.setdefault((each.kind, each.name), []).append(each)
        elif keeper is not None:
            groups.setdefault(("name", keeper.root, keeper.place), []).append(each)
    if not groups:
        return None
    largest = max(groups.values(), key=lambda some: sum(each.nbytes for each in some))
    return _what_to_do(largest)


def _what_to_do(group: Sequence[Holder]) -> str:
    kind, keeper = group[0].kind, group[0].keeper
    size = format_bytes(sum(each.nbytes for each in group))
    if kind in (PARAMETERS, SLOTS):
        return f"The variable {group[0].name} keeps {size}, as long as its owner lives."
    if kind == DATASETS:
        return f"An iterator keeps {size}: prefetch less, or smaller batches."
    if kind == ACTIVATIONS:
        tapes = sorted({each.keeper.root for each in group if each.keeper is not None})
        named = f" (`{tapes[0]}`)" if len(tapes) == 1 else ""
        return (
            f"Gradients need {size}{named}: smaller batches, or tf.recompute_grad around what "
            "made them."
        )
    assert keeper is not None
    place = "" if keeper.place is None else f" of {keeper.place.function} ({keeper.place})"
    what = "1 value" if len(group) == 1 else f"{len(group)} values"
    return f"The name `{keeper.root}`{place} keeps {what}, {size}: let it go in time."


@advises
def another_device(refusal: Refusal) -> str | None:
    """The GPU with the most room, if that is enough."""
    found = [
        (free, device)
        for device in INVENTORY.devices()
        if device.type != "CPU" and device is not refusal.device and device.budget is not None
        and (free := device.budget.free_bytes()) is not None and free >= refusal.nbytes
    ]  # fmt: skip
    if not found:
        return None
    free, device = max(found, key=lambda row: row[0])
    name = device.short_name
    return f'{name} has {format_bytes(free)} left: `with tf.device("{name}"):`.'


@advises
def more_memory(refusal: Refusal) -> str:
    """How much would do: as a limit, where the hardware has it."""
    device, budget = refusal.device, refusal.budget
    missing = refusal.nbytes - (budget.free_bytes() or 0)
    total = device.backend.describe(device.ordinal).memory_bytes
    more = f"{format_bytes(missing)} more memory would do"
    if budget is not device.budget or (total is not None and (budget.limit_bytes or 0) >= total):
        return f"{more}: a larger device."
    return f"{more}: a higher limit (`emplace.limit`, `EMPLACE_LIMIT`)."
