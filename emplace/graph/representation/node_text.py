"""What `op.node_def` shows of an operation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...base.board_protos import board_proto
from ...base.dtypes import DType
from ...base.shapes import TensorShape
from ...ops.io.tensor_proto import serialize_kernel

if TYPE_CHECKING:
    from .operation import Operation


class NodeText:
    """What `op.node_def` shows: name, op, inputs, device and attributes."""

    def __init__(self, operation: Operation) -> None:
        self.name = operation.name
        self.op = operation.type
        self.device = operation.device
        names = [x.op.name if not x.value_index else x.name for x in operation.inputs]
        self.input = [*names, *[f"^{each.name}" for each in operation.control_inputs]]
        self._attrs = dict(operation.attrs)

    @property
    def attr(self) -> Any:
        """The attributes as `AttrValue`s by name, those that a file could hold."""
        found = board_proto("node_def_pb2", "NodeDef")().attr
        for name, value in self._attrs.items():
            if self.op == "Const" and name == "value":
                found[name].tensor.ParseFromString(serialize_kernel(value)[()])
            else:
                _write(found, name, value)
        return found

    def __str__(self) -> str:
        lines = [f'name: "{self.name}"', f'op: "{self.op}"']
        lines += [f'input: "{name}"' for name in self.input]
        lines += [f'device: "{self.device}"'] if self.device else []
        lines += [f"attr {name}: {value!r}" for name, value in self._attrs.items()]
        return "\n".join(lines) + "\n"


def _write(found: Any, name: str, value: object) -> None:
    if isinstance(value, (list, tuple)):
        fields = {_field(each) for each in value}
        if len(fields) == 1 and None not in fields:
            field = fields.pop()
            _extend(getattr(found[name].list, str(field)), value)
        elif not value:
            found[name].list.SetInParent()
        return
    field = _field(value)
    if field == "shape":
        _write_shape(found[name].shape, value)
    elif field is not None:
        setattr(found[name], field, _plain(value))


def _field(value: object) -> str | None:
    """The field of an `AttrValue` for a value; None if there is none."""
    kinds = ((bool, "b"), (int, "i"), (float, "f"), ((str, bytes), "s"), (DType, "type"),
             (TensorShape, "shape"))  # fmt: skip
    return next((field for kind, field in kinds if isinstance(value, kind)), None)


def _plain(value: Any) -> Any:
    if isinstance(value, DType):
        return value.as_datatype_enum
    return value.encode() if isinstance(value, str) else value


def _extend(field: Any, values: Iterable[Any]) -> None:
    for value in values:
        if isinstance(value, TensorShape):
            _write_shape(field.add(), value)
        else:
            field.append(_plain(value))


def _write_shape(written: Any, shape: Any) -> None:
    if shape.rank is None:
        written.unknown_rank = True
        return
    written.SetInParent()
    for size in shape.as_list():
        written.dim.add(size=-1 if size is None else size)
