"""The report of a recording: at most 30 lines of text, or a dictionary."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from typing import Any

from ..base.files import write_text
from ..core.events import Line
from ..devices.memory import format_bytes
from .recorder import Recorder, Recording

MOST_LINES = 30
_TOP_OPS = 6
_TOP_COPIES = 6
_TOP_FALLBACKS = 4


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
                for (op, device), n in sorted(sums.ops.items(), key=lambda each: -each[1].seconds)
            ],
            "copies": [
                {
                    "line": _place(line), "op": n.op_name, "from": source, "to": target,
                    "count": n.count, "bytes": n.nbytes, "hidden": hidden,
                }
                for (line, source, target, hidden), n in self._copies()
            ],
            "fallbacks": [
                {"op": op, "device": device, "reason": why, "line": _place(line), "count": n}
                for (op, device, why, line), n in self._fallbacks()
            ],
            "peak_bytes": {device: peak for device, (peak, _) in sums.peaks.items()},
            "limit_bytes": {device: limit for device, (_, limit) in sums.peaks.items()},
            "refused_allocations": dict(sums.exhausted),
        }  # fmt: skip

    def __str__(self) -> str:
        sums = self._sums
        lines = [f"emplace report: {sums.num_ops:,} ops in {sums.seconds:.2f} s"]
        lines += self._device_lines()
        lines += self._op_lines()
        lines += self._copy_lines()
        lines += self._fallback_lines()
        return "\n".join(lines[:MOST_LINES])

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

    def _device_lines(self) -> list[str]:
        per_device: dict[str, list[float]] = defaultdict(lambda: [0, 0.0])
        for (_, device), n in self._sums.ops.items():
            per_device[device][0] += n.count
            per_device[device][1] += n.seconds
        for device in self._sums.peaks:
            per_device[device][0] += 0
        lines = ["", f"{'device':<8}{'ops':>9}{'time':>11}{'peak memory':>14}{'limit':>12}"]
        for device in sorted(per_device, key=_device_order)[:10]:
            count, seconds = per_device[device]
            peak, limit = self._sums.peaks.get(device, (None, None))
            lines.append(
                f"{device:<8}{int(count):>9,}{_time(seconds):>11}"
                f"{'not counted' if peak is None else format_bytes(peak):>14}"
                f"{'none' if limit is None else format_bytes(limit):>12}" + self._refused(device)
            )
        return lines

    def _refused(self, device: str) -> str:
        count = self._sums.exhausted.get(device)
        return f"  {count} refused" if count else ""

    def _op_lines(self) -> list[str]:
        totals: dict[str, list[Any]] = defaultdict(lambda: [0, 0.0, set()])
        for (op, device), n in self._sums.ops.items():
            totals[op][0] += n.count
            totals[op][1] += n.seconds
            totals[op][2].add(device)
        order = sorted(totals, key=lambda op: -totals[op][1])
        lines = ["", "ops by time"]
        for op in order[:_TOP_OPS]:
            count, seconds, devices = totals[op]
            where = ", ".join(sorted(devices, key=_device_order)[:5])
            lines.append(f"  {op:<38}{count:>9,} x{_time(seconds):>11}  {where}")
        return lines + _more(len(order) - _TOP_OPS, "op")

    def _copies(self) -> list[tuple[Any, Any]]:
        return sorted(self._sums.copies.items(), key=lambda each: -each[1].nbytes)

    def _copy_lines(self) -> list[str]:
        copies = self._copies()
        total = sum(n.nbytes for _, n in copies)
        if not copies:
            return ["", "no copies between devices"]
        lines = ["", f"copies by source line: {format_bytes(total)}"]
        for (line, source, target, hidden), n in copies[:_TOP_COPIES]:
            what = f"input of {n.op_name}" if hidden else n.op_name
            lines.append(
                f"  {_short(line):<24}{source:>6} -> {target:<6}{n.count:>9,} x"
                f"{format_bytes(n.nbytes):>12}  {what}"
            )
        return lines + _more(len(copies) - _TOP_COPIES, "line")

    def _fallbacks(self) -> list[tuple[Any, int]]:
        return sorted(self._sums.fallbacks.items(), key=lambda each: -each[1])

    def _fallback_lines(self) -> list[str]:
        fallbacks = self._fallbacks()
        if not fallbacks:
            return ["", "no fallbacks"]
        lines = ["", "fallbacks"]
        for (op, device, why, line), n in fallbacks[:_TOP_FALLBACKS]:
            lines.append(f"  {_short(line):<24}{op} on {device}, {n:,} x: {why}")
        return lines + _more(len(fallbacks) - _TOP_FALLBACKS, "fallback")


def _more(count: int, what: str) -> list[str]:
    return [f"  and {count} more {what}{'s' if count > 1 else ''}"] if count > 0 else []


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:,.1f} ms" if seconds < 10 else f"{seconds:,.2f} s"


def _short(line: Line | None) -> str:
    return "?" if line is None else str(line)


def _place(line: Line | None) -> str | None:
    return None if line is None else f"{os.path.abspath(line.file)}:{line.number}"


def _device_order(name: str) -> tuple[str, int]:
    kind, _, index = name.partition(":")
    return kind, int(index or 0)


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
