"""`RunMetadata`: which operations of a run took how long, where, and made what."""

from __future__ import annotations

import threading
import time
from typing import Any

from ...core.events import Call, Observer
from ..plan.plan import Plan
from ..representation.graph import Operation


class Tracer(Observer):
    """Takes down what runs in this thread."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()
        self._calls: list[tuple[Any, int, int, tuple[Any, ...]]] = []

    def executed(self, call: Call) -> None:
        """One kernel has run."""
        if threading.get_ident() == self._thread:
            nanoseconds = int(call.seconds * 1e9)
            start = time.time_ns() - nanoseconds
            self._calls.append((call.route, start, nanoseconds, call.outputs))

    def fill(self, plan: Plan, metadata: Any) -> None:
        """Writes it into a `RunMetadata`."""
        operations = {id(step.route): step.operation for step in plan.steps}
        by_device: dict[str, Any] = {}
        for device in plan.result_devices if not self._calls else ():  # nothing had to be computed
            if device.name not in by_device:
                by_device[device.name] = metadata.step_stats.dev_stats.add(device=device.name)
        for route, start, nanoseconds, outputs in self._calls:
            name = route.device.name
            if name not in by_device:
                by_device[name] = metadata.step_stats.dev_stats.add(device=name)
            operation = operations.get(id(route))
            if operation is not None:
                stats = by_device[name].node_stats.add()
                _write(stats, operation, start, nanoseconds)
                _write_outputs(stats, outputs, route.device)


def _write(stats: Any, operation: Operation, start: int, nanoseconds: int) -> None:
    inputs = ", ".join(x.op.name if not x.value_index else x.name for x in operation.inputs)
    took = max(1, nanoseconds // 1000)
    stats.node_name = operation.name
    stats.timeline_label = f"{operation.name} = {operation.type}({inputs})"
    stats.scheduled_micros = stats.all_start_micros = start // 1000
    stats.op_end_rel_micros = stats.all_end_rel_micros = took
    stats.scheduled_nanos = stats.all_start_nanos = start
    stats.op_end_rel_nanos = stats.all_end_rel_nanos = nanoseconds
    stats.thread_id = threading.get_ident() & 0x7FFFFFFF


def _write_outputs(stats: Any, outputs: Any, device: Any) -> None:
    allocator = "cpu" if device.type == "CPU" else f"{device.type}_{device.index}_bfc"
    total = 0
    for slot, tensor in enumerate(outputs):
        if tensor is None:  # an operation without results
            continue
        shape = getattr(tensor._value, "shape", None)
        if tensor.dtype.name in ("resource", "variant") or shape is None:
            continue
        told = stats.output.add(slot=slot).tensor_description
        told.dtype = tensor.dtype.as_datatype_enum
        for size in shape:
            told.shape.dim.add(size=int(size))
        nbytes = int(getattr(tensor._value, "nbytes", 0))
        described = told.allocation_description
        described.allocator_name, described.requested_bytes = allocator, nbytes
        described.allocated_bytes = nbytes
        total += nbytes
    if total:
        stats.memory.add(allocator_name=allocator, total_bytes=total, peak_bytes=total)
