"""A graph as a `GraphDef`, so that TensorBoard can draw it. It cannot be run again."""

from __future__ import annotations

from typing import Any

from tensorboard.compat.proto.graph_pb2 import GraphDef

from ..graph.graph import Graph, Operation, SymbolicTensor


def graph_def_of(graph: Graph) -> Any:
    """The nodes of a graph: names, types, inputs, devices, and the shapes of what they return."""
    found = GraphDef()
    found.versions.producer = 1
    for node in list(graph.operations):
        _write(found.node.add(), node)
    return found


def _write(written: Any, node: Operation) -> None:
    graph = node.graph
    if not node.name:
        graph.name_constant(node)
    written.name, written.op, written.device = node.name, node.type, node.device
    written.input.extend(_input_name(x) for x in node.inputs)
    written.input.extend(f"^{each.name}" for each in node.control)
    for x in node.outputs:
        shape = written.attr["_output_shapes"].list.shape.add()
        if x.dims is None:
            shape.unknown_rank = True
        else:
            for size in x.dims:
                shape.dim.add(size=-1 if size is None else size)
    if node.outputs:
        written.attr["dtype"].type = node.outputs[0].dtype.as_datatype_enum


def _input_name(x: SymbolicTensor) -> str:
    return x.op.name if not x.value_index else f"{x.op.name}:{x.value_index}"
