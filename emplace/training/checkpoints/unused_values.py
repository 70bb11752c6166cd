"""The warning about values of a checkpoint that no object has taken."""

from __future__ import annotations

from typing import Any

from ...classic.scopes import messages
from .object_graph import ObjectNode


class UnusedValues:
    """Says which values of a restore were never used, when nobody can use them any more.

    Args:
        nodes: those of the checkpoint.
        bound: the objects that have come for some, by the nodes' numbers.
    """

    def __init__(self, nodes: list[ObjectNode], bound: dict[int, Any]) -> None:
        self._nodes, self._bound = nodes, bound
        self.is_silent = False

    def __del__(self) -> None:
        unused = [] if self.is_silent else unbound(self._nodes, self._bound)
        if unused and messages is not None:
            messages.warning(
                "Detecting that an object or model or tf.train.Checkpoint is being deleted with "
                "unrestored values. See the following logs for the specific values in question. "
                "To silence these warnings, use `status.expect_partial()`."
            )
            for node in unused:
                messages.warning(
                    "Value in checkpoint could not be found in the restored object: (root)."
                    + node.path.replace("/", ".")
                )


def unbound(nodes: list[ObjectNode], bound: dict[int, Any]) -> list[ObjectNode]:
    """The nodes with values that no object has come for."""
    return [node for number, node in enumerate(nodes) if node.values and number not in bound]
