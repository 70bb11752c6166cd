"""Operations that a program makes by the name of their op: `tf.Graph.create_op`."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from typing import Any

from ..base.dtypes import as_dtype
from ..graph.representation.graph import Graph
from ..graph.representation.operation import Operation, SymbolicTensor
from .definitions import Definition, definition
from .lookup import raw_attribute

# Fields of an `AttrValue` that hold what they are called after.
_PLAIN = {"b", "f", "i", "s"}


def created(
    graph: Graph, op_type: str, inputs: Sequence[Any], name: str | None, attrs: Mapping[str, Any]
) -> Operation:
    """Adds the operation that `tf.raw_ops.<op_type>` makes of these inputs.

    Args:
        graph: the graph it is added to.
        op_type: TensorFlow's name of the op.
        inputs: its tensors in order, lists laid flat.
        name: its name, or None for the op's.
        attrs: its attributes, as Python's values or as `AttrValue`s. Those that only say the types
            or the number of inputs may be left out.

    Raises:
        TypeError: an input is no tensor.
        RuntimeError: TensorFlow has no such op.
    """
    for i, x in enumerate(inputs):
        if not isinstance(x, SymbolicTensor):
            raise TypeError(f"Input #{i} is not a tensor: {x}")
    try:
        found = definition(op_type)
    except KeyError:
        raise RuntimeError(
            f"Op type not registered '{op_type}' in binary running on {platform.node()}. Make sure "
            "the Op and Kernel are registered in the binary running in this process. Emplace has "
            "the ops of tf.raw_ops; a library's own ops are not loaded."
        ) from None
    plain = {key: _plain(value) for key, value in attrs.items()}
    given = _by_name(found, inputs, plain)
    wanted = {key: value for key, value in plain.items() if key in found.arguments}
    with graph.as_default():
        result = raw_attribute(op_type)(**given, **wanted, name=name)
    while isinstance(result, (list, tuple)) and result:
        result = result[0]
    if isinstance(result, Operation):
        return result
    return result.op if isinstance(result, SymbolicTensor) else graph.operations[-1]


def _by_name(found: Definition, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> dict[str, Any]:
    """The tensors of each argument. A list takes as many as its attribute says, else what is left
    by the other arguments.

    Raises:
        ValueError: there are too few or too many.
    """
    given: dict[str, Any] = {}
    at = 0
    for i, part in enumerate(found.inputs):
        if part.is_list:
            count = attrs.get(part.number)
            types = attrs.get(part.kind) if part.is_mixed else None
            if isinstance(types, (list, tuple)):
                count = len(types)
            if count is None:
                count = len(inputs) - at - len(found.inputs[i + 1 :])
            given[part.name] = list(inputs[at : at + count])
            at += count
        elif at < len(inputs):
            given[part.name] = inputs[at]
            at += 1
        else:
            raise ValueError(
                f"create_op: {found.name} takes {len(found.inputs)} inputs "
                f"({', '.join(p.name for p in found.inputs)}), got {len(inputs)}."
            )
    if at < len(inputs):
        raise ValueError(
            f"create_op: {found.name} takes {len(found.inputs)} inputs "
            f"({', '.join(p.name for p in found.inputs)}), got {len(inputs)}."
        )
    return given


def _plain(value: Any) -> Any:
    """What an attribute says, in Python's values."""
    which = getattr(value, "WhichOneof", None)
    if which is None:
        return value
    field = which("value")
    if field in _PLAIN:
        found = getattr(value, field)
        return found.decode() if isinstance(found, bytes) else found
    if field == "type":
        return as_dtype(value.type)
    if field == "shape":
        return None if value.shape.unknown_rank else [
            None if dim.size < 0 else dim.size for dim in value.shape.dim
        ]  # fmt: skip
    if field == "list":
        lists = [getattr(value.list, each) for each in ("i", "f", "b", "s", "type")]
        kept = next((list(each) for each in lists if each), [])
        return [as_dtype(each) for each in kept] if value.list.type else kept
    return value
