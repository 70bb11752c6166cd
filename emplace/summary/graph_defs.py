"""A graph as a `GraphDef`, so that TensorBoard can draw it. It cannot be run again."""

from __future__ import annotations

import os
from typing import Any

from google.protobuf import text_format
from tensorboard.compat.proto.graph_pb2 import GraphDef

from ..base.files import write_bytes, write_text
from ..graph.representation.graph import Graph, Operation, SymbolicTensor
from ..ops.io.paths import as_text as path_text, local, system_errors


def graph_def_of(graph: Graph) -> Any:
    """The nodes of a graph: names, types, inputs, devices, and the shapes of what they return."""
    found = GraphDef()
    found.versions.producer = 1
    for operation in list(graph.operations):
        _write(found.node.add(), operation)
    return found


def _write(written: Any, operation: Operation) -> None:
    graph = operation.graph
    if not operation.name:
        graph.name_constant(operation)
    written.name, written.op, written.device = operation.name, operation.type, operation.device
    written.input.extend(_input_name(x) for x in operation.inputs)
    written.input.extend(f"^{each.name}" for each in operation.control)
    for x in operation.outputs:
        shape = written.attr["_output_shapes"].list.shape.add()
        if x.dims is None:
            shape.unknown_rank = True
        else:
            for size in x.dims:
                shape.dim.add(size=-1 if size is None else size)
    if operation.outputs:
        written.attr["dtype"].type = operation.outputs[0].dtype.as_datatype_enum


def _input_name(x: SymbolicTensor) -> str:
    return x.op.name if not x.value_index else f"{x.op.name}:{x.value_index}"


def write_graph(graph_or_graph_def: Any, logdir: str, name: str, as_text: bool = True) -> str:
    """Writes a graph into a file, for people and for drawing (`tf.io.write_graph`).

    Args:
        graph_or_graph_def: a graph, or a `GraphDef`.
        logdir: the folder, which is made.
        name: the file's name in it.
        as_text: whether as text, or packed.

    Returns:
        The path of the file.
    """
    given = graph_or_graph_def
    message = graph_def_of(given) if isinstance(given, Graph) else given
    path = os.path.join(path_text(logdir), name)
    with system_errors(path):
        os.makedirs(os.path.dirname(local(path)) or ".", exist_ok=True)
        if as_text:
            write_text(local(path), text_format.MessageToString(message))
        else:
            write_bytes(local(path), message.SerializeToString())
    return path
