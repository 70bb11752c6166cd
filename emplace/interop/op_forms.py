"""Recorded calls as TensorFlow's gradient functions see them: `function(op, *gradients)`.

In TensorFlow axes, shapes and paddings are inputs of an op like any other tensor; here they are
attributes. So what such a function gets is a form of the operation that has TensorFlow's inputs in
TensorFlow's order, and what it returns is put in our order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..base.dtypes import int32, resource
from ..core.symbolic_value import BackedInt, SymbolicValue, filled_in, symbolic_values
from ..core.tensor import Tensor
from ..grads.rules import Recorded, is_trainable
from ..graph.representation.graph import Operation
from ..ops.array.joining import stack
from ..ops.array.making import range_
from ..ops.convert import to_tensor
from ..ops.op import Arg, Op, expand
from ..raw.definitions import REQUIRED, Definition, Part, definition_if_any

# Where an input of TensorFlow's is here: its place among the tensors, an attribute, or nowhere.
Place = int | Arg | None


def places(record: Op, count: int) -> list[Place]:
    """Where each of TensorFlow's inputs is, lists laid flat.

    Args:
        record: our op.
        count: how many tensors it takes in this call.
    """
    theirs = definition_if_any(record.name)
    if theirs is None:
        return list(range(count))
    tensors: dict[str, list[Place]] = {}
    for i, (arg, _) in enumerate(expand(record.tensor_inputs, count)):
        tensors.setdefault(arg.name, []).append(i)
    found: list[Place] = []
    for ours in _in_their_order(record, theirs):
        found += [ours] if ours is None or ours.is_host else tensors.get(ours.name, [])
    return found


def _in_their_order(record: Op, theirs: Definition) -> Iterator[Arg | None]:
    """Our argument for each of TensorFlow's inputs: the one of its name, else the next one."""
    ours = {arg.name: arg for arg in record.inputs if arg.name not in theirs.attributes}
    named = {part.name for part in theirs.inputs}
    others = [arg for name, arg in ours.items() if name not in named]
    missing = [part.name for part in theirs.inputs if part.name not in ours]
    by_place = dict(zip(missing, others, strict=False)) if len(missing) == len(others) else {}
    for part in theirs.inputs:
        yield ours.get(part.name) or by_place.get(part.name)


def takes_one(record: Op) -> bool:
    """Whether TensorFlow's op takes one tensor: its gradient function then returns no list."""
    theirs = definition_if_any(record.name)
    inputs: Sequence[Part | Arg] = record.inputs if theirs is None else theirs.inputs
    return len(inputs) == 1 and not inputs[0].is_list


def outputs_of(record: Op, outputs: Sequence[Any]) -> list[Any]:
    """The outputs that TensorFlow's op has, too: some of ours keep something for their rule."""
    theirs = definition_if_any(record.name)
    if theirs is None or any(part.is_list for part in theirs.outputs):
        return list(outputs)
    return list(outputs[: len(theirs.outputs)])


def _inputs(record: Op, given: Sequence[Any], attrs: dict[str, Any]) -> list[Any]:
    """TensorFlow's inputs; None for one that is nothing here."""
    found: list[Any] = []
    told = told_by_arguments(record, attrs)
    for place in places(record, len(given)):
        if isinstance(place, Arg):
            value = told.get(place.name)
            is_all = value is None and place.name == "reduction_indices"
            found.append(_all_axes(given[0]) if is_all else _as_tensor(value))
        else:
            found.append(None if place is None else given[place])
    return found


def told_by_arguments(record: Op, attrs: dict[str, Any]) -> dict[str, Any]:
    """The attributes by the names of TensorFlow's arguments, where these are others."""
    if record.name == "StridedSlice" and "key" in attrs:
        return attrs | slice_arguments(attrs["key"])
    theirs = definition_if_any(record.name)
    hosts = [arg.name for arg in record.inputs if arg.is_host]
    known = {*hosts, *(theirs.attributes if theirs else ())}
    missing = [name for name in hosts if name not in attrs]
    others = [name for name in attrs if name not in known]
    if not missing or len(missing) != len(others):
        return attrs
    return attrs | {name: attrs[ours] for name, ours in zip(missing, others, strict=True)}


