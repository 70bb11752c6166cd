"""Protocol buffers declared in Python, for messages that TensorFlow's files are made of.

A declaration maps each message to its fields, written as in a .proto file:

    declare(__name__, {"Point": ["repeated float at = 1", "kind: string label = 2"]})

`kind:` puts a field into that oneof; `map<string, Point> points = 3` is a map. The messages live in
a pool of their own, so that a program may load other libraries that declare the same names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_Field = descriptor_pb2.FieldDescriptorProto
_POOL = descriptor_pool.DescriptorPool()
_PACKAGE = "tensorflow"
_TYPES = {
    name: getattr(_Field, f"TYPE_{name.upper()}")
    for name in ("double", "float", "int32", "int64", "uint32", "uint64", "bool", "string", "bytes")
}
_FIELD = re.compile(
    r"(?:(?P<oneof>\w+): )?(?P<repeated>repeated )?(?P<type>map<(?P<key>\w+), (?P<value>\w+)>|\w+)"
    r" (?P<name>\w+) = (?P<number>\d+)"
)


def declare(module: str, messages: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """The classes of messages, by name.

    Args:
        module: the `__name__` of the module that has them under these names.
        messages: the fields of each message.
    """
    proto = descriptor_pb2.FileDescriptorProto(
        name=f"{module}.proto", package=_PACKAGE, syntax="proto3"
    )
    for name, fields in messages.items():
        message = proto.message_type.add(name=name)
        for text in fields:
            _add_field(message, text)
    _POOL.Add(proto)
    return {name: _class_of(module, name) for name in messages}


def _class_of(module: str, name: str) -> Any:
    descriptor = _POOL.FindMessageTypeByName(f"{_PACKAGE}.{name}")
    found = message_factory.GetMessageClass(descriptor)
    found.__module__ = module
    found.__doc__ = f"The protocol buffer `{_PACKAGE}.{name}`."
    return found


def _add_field(message: Any, text: str) -> None:
    found = _FIELD.fullmatch(text)
    assert found is not None, f"not a field: {text}"
    field = message.field.add(name=found["name"], number=int(found["number"]))
    is_many = found["repeated"] or found["key"]
    field.label = _Field.LABEL_REPEATED if is_many else _Field.LABEL_OPTIONAL
    if found["key"]:
        entry = _entry_name(found["name"])
        nested = message.nested_type.add(name=entry)
        nested.options.map_entry = True
        _add_field(nested, f"{found['key']} key = 1")
        _add_field(nested, f"{found['value']} value = 2")
        field.type, field.type_name = _Field.TYPE_MESSAGE, f".{_PACKAGE}.{message.name}.{entry}"
    elif found["type"] in _TYPES:
        field.type = _TYPES[found["type"]]
    else:
        field.type, field.type_name = _Field.TYPE_MESSAGE, f".{_PACKAGE}.{found['type']}"
    if found["oneof"]:
        field.oneof_index = _oneof(message, found["oneof"])


def _entry_name(field: str) -> str:
    return "".join(part.capitalize() for part in field.split("_")) + "Entry"


def _oneof(message: Any, name: str) -> int:
    names = [each.name for each in message.oneof_decl]
    if name not in names:
        message.oneof_decl.add(name=name)
        names.append(name)
    return names.index(name)
