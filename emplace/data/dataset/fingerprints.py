"""What a pipeline is made of, as a text: its steps, their functions and their values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from ...base.dtypes import DType
from ...core.tensor import EagerTensor
from ...graph.recording.func_graph import FuncGraph
from ...graph.representation.graph import SymbolicTensor
from ..functions.traced import Traced
from ..iteration.node import Node

_PLAIN = (bool, int, float, str, bytes, type(None), DType)
_NOT_SAID = {"inputs", "structure", "leaves", "options"}


def text_of(node: Node) -> str:
    """A node, what it takes elements of, and what it does with them."""
    own = [
        f"{name}={_value(each)}"
        for name, each in sorted(vars(node).items())
        if name not in _NOT_SAID and not name.startswith("_")
    ]
    return f"{node.label}({', '.join([*map(text_of, node.inputs), *own])})"


def _value(value: Any) -> str:
    if isinstance(value, _PLAIN):
        return repr(value)
    if isinstance(value, Traced):
        element = getattr(value.element, "node", None)
        made = "" if element is None else text_of(element)
        return f"{_graph(value.graph)}{[_value(each) for each in value.captures]}{made}"
    if isinstance(value, FuncGraph):
        return _graph(value)
    if isinstance(value, SymbolicTensor):
        known = value.static_value()
        if known is not None:  # two constants of one value are two operations
            return _value(known)
        return f"{value.op.id}:{[x is value for x in value.op.outputs]}"
    if isinstance(value, EagerTensor):
        return _value(value.numpy()) if value.dtype.is_numpy_compatible else repr(value.shape)
    if isinstance(value, torch.Tensor):
        return _value(value.numpy(force=True)) if value.dtype is not torch.bfloat16 else repr(value)
    if isinstance(value, np.ndarray):
        content = value.tolist() if value.dtype == object else value.tobytes()
        return f"{value.dtype}{value.shape}{content!r}"
    if isinstance(value, Mapping):
        return str({repr(name): _value(each) for name, each in value.items()})
    if isinstance(value, (list, tuple)):
        return str([_value(each) for each in value])
    if isinstance(value, Node):
        return text_of(value)
    return type(value).__name__


def _graph(graph: FuncGraph) -> str:
    lines = [
        f"{operation.record.name}{[_value(x) for x in operation.inputs]}{_value(operation.attrs)}"
        for operation in graph.operations
    ]
    return "; ".join([*lines, *[_value(y) for y in graph.outputs]])