def slice_arguments(key: Sequence[tuple[Any, ...]]) -> dict[str, Any]:
    """What `StridedSlice` takes for a key of ours, see `ops/array/slicing.py`."""
    rows = []
    masks = dict.fromkeys(_MASKS, 0)
    for i, (kind, *numbers) in enumerate(key):
        begin, end, step = 0, 0, 1
        if kind == "at":
            begin, end = numbers[0], _next(numbers[0])
        elif kind == "slice":
            begin, end, step = (0 if number is None else number for number in numbers)
            step = 1 if numbers[2] is None else step
        rows.append((begin, end, step))
        is_open = {
            "begin_mask": kind == "slice" and numbers[0] is None,
            "end_mask": kind == "slice" and numbers[1] is None,
            "ellipsis_mask": kind == "rest",
            "new_axis_mask": kind == "new",
            "shrink_axis_mask": kind == "at",
        }
        for name in _MASKS:
            masks[name] |= is_open[name] << i
    begins, ends, steps = zip(*rows, strict=True) if rows else ((), (), ())
    return {"begin": begins, "end": ends, "strides": steps, **masks}


_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


def _next(number: Any) -> Any:
    return number + 1 if isinstance(number, int) else number


def _all_axes(x: Any) -> Any:
    rank = x.shape.rank
    return None if rank is None else range_(rank)


def _as_tensor(value: Any) -> Any:
    """An attribute as a tensor; None if it is nothing of numbers."""
    if value is None:
        return None
    if isinstance(value, BackedInt):
        value = value.symbolic()
    if isinstance(value, SymbolicValue):
        return _number(value)
    try:
        if any(True for _ in symbolic_values(value)):
            return stack([to_tensor(each) for each in filled_in(value, _number)])
        return to_tensor(value, int32) if isinstance(value, tuple) else to_tensor(value)
    except (TypeError, ValueError):
        return None


def _number(value: SymbolicValue) -> Any:
    return value.tensor[value.place] if isinstance(value.place, int) else value.tensor


def attribute(record: Op, call: Recorded, name: str) -> Any:
    """An attribute as TensorFlow tells it: lists, bytes for text, the types of inputs by letters.

    Args:
        record: the op.
        call: its attributes, inputs and outputs.
        name: TensorFlow's name of the attribute.

    Raises:
        KeyError: there is none of that name.
    """
    theirs = definition_if_any(record.name)
    about = None if theirs is None else theirs.attributes.get(name)
    if theirs is None or about is None:
        return call.attrs[name]
    by_argument = told_by_arguments(record, call.attrs)
    if name in by_argument:
        return _told(by_argument[name])
    inputs = zip(theirs.inputs, _groups(record, call, theirs), strict=True)
    for part, tensors in (*inputs, *_outputs_by_part(theirs, call.outputs)):
        if part.number == name:
            return len(tensors)
        if part.kind == name:
            return _type_of(part, tensors)
    if about.default is REQUIRED:
        raise KeyError(name)
    return _told(about.default)


def _outputs_by_part(theirs: Definition, outputs: Sequence[Any]) -> list[tuple[Part, list[Any]]]:
    """The tensors of each of TensorFlow's outputs, where these are told apart by place."""
    if len(theirs.outputs) == 1:
        return [(theirs.outputs[0], list(outputs))]
    return [(part, [y]) for part, y in zip(theirs.outputs, outputs, strict=False)]


def _type_of(part: Part, tensors: list[Any]) -> Any:
    dtypes = [x.dtype for x in tensors]
    if part.is_mixed:
        return dtypes
    return dtypes[0] if dtypes else int32  # what is an attribute here are TensorFlow's axes


def _groups(record: Op, call: Recorded, theirs: Definition) -> Iterator[list[Any]]:
    """The tensors of each of TensorFlow's inputs; none where it is an attribute here."""
    tensors: dict[str, list[Any]] = {}
    for x, (arg, _) in zip(
        call.inputs, expand(record.tensor_inputs, len(call.inputs)), strict=True
    ):
        tensors.setdefault(arg.name, []).append(x)
    for ours in _in_their_order(record, theirs):
        yield [] if ours is None else tensors.get(ours.name, [])


