"""Nodes as errors show them: their attributes in one line, and the line that made them."""

from __future__ import annotations

from ....base.dtypes import DType, runtime_name
from ....base.typing import TensorLike
from ....core.symbolic_value import symbolic_values
from ..graph import Operation

# What only Emplace keeps as an attribute.
_OURS = {"is_implicit", "eager", "value"}


def failed_text(operation: Operation, core: str) -> str:
    """The text of an error of a node when its graph runs: which line made it, then `core`."""
    line = operation.line
    where = "" if line is None else (
        f"\n\nDetected at node '{operation.name}' defined at (most recent call last):\n"
        f"    File \"{line.file}\", line {line.number}, in {line.function}"
    )  # fmt: skip
    return f"Graph execution error:{where}\nNode: '{operation.name}'\n{core}"


def attributes_text(operation: Operation) -> str:
    """Types and plain attributes by name; host arguments are inputs for TensorFlow."""
    op, taken, attrs = operation.record, operation.given, operation.attrs
    found: dict[str, str] = {}
    for arg, x in zip(op.tensor_inputs, taken, strict=False):
        if arg.type in op.types:
            found[arg.type] = _type(x.dtype)
        if arg.is_list:
            found["N"] = str(len(taken) - len(op.tensor_inputs) + 1)
    hosts = {arg.name for arg in op.inputs if arg.is_host} | _OURS
    for name, value in attrs.items():
        if name not in hosts and not has_symbolic_value(value):
            found[name] = _value(value)
    return ", ".join(f"{name}={found[name]}" for name in sorted(found))


def has_symbolic_value(value: TensorLike) -> bool:
    """Whether a part of an attribute is known only when the graph runs."""
    return any(True for _ in symbolic_values(value))


def _type(dtype: DType) -> str:
    return f"DT_{runtime_name(dtype).upper()}"


def _value(value: TensorLike) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, DType):
        return _type(value)
    if isinstance(value, str):
        return f'"{value}"'
    return str(list(value)) if isinstance(value, tuple) else str(value)
