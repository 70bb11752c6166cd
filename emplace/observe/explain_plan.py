"""`emplace.explain` of a function or a session: what runs, where, why, and what is copied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..base.shapes import num_elements
from ..devices.memory import format_bytes
from ..eager.place import explain_reason
from ..graph.function.calling import ConcreteFunction
from ..graph.function.function import Function
from ..graph.plan.plan import Plan, Step
from ..graph.session.session import BaseSession
from ..ops.convert import to_tensor


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """One operation of a plan.

    `copies` are the inputs copied to its device: name, device they come from, and bytes, None
    where the size is not known before the plan runs. `nbytes` is what its results take.
    """

    name: str
    op: str
    device: str
    reason: str
    copies: tuple[tuple[str, str, int | None], ...]
    nbytes: int | None
    line: str | None
    depth: int


@dataclass(frozen=True, slots=True)
class PlanExplanation:
    """What a call runs, step by step. Prints as text; `source` is the plan itself, in Python."""

    what: str
    steps: tuple[PlannedStep, ...]
    source: str

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values; sizes in bytes."""
        return {
            "what": self.what,
            "steps": [
                {
                    "name": step.name, "op": step.op, "device": step.device,
                    "reason": step.reason, "bytes": step.nbytes, "line": step.line,
                    "depth": step.depth,
                    "copies": [
                        {"input": name, "from": source, "bytes": nbytes}
                        for name, source, nbytes in step.copies
                    ],
                }
                for step in self.steps
            ],
            "source": self.source,
        }  # fmt: skip

    def __str__(self) -> str:
        rows = table([_row(step) for step in self.steps])
        copied = [copy for step in self.steps for copy in step.copies]
        lines = [f"{self.what}: {len(self.steps)} operations, {_copies_text(copied)}"]
        for row, step in zip(rows, self.steps, strict=True):
            lines.append(row)
            lines += [
                f"      copies {name} from {source}, {_size(nbytes)}"
                for name, source, nbytes in step.copies
            ]
        return "\n".join(lines)

    __repr__ = __str__


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of cells below each other; the last cell is as long as it is."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
    return [
        "  " + "  ".join([*map(str.ljust, row, widths), row[-1]]).rstrip() for row in rows
    ]  # fmt: skip


def _row(step: PlannedStep) -> tuple[str, ...]:
    name = "  " * step.depth + step.name
    return name, step.op, step.device, _size(step.nbytes), step.reason


def _size(nbytes: int | None) -> str:
    return "?" if nbytes is None else format_bytes(nbytes)


def _copies_text(copies: Sequence[Any]) -> str:
    if not copies:
        return "nothing is copied between devices"
    total = sum(nbytes or 0 for _, _, nbytes in copies)
    return f"{len(copies)} copies between devices, {format_bytes(total)}"


def explain_function(function: Function | ConcreteFunction, *args: Any, **kwargs: Any) -> Any:
    """The plan of a function for these arguments; the function does not run."""
    if isinstance(function, Function):
        concrete = function.get_concrete_function(*args, **kwargs)
        tensors = function.tensors_of(*args, **kwargs)
    else:
        concrete = function
        tensors = [to_tensor(x) for x in (*args, *kwargs.values())]
    return _explained(f"function {concrete._name}", concrete.plan(tensors))


def explain_run(session: BaseSession, fetches: Any, feed_dict: Any = None) -> PlanExplanation:
    """The plan of `session.run(fetches, feed_dict)`; nothing runs."""
    return _explained("Session.run", session.plan(fetches, feed_dict))


def _explained(what: str, plan: Plan) -> PlanExplanation:
    return PlanExplanation(what, tuple(map(_planned, plan.steps)), plan.text)


def _planned(step: Step) -> PlannedStep:
    operation, placement = step.operation, step.placement
    route = step.route
    scope = None if route is None else route.scope
    given = [x.dtype for x in operation.given]
    return PlannedStep(
        operation.name,
        operation.type
        if operation.type != "Deferred"
        else operation.attrs["call"].function.__name__,
        placement.device.short_name,
        explain_reason(placement.reason, operation.type, scope, given),
        tuple((x.name, home.short_name, bytes_of([x])) for x, home in step.copies),
        bytes_of(operation.outputs),
        None if operation.line is None else f"{operation.line.file}:{operation.line.number}",
        step.depth,
    )


def bytes_of(tensors: Sequence[Any]) -> int | None:
    """What tensors take; None where a shape is not known before they are there."""
    total = 0
    for x in tensors:
        if x.dtype.torch is None:
            continue
        if not x.is_fully_known:
            return None
        total += num_elements(x.dims) * x.dtype.size
    return total
