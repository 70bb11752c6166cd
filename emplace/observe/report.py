"""The report of a recording: at most 30 lines of text, or a dictionary."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from ..base.files import write_text
from ..base.sections import Section, fit
from ..core.events import Line
from ..devices.memory import format_bytes
from ..devices.strict import READS, SIZES
from .recorder import CopyCount, CopyPlace, OpCount, Peak, Recorder, Recording

MOST_LINES = 30

# What ops that exist to move data are called.
_MOVERS = {"_EagerConst": "constants", "Identity": "tf.identity"}


class Report:
    """What ops, copies and devices did while `emplace.watch()` listened. Prints as text."""

    def __init__(self, recording: Recording) -> None:
        self._sums = recording

    def to_dict(self) -> dict[str, Any]:
        """The whole recording as plain values: seconds, bytes, counts."""
        sums = self._sums
        return {
            "seconds": sums.seconds,
            "ops": [
                {"op": op, "device": device, "count": n.count, "seconds": n.seconds}
                for (op, device), n in sorted(sums.ops.items(), key=lambda row: -row[1].seconds)
            ],
            "copies": [
                {
                    "line": _place(at.line), "op": at.op_name, "from": at.source, "to": at.target,
                    "count": n.count, "bytes": n.nbytes, "hidden": at.is_hidden,
                }
                for at, n in sorted(sums.copies.items(), key=lambda row: -row[1].nbytes)
            ],
            "fallbacks": [
                {
                    "op": at.op_name, "device": at.device, "reason": at.why,
                    "line": _place(at.line), "count": count,
                }
                for at, count in sorted(sums.fallbacks.items(), key=lambda row: -row[1])
            ],
            "waits": [
                {
                    "line": _place(at.line), "op": at.op_name, "device": at.device,
                    "what": at.what, "count": n.count, "bytes": n.nbytes,
                }
                for at, n in sorted(sums.waits.items(), key=lambda row: -row[1].count)
            ],
            "peak_bytes": {device: peak.nbytes for device, peak in sums.peaks.items()},
            "limit_bytes": {device: peak.limit_bytes for device, peak in sums.peaks.items()},
            "refused_allocations": dict(sums.refused),
        }  # fmt: skip

    def __str__(self) -> str:
        sums = self._sums
        kernels = sum(n.seconds for n in sums.ops.values())
        title = (
            f"emplace report: {_count(sums.num_ops, 'op')} in {_time(sums.seconds)}, "
            f"{_time(kernels)} of it in kernels"
        )
        sections = [
            self._devices(),
            self._ops(),
            self._copies(hidden=True),
            self._copies(hidden=False),
            self._fallbacks(),
            *([self._waits()] if sums.are_waits_told else []),
        ]
        nothing = [each.title for each in sections if not each.rows]
        last = ["", "; ".join(nothing)] if nothing else []
        fit(sections, MOST_LINES - 1 - len(last))
        return "\n".join([title, *(line for each in sections for line in each.lines()), *last])

    __repr__ = __str__

    def save(self, path: str) -> None:
        """Writes the report: as JSON if `path` ends in ".json", else as text.

        Raises:
            OSError: the file cannot be written; a file that was there stays as it was.
        """
        if path.endswith(".json"):
            write_text(path, json.dumps(self.to_dict(), indent=2) + "\n")
        else:
            write_text(path, f"{self}\n")

    def _devices(self) -> Section:
        totals: dict[str, OpCount] = defaultdict(OpCount)
        for (_, device), n in self._sums.ops.items():
            _add(totals[device], n)
        names = sorted({*totals, *self._sums.peaks, *self._sums.refused}, key=_device_order)
        if not names:
            return Section("no device was used", [], "device")
        title = f"{'device':<10}{'ops':>9}{'in kernels':>12}{'peak memory':>14}{'limit':>12}"
        return Section(title, [self._device(name, totals[name]) for name in names], "device")

    def _device(self, name: str, total: OpCount) -> str:
        peak = self._sums.peaks.get(name)
        refused = self._sums.refused.get(name)
        return (
            f"{name:<10}{total.count:>9,}{_time(total.seconds):>12}{_peak(peak):>14}{_limit(peak):>12}"
            + (f"  {_count(refused, 'allocation')} refused" if refused else "")
        )

    def _ops(self) -> Section:
        totals: dict[str, OpCount] = defaultdict(OpCount)
        devices: dict[str, set[str]] = defaultdict(set)
        for (op, device), n in self._sums.ops.items():
            _add(totals[op], n)
            devices[op].add(device)
        order = sorted(totals, key=lambda op: -totals[op].seconds)
        rows = [
            f"  {op:<36}{totals[op].count:>9,} x{_time(totals[op].seconds):>12}"
            f"  {_device_names(devices[op])}"
            for op in order
        ]
        return Section("ops, the slowest first" if rows else "no ops", rows, "op")

    def _copies(self, hidden: bool) -> Section:
        """The copies nobody asked for, or those of ops that exist to copy; by line and op."""
        what = "hidden copies" if hidden else "copies asked for"
        copies = {at: n for at, n in self._sums.copies.items() if at.is_hidden == hidden}
        if not copies:
            return Section(f"no {what}", [], "line")
        groups: dict[tuple[Line | None, str], dict[CopyPlace, CopyCount]] = defaultdict(dict)
        for at, n in copies.items():
            groups[at.line, at.op_name][at] = n
        order = sorted(groups.values(), key=lambda group: -_bytes(group))
        title = f"{what}: {format_bytes(_bytes(copies))}, by source line"
        return Section(title, [_copy_row(group) for group in order], "line")

    def _waits(self) -> Section:
        order = sorted(self._sums.waits.items(), key=lambda each: -each[1].count)
        rows = [
            f"  {_short(at.line):<24}{n.count:>9,} x  {at.device}: "
            + wait_text(at.op_name, at.what, n.nbytes // n.count)
            for at, n in order
        ]
        total = sum(n.count for n in self._sums.waits.values())
        title = f"waits for a GPU: {total:,}, by source line" if rows else "no waits for a GPU"
        return Section(title, rows, "line")

    def _fallbacks(self) -> Section:
        order = sorted(self._sums.fallbacks.items(), key=lambda each: -each[1])
        rows = [
            f"  {_short(at.line):<24}{count:>9,} x  {at.op_name} on {at.device}: {at.why}"
            for at, count in order
        ]
        title = "ops that are not where they were wanted" if rows else "no fallbacks"
        return Section(title, rows, "line")


def wait_text(op_name: str | None, what: str, nbytes: int) -> str:
    """Why the host waited: '`Equal` reads 4 B'."""
    who = "the program" if op_name is None else f"`{op_name}`"
    if what == SIZES:
        return f"{who} makes sizes that depend on {format_bytes(nbytes)}"
    return f"{who} {what.replace('copies', f'copies {format_bytes(nbytes)}', 1)}" + (
        f" {format_bytes(nbytes)}" if what == READS else ""
    )


def _copy_row(group: dict[CopyPlace, CopyCount]) -> str:
    at = next(iter(group))
    sources = _device_names(each.source for each in group)
    targets = _device_names(each.target for each in group)
    what = f"for {at.op_name}" if at.is_hidden else _MOVERS.get(at.op_name, at.op_name)
    times = sum(n.count for n in group.values())
    return (
        f"  {_short(at.line):<24}{times:>9,} x{format_bytes(_bytes(group)):>12}"
        f"  {sources} -> {targets}  {what}"
    )


def _bytes(copies: dict[CopyPlace, CopyCount]) -> int:
    return sum(n.nbytes for n in copies.values())


def _add(total: OpCount, n: OpCount) -> None:
    total.count += n.count
    total.seconds += n.seconds


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _peak(peak: Peak | None) -> str:
    return "not counted" if peak is None else format_bytes(peak.nbytes)


def _limit(peak: Peak | None) -> str:
    return "none" if peak is None or peak.limit_bytes is None else format_bytes(peak.limit_bytes)


def _time(seconds: float) -> str:
    if not seconds:
        return "0"
    if seconds < 1e-3:
        return f"{seconds * 1e6:.1f} us"
    return f"{seconds * 1e3:,.1f} ms" if seconds < 10 else f"{seconds:,.1f} s"


def _short(line: Line | None) -> str:
    return "?" if line is None else str(line)


def _place(line: Line | None) -> str | None:
    if line is None:
        return None
    # "<stdin>" and the like are no files.
    file = line.file if line.file.startswith("<") else os.path.abspath(line.file)
    return f"{file}:{line.number}"


def _device_order(name: str) -> tuple[str, int]:
    kind, _, index = name.partition(":")
    return kind, int(index or 0)


def _device_names(names: Iterable[str]) -> str:
    """'CPU:0, GPU:0-3, GPU:7'."""
    runs: list[tuple[str, int, int]] = []
    for kind, index in sorted(map(_device_order, set(names))):
        if runs and runs[-1][0] == kind and runs[-1][2] == index - 1:
            runs[-1] = kind, runs[-1][1], index
        else:
            runs.append((kind, index, index))
    return ", ".join(
        f"{kind}:{first}" if first == last else f"{kind}:{first}-{last}"
        for kind, first, last in runs
    )


class Watch:
    """A scope that records; made by `emplace.watch()`.

    Leaving the scope stops the recording; entering it again goes on with the same sums.
    """

    def __init__(self) -> None:
        self._recorder = Recorder()

    def __enter__(self) -> Watch:
        self._recorder.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._recorder.stop()

    def report(self) -> Report:
        """What happened so far; `print` it, `save` it, or take its `to_dict()`."""
        return Report(self._recorder.now())

    def save(self, path: str) -> None:
        """Writes the report to a file: text, or JSON for a name that ends in ".json"."""
        self.report().save(path)


def watch() -> Watch:
    """A scope that records what ops, copies and devices do, in all threads.

    >>> with watch() as seen:
    ...     pass
    >>> print(seen.report())  # doctest: +ELLIPSIS
    emplace report: 0 ops in ...
    """
    return Watch()
