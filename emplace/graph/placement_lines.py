"""What sessions and functions that log placement tell: lines on two streams, as TensorFlow's."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from ..base import log
from ..eager.place import Placement
from .graph import Operation


def tell(text: str) -> None:
    """A line of a log: bare on standard output, and with a prefix on standard error, which a
    notebook does not show.
    """
    if not log.in_notebook():
        log.info(text)
    sys.stdout.write(f"{text}\n")


def tell_places(nodes: Sequence[Operation], placed: Mapping[Operation, Placement]) -> None:
    """One line per operation, in TensorFlow's order: what makes values from nothing comes last."""
    first = [node for node in nodes if node.inputs or len(node.outputs) != 1]
    last = [node for node in nodes if not node.inputs and len(node.outputs) == 1]
    for node in (*first, *last):
        tell(f"{node.name}: ({node.type}): {placed[node].device.name}")
