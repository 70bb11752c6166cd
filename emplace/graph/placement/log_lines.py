"""What sessions and functions that log placement tell: lines on two streams, as TensorFlow's, and
the operations of a function with their devices.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence

from ...base import log
from ...core.events import Node
from ...devices.device import Device
from ...eager.place import Placement
from ..representation.graph import Operation, SymbolicTensor


def tell(text: str) -> None:
    """A line of a log: bare on standard output, and with a prefix on standard error, which a
    notebook does not show.
    """
    if not log.in_notebook():
        log.info(text)
    sys.stdout.write(f"{text}\n")


def tell_places(nodes: Sequence[Operation], placed: Mapping[Operation, Placement]) -> None:
    """One line per operation."""
    for node in _in_order(nodes):
        tell(f"{node.name}: ({node.type}): {placed[node].device.name}")


def _in_order(nodes: Iterable[Operation]) -> list[Operation]:
    """TensorFlow's order: what makes values from nothing comes last."""
    nodes = list(nodes)
    first = [node for node in nodes if node.inputs or len(node.outputs) != 1]
    return first + [node for node in nodes if not node.inputs and len(node.outputs) == 1]


def told_nodes(
    arguments: Sequence[tuple[SymbolicTensor, Device]],
    placed: Mapping[Operation, Placement],
    paths: Mapping[Operation, str],
    results: Sequence[Device],
) -> list[Node]:
    """What a function that has been placed tells: arguments, operations, results, and last what
    makes values from nothing.
    """
    given = {x.op for x, _ in arguments}
    held = _held_names(placed)
    told = [Node(x.op.name, "_Arg", device) for x, device in arguments]
    told += [Node(name, "_Arg", placed[node].device) for node, name in held.items()]
    rest = _in_order(node for node in placed if node not in held and node not in given)
    nodes = [Node(paths.get(x, "") + x.name, x.type, placed[x].device) for x in rest]
    count = sum(1 for x in rest if x.inputs or len(x.outputs) != 1)
    # TF: results leave a function through nodes named `identity`.
    names = [f"identity_{i}" if i else "identity" for i in range(len(results))]
    ends = [
        Node(f"{name}_RetVal", "_Retval", device)
        for name, device in zip(names, results, strict=True)
    ]
    return [*told, *nodes[:count], *ends, *nodes[count:]]


def _held_names(nodes: Iterable[Operation]) -> dict[Operation, str]:
    """What TensorFlow calls values from outside: after the first operation that takes each."""
    held = {node: node.name for node in nodes if "eager" in node.attrs}
    unnamed = set(held)
    for node in nodes:
        for place, x in enumerate(node.given):
            if x.op in unnamed:
                unnamed.discard(x.op)
                taken = node.record.tensor_inputs
                arg = taken[min(place, len(taken) - 1)].logged_name
                held[x.op] = f"{node.name}/{arg}".lower().replace("/", "_")
    return held
