"""Whether a graph of the hardware could repeat a plan, such as a CUDA graph, and if not, why.

What is recorded once and then repeated does the same kernels on the same memory. So nothing of the
plan may make the host wait, decide by values, happen on the host, or be different in each call.
All of this is known before the plan runs: from where its operations are, and from their records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ...base import dtypes
from ...devices.device import Device
from ...ops.waiting import HOST_TYPES
from ..recording.deferred import DEFERRED
from ..representation.graph import Operation
from .host_numbers import MadeOf, made_of
from .plan import Plan
from .steps import HostRead, Step


class Obstacle(NamedTuple):
    """What keeps a plan from being captured: an operation, None for the plan as a whole, and why
    in half a sentence.
    """

    operation: Operation | None
    why: str

    def __str__(self) -> str:
        if self.operation is None:
            return self.why
        line = "" if self.operation.line is None else f" ({self.operation.line})"
        return f"`{_op_name(self.operation)}`{line} {self.why}"


def obstacles(plan: Plan) -> list[Obstacle]:
    """What keeps a plan from being captured, in the plan's order; none where nothing does."""
    home = next((s.placement.device for s in plan.steps if s.placement.device.type == "GPU"), None)
    if home is None:
        return [Obstacle(None, "nothing of it runs on a GPU")]
    found = [
        (place, Obstacle(step.operation, why))
        for place, step in enumerate(plan.steps)
        for why in _of_step(step, home)
    ]
    found += [
        (read.place, Obstacle(read.operation, why)) for read in plan.reads for why in _of_read(read)
    ]
    told: dict[int, Obstacle] = {}
    for _, each in sorted(found, key=lambda pair: pair[0]):
        told.setdefault(id(each.operation), each)  # the first one of each operation
    return [*told.values(), *_of_the_whole(plan, home)]


def _of_the_whole(plan: Plan, home: Device) -> Iterator[Obstacle]:
    if any(kind.dtype is dtypes.variant for kind in plan.kinds):
        yield Obstacle(None, "it returns a list of tensors, which the host keeps")
    if home.stream is not None:
        why = f"{home.short_name} shares its GPU with another device and has a queue of its own"
        yield Obstacle(None, why)


def _of_step(step: Step, home: Device) -> Iterator[str]:
    operation, device = step.operation, step.placement.device
    record = operation.record
    if record.name in _CALLS_PYTHON or record is DEFERRED:
        yield _CALLS_PYTHON.get(record.name, "runs Python: shapes are not known before the call")
    elif device.type != "GPU":
        yield _ON_THE_HOST.get(
            record.name, f"runs on {device.short_name}, which a graph of a GPU would not repeat"
        )
    elif device is not home:
        yield f"runs on {device.short_name}, and a graph is of one GPU, here {home.short_name}"
    reason = _waits(operation)
    if reason is not None and device.type == "GPU":
        yield f"makes the host wait: {reason}"
    why = _CHANGES.get(record.name)
    if why is not None:
        if told := why(operation):
            yield told
    elif record.stateful and not record.name.startswith(_REPEATABLE):
        yield "changes something on the host"


def _of_read(read: HostRead) -> Iterator[str]:
    found = made_of(read.tensor)
    if read.device.type != "GPU" or found is MadeOf.NUMBERS:
        yield f"decides by numbers that may be others in each call: {read.what} is read"
    elif found is MadeOf.THE_GPU:
        yield f"makes the host wait: {read.what} is read"


# Ops whose effect is on the memory of the GPU, where repeating them is doing them.
_REPEATABLE = (
    "ReadVariableOp", "VarHandleOp", "Assign", "Resource", "FusedAdam", "CheckNumerics", "NoOp",
    "Assert",
)  # fmt: skip

_CALLS_PYTHON = dict.fromkeys(("EagerPyFunc", "PyFunc", "PyFuncStateless"), "calls Python")

_NEXT = "takes the next element of a dataset, on the host"
_ON_THE_HOST = {"IteratorGetNext": _NEXT, "IteratorGetNextAsOptional": _NEXT}


def _seeded(operation: Operation) -> str:
    """Torch's generators go on in a graph; a counter of ours is moved by the host."""
    if operation.attrs.get("seed") is None:
        return ""
    return "draws by a seed: where its numbers begin is counted on the host"


def _drawn_on_host(operation: Operation) -> str:
    return "draws other numbers in each call, by a key that the host makes"


_CHANGES: dict[str, Callable[[Operation], str]] = {
    "RandomUniform": _seeded, "RandomStandardNormal": _seeded, "TruncatedNormal": _seeded,
    "RandomUniformInt": _seeded,
    "RandomShuffle": _drawn_on_host, "Multinomial": _drawn_on_host,
    "RandomGamma": _drawn_on_host, "RandomPoissonV2": _drawn_on_host,
    "ResourceCountUpTo": lambda operation: "counts on the host",
    "VarIsInitializedOp": lambda operation: "asks on the host whether a variable has a value",
}  # fmt: skip


def _op_name(operation: Operation) -> str:
    if operation.record is DEFERRED:
        return str(operation.attrs["call"].function.__name__)
    return operation.type


def _waits(operation: Operation) -> str | None:
    """Why the kernel of an operation makes the host wait; None where it does not."""
    reason = operation.record.wait_reason
    if reason == HOST_TYPES:
        dtypes_here = {x.dtype for x in (*operation.given, *operation.outputs)}
        return reason if dtypes_here.intersection(dtypes.QUANTIZED) else None
    return reason
