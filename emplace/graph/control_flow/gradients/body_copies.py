"""Bodies of an operation's own, where it shared them with others.

A function that is called twice in a graph is copied twice, and the copies of its branches and loops
share their bodies. A gradient gives an operation further outputs, which its bodies make; so an
operation that is differentiated first gets bodies that nobody else has.
"""

from __future__ import annotations

from typing import Any

from ....core.tensor import EagerTensor
from ...function.inline import copy_operations
from ...recording.deferred import constant_of
from ...recording.func_graph import FuncGraph, captured, same_constant
from ...representation.copies import Copied
from ...representation.default_graph import as_default
from ...representation.graph import Graph, Operation, SymbolicTensor
from ..bodies import Body


def unshare_bodies(operation: Operation) -> None:
    """Gives an operation copies of its bodies, if another operation has them too."""
    attrs = operation.attrs
    if not any(body.is_shared for body in attrs["bodies"]):
        return
    bodies, reads = [], []
    for body, symbols in zip(attrs["bodies"], attrs["reads"], strict=True):
        made, copies = _copied(body, operation.graph)
        bodies.append(made)
        reads.append(tuple([None if x is None else copies[id(x)] for x in symbols]))
        operation.copies = (*operation.copies, Copied.of(body, copies))
    operation.attrs = {**attrs, "bodies": tuple(bodies), "reads": tuple(reads)}


def _copied(body: FuncGraph, graph: Graph) -> tuple[Body, dict[int, SymbolicTensor]]:
    """A body once more, and what its tensors became."""
    made = Body(body.name, graph)
    copies: dict[int, SymbolicTensor] = {}
    with as_default(made):
        for x in body.inputs:
            copies[id(x)] = _like(x, made.argument(x.spec, x.op.name))
        for outer, inner in body.captures.values():
            # What a gradient reads of iterations is among its arguments already.
            if id(inner) not in copies:
                copies[id(inner)] = _like(inner, captured(made, inner))
            made.captures[id(outer)] = outer, copies[id(inner)]
        for value, inner in body.constants.values():
            copies[id(inner)] = _constant(made, value, inner)
        again = copy_operations(made.target, body.operations, copies)
    made.outputs = [None if y is None else copies[id(y)] for y in body.outputs]
    if body.awaited is not None:
        made.awaited = [again[each.id] for each in body.awaited]
    return made, copies


def _like(x: SymbolicTensor, made: SymbolicTensor) -> SymbolicTensor:
    made.handle_data = x.handle_data
    return made


def _constant(made: Body, value: Any, inner: SymbolicTensor) -> SymbolicTensor:
    if isinstance(value, EagerTensor):
        again = constant_of(made, value)
    else:
        again = same_constant(made, inner)
    made.constants[id(value)] = value, again
    return again
