"""Recording ops on tapes by a name of the program's choice (`tf.__internal__.record_gradient`), and
a function of the program between a graph's new operations and the tapes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from ..core.context import LOCAL
from ..core.tensor import Tensor
from ..devices.device import Device
from ..eager.tape import TO_TAPES, tell_tapes
from ..grads.rules import Recorded
from ..graph.representation.graph import Operation, SymbolicTensor
from ..ops.op import DEVICE_TYPES, REGISTRY, Arg, Op
from ..raw.definitions import definition_if_any
from .op_forms import OperationForm

Recorder = Callable[[str, Any, Any, Any], object]


def record_gradient(
    op_name: str, inputs: Sequence[Tensor], attrs: Sequence[Any], outputs: Sequence[Tensor]
) -> None:
    """Tells the tapes that outputs were computed from inputs by an op, whose gradient is that of
    its name in the registry (`tf.__internal__.record_gradient`).

    Args:
        op_name: the type of the op, or another name that has a gradient.
        inputs: its inputs.
        attrs: its attributes: names and values in turn.
        outputs: its outputs.
    """
    made = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    if not made:
        return
    first: Any = made[0]
    if isinstance(first, SymbolicTensor):
        _record_operation(op_name, first.op)
        return
    record = _named(REGISTRY.get(op_name), op_name)
    named = dict(zip(attrs[::2], attrs[1::2], strict=True)) if attrs else {}
    for tape in LOCAL.state.tapes:
        tape.record(record, tuple(inputs), named, made, _RecordedRoute(first._kind.device))


def _record_operation(op_name: str, operation: Operation) -> None:
    if op_name != operation.type:
        tell_tapes(operation, _named(operation.record, op_name))
    elif TO_TAPES.tell is not tell_tapes:  # else they were told when it was made
        tell_tapes(operation)


class _RecordedRoute:
    """How an op was run that the program records itself: where its result is."""

    def __init__(self, device: Device) -> None:
        self.device = device


def _named(record: Op | None, name: str) -> Op:
    """An op by another name, which has no gradient but what the registry says."""
    if record is None:
        many = Arg("inputs", "any", True), Arg("outputs", "any", True)
        return Op(name, _never, None, many[:1], many[1:], {}, DEVICE_TYPES, stateful=True)
    return record if record.name == name else dataclasses.replace(record, name=name, stateful=True)


def _never(*values: object, **attrs: object) -> NoReturn:
    raise AssertionError("what is only recorded is never run")


def record_through(recorder: Recorder) -> None:
    """Lets a function of the program hear of each new operation of a graph instead of the tapes,
    which `record_gradient` tells; that function itself undoes it.

    Args:
        recorder: called as `record_gradient` is, while a tape records.
    """
    if recorder is record_gradient:
        TO_TAPES.tell = tell_tapes
        return

    def tell(operation: Operation) -> None:
        theirs = definition_if_any(operation.type)
        if theirs is None:  # an op of our own: a name of the program's would have no gradient
            tell_tapes(operation)
            return
        form = OperationForm(
            Recorded(
                operation.record, operation.given, operation.attrs, operation.outputs, operation
            )
        )
        attrs = [(name, form.get_attr(name)) for name in theirs.attributes]
        flat = tuple(part for pair in attrs for part in pair)
        recorder(operation.type, list(form.inputs), flat, list(operation.outputs))

    TO_TAPES.tell = tell
