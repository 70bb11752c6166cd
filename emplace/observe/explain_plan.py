"""`emplace.explain` of a function or a session: what runs, where, why, and what is copied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..base import dtypes
from ..base.shapes import num_elements
from ..core.context import intern_scope
from ..devices.memory import format_bytes
from ..eager.place import explain_reason
from ..graph.function.calling import ConcreteFunction
from ..graph.function.function import Function
from ..graph.plan.capturable import Obstacle, obstacles
from ..graph.plan.plan import Plan
from ..graph.plan.steps import Step
from ..graph.representation.graph import Operation
from ..graph.session.session import BaseSession


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """One operation of a plan.

    `copies` are the inputs copied to its device: name, device they come from, and bytes, None
    where the size is not known before the plan runs. `nbytes` is what its results take. `depth` is
    how many branches and loops are around it. An `Identity` may be a row though nobody wrote it: a
    branch or a round makes its value elsewhere than where the value is to be.
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
class PlanObstacle:
    """Why no graph of the hardware could repeat a plan. `name`, `op` and `line` are those of the
    operation that prevents it, None where it is the plan as a whole; `why` is half a sentence, and
    `text` a whole one.
    """

    name: str | None
    op: str | None
    line: str | None
    why: str
    text: str


@dataclass(frozen=True, slots=True)
class PlanExplanation:
    """What a call runs, step by step. Prints as text; `source` is the plan itself, in Python.

    `capturable` says whether a CUDA graph could repeat the plan: it runs on one GPU, nothing of it
    makes the host wait, happens on the host or is another in each call. `obstacles` are what keeps
    it from that, in the plan's order.

    `emplace.watch` sees the same operations and copies, except that

    * both branches are here, and one runs; the body of a loop is here once, and runs once per
      iteration, its condition once more;
    * a tensor that arrives in two ways, given twice or handed on unchanged by a branch or a loop,
      is told as two, and is one when it is copied for an operation that takes both;
    * Python inside of a plan, such as `tf.py_function`, is one row, whatever it runs;
    * a plan that nobody watches is rewritten: operations are fused, the same value is not computed
      twice, and on devices without a budget, or with room, a value is copied once for all that
      read it. Ask inside of `with emplace.watch():` for the plan as it runs while somebody watches.
    """

    what: str
    steps: tuple[PlannedStep, ...]
    source: str
    obstacles: tuple[PlanObstacle, ...] = ()

    @property
    def capturable(self) -> bool:
        """Whether a CUDA graph could repeat it."""
        return not self.obstacles

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values; sizes in bytes."""
        return {
            "what": self.what,
            "capturable": self.capturable,
            "obstacles": [
                {"name": each.name, "op": each.op, "line": each.line, "why": each.why}
                for each in self.obstacles
            ],
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
        if any(step.device.startswith("GPU") for step in self.steps):
            lines.append(f"  capturable: {_verdict(self.obstacles)}")
        for row, step in zip(rows, self.steps, strict=True):
            lines.append(row)
            lines += [
                f"      copies {name} from {source}, {_size(nbytes)}"
                for name, source, nbytes in step.copies
            ]
        return "\n".join(lines)

    __repr__ = __str__


def _verdict(obstacles: Sequence[PlanObstacle]) -> str:
    if not obstacles:
        return "yes"
    more = f", and {len(obstacles) - 1} more" if len(obstacles) > 1 else ""
    return f"no: {obstacles[0].text}{more}"


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
    return f"{len(copies)} copies between devices, {total([nbytes for _, _, nbytes in copies])}"


def total(sizes: Sequence[int | None]) -> str:
    """The sum of some sizes in bytes, None for those that nobody knows, as text."""
    known = [nbytes for nbytes in sizes if nbytes is not None]
    if not known:
        return "of sizes that are known when it runs"
    return format_bytes(sum(known)) + (" and more" if len(known) < len(sizes) else "")


def explain_function(function: Function | ConcreteFunction, *args: Any, **kwargs: Any) -> Any:
    """The plan of a function for these arguments; the function does not run."""
    if isinstance(function, Function):
        traced = function.get_concrete_function(*args, **kwargs)
    else:
        traced = function
    tensors = function.tensors_of(*args, **kwargs)
    return _explained(f"function {traced._name}", traced.plan(tensors))


def explain_run(session: BaseSession, fetches: Any, feed_dict: Any = None) -> PlanExplanation:
    """The plan of `session.run(fetches, feed_dict)`; nothing runs."""
    return _explained("Session.run", session.plan(fetches, feed_dict))


def _explained(what: str, plan: Plan) -> PlanExplanation:
    found = tuple(map(_told, obstacles(plan)))
    return PlanExplanation(what, tuple(map(_planned, plan.steps)), plan.text, found)


def _told(obstacle: Obstacle) -> PlanObstacle:
    operation = obstacle.operation
    if operation is None:
        return PlanObstacle(None, None, None, obstacle.why, str(obstacle))
    line = _line_of(operation)
    return PlanObstacle(operation.name, operation.type, line, obstacle.why, str(obstacle))


def _line_of(operation: Operation) -> str | None:
    return None if operation.line is None else f"{operation.line.file}:{operation.line.number}"


def _planned(step: Step) -> PlannedStep:
    operation, placement = step.operation, step.placement
    scope = None if placement.asked is None else intern_scope(placement.asked)
    given = [x.dtype for x in operation.given]
    op = (
        operation.type
        if operation.type != "Deferred"
        else operation.attrs["call"].function.__name__
    )
    return PlannedStep(
        operation.name,
        op,
        placement.device.short_name,
        explain_reason(placement.reason, op, scope, given),
        tuple((x.name, home.short_name, bytes_of([x])) for x, home in step.copies),
        bytes_of(operation.outputs),
        _line_of(operation),
        step.depth,
    )


def bytes_of(tensors: Sequence[Any]) -> int | None:
    """What tensors take; None where that is not known before they are there, as of lists."""
    total = 0
    for x in tensors:
        if x.dtype is dtypes.variant:
            return None
        if x.dtype.torch is None:
            continue
        if not x.is_fully_known:
            return None
        total += num_elements(x.dims) * x.dtype.size
    return total
