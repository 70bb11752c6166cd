"""`tf.raw_ops`: what is in the registry, what a table adds to it, and what refuses by its name.

The table and TensorFlow's definitions are loaded when a program asks for the first raw op.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..graph.representation.graph import CREATED, Graph
from ..graph.representation.operation import Operation


def raw_attribute(name: str) -> Callable[..., Any]:
    """`tf.raw_ops.<name>`, as a module looks it up.

    Raises:
        AttributeError: TensorFlow has no such op.
    """
    if name.startswith("__"):
        raise AttributeError(f"module 'tensorflow.raw_ops' has no attribute {name!r}")
    found: Callable[..., Any] = importlib.import_module(".lookup", __name__).raw_attribute(name)
    return found


def raw_names() -> list[str]:
    """The names of the raw ops that compute something; the others are there as well, and refuse."""
    return list(importlib.import_module(".lookup", __name__).raw_names())


def created(
    graph: Graph, op_type: str, inputs: Sequence[Any], name: str | None, attrs: Mapping[str, Any]
) -> Operation:
    """Adds an operation by the name of its op: see `created.py`."""
    made: Operation = importlib.import_module(".created", __name__).created(
        graph, op_type, inputs, name, attrs
    )
    return made


CREATED.bind(created)
