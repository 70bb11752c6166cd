"""What TensorFlow 2.21 says of its raw ops: inputs, outputs, attributes, defaults, allowed types.

`scripts/record_oracle/raw_definitions.py` recorded it.
"""

from __future__ import annotations

import functools
import gzip
import inspect
import json
from pathlib import Path
from typing import Any, NamedTuple

from ..base.dtypes import DType, as_dtype
from ..base.shapes import TensorShape

REQUIRED = inspect.Parameter.empty
RECORDED = Path(__file__).with_name("definitions.json.gz")


class Part(NamedTuple):
    """One input or output. `kind` is a dtype or the attribute that names it; `number` the attribute
    that counts it, if it is a list of one type; `is_mixed` says that it is one of several.
    """

    name: str
    kind: str
    number: str = ""
    is_mixed: bool = False
    is_reference: bool = False

    @property
    def is_list(self) -> bool:
        """Whether it stands for several tensors."""
        return self.is_mixed or bool(self.number)


class Attribute(NamedTuple):
    """One attribute: TensorFlow's word for its type, and what is said of its values."""

    type: str
    default: Any
    allowed: tuple[Any, ...]
    minimum: int | None


class Definition(NamedTuple):
    """One raw op. `arguments` are the names of what it is called with, in order; `gradient` is
    "rule", "none" or "unknown"; `kernels` are the types of devices that TensorFlow has one for;
    `removed` is the version of graphs since which it is gone, or 0, and TensorFlow's advice.
    """

    name: str
    inputs: tuple[Part, ...]
    outputs: tuple[Part, ...]
    attributes: dict[str, Attribute]
    arguments: tuple[str, ...]
    gradient: str
    kernels: tuple[str, ...]
    is_stateful: bool
    removed: tuple[int, str]

    @property
    def has_references(self) -> bool:
        """Whether it works on variables of TF 1's kind, of which eager execution knows none."""
        return any(part.is_reference for part in (*self.inputs, *self.outputs))

    def defaults(self) -> dict[str, Any]:
        """Every argument with its default, or `REQUIRED`."""
        return {
            name: self.attributes[name].default if name in self.attributes else REQUIRED
            for name in self.arguments
        }


@functools.cache
def _recorded() -> dict[str, Any]:
    return dict(json.loads(gzip.decompress(RECORDED.read_bytes()))["ops"])


def names() -> list[str]:
    """The names of all of TensorFlow's raw ops."""
    return list(_recorded())


@functools.cache
def definition(name: str) -> Definition:
    """What TensorFlow says of one raw op.

    Raises:
        KeyError: it has none of that name.
    """
    found = _recorded()[name]
    return Definition(
        name,
        tuple(_part(text) for text in found["inputs"]),
        tuple(_part(text) for text in found["outputs"]),
        {key: _attribute(*given) for key, given in found["attributes"].items()},
        tuple(found["arguments"]),
        found["gradient"],
        tuple(found["kernels"]),
        found["is_stateful"],
        (found["removed"][0], found["removed"][1]),
    )


def definition_if_any(name: str) -> Definition | None:
    """The same; None if it has none of that name."""
    return definition(name) if name in _recorded() else None


def _part(text: str) -> Part:
    name, kind = text.split(": ")
    is_mixed = kind.startswith("[] ")
    number, _, rest = kind.removeprefix("[] ").rpartition(" * ")
    is_reference = rest.startswith("ref ")
    return Part(name, rest.removeprefix("ref "), number, is_mixed, is_reference)


def _attribute(kind: str, said: dict[str, Any] | None = None) -> Attribute:
    said = said or {}
    default = _value(kind, said["default"]) if "default" in said else REQUIRED
    element = kind.removeprefix("list(").removesuffix(")")
    allowed = tuple(_value(element, each) for each in said.get("allowed", ()))
    return Attribute(kind, default, allowed, said.get("minimum"))


def _value(kind: str, held: Any) -> Any:
    """A recorded value as programs have it."""
    if kind.startswith("list("):
        return [_value(kind[5:-1], each) for each in held]
    if kind == "type":
        return _dtype(held)
    return TensorShape(held) if kind == "shape" else held


def _dtype(name: str) -> DType | str:
    """A dtype, or its name if Emplace has none of it."""
    try:
        return as_dtype(name)
    except TypeError:
        return name
