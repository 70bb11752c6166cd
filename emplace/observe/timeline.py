"""Timelines of traced runs (`tensorflow.python.client.timeline`): a text that Chrome's
`chrome://tracing` and Perfetto show.

Each device is two processes: its kernels, and the tensors that these made. Times are microseconds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ..graph.representation.graph import Graph

_LABEL = re.compile(r"(?P<name>.*) = (?P<op>\w+)\((?P<inputs>.*)\)")


class Timeline:
    """What happened in a run.

    Args:
        step_stats: `RunMetadata.step_stats` of a run with `trace_level=FULL_TRACE`.
        graph: taken for TensorFlow's sake; the trace says all that is needed.
    """

    def __init__(self, step_stats: Any, graph: Graph | None = None) -> None:
        self._stats = step_stats
        self._events: list[dict[str, Any]] = []
        self._made: dict[str, tuple[int, int]] = {}  # where and when each operation ended

    def generate_chrome_trace_format(
        self, show_dataflow: bool = True, show_memory: bool = False, op_time: str = "schedule"
    ) -> str:
        """The timeline as JSON.

        Args:
            show_dataflow: arrows between operations on different devices.
            show_memory: tensors, and the memory that they take.
            op_time: taken for TensorFlow's sake.
        """
        self._events, self._made = [], {}
        devices = sorted(self._stats.dev_stats, key=lambda each: str(each.device))
        self._process(0, "Allocators")
        for i, device in enumerate(devices):
            self._process(2 * i + 1, f"{device.device} Compute")
            self._process(2 * i + 2, f"{device.device} Tensors")
        kernels = [
            (2 * i + 1, stats) for i, device in enumerate(devices) for stats in device.node_stats
        ]
        kernels.sort(key=lambda each: int(each[1].all_start_nanos))
        for process, stats in kernels:
            self._kernel(process, stats, show_dataflow)
            self._tensors(process + 1, stats)
        if show_memory:
            self._events += _memory(kernels)
        return json.dumps({"traceEvents": self._events}, indent=4)

    def _process(self, number: int, name: str) -> None:
        self._events.append(
            {"name": "process_name", "ph": "M", "pid": number, "args": {"name": name}}
        )

    def _kernel(self, process: int, stats: Any, show_dataflow: bool) -> None:
        name, op, inputs = _read(stats)
        start, took = stats.all_start_micros, stats.all_end_rel_micros
        args = {"name": name, "op": op, **{f"input{i}": each for i, each in enumerate(inputs)}}
        self._events.append(
            {"ph": "X", "cat": "Op", "name": op, "pid": process, "tid": 0, "ts": start,
             "dur": took, "args": args}
        )  # fmt: skip
        for source in inputs if show_dataflow else ():
            there = self._made.get(source.split(":")[0])
            if there is not None and there[0] != process:
                self._arrow(source, there, (process, start))
        self._made[name] = process, start + took

    def _arrow(self, name: str, source: tuple[int, int], target: tuple[int, int]) -> None:
        number = len(self._events)
        for kind, (process, when) in (("s", source), ("t", target)):
            self._events.append(
                {"ph": kind, "cat": "DataFlow", "name": name, "pid": process, "tid": 0, "ts": when,
                 "id": number}
            )  # fmt: skip

    def _tensors(self, process: int, stats: Any) -> None:
        end = stats.all_start_micros + stats.all_end_rel_micros
        for output in stats.output:
            common = {"cat": "Tensor", "name": stats.node_name, "pid": process, "tid": 0,
                      "id": len(self._events)}  # fmt: skip
            shot = {"tensor_description": str(output.tensor_description)}
            self._events += [
                {"ph": "N", **common, "ts": stats.all_start_micros},
                {"ph": "O", **common, "ts": end, "args": {"snapshot": shot}},
                {"ph": "D", **common, "ts": end},
            ]


def _read(stats: Any) -> tuple[str, str, list[str]]:
    """An operation's name, type and inputs."""
    match = _LABEL.fullmatch(stats.timeline_label)
    if match is None:
        return stats.node_name, stats.node_name, []
    return match["name"], match["op"], [each for each in match["inputs"].split(", ") if each]


def _memory(kernels: list[tuple[int, Any]]) -> Iterator[dict[str, Any]]:
    """How much has been made by each allocator so far."""
    totals: dict[str, int] = {}
    for _, stats in kernels:
        for memory in stats.memory:
            name = memory.allocator_name
            totals[name] = totals.get(name, 0) + memory.total_bytes
            yield {"ph": "C", "cat": "Memory", "name": name, "pid": 0, "tid": 0,
                   "ts": stats.all_start_micros, "args": {name: totals[name]}}  # fmt: skip


__all__ = ["Timeline"]