def _told(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode()
    return [_told(each) for each in value] if isinstance(value, (tuple, list)) else value


class TapeOp:
    """A call on a tape, as a gradient function gets it: there need not be an operation.

    `inputs` and `outputs` are TensorFlow's; `inputs` and `type` may be changed.
    """

    def __init__(self, call: Recorded) -> None:
        self.call = call
        self.type = call.op.name
        self.outputs = outputs_of(self.record, call.outputs)
        self.skip_input_indices = None
        self._inputs: list[Any] | None = None

    @property
    def record(self) -> Op:
        """The op that ran, whatever it was recorded as."""
        record: Op = getattr(self.call.route, "record", self.call.op)
        return record if definition_if_any(self.call.op.name) is None else self.call.op

    @property
    def inputs(self) -> list[Any]:
        """TensorFlow's inputs, made when they are asked for."""
        if self._inputs is None:
            self._inputs = _inputs(self.record, self.call.inputs, self.call.attrs)
        return self._inputs

    @inputs.setter
    def inputs(self, inputs: Sequence[Any]) -> None:
        self._inputs = list(inputs)

    @property
    def name(self) -> str:
        """The operation's name; in eager mode that of the op."""
        name: str = getattr(self.call.route, "name", self.type)
        return name

    def get_attr(self, attr: str) -> Any:
        """An attribute as TensorFlow tells it.

        Raises:
            KeyError: there is none of that name.
        """
        return attribute(self.record, self.call, attr)


class OperationForm(Operation):
    """An operation of a graph with TensorFlow's inputs and attributes. It equals the operation."""

    __slots__ = ("_inputs", "call")
    _COPIED = (
        "attrs", "control", "copies", "device", "given", "graph", "groups", "id", "place", "record",
    )  # fmt: skip

    def __init__(self, call: Recorded) -> None:
        for slot in self._COPIED:
            setattr(self, slot, getattr(call.route, slot))
        self.outputs = outputs_of(self.record, call.route.outputs)
        self.call = call
        self._inputs: list[Any] | None = None

    def itself(self) -> Operation:
        """The operation of the graph."""
        operation: Operation = self.call.route
        return operation

    @property  # type: ignore[misc]  # a form is not renamed
    def name(self) -> str:
        """The operation's name."""
        return self.itself().name

    @property
    def inputs(self) -> Any:  # type: ignore[override]  # made late
        """TensorFlow's inputs, made when they are asked for."""
        if self._inputs is None:
            self._inputs = _inputs(self.record, self.given, self.attrs)
        return tuple(self._inputs)

    def get_attr(self, name: str) -> Any:
        """An attribute as TensorFlow tells it.

        Raises:
            ValueError: it has none of that name.
        """
        try:
            return attribute(self.record, self.call, name)
        except KeyError:
            return super().get_attr(name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Operation) and other.itself() is self.itself()

    def __hash__(self) -> int:
        return hash(self.itself())


def form_of(call: Recorded) -> TapeOp | OperationForm:
    """What a gradient function of the program gets for a call."""
    made = call.route
    if isinstance(made, Operation) and (
        made.record.name == call.op.name or made.graph.gradient_types.get(made) is call.op
    ):
        return OperationForm(call)
    return TapeOp(call)


def call_of(op: object, record: Op | None) -> tuple[Recorded, Op] | None:
    """The call that a gradient function was given an op for, and its op; None for other objects.

    Args:
        op: a form, or an operation of a graph.
        record: the op that it is to count as; None for its own.
    """
    inputs: Sequence[Any] | None = None
    if isinstance(op, TapeOp | OperationForm):
        call, own, inputs = op.call, op.record, op._inputs
        given, attrs, outputs, route = list(call.inputs), call.attrs, call.outputs, call.route
    elif isinstance(op, Operation):
        own, given, attrs, outputs, route = op.record, list(op.given), op.attrs, op.outputs, op
    else:
        return None
    for place, x in zip(places(own, len(given)), inputs or (), strict=False):
        if isinstance(place, int) and x is not None:  # the program may have changed it
            given[place] = x
    made = Recorded(record or own, tuple(given), attrs, outputs, route)
    made.useful = {id(x) for x in given if is_trainable(x.dtype) or x.dtype is resource}
    return made, record or own


def in_our_order(call: Recorded, record: Op, returned: Any) -> list[Any]:
    """What a gradient function returned, as our rules do.

    Raises:
        ValueError: it has not a gradient per input.
    """
    theirs = list(returned) if isinstance(returned, (tuple, list)) else [returned]
    found = places(record, len(call.inputs))
    if len(theirs) != len(found):
        raise ValueError(
            f"Num gradients {len(theirs)} generated for op {call.op.name} do not match num inputs "
            f"{len(found)}"
        )
    results: list[Any] = [None] * len(call.inputs)
    for place, grad in zip(found, theirs, strict=True):
        if isinstance(place, int) and grad is not None:
            results[place] = grad if hasattr(grad, "indices") else to_tensor(grad)
    return results


def in_their_order(record: Op, ours: Sequence[Any]) -> Any:
    """The gradients of our inputs, as a gradient function returns them."""
    if takes_one(record):
        return ours[0]
    return [ours[p] if isinstance(p, int) else None for p in places(record, len(ours))]


def dense(grad: Any) -> Any:
    """A gradient as a tensor, None as it is."""
    return grad if grad is None or isinstance(grad, Tensor) else to_tensor(grad)
